"""The state of a file, or of all files in a folder, to notice changes by."""

import os
from pathlib import Path


def state(path: Path) -> frozenset[tuple[str, int, int]]:
    """Return the files with their sizes and times of change; hidden folders are left out."""
    files = [str(path)]
    for folder, folders, names in os.walk(path):
        folders[:] = [one for one in folders if not one.startswith(".") or one == ".claude"]
        files += [f"{folder}/{name}" for name in names]
    return frozenset(filter(None, map(_of_file, files)))


def _of_file(name: str) -> tuple[str, int, int] | None:
    try:
        about = os.lstat(name)
    except OSError:
        return None
    return name, about.st_size, about.st_mtime_ns
