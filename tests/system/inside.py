"""The attacks of a hostile agent inside its sandbox; prints each outcome as JSON.

Runs on a bare python3. The argument is a JSON object: `hidden` (paths of the host), `tcp` (a port
on the host's loopback), `abstract` (the name of an abstract socket), `pids` (of host processes).
"""

import ctypes
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

GRANT = Path("/run/ash")
SOCKET = GRANT / "rpc.sock"
CLONE_NEWUSER = 0x10000000
# The system's own programs and the kernel's views hold nothing of the daemon's.
SKIPPED = {"/usr", "/proc", "/sys", "/dev"}


def attempt(action: Callable[[], Any]) -> str:
    """Do it: `done`, or the name of the error that stopped it."""
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"


def talk(text: str) -> str:
    """Return the reply of the grant's socket to a line."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(SOCKET))
        client.sendall(text.encode() + b"\n")
        return client.makefile().readline().strip()


def connect(family: int, address: Any) -> None:
    with socket.socket(family) as client:
        client.settimeout(2)
        client.connect(address)


def replace_socket() -> None:
    fake = "/tmp/fake.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(fake)
    Path(fake).replace(SOCKET)


def seen() -> tuple[list[str], list[str]]:
    """Every socket and every database file that a walk over the whole file system shows."""
    sockets, databases = [], []
    for folder, names, files in os.walk("/"):
        names[:] = [name for name in names if str(Path(folder, name)) not in SKIPPED]
        for path in (Path(folder, name) for name in files):
            if path.is_socket():
                sockets.append(str(path))
            if ".db" in path.suffixes:
                databases.append(str(path))
    return sockets, databases


def status(key: str) -> str:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(key + ":"))


def new_user_namespace() -> bool:
    """Return whether a child may unshare; the sandbox is unchanged for other attempts."""
    child = os.fork()
    if child == 0:
        os._exit(ctypes.CDLL(None).unshare(CLONE_NEWUSER) != 0)
    return os.waitpid(child, 0)[1] == 0


def writable_kernel_settings() -> list[str]:
    files = (path for path in Path("/proc/sys/kernel").rglob("*") if path.is_file())
    return [str(path) for path in files if os.access(path, os.W_OK)]


def environments() -> list[str]:
    """Return the environments of every visible process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        attempt(lambda path=path: found.append(path.read_bytes().decode()))
    return found


def main() -> None:
    told = json.loads(sys.argv[1])
    sockets, databases = seen()
    report = {
        "answer": talk("hello"),
        "sockets": sockets,
        "databases": databases,
        "hidden": {path: attempt(Path(path).stat) for path in told["hidden"]},
        "interfaces": [name for _, name in socket.if_nameindex()],
        "tcp": attempt(partial(connect, socket.AF_INET, ("127.0.0.1", told["tcp"]))),
        "abstract": attempt(partial(connect, socket.AF_UNIX, "\0" + told["abstract"])),
        "unlink": attempt(SOCKET.unlink),
        "replace": attempt(replace_socket),
        "chmod": attempt(partial(SOCKET.chmod, 0o777)),
        "create": attempt((GRANT / "new").touch),
        "root_is_read_only": bool(os.statvfs("/").f_flag & os.ST_RDONLY),
        "write_root": attempt(Path("/new").touch),
        "write_usr": attempt(Path("/usr/bin/new").touch),
        "write_tmp": attempt(Path("/tmp/new").touch),
        "signal": [attempt(partial(os.kill, pid, signal.SIGCONT)) for pid in told["pids"]],
        "processes": len(list(Path("/proc").glob("[0-9]*"))),
        "environments": environments(),
        "capabilities": [status(key) for key in ("CapEff", "CapPrm", "CapBnd")],
        "no_new_privileges": status("NoNewPrivs"),
        "user_namespace": new_user_namespace(),
        "kernel_settings": writable_kernel_settings(),
        "uid": os.getuid(),
        "answer_after": talk("still here"),
    }
    sys.stdout.write(json.dumps(report))


main()
