"""Compare `ashd.token_estimate` with a real tokenizer, Llama's, which the built-in embedder has.

    python benchmarks/tokens.py FILE…    (text, or LoCoMo's JSON)

Prints for each file the ratio of estimate to tokens over its paragraphs: median, 5 % and 95 %.
"""

import json
import statistics
import sys
from pathlib import Path

from sentencepiece import SentencePieceProcessor

from ashd.providers.wordllama import FOLDER, TOKENS_FILE
from ashd.token_estimate import estimate


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


def tokenizer() -> SentencePieceProcessor:
    return SentencePieceProcessor(model_file=str(FOLDER / TOKENS_FILE))


def main() -> None:
    real = tokenizer()
    for name in sys.argv[1:]:
        ratios = sorted(
            estimate(text) / max(len(real.encode(text)), 1) for text in texts(Path(name))
        )
        low, high = ratios[len(ratios) // 20], ratios[-len(ratios) // 20]
        print(f"{name}: {statistics.median(ratios):.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
