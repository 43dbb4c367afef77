"""Writing small files as a whole: whoever reads one sees all of the old one or all of the new."""

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
