"""The system call filter, run by an interpreter of BPF; tests/system has the kernel run it."""

import errno
import struct

import pytest

from ashd.launcher import seccomp
from ashd.launcher.seccomp import AARCH64, X86_64, Architecture

ALLOW = "allow"
KILL = "kill"
BOTH = pytest.mark.parametrize("machine", [X86_64, AARCH64], ids=["x86_64", "aarch64"])
KEYCTL = {X86_64: 250, AARCH64: 219}
READ = {X86_64: 0, AARCH64: 63}
CLONE = {X86_64: 56, AARCH64: 220}
IOCTL = {X86_64: 16, AARCH64: 29}
SOCKET = {X86_64: 41, AARCH64: 198}
CLONE3 = 435
CLONE_THREAD_FLAGS = 0x3D0F00
CLONE_NEWUSER = 0x10000000
SIGCHLD = 17


def run(machine: Architecture, number: int, *arguments: int, audit: int | None = None) -> object:
    """The verdict on a system call: allow, kill, or the error number."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, audit or machine.audit, 0, *padded)
    code = list(struct.iter_unpack("<HBBI", seccomp.program(machine)))
    at = value = 0
    while True:
        operation, when_true, when_false, k = code[at]
        at += 1
        if operation == 0x20:
            value = struct.unpack_from("<I", data, k)[0]
        elif operation == 0x06:
            return {0x7FFF0000: ALLOW, 0x80000000: KILL}.get(k, k & 0xFFFF)
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[operation]
            at += when_true if holds else when_false


@BOTH
def test_ordinary_calls_are_allowed(machine: Architecture) -> None:
    """Reading, threads and processes of an agent go on as without a filter."""
    assert run(machine, READ[machine]) == ALLOW
    assert run(machine, CLONE[machine], CLONE_THREAD_FLAGS) == ALLOW
    assert run(machine, CLONE[machine], SIGCHLD) == ALLOW


@BOTH
@pytest.mark.parametrize(
    ("wanted", "verdict"),
    [
        (0, ALLOW),
        (0x8, ALLOW),
        (0x20000, ALLOW),
        (0x20008, ALLOW),
        (0xFFFFFFFF, ALLOW),
        (0x0040000, errno.EPERM),  # addresses that can be foretold
        (0x0400000, errno.EPERM),  # memory that is read is executable
        (0x0100000, errno.EPERM),
    ],
)
def test_personalities(machine: Architecture, wanted: int, verdict: object) -> None:
    """Those that weaken memory are refused; to ask for the current one is allowed."""
    assert run(machine, {X86_64: 135, AARCH64: 92}[machine], wanted) == verdict


@BOTH
def test_secret_memory_is_unknown(machine: Architecture) -> None:
    """A kernel without it answers in the same way."""
    assert run(machine, 447) == errno.ENOSYS


@BOTH
def test_keys_and_namespaces_are_refused(machine: Architecture) -> None:
    """A filter cannot read the flags of clone3: callers fall back to clone."""
    assert run(machine, KEYCTL[machine]) == errno.EPERM
    assert run(machine, CLONE[machine], CLONE_NEWUSER | SIGCHLD) == errno.EPERM
    assert run(machine, CLONE3) == errno.ENOSYS


@BOTH
@pytest.mark.parametrize(
    ("family", "protocol", "verdict"),
    [
        (1, 0, ALLOW),
        (2, 6, ALLOW),
        (10, 0, ALLOW),
        (16, 0, ALLOW),
        (16, 9, errno.EPROTONOSUPPORT),
        (17, 0, errno.EAFNOSUPPORT),
        (38, 0, errno.EAFNOSUPPORT),
        (40, 0, errno.EAFNOSUPPORT),
    ],
    ids=["unix", "inet", "inet6", "route", "audit", "packet", "alg", "vsock"],
)
def test_socket_families(
    machine: Architecture, family: int, protocol: int, verdict: object
) -> None:
    """Unix and Internet sockets, and the list of network interfaces; nothing else."""
    assert run(machine, SOCKET[machine], family, 1, protocol) == verdict


@BOTH
@pytest.mark.parametrize(
    ("request_number", "verdict"),
    [(0x5412, errno.EPERM), (0x541C, errno.EPERM), (0x5423, errno.EPERM), (0x5413, ALLOW)],
    ids=["TIOCSTI", "TIOCLINUX", "TIOCSETD", "TIOCGWINSZ"],
)
def test_typing_into_a_terminal_is_refused(
    machine: Architecture, request_number: int, verdict: object
) -> None:
    """The kernel ignores the upper half of the argument, and so does the filter."""
    assert run(machine, IOCTL[machine], 0, request_number) == verdict
    assert run(machine, IOCTL[machine], 0, request_number | 1 << 32) == verdict


def test_other_numberings_are_refused() -> None:
    """Calls of 32-bit programs and of x32 could pass every rule."""
    i386 = 0x40000003
    assert run(X86_64, KEYCTL[X86_64], audit=i386) == KILL
    assert run(AARCH64, KEYCTL[AARCH64], audit=0x40000028) == KILL
    assert run(X86_64, 0x40000000 | KEYCTL[X86_64]) == errno.ENOSYS


@pytest.mark.parametrize(
    ("name", "architecture"),
    [("x86_64", X86_64), ("aarch64", AARCH64), ("arm64", AARCH64), ("riscv64", None)],
)
def test_machines(name: str, architecture: Architecture | None) -> None:
    """An unsupported one is none: the launcher then says so."""
    assert seccomp.of_machine(name) is architecture
