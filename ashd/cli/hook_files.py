"""Small files of JSON that `ash hook` keeps in the home: marks in transcripts, the last failure."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

FOLDER: Final = "hooks"
FAILURE: Final = "last_failure.json"


def read(path: str) -> dict[str, Any] | None:
    """Return the object in a file; None if there is none."""
    try:
        with open(path, "rb") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write(path: str, value: dict[str, Any]) -> None:
    """Put an object into a file, if it can be written."""
    from pathlib import Path

    from ashd import atomic_file

    with suppress(OSError):
        atomic_file.make_folder(Path(path).parent, 0o700)
        atomic_file.write(Path(path), json.dumps(value).encode())
