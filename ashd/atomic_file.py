"""Write small files atomically: a reader sees all of the old file or all of the new one.

Root gives what it makes in the home of a service to the user of that service.
"""

import contextlib
import os
import tempfile
from pathlib import Path
from typing import BinaryIO


def write(
    path: Path, data: bytes, *, mode: int = 0o600, owner: os.stat_result | None = None
) -> None:
    """Put a file in place, durably, with these permissions and this owner.

    Raises:
        OSError: it cannot be written; what was there still is.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if owner is not None:
            give(part, owner)
        part.chmod(mode)  # after the owner: a change of that takes permissions away
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    with contextlib.suppress(OSError):  # a file system that syncs no folder
        sync(path.parent)  # or a revoked key could be good again


def sync(path: Path) -> None:
    """Wait until a file, or the names in a directory, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def give(path: Path, owner: os.stat_result) -> None:
    """Give a file to an owner and a group; one of our own may have a group that we are not in.

    Raises:
        OSError: it would be of another owner.
    """
    try:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    except PermissionError:
        if owner.st_uid != os.geteuid():
            raise


def give_to_owner_of(folder: Path, path: Path) -> None:
    """As root, give a file to the owner of a folder, so that a service of that user can read it.

    Raises:
        OSError: it cannot be given.
    """
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def open_to_lock(path: Path) -> BinaryIO:
    """Open a private file to lock, made if it is missing.

    A link is not followed: the owner of the folder could have it lead to a file of root's.

    Raises:
        OSError: it cannot be opened.
    """
    file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+b", 0)
    own, folder = os.fstat(file.fileno()), path.parent.stat()
    if os.geteuid() == 0 and own.st_uid != folder.st_uid:
        try:
            os.fchown(file.fileno(), folder.st_uid, folder.st_gid)
        except OSError:
            file.close()
            raise
    return file


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Make a folder, and those above it; root makes them for the owner of the first that is there.

    Raises:
        OSError: it cannot be made.
    """
    if not path.exists():
        make_folder(path.parent, mode)
        path.mkdir(mode, exist_ok=True)  # another process may have made it meanwhile
        give_to_owner_of(path.parent, path)
