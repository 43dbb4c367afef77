"""The file of a run: its settings on the first line, then a line for each question that is done.

A run that was broken off goes on where it stopped; one with other settings needs another file.
"""

import json
import threading
from pathlib import Path
from typing import Any

Row = dict[str, Any]


class Results:
    """Appends rows as they are made; `done` has those of before."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._path = path
        self._lock = threading.Lock()
        if not path.exists() or not path.read_text(encoding="utf-8").strip():
            path.write_text(json.dumps({"settings": settings}) + "\n", encoding="utf-8")
        before, self.rows = read(path)
        if before != settings:
            other = sorted(
                name
                for name in settings.keys() | before.keys()
                if settings.get(name) != before.get(name)
            )
            raise SystemExit(f"{path} is of another run ({', '.join(other)}). Name another --out.")
        # A line that was cut off by the end of the run is not one of the rows: it is written anew.
        lines = [json.dumps({"settings": settings}), *map(json.dumps, self.rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    @property
    def done(self) -> set[str]:
        """The keys of the questions that have a row."""
        return {row["key"] for row in self.rows}

    def add(self, row: Row) -> None:
        """Write down a row at once."""
        with self._lock:
            self.rows.append(row)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def read(path: Path) -> tuple[dict[str, Any], list[Row]]:
    """The settings and the whole rows of a file."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines:
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return json.loads(first)["settings"], rows
