"""Check whether a directory given to a sandbox would expose the daemon's own files.

Paths are compared as the kernel knows them, by file system and place in it, so that neither a
symbolic link nor a bind mount hides what a directory is. A directory may also hold links: a hard
link is the file itself, a symbolic link leads whoever follows it on the host.
"""

import os
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
    given: Path, protected: Sequence[Protected], *, writable: bool, mounts: str | None = None
) -> str | None:
    """The reason why a sandbox must not get the path `given`, to end a sentence; None if it may.

    Args:
        given: a file or directory of the host.
        protected: what it must not show or, when it may be written, must not change.
        writable: whether the sandbox may write there.
        mounts: the text of mountinfo; that of this process unless given.
    """
    seen = parse_mounts(Path(_MOUNTS).read_text() if mounts is None else mounts)
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
    return _link(real, guarded)


def parse_mounts(text: str) -> list[Mount]:
    """Return the mounts of a mountinfo text, in their order."""
    mounts = []
    for line in text.splitlines():
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


def _link(given: Path, guarded: Sequence[Protected]) -> str | None:
    """Return the first link in a directory to a protected file."""
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
