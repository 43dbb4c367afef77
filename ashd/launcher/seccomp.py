"""The system call filter of a sandbox, as a classic BPF program for `bwrap --seccomp`.

A list of refusals: agents run anything, so a system call is allowed unless no agent needs it and it
reaches the kernel's keys, other processes, namespaces, or rarely used and often attacked code.
Every rule ends the program by itself, so no jump is longer than the rule that it skips.
"""

import errno
import platform
import struct
from dataclasses import dataclass
from typing import Final

_INSTRUCTION: Final = struct.Struct("<HBBI")
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000
_KILL_PROCESS: Final = 0x80000000

# Offsets in the kernel's `struct seccomp_data`; for an argument, of its low half, since both
# architectures are little-endian. The kernel itself reads no more of these arguments.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32_BIT: Final = 0x40000000

_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_NETLINK_ROUTE: Final = 0
_TIOCSTI, _TIOCLINUX, _TIOCSETD = 0x5412, 0x541C, 0x5423
_NEW_NAMESPACES: Final = 0x7E020000  # the CLONE_NEW* flags of clone(2)

_NUMBERS: Final[dict[str, tuple[int, int | None]]] = {
    # Used by the rules on arguments.
    "personality": (135, 92),
    "clone": (56, 220),
    "ioctl": (16, 29),
    "socket": (41, 198),
    # Refused as a kernel without them would: callers fall back to calls that can be checked.
    "clone3": (435, 435),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "memfd_secret": (447, 447),
    # Keys of the kernel.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    # Programs in the kernel, counters and faults handled by a program.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    # Mounts, namespaces, files by handle.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    # The machine: kernels, modules, clocks, names, swap, quotas, its log.
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "nfsservctl": (180, 42),
    "lookup_dcookie": (212, 18),
    # Left over from older machines and kernels.
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "sysfs": (139, None),
    "_sysctl": (156, None),
    "create_module": (174, None),
    "query_module": (178, None),
    "get_kernel_syms": (177, None),
}
_BY_ARGUMENT: Final = ("clone", "ioctl", "personality", "socket")
_AS_IF_UNKNOWN: Final = (
    *("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_secret"),
)
# Linux, its 32-bit form, each with an old version number, and the question which one is set. Others
# make memory executable, or addresses predictable.
_PERSONALITIES: Final = (0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Architecture:
    """A kind of processor: the kernel's name for it, and its column of system call numbers."""

    audit: int
    column: int
    has_x32: bool = False

    def number(self, name: str) -> int | None:
        """Return the number of a system call; None if the architecture has none."""
        return _NUMBERS[name][self.column]


X86_64: Final = Architecture(0xC000003E, 0, has_x32=True)
AARCH64: Final = Architecture(0xC00000B7, 1)
_BY_MACHINE: Final = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}

Instruction = tuple[int, int, int, int]


def of_machine(machine: str | None = None) -> Architecture | None:
    """Return the architecture of this machine, or of a name from uname(2); None if unsupported."""
    return _BY_MACHINE.get((machine or platform.machine()).lower())


def program(architecture: Architecture) -> bytes:
    """Return the filter for an architecture, as the kernel's `struct sock_filter` array."""
    rules = [_check_architecture(architecture)]
    for name in _NUMBERS:
        number = architecture.number(name)
        if number is not None:
            body = _body(name)
            rules.append([(_EQUAL, 0, len(body), number), *body])
    rules.append([(_RETURN, 0, 0, _ALLOW)])
    return b"".join(_INSTRUCTION.pack(*instruction) for rule in rules for instruction in rule)


def _check_architecture(architecture: Architecture) -> list[Instruction]:
    """End a process that uses another architecture's numbers; load the number."""
    rule = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if architecture.has_x32:
        rule += [(_AT_LEAST, 0, 1, _X32_BIT), _refuse(errno.ENOSYS)]
    return rule


def _body(name: str) -> list[Instruction]:
    """Return the instructions that decide on the system call `name`."""
    if name in _AS_IF_UNKNOWN:
        return [_refuse(errno.ENOSYS)]
    if name not in _BY_ARGUMENT:
        return [_refuse(errno.EPERM)]
    allow = (_RETURN, 0, 0, _ALLOW)
    if name == "clone":
        return [_load(0), (_ANY_BIT, 0, 1, _NEW_NAMESPACES), _refuse(errno.EPERM), allow]
    if name == "personality":
        count = len(_PERSONALITIES)
        return [
            _load(0),
            *((_EQUAL, count - at, 0, value) for at, value in enumerate(_PERSONALITIES)),
            _refuse(errno.EPERM),
            allow,
        ]
    if name == "ioctl":
        # They type into the terminal of whoever started the sandbox, or load line disciplines.
        return [
            _load(1),
            *((_EQUAL, 2, 0, _TIOCSTI), (_EQUAL, 1, 0, _TIOCLINUX)),
            *((_EQUAL, 0, 1, _TIOCSETD), _refuse(errno.EPERM), allow),
        ]
    return [
        _load(0),
        *((_EQUAL, 4, 0, _AF_UNIX), (_EQUAL, 3, 0, _AF_INET), (_EQUAL, 2, 0, _AF_INET6)),
        *((_EQUAL, 2, 0, _AF_NETLINK), _refuse(errno.EAFNOSUPPORT), allow),
        # Programs list network interfaces with NETLINK_ROUTE; the others configure the system.
        *(_load(2), (_EQUAL, 0, 1, _NETLINK_ROUTE), allow, _refuse(errno.EPROTONOSUPPORT)),
    ]


def _load(argument: int) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * argument)


def _refuse(error: int) -> Instruction:
    return (_RETURN, 0, 0, _REFUSE | error)
