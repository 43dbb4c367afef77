"""Check whether a directory given to a sandbox would expose the daemon's or the host's own files.

Paths are compared as the kernel knows them, by file system and place in it, so that neither a
symbolic link nor a bind mount hides what a directory is. A directory may also hold links: a hard
link is the file itself, a symbolic link leads whoever follows it on the host. A socket can be
connected to and a pipe written to in a directory that is mounted read-only, too.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MOUNTS: Final = "/proc/self/mountinfo"
# The kernel's views of the whole machine, other processes' files included.
_KERNEL_VIEWS: Final = frozenset(
    ("proc", "sysfs", "cgroup", "cgroup2", "devtmpfs", "debugfs", "tracefs", "securityfs", "bpf")
)
# Files of the machine. What not everybody may read there is a secret of the host's, even if root or
# a member of a group, starts the sandbox and may read it.
_HOST_TREES: Final = tuple(map(Path, ("/etc", "/var", "/boot")))
_TEMPORARY: Final = Path("/var/tmp")  # noqa: S108 - nothing is written
# Where the host's services listen.
_RUNTIME: Final = Path("/run")


@dataclass(frozen=True, slots=True)
class Protected:
    """A file or directory that no sandbox gets; unless `secret`, it may be read."""

    path: Path
    name: str
    secret: bool = True


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of mountinfo: the directory `root` of the file system `device`, seen at `point`."""

    device: str
    root: Path
    point: Path
    kind: str


Place = tuple[str, Path]


def refusal(
    given: Path,
    protected: Sequence[Protected],
    *,
    writable: bool,
    mounts: str | None = None,
    host: Sequence[Path] = _HOST_TREES,
) -> str | None:
    """The reason why a sandbox must not get the path `given`, to end a sentence; None if it may.

    Args:
        given: a file or directory of the host.
        protected: what it must not show or, when it may be written, must not change.
        writable: whether the sandbox may write there.
        mounts: the text of mountinfo; that of this process unless given.
        host: directories of the machine's own files.
    """
    seen = parse_mounts(os.fsdecode(Path(_MOUNTS).read_bytes()) if mounts is None else mounts)
    real = Path(os.path.realpath(given))
    guarded = [one for one in protected if writable or one.secret]
    over = _over(real, seen)
    if over is not None and over.kind in _KERNEL_VIEWS:
        return f"is a view of the kernel's ({over.kind})"
    mine = _places(real, seen)
    for one in guarded:
        theirs = _places(Path(os.path.realpath(one.path)), seen)
        if (how := _overlap(mine, theirs)) is not None:
            return f"{how} {one.name} ({one.path})"
    if real.is_relative_to(_RUNTIME):
        return "is where the host's services listen"
    for mount in seen:
        if mount.kind in _KERNEL_VIEWS and mount.point.is_relative_to(real):
            return f"contains a view of the kernel's ({mount.point})"
    is_host = any(real.is_relative_to(tree) for tree in host)
    is_host = is_host and not real.is_relative_to(_TEMPORARY)
    if is_host and (secret := _secret_above(real, host)) is not None:
        return f"is for some users of this machine alone ({secret})"
    return _found_in(real, guarded, is_host=is_host)


def parse_mounts(text: str) -> list[Mount]:
    """Return the mounts of a mountinfo text, in their order."""
    mounts = []
    for line in text.split("\n")[:-1]:  # not `splitlines`: a path may hold other line ends
        left, _, right = line.partition(" - ")
        _, _, device, root, point, *_ = left.split(" ")
        kind = right.split(" ")[0]
        mounts.append(Mount(device, Path(_unescape(root)), Path(_unescape(point)), kind))
    return mounts


def _unescape(text: str) -> str:
    """Return a path of mountinfo, which writes blanks and backslashes in octal."""
    for character in " \t\n\\":
        text = text.replace(f"\\{ord(character):03o}", character)
    return text


