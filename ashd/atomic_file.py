"""Write small files atomically: a reader sees all of the old file or all of the new one."""

import os
import tempfile
from pathlib import Path


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
