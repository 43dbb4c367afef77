"""System calls and keys in a sandbox, on a real kernel. Budget: 5 s."""

import errno
import json
import subprocess
import sys
from typing import Any

import pytest
from sandboxed_host import Host, launched

from ashd.launcher import seccomp
from ashd.launcher.launch import Sandbox

ARCHITECTURE = seccomp.of_machine()
NAMES = (
    *("keyctl", "add_key", "request_key", "ptrace", "process_vm_readv", "bpf", "mount", "umount2"),
    *("userfaultfd", "perf_event_open", "io_uring_setup", "unshare", "setns", "clone3", "kcmp"),
    "memfd_secret",
    *("init_module", "finit_module", "kexec_load", "open_by_handle_at", "fsopen", "syslog"),
)
# Every call has arguments that are wrong in themselves: an answer about them is the kernel's own.
INSIDE = """
import ctypes, fcntl, json, os, socket, struct, sys, termios
numbers = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def refused(number):
    ctypes.set_errno(0)
    libc.syscall(number, -1, -1, -1, -1, -1)
    return ctypes.get_errno()
def failure(action):
    try:
        action()
    except OSError as error:
        return error.errno
report = {name: refused(number) for name, number in numbers.items()}
report["vsock"] = failure(lambda: socket.socket(40, socket.SOCK_STREAM))
report["alg"] = failure(lambda: socket.socket(38, socket.SOCK_SEQPACKET))
report["audit"] = failure(lambda: socket.socket(16, socket.SOCK_RAW, 9))
report["inet"] = failure(lambda: socket.socket(socket.AF_INET))
report["type"] = failure(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"))
report["keys"] = failure(lambda: open("/proc/keys").close())
report["filter"] = [line.split()[1] for line in open("/proc/1/status") if "Seccomp:" in line]
print(json.dumps(report))
"""
KEYS = """
import ctypes, sys
from pathlib import Path
from ashd.launcher import launch, seccomp
libc = ctypes.CDLL(None, use_errno=True)
number = seccomp.of_machine().number
session, search = -3, 10
def found():
    return libc.syscall(number("keyctl"), search, session, b"user", b"ash-test-secret", 0) > 0
libc.syscall(number("keyctl"), 1, None)
if libc.syscall(number("add_key"), b"user", b"ash-test-secret", b"x", 1, session) < 0:
    sys.exit("this machine stores no keys in the kernel")
before = found()
sandbox = launch.Sandbox(directory=Path(sys.argv[1]), client=b"")
with launch.started(sandbox, ["true"]) as running:
    running.bubblewrap.wait()
print(before, found())
"""


@pytest.fixture
def report(host: Host) -> Any:
    """The error number of each attempt."""
    assert ARCHITECTURE is not None
    numbers = {name: ARCHITECTURE.number(name) for name in NAMES}
    argv = ["python3", "-ISc", INSIDE, json.dumps(numbers)]
    done = launched(Sandbox(directory=host.grant, client=b""), argv)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("sandboxes")
def test_calls_that_no_agent_needs_are_refused(report: dict[str, Any]) -> None:
    """The filter covers the agent and the sandbox's first process."""
    assert {report[name] for name in NAMES} <= {errno.EPERM, errno.ENOSYS}
    assert report["filter"] == ["2"]
    assert report["vsock"] == report["alg"] == errno.EAFNOSUPPORT
    assert report["audit"] == errno.EPROTONOSUPPORT
    assert report["type"] == errno.EPERM
    assert report["inet"] is None


@pytest.mark.usefixtures("sandboxes")
def test_keys_of_the_host_are_not_listed(report: dict[str, Any]) -> None:
    """The kernel would list those of the same user."""
    assert report["keys"] in {errno.EACCES, errno.ENOENT}


@pytest.mark.usefixtures("sandboxes")
def test_the_session_keyring_is_left(host: Host) -> None:
    """A key of the login's session is not found in the one that the sandbox was started with."""
    argv = [sys.executable, "-c", KEYS, str(host.grant)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if "stores no keys" in done.stderr:
        pytest.skip(done.stderr.strip())

    assert (done.stdout, done.stderr) == ("True False\n", "")
