"""The table of a run over statements."""

from collections.abc import Sequence
from typing import Any

from benchmarks import markdown

JUDGES = {"minilm": "MiniLM", "wordllama": "wordllama", "rule": "grammar alone"}


def table(results: Sequence[dict[str, Any]]) -> str:
    """A line a file and judge."""

    def share(part: int, whole: int) -> str:
        return f"{part / whole:.2f} ({part}/{whole})" if whole else "-"

    return markdown.table(
        ("facts", "judge", *("precision", "recall"), "duplicates found", "true facts lost"),
        (
            (
                one["file"],
                JUDGES[one["judge"]],
                share(one.get("superseded_right", 0), one.get("superseded", 0)),
                share(one.get("superseded_right", 0), one.get("conflicts", 0)),
                share(one.get("dropped_right", 0), one.get("duplicates", 0)),
                share(one["lost"], one["standing"]),
            )
            for one in results
        ),
    )
