"""A control group for one sandbox, if this user may make one: limits on all of it together.

Root always may; others may below a group that was delegated to them, as a systemd user session does
for what it starts. Both versions of the kernel's interface are used: in version 2 a group with
processes of its own cannot limit children, so the new group is a sibling of the launcher's. A
killed launcher leaves an empty group behind; the next one removes it.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ashd.launcher.confinement import Limits

_PREFIX: Final = "ash-"
_CONTROLLERS: Final = ("memory", "pids")
_REMOVE_TRIES: Final = 50
_REMOVE_AGAIN_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Parent:
    """A directory to make the group in, and its controllers."""

    path: Path
    controllers: tuple[str, ...]
    version: int


@dataclass(slots=True)
class Group:
    """The directories of one sandbox's group; none if groups cannot limit anything here."""

    paths: list[Path] = field(default_factory=list)

    def enter(self) -> None:
        """Move the calling process into the group; its children follow.

        If the kernel refuses that, as for another user, only the resource limits remain.
        """
        for path in self.paths:
            with suppress(OSError):
                (path / "cgroup.procs").write_text("0")


@contextmanager
def limiting(limits: Limits) -> Iterator[Group]:
    """Yield a group with the limits, and remove it in the end."""
    group = Group()
    try:
        for parent in parents(_read("/proc/self/cgroup"), _read("/proc/self/mountinfo")):
            remove_abandoned(parent.path)
            with suppress(OSError):
                group.paths.append(_make(parent, limits))
        yield group
    finally:
        for path in group.paths:
            _remove(path)


def parents(membership: str, mounts: str) -> list[Parent]:
    """Find where groups may be made, by the texts of /proc/self/cgroup and /proc/self/mountinfo."""
    found = []
    for line in membership.split("\n")[:-1]:
        _, names, own = line.split(":", 2)
        wanted = tuple(name for name in names.split(",") if name in _CONTROLLERS)
        if not names:
            if (directory := _directory(mounts, "cgroup2", "", own)) is not None:
                found += _unified(directory)
        elif wanted and (directory := _directory(mounts, "cgroup", wanted[0], own)) is not None:
            found.append(Parent(directory, wanted, 1))
    return found


def remove_abandoned(parent: Path) -> None:
    """Remove the groups of launchers that have ended."""
    for path in parent.glob(f"{_PREFIX}*"):
        pid = path.name.removeprefix(_PREFIX)
        if pid.isdecimal() and not Path("/proc", pid).exists():
            with suppress(OSError):
                path.rmdir()


def _unified(directory: Path) -> list[Parent]:
    """Return the group itself if it passes controllers on, else the one above."""
    for path in (directory, directory.parent):
        passed_on = _read(path / "cgroup.subtree_control").split()
        controllers = tuple(name for name in _CONTROLLERS if name in passed_on)
        if controllers:
            return [Parent(path, controllers, 2)]
    return []


def _directory(mounts: str, kind: str, controller: str, own: str) -> Path | None:
    """Return the directory of the group `own` in the hierarchy of a controller."""
    for line in mounts.split("\n")[:-1]:  # not `splitlines`: a path may hold other line ends
        left, _, right = line.partition(" - ")
        root, point = left.split(" ")[3:5]
        mounted, _, options = right.split(" ", 2)
        if mounted != kind or (controller and controller not in options.split(",")):
            continue
        if Path(own).is_relative_to(root):
            return Path(point) / Path(own).relative_to(root)
    return None


def _make(parent: Parent, limits: Limits) -> Path:
    path = parent.path / f"{_PREFIX}{os.getpid()}"
    path.mkdir()
    try:
        if "pids" in parent.controllers:
            (path / "pids.max").write_text(str(limits.processes))
        if "memory" in parent.controllers:
            name = "memory.max" if parent.version > 1 else "memory.limit_in_bytes"
            (path / name).write_text(str(limits.memory_bytes))
            if (swap := path / "memory.swap.max").exists():
                swap.write_text("0")
    except OSError:
        path.rmdir()
        raise
    return path


def _remove(path: Path) -> None:
    """Remove a group; the kernel may still be ending its last processes."""
    for _ in range(_REMOVE_TRIES):
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_REMOVE_AGAIN_S)
        else:
            return


def _read(path: str | Path) -> str:
    try:
        return os.fsdecode(Path(path).read_bytes())
    except OSError:
        return ""
