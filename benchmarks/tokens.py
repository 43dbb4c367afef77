"""Compare `ashd.token_estimate` with a real tokenizer, Llama's, which wordllama brings along.

    python benchmarks/tokens.py FILE…    (text, or LoCoMo's JSON)

Prints for each file the ratio of estimate to tokens over its paragraphs: median, 5 % and 95 %.
"""

import json
import statistics
import sys
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

from ashd.token_estimate import estimate


def tokenizer() -> Tokenizer:
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0])
    return Tokenizer.from_file(str(next(folder.rglob("l2_supercat_tokenizer*.json"))))


def texts(path: Path) -> list[str]:
    if path.suffix != ".json":
        return [part for part in path.read_text(encoding="utf-8").split("\n\n") if part.strip()]
    return [
        turn["text"]
        for sample in json.loads(path.read_text(encoding="utf-8"))
        for session in sample["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]


def main() -> None:
    real = tokenizer()
    real.no_padding()
    real.no_truncation()
    for name in sys.argv[1:]:
        ratios = sorted(
            estimate(text) / max(len(real.encode(text, add_special_tokens=False).ids), 1)
            for text in texts(Path(name))
        )
        low, high = ratios[len(ratios) // 20], ratios[-len(ratios) // 20]
        print(f"{name}: {statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
