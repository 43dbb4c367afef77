"""The tables of runs over the lives."""

from typing import Any, Final

from benchmarks import markdown

EMBEDDERS: Final = {
    "none": "no model",
    "wordllama": "wordllama",
    "minilm": "MiniLM",
    "multilingual": "multilingual",
}
ROWS: Final = (
    "ranked first",
    "ranked in ten",
    "shown first",
    "shown",
    "shown, strong",
    "shown, no word shared",
    "in the context block",
    "about a named other: ranked first",
    "about a named other: shown",
    "far: something strong",
    "far: anything",
    "near: something strong",
    "stored",
)


def table(result: dict[str, Any]) -> str:
    """One run: a row a measure, a column an embedder."""
    measured = result["measured"]
    each = result["facts"] // result["lives"]
    filled = f", filled up to {result['size']:,} ({result['filler']})" if result["size"] else ""
    head = f"`{result['data']}`: {result['lives']} owners with {each} facts each{filled}.\n"
    rows = [
        (row, *(_share(*counts.get(row, (0, 0))) for counts in measured.values())) for row in ROWS
    ]
    return f"{head}\n" + markdown.table(("", *(EMBEDDERS[name] for name in measured)), rows)


def _share(hits: int, asked: int) -> str:
    return f"{hits / asked:.3f} ({hits}/{asked})" if asked else "-"
