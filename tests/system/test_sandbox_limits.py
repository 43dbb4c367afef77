"""Limits on what a sandbox uses up, on a real kernel. Budget: 15 s."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from sandboxed_host import Host, launched

from ashd.launcher import cgroup
from ashd.launcher.confinement import MIB, Limits
from ashd.launcher.launch import Sandbox

pytestmark = pytest.mark.usefixtures("sandboxes")
LIMITS = Limits(processes=40, memory_bytes=200 * MIB, tmp_bytes=8 * MIB, shm_bytes=4 * MIB)

FORKS = """
import os, signal
children = []
try:
    while len(children) < 200:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except BlockingIOError:
    pass
print(len(children), flush=True)
for child in children:
    os.kill(child, signal.SIGKILL)
"""
PRIVATE_MEMORY = """
try:
    bytearray(300 << 20)
    print("done")
except MemoryError:
    print("refused")
"""
SHARED_MEMORY = """
import mmap
shared = mmap.mmap(-1, 300 << 20)
for at in range(0, len(shared), mmap.PAGESIZE):
    shared[at] = 1
print("done")
"""
FILL = """
import sys
written = 0
try:
    with open(sys.argv[1], "wb", buffering=0) as file:
        while written < 64:
            written += file.write(bytes(1 << 20)) >> 20
except OSError:
    pass
print(written)
"""
MAKE_FILES = """
import os, sys
made = 0
try:
    while made < 400_000:
        os.close(os.open(f"{sys.argv[1]}/{made}", os.O_CREAT))
        made += 1
except OSError:
    pass
print(made)
"""
MAKE_LINKS = MAKE_FILES.replace(
    'os.close(os.open(f"{sys.argv[1]}/{made}", os.O_CREAT))',
    'os.symlink("x" * 100, f"{sys.argv[1]}/{made}")',
)

Run = Callable[..., str]


@pytest.fixture
def run(launcher: int | None, host: Host) -> Run:
    """Run a Python program in a sandbox; what it printed."""
    if launcher is not None:
        host.give_to(launcher)
    sandbox = Sandbox(directory=host.grant, client=b"", limits=LIMITS)
    start = partial(launched, sandbox, user=launcher)
    return lambda script, *words: start(["python3", "-ISc", script, *words]).stdout.strip()


@pytest.fixture
def control_groups() -> None:
    """Stops a test where this user can make no control group."""
    with cgroup.limiting(LIMITS) as group:
        if not any(path.joinpath("memory.stat").exists() for path in group.paths):
            pytest.skip("no control group with a limit of memory can be made here")


def test_processes_are_counted(run: Run, launcher: int | None) -> None:
    """A fork bomb stays small."""
    with cgroup.limiting(LIMITS) as group:
        counted = any(path.joinpath("pids.max").exists() for path in group.paths)
    if launcher is None and not counted:
        pytest.skip("this user's processes are counted by control groups alone, and has none")

    assert 20 < int(run(FORKS)) < LIMITS.processes


def test_memory_of_a_process_is_bounded(run: Run) -> None:
    """An allocation over the bound is refused."""
    assert run(PRIVATE_MEMORY) == "refused"


@pytest.mark.usefixtures("control_groups")
def test_memory_is_bounded_in_all(host: Host) -> None:
    """Shared memory too: it ends whoever takes more."""
    sandbox = Sandbox(directory=host.grant, client=b"", limits=LIMITS)
    done = launched(sandbox, ["python3", "-ISc", SHARED_MEMORY])

    assert done.stdout == ""
    assert done.returncode != 0


@pytest.mark.parametrize(("path", "mebibytes"), [("/tmp/fill", 8), ("/dev/shm/fill", 4)])
def test_file_systems_in_memory_are_bounded(run: Run, path: str, mebibytes: int) -> None:
    """Each by its own size."""
    assert 0 < int(run(FILL, path)) <= mebibytes


@pytest.mark.parametrize(("folder", "files"), [("/tmp", 2048), ("/dev/shm", 1024)])
def test_files_in_memory_are_bounded(run: Run, folder: str, files: int) -> None:
    """Empty files too, of which a size alone allows any number; links count as files."""
    assert files - 10 < int(run(MAKE_FILES, folder)) <= files
    assert files - 10 < int(run(MAKE_LINKS, folder)) <= files


def test_nothing_is_written_beside_them(run: Run) -> None:
    """The root and /dev are file systems in memory as well."""
    assert run(FILL, "/dev/fill") == "0"
    assert run(FILL, "/fill") == "0"


def test_no_control_group_stays_behind(host: Host) -> None:
    """The control group is removed with the sandbox."""
    membership, mounts = (Path("/proc/self", name).read_text() for name in ("cgroup", "mountinfo"))
    launched(Sandbox(directory=host.grant, client=b"", limits=LIMITS), ["true"])

    parents = cgroup.parents(membership, mounts)
    assert [group for parent in parents for group in parent.path.glob(f"ash-{os.getpid()}")] == []
