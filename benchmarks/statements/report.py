"""How well the daemon tells what a new fact does to an older one: `make statements`.

    python -m benchmarks.statements.report [--models FOLDER] [--write] [--cosines] [FILE...]

FILE.tsv: a label, the older text and the newer one a line, with tabs between: `conflict` (the
newer replaces the older), `duplicate`, `compatible`, `othersubject`, `unrelated`. FILE.txt: facts
that are all true at the same time, each of which comes after those before it. Unless named, the
files are those that nothing was chosen by. Every file is judged with MiniLM (if FOLDER holds it),
with the embedded default, and by grammar alone (with the cosines of the first of them).

`--write` keeps the figures of this run. `--cosines` puts MiniLM's cosine of the two texts, and
that of their values where the rule asks for it, into the fourth and fifth column of pairs; tests
read them there instead of the model.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from ashd.memory.conflict import Outcome, PairModel, Verdict, decide
from ashd.memory.statement import Statement
from ashd.providers import statement_pairs
from ashd.providers.embedder import Embedder, Embedding
from ashd.providers.registry import load
from benchmarks import readme
from benchmarks.speed import daemons, machine
from benchmarks.statements.tables import table

Row = list[str]
Counts = dict[str, int]
ROOT = Path(__file__).parents[2]
HELD_OUT = [
    ROOT / "tests" / "unit" / "memory" / "pairs_held_out.tsv",
    *sorted((Path(__file__).parent / "held_out").glob("*.*")),
]
PACKAGES = ("ashd", "numpy", "onnxruntime", "wordllama")
NEAREST = 12
"""As many true facts as the daemon compares with a new one by meaning."""


def read_rows(path: Path) -> list[Row]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


class Reader:
    """Texts by an embedder; two of them as the daemon judges them."""

    def __init__(self, embedder: Embedder | None, *, with_model: bool = True) -> None:
        self.embedder = embedder
        self._pairs = statement_pairs.for_model(embedder.model) if embedder and with_model else None
        self.vectors = cache(self._vectors)

    def _vectors(self, text: str) -> Embedding:
        assert self.embedder is not None
        return self.embedder.embed([text])[0]

    def cosine(self, left: str, right: str) -> float:
        return float(self.vectors(left).pooled @ self.vectors(right).pooled)

    def judge(self, older: str, newer: str) -> Verdict:
        return decide(
            Statement(older),
            Statement(newer),
            cosine=self.cosine(older, newer) if self.embedder else None,
            value_cosine=self.cosine if self.embedder else None,
            gates=self.embedder.thresholds if self.embedder else None,
            pair_model=self._model(older, newer),
        )

    def _model(self, older: str, newer: str) -> PairModel | None:
        trained = self._pairs
        if trained is None:
            return None
        before, after = (trained.side(text, self.vectors(text)) for text in (older, newer))
        return lambda signs: trained.view(before, after, signs)


def of_pairs(rows: Sequence[Row], reader: Reader) -> Counts:
    """How many there are and what was said of them."""
    found = Counter((row[0], reader.judge(row[1], row[2]).outcome) for row in rows)
    labels = Counter(row[0] for row in rows)
    standing = [label for label in labels if label not in {"conflict", "duplicate"}]
    return {
        "pairs": len(rows),
        "conflicts": labels["conflict"],
        "superseded": sum(found[label, Outcome.SUPERSEDE] for label in labels),
        "superseded_right": found["conflict", Outcome.SUPERSEDE],
        "duplicates": labels["duplicate"],
        "dropped": sum(found[label, Outcome.DUPLICATE] for label in labels),
        "dropped_right": found["duplicate", Outcome.DUPLICATE],
        "standing": sum(labels[label] for label in standing),
        "lost": sum(
            found[label, outcome]
            for label in standing
            for outcome in (Outcome.SUPERSEDE, Outcome.DUPLICATE)
        ),
    }


def of_life(facts: Sequence[str], reader: Reader) -> Counts:
    """Each fact beside those before it that are nearest."""
    lost = set()
    for at in range(1, len(facts)):
        cosines = [reader.cosine(fact, facts[at]) for fact in facts[:at]]
        for before in np.argsort(cosines)[::-1][:NEAREST].tolist():
            outcome = reader.judge(facts[before], facts[at]).outcome
            if outcome is not Outcome.KEEP_BOTH:
                lost.add(before if outcome is Outcome.SUPERSEDE else at)
    return {"standing": len(facts), "lost": len(lost)}


def write_cosines(path: Path, embedder: Embedder) -> None:
    reader = Reader(embedder)
    lines = []
    for row in read_rows(path):
        asked: list[float] = []

        def value_cosine(left: str, right: str, asked: list[float] = asked) -> float:
            asked.append(reader.cosine(left, right))
            return asked[-1]

        of_texts = reader.cosine(row[1], row[2])
        statements = Statement(row[1]), Statement(row[2])
        decide(*statements, cosine=of_texts, value_cosine=value_cosine, gates=embedder.thresholds)
        # Several values are rarely asked for; the rule takes any of one type, so the highest.
        of_values = f"{max(asked):.3f}" if asked else ""
        lines.append("\t".join([*row[:3], f"{of_texts:.3f}", of_values]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", default=HELD_OUT)
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    parser.add_argument("--cosines", action="store_true", help="put cosines into the files")
    options = parser.parse_args()
    models = daemons.models_folder(options.models)
    embedders = {
        name: load(name, models_dir=models or Path())
        for name in daemons.providers(models)
        if name != "none"
    }
    if options.cosines:
        for path in options.files:
            write_cosines(path, embedders["minilm"])
    readers = {name: Reader(embedder) for name, embedder in embedders.items()}
    readers["rule"] = Reader(next(reversed(embedders.values())), with_model=False)
    results = []
    for path in options.files:
        for name, reader in readers.items():
            if path.suffix == ".txt":
                counts = of_life(path.read_text(encoding="utf-8").splitlines(), reader)
            else:
                counts = of_pairs(read_rows(path), reader)
            results.append({"file": path.stem, "judge": name, **counts})
    print(table(results))
    if options.write:
        readme.keep_statements({"machine": machine.describe(PACKAGES), "judged": results})


if __name__ == "__main__":
    main()
