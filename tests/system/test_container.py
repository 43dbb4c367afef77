"""The container recipe, built and run as sandbox/README.md says. Budget: 15 s.

Nothing is fetched: the base image is made of this machine's own python3.
"""

import os
import re
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from sandboxed_host import Host

SANDBOX = Path(__file__).parents[2] / "sandbox"
PYTHON = Path("/usr/bin/python3").resolve()
LIBRARY = Path("/usr/lib") / PYTHON.name
# What of the standard library no client needs.
LEFT_OUT = re.compile(r"/(test|idlelib|lib2to3|pydoc_data|config-[^/]*|dist-packages|__pycache__)$")
IMAGE_USER = 65534
# A machine may allow fewer than the limits that podman asks for by default.
LIMITS = ["--ulimit", "nofile=256:256", "--ulimit", "nproc=256:256"]


class Podman:
    """podman with a storage of its own, which goes with the test."""

    def __init__(self, storage: Path) -> None:
        roots = ["--root", str(storage / "root"), "--runroot", str(storage / "run")]
        self.prefix = ["podman", *roots, "--runtime", "runc", "--cgroup-manager", "cgroupfs"]

    def command(self, arguments: Sequence[str]) -> list[str]:
        if arguments[0] == "run":
            arguments = ["run", *LIMITS, *arguments[1:]]
        return [*self.prefix, *arguments]

    def call(self, *arguments: str) -> str | None:
        """What podman said when it failed, else nothing."""
        done = subprocess.run(
            self.command(arguments),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=os.environ | {"BUILDAH_ISOLATION": "chroot"},
        )
        return None if done.returncode == 0 else done.stderr or f"exit {done.returncode}"


def base_tree(tar: Path) -> None:
    """The machine's python3, `env` and `sh`, what they are linked with, and an empty /tmp."""
    programs = [PYTHON, *map(Path, ("/usr/bin/python3", "/usr/bin/env", "/bin/sh"))]
    linked = [*programs, *(LIBRARY / "lib-dynload").glob("*.so")]
    told = subprocess.run(["ldd", *linked], capture_output=True, text=True, check=True).stdout
    with tarfile.open(tar, "w") as tree:
        for name in sorted(set(re.findall(r"(/\S+) \(0x", told))):
            tree.add(os.path.realpath(name), name)
        for path in programs:
            tree.add(path.resolve(), path)
        tree.add(LIBRARY, LIBRARY, filter=lambda m: None if LEFT_OUT.search(m.name) else m)
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        tree.addfile(folder)


@pytest.fixture
def podman(need: Callable[..., None]) -> Iterator[Podman]:
    need("podman", "runc", "ldd", str(PYTHON))
    # podman takes no long path for its state.
    with tempfile.TemporaryDirectory(prefix="ash-") as top:
        podman = Podman(Path(top))
        base_tree(Path(top, "base.tar"))
        assert podman.call("import", str(Path(top, "base.tar")), "base") is None
        # The least that the kernel must allow: a container without any option of ours.
        refused = podman.call("run", "--rm", "--network", "none", "base", "python3", "-c", "")
        if refused is not None:
            pytest.skip(f"this machine runs no container: {refused.strip()}")
        yield podman


def documented(program: str) -> list[str]:
    """The arguments of a command of the README, word by word."""
    text = (SANDBOX / "README.md").read_text().replace("\\\n", "")
    [line] = re.findall(rf"^podman {program} .*$", text, re.MULTILINE)
    return shlex.split(line)[1:]


def test_container_sees_only_its_grant(
    podman: Podman, host: Host, client: Path, tmp_path: Path
) -> None:
    """The image builds offline, and a hostile script in it gets no further than the socket."""
    context = tmp_path / "context"
    context.mkdir()
    shutil.copy(client, context / "ash-sb.pyz")
    build = documented("build")[:-1]
    build[build.index("sandbox/Containerfile")] = str(SANDBOX / "Containerfile")
    base = ["--pull=never", "--build-arg", "BASE=localhost/base"]

    assert podman.call(*build, *base, str(context)) is None

    host.give_to(IMAGE_USER)  # so that nothing but the mount keeps it from writing there
    run = [word.replace("$GRANT_DIRECTORY", str(host.grant)) for word in documented("run")]
    report = host.try_everything(lambda argv: podman.command([*run, *argv]))

    own = host.grant / "rpc.sock"
    assert report["answer"] == f"{own}: hello"
    assert report["answer_after"] == f"{own}: still here"
    assert report["sockets"] == ["/run/ash/rpc.sock"]
    assert report["databases"] == []
    assert set(report["hidden"].values()) == {"FileNotFoundError"}
    assert report["interfaces"] == ["lo"]
    assert report["tcp"] != "done"
    assert report["abstract"] == "ConnectionRefusedError"
    stopped = ("unlink", "replace", "chmod", "create", "write_root", "write_usr")
    assert [name for name in stopped if report[name] == "done"] == []
    assert report["root_is_read_only"]
    assert report["write_tmp"] == "done"
    assert report["signal"] == ["ProcessLookupError"] * 2
    assert report["processes"] == 1
    assert [text for text in report["environments"] if "ASH_TEST_KEY" in text] == []
    assert report["capabilities"] == ["0000000000000000"] * 3
    assert report["no_new_privileges"] == "1"
    assert report["kernel_settings"] == []
    assert report["uid"] == IMAGE_USER
    assert podman.call(*run, "ash-sb", "--version") is None
