"""The table of a run over statements."""

from collections.abc import Sequence
from typing import Any

from benchmarks import markdown

JUDGES = {"minilm": "MiniLM", "wordllama": "wordllama"}
_COLUMNS = (
    "facts",
    "judge",
    "precision",
    "replaced",
    "replaced or offered",
    "offered needlessly",
    "replaced wrongly",
    "swapped hit",
    "repeats found",
    "folded wrongly",
)


def table(results: Sequence[dict[str, Any]]) -> str:
    """A line a file and judge."""
    return markdown.table(_COLUMNS, map(_line, results))


def _line(one: dict[str, Any]) -> tuple[str, ...]:
    named = one["file"], JUDGES[one["judge"]]
    if "facts" in one:
        facts = one["facts"]
        offered, replaced, folded = (
            _share(one[f"facts_{said}"], facts) for said in ("offered", "replaced", "folded")
        )
        return (*named, "-", "-", "-", offered, replaced, "-", "-", folded)
    right = one["replaced_right"]
    return (
        *named,
        _share(right, one["replaced"]),
        _share(right, one["replace"]),
        _share(right + one["offered_right"], one["replace"]),
        _share(one["keep_offered"], one["keep"]),
        _share(one["keep_replaced"], one["keep"]),
        _share(one["swapped_hit"], one["swapped"]),
        _share(one["repeats_right"], one["repeat"]),
        _share(one["keep_folded"], one["keep"]),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "-"
