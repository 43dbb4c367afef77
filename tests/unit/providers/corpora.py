"""Written texts of many kinds, for comparisons of tokenizers: all lines beside the benchmarks."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parents[3] / "benchmarks"
_KINDS: Final = {".md", ".txt", ".json", ".jsonl", ".py", ".toml"}

TEXTS: Final = sorted(
    {
        line
        for path in _FOLDER.rglob("*")
        if path.suffix in _KINDS
        for line in path.read_text(encoding="utf-8").splitlines()
    }
)
