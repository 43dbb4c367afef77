"""podman with a storage of its own, and an image made as sandbox/README.md says.

Nothing is fetched: the base image is made of this machine's own python3.
"""

import os
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SANDBOX = Path(__file__).parents[2] / "sandbox"
PYTHON = Path("/usr/bin/python3").resolve()
LIBRARY = Path("/usr/lib") / PYTHON.name
# What of the standard library no client needs.
LEFT_OUT = re.compile(r"/(test|idlelib|lib2to3|pydoc_data|config-[^/]*|dist-packages|__pycache__)$")
IMAGE_USER = 65534
# A machine may allow fewer than the limits that podman asks for by default.
LIMITS = ["--ulimit", "nofile=256:256", "--ulimit", "nproc=256:256"]


class Podman:
    """podman with a storage of its own, which goes with the tests."""

    def __init__(self, storage: Path) -> None:
        roots = ["--root", str(storage / "root"), "--runroot", str(storage / "run")]
        self.prefix = ["podman", *roots, "--runtime", "runc", "--cgroup-manager", "cgroupfs"]

    def command(self, arguments: Sequence[str]) -> list[str]:
        if arguments[0] == "run":
            arguments = ["run", *LIMITS, *arguments[1:]]
        return [*self.prefix, *arguments]

    def call(self, *arguments: str, timeout: float = 120) -> str | None:
        """Return podman's error output if it failed, else an empty string."""
        done = subprocess.run(
            self.command(arguments),
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            env=os.environ | {"BUILDAH_ISOLATION": "chroot"},
        )
        return None if done.returncode == 0 else done.stderr or f"exit {done.returncode}"


def base_tree(tar: Path, others: Sequence[str] = ()) -> None:
    """The machine's python3, `env`, `sh` and others, what they are linked with, an empty /tmp."""
    named = ("/usr/bin/python3", "/usr/bin/env", "/bin/sh", *others)
    programs = [PYTHON, *map(Path, named)]
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


def documented(program: str) -> list[str]:
    """The arguments of a command of the README, word by word."""
    text = (SANDBOX / "README.md").read_text().replace("\\\n", "")
    [line] = re.findall(rf"^podman {program} .*$", text, re.MULTILINE)
    return shlex.split(line)[1:]


@contextmanager
def podman_with_base() -> Iterator[Podman]:
    """podman, with the machine's own python3 as the image `base`."""
    # podman takes no long path for its state.
    with tempfile.TemporaryDirectory(prefix="ash-") as top:
        podman = Podman(Path(top))
        base_tree(Path(top, "base.tar"))
        try:
            assert podman.call("import", str(Path(top, "base.tar")), "base") is None
            yield podman
        finally:
            # A podman that was interrupted leaves its layers mounted.
            layers = Path(top, "root", "overlay")
            subprocess.run(["umount", "--lazy", layers], stderr=subprocess.DEVNULL, check=False)


def build(podman: Podman, context: Path) -> None:
    """Make the image of the README, with the client in it."""
    pyz = context / "ash-sb.pyz"
    subprocess.run([sys.executable, SANDBOX / "build_pyz.py", pyz], check=True)
    command = documented("build")[:-1]
    command[command.index("sandbox/Containerfile")] = str(SANDBOX / "Containerfile")
    base = ["--pull=never", "--build-arg", "BASE=localhost/base"]
    assert podman.call(*command, *base, str(context)) is None
