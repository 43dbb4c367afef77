"""A booted systemd, for tests: over a copy of this machine's root, with ashd as pip installs it.

Everything happens in namespaces whose first process dies with the tests, so nothing is left behind,
also when they are killed: no process, no mount, no network. Only empty control groups would be; the
next boot removes them.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from daemons import Client
from forked import die_with_parent
from waiting import until

BOOT: Final = Path(__file__).with_name("boot.sh")
REPOSITORY: Final = Path(__file__).parents[2]
CONTROL: Final = "/run/ash/ashd.sock"
BIN: Final = "/opt/ashd/bin"
ALICE: Final = 4001
_REFUSED: Final = 75
_GROUPS: Final = Path("/sys/fs/cgroup")
_GROUP: Final = "ash-boot-"
_NAMESPACES: Final = ("--mount", "--pid", "--uts", "--ipc", "--net", "--cgroup")


class NoBoot(Exception):
    """The kernel refuses what a boot needs; the text says what."""


@dataclass(frozen=True)
class Machine:
    """A booted machine, known by its first process."""

    leader: int

    def run(
        self, *words: str, user: int | None = None, check: bool = True, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the machine, as root or as another user."""
        done = subprocess.run(
            self.command(*words, user=user),
            capture_output=True,
            text=True,
            check=False,
            **({"timeout": 120, "stdin": subprocess.DEVNULL} if "input" not in options else {}),
            **options,
        )
        if check:
            assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return done

    def command(self, *words: str, user: int | None = None) -> list[str]:
        """Return what runs a command in the machine."""
        environment = ["env", "-i", f"PATH={BIN}:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
        enter = ["nsenter", "-t", str(self.leader), "--all"]
        if user is None:
            return [*enter, *environment, "HOME=/root", *words]
        become = ["setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"]
        session = [f"XDG_RUNTIME_DIR=/run/user/{user}", "HOME=/home/alice"]
        return [*enter, *become, *environment, *session, *words]

    def path(self, inside: str) -> Path:
        """Return where a path of the machine is for the tests."""
        return Path(f"/proc/{self.leader}/root{inside}")

    def systemctl(self, *words: str, check: bool = True) -> str:
        """Return what the machine's systemctl says."""
        return self.run("systemctl", "--no-pager", *words, check=check).stdout

    def show(self, unit: str, name: str) -> str:
        """Return a property of a unit."""
        return self.systemctl("show", "-P", name, unit).strip()

    def main_pid(self, unit: str = "ashd.service") -> int:
        """Return the number, inside, of a service's main process; 0 if there is none."""
        return int(self.show(unit, "MainPID"))

    def drop_in(self, unit: str, name: str, *lines: str) -> None:
        """Give a unit other settings until `remove_drop_in`."""
        folder = self.path(f"/run/systemd/system/{unit}.d")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.conf").write_text("\n".join(lines) + "\n")
        self.systemctl("daemon-reload")

    def remove_drop_in(self, unit: str, name: str) -> None:
        """Take the settings back."""
        self.path(f"/run/systemd/system/{unit}.d/{name}.conf").unlink(missing_ok=True)
        self.systemctl("daemon-reload")

    def journal(self, *words: str) -> str:
        """Return lines of the machine's journal."""
        self.run("journalctl", "--sync")
        return self.run("journalctl", "--no-pager", "-o", "cat", *words).stdout

    def client(self, inside: str = CONTROL) -> Client:
        """Return a connection to a socket of the machine."""
        return Client(self.path(inside))

    def call(self, method: str, **params: Any) -> Any:
        """Return the result of one call on the control socket."""
        with self.client() as client:
            client.patience(120)
            return client.call(method, **params)


@contextlib.contextmanager
def booted(models: Path) -> Iterator[Machine]:
    """Boot a machine with ashd in /opt/ashd, and stop it in the end.

    Raises:
        NoBoot: the kernel refuses it.
    """
    _remove_abandoned_groups()
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ash-boot-")))
        scratch.chmod(0o755)
        program = _installed(scratch / "program")
        (scratch / "root").mkdir()
        groups = stack.enter_context(_control_groups())
        boot = [scratch / "root", sys.base_prefix, sysconfig.get_path("purelib"), program, models]
        process = subprocess.Popen(
            [
                *("unshare", *_NAMESPACES, "--propagation", "slave", "--fork"),
                *("--kill-child=KILL", "sh", str(BOOT), *map(str, boot)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: _enter(groups),  # noqa: PLW1509  few system calls, before any thread
        )
        stack.callback(_stop, process)
        yield _started(process)


def _started(process: subprocess.Popen[str]) -> Machine:
    """Wait until systemd runs the machine."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

    def leader() -> int | None:
        if process.poll() is not None:
            assert process.stderr is not None
            reason = process.stderr.read().strip()
            if process.returncode == _REFUSED:
                raise NoBoot(reason)
            raise AssertionError(f"the boot ended with {process.returncode}: {reason}")
        number = next(iter(children.read_text().split()), None)
        if number is None:
            return None
        runs = Path(f"/proc/{number}/comm").read_text().strip() == "systemd"
        return int(number) if runs else None

    machine = Machine(until(leader))
    until(lambda: machine.systemctl("is-system-running", "--wait", check=False) == "running\n")
    return machine


def _stop(process: subprocess.Popen[str]) -> None:
    """End the first process, and with it every other one and every mount."""
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


def _enter(groups: list[Path]) -> None:
    die_with_parent()
    for group in groups:
        (group / "cgroup.procs").write_text("0")


@contextlib.contextmanager
def _control_groups() -> Iterator[list[Path]]:
    """Make a control group in every hierarchy that a machine needs."""
    groups = [parent / f"{_GROUP}{os.getpid()}" for parent in _parents()]
    try:
        for group in groups:
            with contextlib.suppress(OSError):  # version 2: not where others have processes
                (group.parent / "cgroup.subtree_control").write_text("+memory +pids")
            group.mkdir()
        yield groups
    finally:
        for group in groups:
            until(lambda group=group: _removed(group))


def _parents() -> list[Path]:
    """Return this process's group in each hierarchy that is to be used."""
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, name, path = line.split(":", 2)
        mounted = {
            "": _GROUPS if (_GROUPS / "cgroup.controllers").exists() else _GROUPS / "unified",
            "name=systemd": _GROUPS / "systemd",
            "memory": _GROUPS / "memory",
            "pids": _GROUPS / "pids",
        }.get(name)
        if mounted is not None and mounted.is_dir():
            found.append(mounted / path.lstrip("/"))
    return found


def _removed(group: Path) -> bool:
    """Remove a group with all in it; false while a process in it is still ending."""
    for folder, _, _ in os.walk(group, topdown=False):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()
    return not group.exists()


def _remove_abandoned_groups() -> None:
    for parent in _parents():
        for group in parent.glob(f"{_GROUP}*"):
            if not Path("/proc", group.name.removeprefix(_GROUP)).exists():
                _removed(group)


def _installed(program: Path) -> Path:
    """Lay ashd out as pip does: what its build copies, on an interpreter, with its commands."""
    version = f"python{sysconfig.get_python_version()}"
    packages = program / "lib" / version / "site-packages"
    subprocess.run(
        [
            *(sys.executable, "-W", "ignore", "setup.py", "--quiet"),
            *("egg_info", "--egg-base", program.parent),
            *("build", "--build-base", program.parent / "build", "--build-lib", packages),
        ],
        cwd=REPOSITORY,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run([sys.executable, "-m", "compileall", "-q", packages], check=True)
    (packages / "needed.pth").write_text("/opt/packages\n")
    commands = program / "bin"
    commands.mkdir()
    (commands / "python").symlink_to(f"/opt/python/bin/{version}")
    (program / "pyvenv.cfg").write_text("home = /opt/python/bin\n")
    (program / "models").mkdir()
    for name in ("ashd", "ash"):
        script = commands / name
        script.write_text(f"#!{BIN}/python\nfrom ashd.cli.{name} import main\n\nmain()\n")
        script.chmod(0o755)
    shutil.copy(REPOSITORY / "sandbox" / "ash-sb", commands)
    return program
