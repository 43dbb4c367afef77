"""How well the conflict rule tells what a new fact does to an older one.

    python benchmarks/conflict.py [--models FOLDER] [--write] PAIRS.tsv...

PAIRS: a label, the older text and the newer one a line, with tabs between: `conflict` (the
newer replaces the older), `duplicate`, `compatible`, `othersubject`, `unrelated`. Each file is
judged with MiniLM (if FOLDER holds it), with the embedded default and with no embedder at all.

lost: facts that are true and were superseded or not stored, of all that should stand together.
`--write` puts MiniLM's cosine of the two texts, and that of their values where the rule asks
for it, into the fourth and fifth column; the tests read them there instead of the model.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

from ashd.errors import EmbeddingUnavailable
from ashd.memory.conflict import Outcome, Verdict, decide
from ashd.memory.statement import Statement
from ashd.providers.embedder import Embedder
from ashd.providers.registry import load

Row = list[str]
Cosine = Callable[[str, str], float]


def read_rows(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def cosine_of(embedder: Embedder) -> Cosine:
    @cache
    def vector(text: str):  # noqa: ANN202  # a float32 vector
        return embedder.embed([text])[0].pooled

    return lambda left, right: float(vector(left) @ vector(right))


def judge(row: Row, embedder: Embedder | None, cosine: Cosine | None) -> Verdict:
    return decide(
        Statement(row[1]),
        Statement(row[2]),
        cosine=cosine(row[1], row[2]) if cosine else None,
        value_cosine=cosine,
        gates=embedder.thresholds if embedder else None,
    )


def ratio(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "- (0/0)"


def report(rows: list[Row], embedder: Embedder | None) -> str:
    cosine = cosine_of(embedder) if embedder else None
    found = Counter((row[0], judge(row, embedder, cosine).outcome) for row in rows)
    of_label = Counter(row[0] for row in rows)

    def all_of(outcome: Outcome) -> int:
        return sum(found[label, outcome] for label in of_label)

    superseded = found["conflict", Outcome.SUPERSEDE]
    repeated = found["duplicate", Outcome.DUPLICATE]
    standing = [label for label in of_label if label not in {"conflict", "duplicate"}]
    lost = sum(
        found[label, outcome]
        for label in standing
        for outcome in (Outcome.SUPERSEDE, Outcome.DUPLICATE)
    )
    return (
        f"supersede P {ratio(superseded, all_of(Outcome.SUPERSEDE))}"
        f" R {ratio(superseded, of_label['conflict'])}"
        f"  lost {ratio(lost, sum(of_label[label] for label in standing))}"
        f"  duplicate P {ratio(repeated, all_of(Outcome.DUPLICATE))}"
        f" R {ratio(repeated, of_label['duplicate'])}"
        f"  conflicts dropped {found['conflict', Outcome.DUPLICATE]}"
    )


def write_cosines(path: Path, embedder: Embedder) -> None:
    cosine = cosine_of(embedder)
    lines = []
    for row in read_rows(path):
        asked: list[float] = []

        def value_cosine(left: str, right: str, asked: list[float] = asked) -> float:
            asked.append(cosine(left, right))
            return asked[-1]

        of_texts = cosine(row[1], row[2])
        statements = Statement(row[1]), Statement(row[2])
        decide(*statements, cosine=of_texts, value_cosine=value_cosine, gates=embedder.thresholds)
        # Several values are rarely asked for; the rule takes any of one type, so the highest.
        of_values = f"{max(asked):.3f}" if asked else ""
        lines.append("\t".join([*row[:3], f"{of_texts:.3f}", of_values]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="PAIRS.tsv")
    parser.add_argument("--models", type=Path, default=Path("models"), metavar="FOLDER")
    parser.add_argument("--write", action="store_true", help="put MiniLM's cosines into the files")
    options = parser.parse_args()
    embedders: dict[str, Embedder | None] = {}
    for provider in ("minilm", "wordllama", "none"):
        try:
            embedders[provider] = load(provider, models_dir=options.models)
        except EmbeddingUnavailable as error:
            print(f"{provider}: {error}")
    if options.write:
        minilm = embedders.get("minilm")
        if minilm is None:
            parser.error("--write needs MiniLM in the folder of --models")
        for path in options.files:
            write_cosines(path, minilm)
    for path in options.files:
        rows = read_rows(path)
        for provider, embedder in embedders.items():
            print(f"{path.name:24} {provider:9} {report(rows, embedder)}")


if __name__ == "__main__":
    main()
