"""A PostgreSQL server for tests; `python tests/postgres_server.py COMMAND …` runs one beside it.

It lives in a temporary folder, listens on a Unix socket there and nowhere else, and is gone when
the command has ended. The command finds the URL of the database `postgres` in ASH_TEST_POSTGRES;
its role is an ordinary one that may create databases.
"""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final, Self

import pytest
from waiting import until

BIN: Final = "ASH_TEST_POSTGRES_BIN"
"""The variable that names the folder of another server's programs."""

ROLE: Final = "ash_tests"
_CLUSTER: Final = (
    *("--username=ash_admin", "--auth=trust"),
    *("--encoding=UTF8", "--locale=C", "--no-sync"),
)
_SETTINGS: Final = {
    "listen_addresses": "",
    "max_connections": "300",  # a handful for each database that is open; a test may open several
    "fsync": "off",  # the machine is not switched off: what a killed server wrote is there
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "64MB",
    "max_wal_size": "4GB",
}
_READY: Final = "ready"
_STATUS_LINE: Final = 7
"""Line of `postmaster.pid`, from 0, that says whether the server takes connections."""

_PR_SET_PDEATHSIG: Final = 1
_libc = ctypes.CDLL(None)


class NoServerError(Exception):
    """This machine has no PostgreSQL to run."""


def programs() -> Path:
    """The folder of the server's programs: the one that was named, Debian's newest, or on PATH.

    Raises:
        NoServerError
    """
    if named := os.environ.get(BIN):
        folders = [Path(named)]
    else:
        debian = Path("/usr/lib/postgresql").glob("*/bin")
        folders = sorted(debian, key=lambda folder: int(folder.parent.name), reverse=True)
        folders += [Path(found).parent for found in [shutil.which("initdb")] if found]
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder.resolve()
    raise NoServerError(
        f"No PostgreSQL in {', '.join(map(str, folders)) or '/usr/lib/postgresql'}: "
        f"install Debian's `postgresql`, or name the folder of its programs by {BIN}."
    )


def _user() -> pwd.struct_passwd:
    """The user that runs the server: it refuses to run as root."""
    if os.getuid() != 0:
        return pwd.getpwuid(os.getuid())
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise NoServerError("Neither `postgres` nor `nobody` is a user here, and root cannot run it.")


def _die_with_parent() -> None:
    """A test run that is killed leaves no server behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)


class PostgresServer:
    """A server with a cluster of its own; as a context manager it is started and removed."""

    def __init__(self, **settings: str) -> None:
        """Make the cluster; `settings` are added to those of every test."""
        self._bin = programs()
        self._user = _user()
        # A short path: a socket's may have 107 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="ashpg-", dir="/tmp"))
        os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self.log = self.folder / "log"
        self._data = self.folder / "data"
        self._settings = _SETTINGS | settings
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self._initialize()
        except BaseException:
            self.remove()
            raise

    @property
    def url(self) -> str:
        """The address of the database `postgres`, as the role of the tests."""
        return self.url_of("postgres")

    def url_of(self, database: str) -> str:
        """The address of a database, as the role of the tests."""
        return f"postgresql://{ROLE}@/{database}?host={self.folder}"

    def _initialize(self) -> None:
        with self.log.open("ab") as log:
            subprocess.run(
                [self._bin / "initdb", "-D", self._data, *_CLUSTER],
                check=True,
                stdout=log,
                stderr=log,
                **self._as_user(),
            )
            subprocess.run(
                [self._bin / "postgres", "--single", "-D", self._data, "postgres"],
                input=f"create role {ROLE} login createdb\n".encode(),
                check=True,
                stdout=log,
                stderr=log,
                **self._as_user(),
            )

    def _as_user(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "cwd": self.folder,
            "env": {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C"},
        }
        if os.getuid() == 0:
            user = self._user
            options |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        return options

    def start(self) -> Self:
        """Start the server, and wait until it takes connections."""
        settings = self._settings | {"unix_socket_directories": str(self.folder)}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self._bin / "postgres", "-D", self._data]
                + [f"--{name}={value}" for name, value in settings.items()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for the tests
                preexec_fn=_die_with_parent,  # noqa: PLW1509  one system call, before any thread
                **self._as_user(),
            )
        until(self._is_ready)
        return self

    def _is_ready(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            raise AssertionError(f"PostgreSQL ended:\n{self.log.read_text(errors='replace')}")
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        # The file of a server that was killed stays until the next one writes its own.
        is_own = lines[:1] == [str(self.process.pid)]
        return is_own and len(lines) > _STATUS_LINE and lines[_STATUS_LINE].strip() == _READY

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """End it: by SIGINT it ends its connections first, by SIGQUIT it does not."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(120)
        self.process = None

    def remove(self) -> None:
        """Stop it if it runs, and take its folder away."""
        if self.process is not None:
            self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_: object) -> None:
        self.remove()


def needed(**settings: str) -> PostgresServer:
    """A server; a test is skipped where there is none, but not in CI."""
    try:
        return PostgresServer(**settings)
    except NoServerError as error:
        if os.environ.get("ASH_CI") == "1":
            raise
        pytest.skip(str(error))


def main(command: list[str]) -> int:
    """Run a command beside a server; return its exit status."""
    with PostgresServer() as server:
        child = subprocess.Popen(command, env=os.environ | {"ASH_TEST_POSTGRES": server.url})
        # Ctrl-C reaches the command by itself; it shall end before its server does.
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda number, _: child.send_signal(number))
        status = child.wait()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except NoServerError as error:
        sys.exit(str(error))
