"""`ashd` on a disk that fails: `python faulty_daemon.py ARGUMENTS…` is `ashd ARGUMENTS…`.

With ASH_FAULT_PROGRAM=ash it is `ash ARGUMENTS…`, for what works on the files without a daemon.

The environment says how: ASH_FAULT is what happens (kill, torn, full, failing, part, quota, short),
ASH_FAULT_AT the operation at which, as `read`, `write` or `sync` and a count, and ASH_FAULT_FILE a
file that has a line for each fault that happened. A `step` is any write, sync, rename, link or
removal, or a file opened to be written, below the report's folder; at the end the report has the
number of steps. With `part` only the beginning of a file can be read. Faults other than a kill go
on until that file's neighbour `.over` exists. Operations are counted from the start, or from when
`.armed` exists if ASH_FAULT_ARMED is 1.
"""

import atexit
import errno
import os
import signal
import sys
import threading
from pathlib import Path

import apsw

_KIND = os.environ["ASH_FAULT"]
_OPERATION, _, _COUNT = os.environ["ASH_FAULT_AT"].partition(":")
_REPORT = Path(os.environ["ASH_FAULT_FILE"])
_ARMED = _REPORT.with_suffix(".armed")
_OVER = _REPORT.with_suffix(".over")
_ERRORS = {"full": apsw.FullError, "short": apsw.FullError, "failing": apsw.IOError}

_EXTENDED = {"read": apsw.SQLITE_IOERR_CORRUPTFS, "write": apsw.SQLITE_IOERR_WRITE}
"""SQLite's codes for EIO at a read and for any error but a full disk at a write."""

_BEGINNING_BYTES = 100_000

_NAMES = {"os.rename", "os.link", "os.remove"}

_lock = threading.RLock()
_left = int(_COUNT)
_counts_from_start = os.environ.get("ASH_FAULT_ARMED") != "1"


def _fails(operation: str) -> bool:
    """Count an operation; whether it is to fail."""
    global _left  # noqa: PLW0603  one plan for the process
    with _lock:
        counts = _OPERATION == operation or (_OPERATION == "step" and operation != "read")
        if not counts or not (_counts_from_start or _ARMED.exists()):
            return False
        _left -= 1
        if _left > 0 or _OVER.exists():
            return False
        with _REPORT.open("a") as report:
            report.write(f"{operation} {_KIND}\n")
        return True


class FaultyFile(apsw.VFSFile):
    """A file whose reads, writes and syncs fail when it is their turn."""

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802  apsw's name
        if (_KIND != "part" or offset >= _BEGINNING_BYTES) and _fails("read"):
            _fault("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802  apsw's name
        if _fails("write"):
            if _KIND in {"torn", "short"}:
                super().xWrite(data[: len(data) // 2], offset)
            _fault("write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802  apsw's name
        if _fails("sync"):
            _fault("sync")
        super().xSync(flags)


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    """Count what Python does to names of files beside the report; a hook of the interpreter."""
    is_written = event == "open" and isinstance(flags := arguments[2], int) and flags & os.O_ACCMODE
    if not (is_written or event in _NAMES):
        return
    path = str(arguments[0])
    if path.startswith(str(_REPORT.parent)) and path != str(_REPORT) and _fails("name"):
        _fault("name")


def _fault(operation: str) -> None:
    if _KIND in {"kill", "torn"}:
        os.kill(os.getpid(), signal.SIGKILL)
        signal.pause()
    error = _ERRORS.get(_KIND, apsw.IOError)(_KIND)
    if isinstance(error, apsw.IOError) and operation in _EXTENDED:
        error.extendedresult = _EXTENDED[operation]
    raise error


class FaultyVfs(apsw.VFS):
    """The system's files, with faults; the default, so that the checksum VFS is put over it."""

    def __init__(self) -> None:
        super().__init__("faulty", "unix", makedefault=True)

    def xOpen(  # noqa: N802  apsw's name
        self, name: "str | apsw.URIFilename | None", flags: list[int]
    ) -> FaultyFile:
        return FaultyFile("unix", name, flags)

    def xGetLastError(self) -> tuple[int, str]:  # noqa: N802  apsw's name
        return errno.EDQUOT if _KIND == "quota" else errno.EIO, ""


if __name__ == "__main__":
    vfs = FaultyVfs()
    if _OPERATION == "step":
        sys.addaudithook(_watch)
        atexit.register(lambda: _REPORT.write_text(str(int(_COUNT) - _left)))
    from ashd.cli import ash, ashd

    if os.environ.get("ASH_FAULT_PROGRAM") == "ash":
        ash.main()
    ashd.main()
