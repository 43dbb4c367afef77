"""Try what the system unit forbids, and print as JSON what came of it.

    python forbidden.py NETWORK IPC [DIRECTIVE]

Run as a service's process by the machine's interpreter, with the standard library alone. `NETWORK`
and `IPC` are the machine's own namespaces; `DIRECTIVE` limits it to one attempt.
"""

import ctypes
import errno
import json
import mmap
import os
import resource
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

OPEN_TO_ALL = Path("/srv/open")
"""A directory that the file system lets everybody write."""
HOME_FILE = Path("/home/alice/letter")
TMP_FILE = Path("/tmp/of-somebody-else")
MODULE = Path("/usr/lib/modules/of-the-machine")
DEVICE = Path("/dev/of-the-machine")
_CLONE_NEWUSER = 0x10000000
_ADDR_NO_RANDOMIZE = 0x0040000
_PTRACE_TRACEME = 0
_SYSLOG_SIZE_BUFFER = 10
_THREADS = 200

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> None:
    """Raise what a call of the C library reports."""
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def refuse_if(condition: object) -> None:
    """Count a state as a refusal."""
    if condition:
        raise OSError(errno.EPERM, "refused")


def write_anywhere() -> None:
    (OPEN_TO_ALL / f"file-{os.getpid()}").write_text("")


def read_home() -> None:
    HOME_FILE.read_text()


def see_tmp() -> None:
    TMP_FILE.stat()


def see_device() -> None:
    DEVICE.stat()


def use_internet_protocol() -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def network_of_the_machine() -> None:
    refuse_if(str(Path("/proc/self/ns/net").readlink()) != sys.argv[1])


def memory_of_the_machine() -> None:
    refuse_if(str(Path("/proc/self/ns/ipc").readlink()) != sys.argv[2])


def write_control_group() -> None:
    group = Path("/sys/fs/cgroup/systemd")
    refuse_if(os.statvfs(group if group.is_dir() else group.parent).f_flag & os.ST_RDONLY)


def write_kernel_setting() -> None:
    refuse_if(os.statvfs("/proc/sys").f_flag & os.ST_RDONLY)


def read_kernel_log() -> None:
    checked(libc.klogctl(_SYSLOG_SIZE_BUFFER, None, 0))


def list_kernel_modules() -> None:
    MODULE.stat()


def set_host_name() -> None:
    socket.sethostname(socket.gethostname())


def set_clock() -> None:
    import time

    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME))


def have_capability() -> None:
    status = Path("/proc/self/status").read_text()
    refuse_if("CapBnd:\t0000000000000000" in status)


def gain_privilege() -> None:
    refuse_if("NoNewPrivs:\t1" in Path("/proc/self/status").read_text())


def change_personality() -> None:
    checked(libc.personality(_ADDR_NO_RANDOMIZE))


def write_and_execute() -> None:
    mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_WRITE | mmap.PROT_EXEC).close()


def make_namespace() -> None:
    checked(libc.unshare(_CLONE_NEWUSER))


def run_in_real_time() -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


def make_setuid_file() -> None:
    path = Path(f"/tmp/setuid-{os.getpid()}")
    path.write_text("")
    try:
        path.chmod(0o4755)
    finally:
        path.unlink()


def give_file_away() -> None:
    path = Path(f"/tmp/given-{os.getpid()}")
    path.write_text("")
    try:
        os.chown(path, os.getuid(), os.getgid())
    finally:
        path.unlink()


def trace() -> None:
    checked(libc.ptrace(_PTRACE_TRACEME, 0, 0, 0))


def raise_priority() -> None:
    os.setpriority(os.PRIO_PROCESS, 0, 5)


def share_files() -> None:
    path = Path(f"/tmp/shared-{os.getpid()}")
    path.write_text("")
    try:
        refuse_if(path.stat().st_mode & 0o077 == 0)
    finally:
        path.unlink()


def dump_core() -> None:
    refuse_if(resource.getrlimit(resource.RLIMIT_CORE)[1] == 0)


def start_threads() -> None:
    ended = threading.Event()
    try:
        for _ in range(_THREADS):
            threading.Thread(target=ended.wait, daemon=True).start()
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from error
    finally:
        ended.set()


def open_many_files() -> None:
    refuse_if(resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 4096)


ATTEMPTS: dict[str, Callable[[], None]] = {
    "ProtectSystem": write_anywhere,
    "ProtectHome": read_home,
    "PrivateTmp": see_tmp,
    "PrivateDevices": see_device,
    "PrivateNetwork": network_of_the_machine,
    "PrivateIPC": memory_of_the_machine,
    "RestrictAddressFamilies": use_internet_protocol,
    "ProtectControlGroups": write_control_group,
    "ProtectKernelTunables": write_kernel_setting,
    "ProtectKernelLogs": read_kernel_log,
    "ProtectKernelModules": list_kernel_modules,
    "ProtectHostname": set_host_name,
    "ProtectClock": set_clock,
    "CapabilityBoundingSet": have_capability,
    "NoNewPrivileges": gain_privilege,
    "LockPersonality": change_personality,
    "MemoryDenyWriteExecute": write_and_execute,
    "RestrictNamespaces": make_namespace,
    "RestrictRealtime": run_in_real_time,
    "RestrictSUIDSGID": make_setuid_file,
    "SystemCallFilter ~@privileged": give_file_away,
    "SystemCallFilter @system-service": trace,
    "SystemCallFilter ~@resources": raise_priority,
    "UMask": share_files,
    "LimitCORE": dump_core,
    "LimitNOFILE": open_many_files,
    "TasksMax": start_threads,
}


def attempt(try_it: Callable[[], None]) -> str:
    """Try one thing in a process of its own, which it may change."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            try_it()
            answer = "allowed"
        except OSError as error:
            answer = f"refused {errno.errorcode.get(error.errno or 0)}"
        except BaseException as error:  # noqa: BLE001  the parent is to know, whatever it is
            answer = f"failed {error!r}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        said = answers.read()
    os.waitpid(child, 0)
    return said or "ended"


if __name__ == "__main__":
    chosen = sys.argv[3:] or ATTEMPTS
    print(json.dumps({name: attempt(ATTEMPTS[name]) for name in chosen}))  # noqa: T201  its answer
