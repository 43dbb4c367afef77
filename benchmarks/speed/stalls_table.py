"""The table of how long others wait beside hostile texts."""

from pathlib import Path
from typing import Any, Final

from benchmarks import markdown

WHERE: Final = ("loop", "writer", "interpreter", "reader", "embedder")
_NOTES = Path(__file__).with_name("notes-stalls.md")


def page(result: dict[str, Any]) -> str:
    """The section."""
    columns = (
        *("embedder", "texts", *WHERE, "memory above idle, MiB"),
        *("search alone", "beside", "its own", "for a thread", "for the interpreter", "loop"),
        *("ms alone", "beside", "of it for a processor"),
    )
    table = markdown.table(columns, map(_row, result["rows"]))
    notes = _NOTES.read_text(encoding="utf-8")
    return "\n".join([markdown.machine(result["machine"]), notes, table])


def _row(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        *(row["embedder"], row["kind"], *(row[f"{where}_ms"] for where in WHERE)),
        *(row["memory_mib"], row["alone_daemon_p95_ms"]),
        *(
            row[f"beside_{part}_p95_ms"]
            for part in ("daemon", "own", "queue", "interpreter", "loop")
        ),
        *(row[f"{when}_wall_p95_ms"] for when in ("alone", "beside")),
        row["beside_processor_p95_ms"],
    )
