"""Limits of a sandbox: where control groups may be made, and what a launcher may give."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ashd.launcher import cgroup
from ashd.launcher.cgroup import Parent

OLD_MOUNTS = """\
30 24 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct
31 24 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
32 24 0:28 /docker/a /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
"""


def test_old_control_groups() -> None:
    """Each hierarchy has its own place, as seen from where it is mounted."""
    membership = "8:pids:/job\n4:memory:/docker/a/job\n1:cpu:/job\n0::/\n"

    assert cgroup.parents(membership, OLD_MOUNTS) == [
        Parent(Path("/sys/fs/cgroup/pids/job"), ("pids",), 1),
        Parent(Path("/sys/fs/cgroup/memory/job"), ("memory",), 1),
    ]


def test_mounts_with_odd_names_are_passed_over() -> None:
    """A mount may have no source, and line ends of Unicode in its path."""
    odd = "40 24 0:40 / /mnt/a\u2028b\x85 rw - 9p  rw,trans=virtio\n"

    [group] = cgroup.parents("8:pids:/job\n", odd + OLD_MOUNTS)

    assert group == Parent(Path("/sys/fs/cgroup/pids/job"), ("pids",), 1)


def test_a_group_outside_the_mount_is_not_used() -> None:
    """A container may see only a part of the hierarchy."""
    assert cgroup.parents("4:memory:/elsewhere\n", OLD_MOUNTS) == []


@pytest.mark.parametrize(
    ("own", "above", "found"),
    [
        ("", "memory pids", ("app.slice", ("memory", "pids"))),
        ("", "cpu pids", ("app.slice", ("pids",))),
        ("memory pids", "", ("app.slice/shell.scope", ("memory", "pids"))),
        ("", "cpu", None),
    ],
)
def test_new_control_groups(
    tmp_path: Path, own: str, above: str, found: tuple[str, tuple[str, ...]] | None
) -> None:
    """A new group stands beside the launcher's, unless that passes controllers on itself."""
    shell = tmp_path / "app.slice" / "shell.scope"
    shell.mkdir(parents=True)
    (shell / "cgroup.subtree_control").write_text(own)
    (shell.parent / "cgroup.subtree_control").write_text(above)
    mounts = f"33 24 0:29 / {tmp_path} rw - cgroup2 cgroup2 rw\n"

    expected = [Parent(tmp_path / found[0], found[1], 2)] if found else []
    assert cgroup.parents("0::/app.slice/shell.scope\n", mounts) == expected


def test_groups_of_killed_launchers_are_removed(tmp_path: Path) -> None:
    """Groups of running launchers and of other programs stay."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    mine, theirs, other = (
        tmp_path / f"ash-{os.getpid()}",
        tmp_path / f"ash-{ended.pid}",
        tmp_path / "ash-tray",
    )
    for group in (mine, theirs, other):
        group.mkdir()

    cgroup.remove_abandoned(tmp_path)

    assert sorted(tmp_path.iterdir()) == sorted([mine, other])


def test_a_lower_limit_of_the_launcher_is_passed_on() -> None:
    """A process cannot raise it, and setting it would fail."""
    script = (
        "import resource\n"
        "from ashd.launcher.confinement import DEFAULT_LIMITS, limited\n"
        "resource.setrlimit(resource.RLIMIT_NPROC, (100, 100))\n"
        "print(limited(['true'], DEFAULT_LIMITS)[5])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert done.stdout == "100\n"
