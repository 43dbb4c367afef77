"""The tables of a run by size."""

from pathlib import Path
from typing import Any

from benchmarks import markdown
from benchmarks.speed.beside_others import CLIENTS

_NOTES = Path(__file__).with_name("notes-scale.md")


def page(result: dict[str, Any]) -> str:
    """The tables of a run by size."""
    rows = result["rows"]
    return "\n".join(
        [
            markdown.machine(result["machine"]),
            _NOTES.read_text(encoding="utf-8"),
            "**Adds**, CPU in ms\n",
            markdown.table(
                (
                    "embedder",
                    "memories of the owner",
                    "from rest",
                    "embedding",
                    "pair",
                    "over its parts",
                    "after the answer",
                    "in a row",
                    "bare insert",
                    "in bare inserts",
                    "transaction",
                ),
                map(_add, rows),
            ),
            "**Reads**, CPU in ms\n",
            markdown.table(
                (
                    "embedder",
                    "memories of the owner",
                    "search",
                    "after an add",
                    "the first",
                    "`context.get`",
                    "`memory.list`",
                ),
                (
                    (
                        row["embedder"],
                        f"{row['stored']:,}",
                        row["search_ms"],
                        row["search_after_add_ms"],
                        row["first_search_ms"],
                        row["context_ms"],
                        row["list_ms"],
                    )
                    for row in rows
                ),
            ),
            *map(_many, result["many"]),
        ]
    )


def _add(row: dict[str, Any]) -> tuple[object, ...]:
    return (
        row["embedder"],
        f"{row['stored']:,}",
        row["add_ms"],
        row.get("embedding_ms", "-"),
        row.get("pair_ms", "-"),
        row.get("over_ms", "-"),
        row["after_ms"],
        row.get("in_a_row_ms", "-"),
        row.get("floor_ms", "-"),
        row.get("in_floors", "-"),
        row["transaction_ms"],
    )


def _many(row: dict[str, Any]) -> str:
    beside = row["beside_a_batch"]
    return (
        f"With {row['embedder']}: {row['adds_per_s']} adds a second by {CLIENTS} clients at once,"
        f" {row['cpu_of_many_ms']} ms of CPU each; a file of {row['imported']} rows imported beside"
        f" {row['imported_beside']:,} memories {row['import_ms']} ms of CPU a row, and"
        f" {row['after_import_ms']} after the answer; an add alone {beside['alone_p50_ms']} ms,"
        f" while another owner's batches of 100 are stored {beside['beside_p50_ms']} ms (most"
        f" {beside['beside_max_ms']}); resident in the end {row['resident_mib']} MiB.\n"
    )