def _places(path: Path, mounts: Iterable[Mount]) -> list[Place]:
    """Return a path's place in its file system, and those of all file systems mounted below it."""
    below = [
        (mount.device, mount.root)
        for mount in mounts
        if mount.point != path and mount.point.is_relative_to(path)
    ]
    over = _over(path, mounts)
    if over is None:
        return below
    return [(over.device, over.root / path.relative_to(over.point)), *below]


def _over(path: Path, mounts: Iterable[Mount]) -> Mount | None:
    """Return the mount that a path is in; of two on one point, the later one hides the earlier."""
    over: Mount | None = None
    for mount in mounts:
        if path.is_relative_to(mount.point) and (
            over is None or mount.point.is_relative_to(over.point)
        ):
            over = mount
    return over


def _overlap(mine: Sequence[Place], theirs: Sequence[Place]) -> str | None:
    for device, path in mine:
        for other_device, other in theirs:
            if device != other_device:
                continue
            if path == other:
                return "is"
            if other.is_relative_to(path):
                return "contains"
            if path.is_relative_to(other):
                return "lies in"
    return None


def _secret_above(path: Path, host: Sequence[Path]) -> Path | None:
    """Return the path, or the directory above it, that not everybody may read."""
    for one in (path, *path.parents):
        if any(one == tree for tree in host):
            return None
        if _is_secret(one.lstat()):
            return one
    return None


def _is_secret(file: os.stat_result) -> bool:
    """Return whether a file of the host's is for some users alone; one's own is not the host's."""
    everybodys = 0o005 if stat.S_ISDIR(file.st_mode) else 0o004
    is_own = os.geteuid() != 0 and file.st_uid == os.geteuid()
    return file.st_mode & everybodys == 0 and not is_own


def _is_way_out(mode: int) -> bool:
    """Return whether something is a socket or a pipe, with perhaps a process at its other end."""
    return stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode)


def _found_in(given: Path, guarded: Sequence[Protected], *, is_host: bool) -> str | None:
    """Return the first thing in a directory that leads out of it, or is a secret of the host's."""
    with suppress(OSError):
        if _is_way_out(given.lstat().st_mode):
            return "is a socket or a pipe, through which a sandbox could talk to the host"
    secrets = [(Path(os.path.realpath(one.path)), one) for one in guarded if one.secret]
    by_inode = _by_inode(guarded)
    for entry in _walk(given):
        if entry.is_symlink():
            target = Path(os.path.realpath(entry.path))
            for path, one in secrets:
                if target.is_relative_to(path):
                    return f"links to {one.name} ({entry.path})"
        elif entry.inode() in by_inode and not entry.is_dir(follow_symlinks=False):
            for file, one in by_inode[entry.inode()]:
                if _is_same_file(entry.path, file):
                    return f"has a hard link to {one.name} ({entry.path})"
        if entry.is_symlink():
            continue
        is_special = not entry.is_dir(follow_symlinks=False) and not entry.is_file()
        if is_special or is_host:
            with suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                if _is_way_out(found.st_mode):
                    return f"holds a socket or a pipe of the host's ({entry.path})"
                if is_host and _is_secret(found):
                    return f"holds what is for some users of this machine alone ({entry.path})"
    return None


def _by_inode(guarded: Sequence[Protected]) -> dict[int, list[tuple[str, Protected]]]:
    """Return the protected files by inode, so that a directory need not be opened file by file."""
    found: dict[int, list[tuple[str, Protected]]] = {}
    seen: list[Path] = []
    for one in guarded:
        path = Path(os.path.realpath(one.path))
        if any(path.is_relative_to(other) for other in seen):
            continue
        seen.append(path)
        with suppress(OSError):
            found.setdefault(path.lstat().st_ino, []).append((str(path), one))
        for entry in _walk(path):
            if not entry.is_dir(follow_symlinks=False):
                found.setdefault(entry.inode(), []).append((entry.path, one))
    return found


def _is_same_file(path: str, other: str) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.lstat(other))
    except OSError:
        return False


def _walk(top: Path) -> Iterator[os.DirEntry[str]]:
    """Yield everything in a directory, at any depth; nothing for an unreadable one."""
    waiting = [str(top)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
