"""Write small files atomically: a reader sees all of the old file or all of the new one."""

import os
import tempfile
from pathlib import Path


def write(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Put a file in place, durably, with these permissions.

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
        part.chmod(mode)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def give_to_owner_of(folder: Path, path: Path) -> None:
    """As root, give a file to the owner of a folder, so that a service of that user can read it.

    Raises:
        OSError: it cannot be given.
    """
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
