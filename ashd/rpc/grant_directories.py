"""The directories of grants, which sandboxes mount."""

from collections.abc import Container
from contextlib import suppress
from pathlib import Path


def make(directory: Path) -> None:
    """Make a directory to mount; a sandbox's user, whoever it is, can enter it."""
    directory.mkdir(mode=0o755, exist_ok=True)
    directory.chmod(0o755)


def remove(directory: Path, socket: str) -> None:
    """Remove a grant's directory, unless it holds files of somebody else."""
    with suppress(OSError):
        (directory / socket).unlink()
    with suppress(OSError):
        directory.rmdir()


def remove_others(parent: Path, socket: str, in_force: Container[str]) -> None:
    """Remove the directories of grants that are no longer in force."""
    for directory in list(parent.iterdir()) if parent.is_dir() else ():
        if directory.name not in in_force:
            remove(directory, socket)
