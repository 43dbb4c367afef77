"""The table of how long others wait beside hostile texts."""

from pathlib import Path
from typing import Any

from benchmarks import markdown

_NOTES = Path(__file__).with_name("notes-stalls.md")


def page(result: dict[str, Any]) -> str:
    """The section."""
    columns = (
        *("embedder", "texts", "loop", "writer", "interpreter", "reader"),
        *("memory above idle, MiB", "CPU of a search alone", "beside", "p95 alone, ms", "beside"),
        "ratio",
    )
    table = markdown.table(columns, map(_row, result["rows"]))
    notes = _NOTES.read_text(encoding="utf-8")
    return "\n".join([markdown.machine(result["machine"]), notes, table])


def _row(row: dict[str, Any]) -> tuple[Any, ...]:
    return (
        *(row["embedder"], row["kind"]),
        *(row[f"{where}_ms"] for where in ("loop", "writer", "interpreter", "reader")),
        *(row["memory_mib"], row["idle_cpu_p95_ms"], row["beside_cpu_p95_ms"]),
        *(row["idle_p95_ms"], row["beside_p95_ms"]),
        round(row["beside_p95_ms"] / row["idle_p95_ms"], 1),
    )
