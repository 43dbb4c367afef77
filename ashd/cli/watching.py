"""The state of a file, or of all files in a folder, to notice changes by."""

import os
from pathlib import Path

from ashd.ops.transfer.formats import folder


def state(path: Path) -> frozenset[tuple[str, int, int]]:
    """Return the files that an import may read, with their sizes and times of change."""
    files = [str(path)]
    for here, folders, names in os.walk(path):
        folders[:] = filter(folder.is_read, folders)
        files += [f"{here}/{name}" for name in names]
    return frozenset(filter(None, map(_of_file, files)))


def _of_file(name: str) -> tuple[str, int, int] | None:
    try:
        about = os.lstat(name)
    except OSError:
        return None
    return name, about.st_size, about.st_mtime_ns
