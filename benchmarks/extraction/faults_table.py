"""The table of what a model's ordinary faults cost."""

from pathlib import Path
from typing import Any

from benchmarks import markdown

_NOTES = Path(__file__).with_name("notes-faults.md")


def page(result: dict[str, Any]) -> str:
    """The section."""
    columns = ("fault", "rate", "answers with it", "stored of right ones", "wrong stored")
    table = markdown.table(
        (*columns, "calls", "tokens", "jobs set aside"), map(_row, result["rows"])
    )
    notes = _NOTES.read_text(encoding="utf-8")
    return "\n".join([markdown.machine(result["machine"]), notes, table])


def _row(row: dict[str, Any]) -> tuple[object, ...]:
    return (
        *(row["fault"], f"{row['rate']:.0%}", row["faulty"], f"{row['stored']}/{row['right']}"),
        *(row["wrong_stored"], row["calls"], f"{row['tokens']:,}", row["set_aside"]),
    )
