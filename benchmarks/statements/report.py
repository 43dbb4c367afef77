"""Score the daemon's verdicts on a new and an older fact: `make statements`.

    python -m benchmarks.statements.report [--models FOLDER] [--write] [FILE...]

FILE.tsv: what is wanted (`replace`, `repeat`, `keep`, or the labels of `pairs/`), the older text
and the newer one a line, with tabs between; with a header `want topic older newer` in its order.
FILE.txt: facts that are all true at the same time, each of which comes after those before it.
Unless named, the files are those that nothing was chosen by. Every file is judged with MiniLM (if
FOLDER holds it) and with the embedded default. `--write` keeps the figures of this run.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ashd.language.tagged_words import read
from ashd.memory.judge import Outcome, Side, decide
from ashd.memory.judge.statement import Statement
from ashd.memory.judge.verdict import Opinion, Verdict
from ashd.memory.opinions import Reader
from ashd.providers.registry import load
from benchmarks import readme
from benchmarks.speed import daemons, machine
from benchmarks.statements.data import WANTS, Vectors, neighbours
from benchmarks.statements.made import Row
from benchmarks.statements.tables import table

Counts = dict[str, int]
ROOT = Path(__file__).parents[2]
HELD_OUT = [
    ROOT / "tests" / "unit" / "memory" / "pairs_held_out.tsv",
    *sorted((Path(__file__).parent / "held_out").glob("*.*")),
]
PACKAGES = ("ashd", "numpy", "onnxruntime", "sentencepiece")
_HEADER = ["want", "topic", "older", "newer"]
_SWAPPED = 1
"""Words that each text of a swapped pair has and the other lacks, at most."""


def read_rows(path: Path) -> list[Row]:
    """The pairs of a file, of whatever language."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    if lines[0] == _HEADER:
        return [(line[0], line[2], line[3]) for line in lines[1:]]
    return [(WANTS.get(line[0], line[0]), line[1], line[2]) for line in lines if line[0][0] != "#"]


class Judge:
    """Two texts as the daemon judges them with an embedder."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        reader = Reader.of(vectors.embedder)
        assert reader is not None
        self._reader = reader

    def side(self, text: str) -> Side:
        return self._reader.model.side(text, self.vectors.of(text))

    def opinion(self, older: str, newer: str) -> Opinion:
        ((opinion,), _) = self._reader.opinions(self.side(newer), [self.side(older)])
        return opinion

    def judge(self, older: str, newer: str) -> Verdict:
        return decide(Statement(older), Statement(newer), self.opinion(older, newer))


def of_pairs(rows: Sequence[Row], judge: Judge) -> Counts:
    """Count the pairs of each kind and the verdicts on them."""
    found: Counter[tuple[str, Outcome]] = Counter()
    swapped = swapped_hit = 0
    for want, older, newer in rows:
        outcome = judge.judge(older, newer).outcome
        found[want, outcome] += 1
        if want == "keep" and _is_swapped(older, newer):
            swapped += 1
            swapped_hit += outcome in {Outcome.REPLACES, Outcome.REPEATS, Outcome.SAME}
    wants = Counter(row[0] for row in rows)

    def said(outcome: Outcome, want: str | None = None) -> int:
        return sum(found[one, outcome] for one in ([want] if want else wants))

    return {
        "pairs": len(rows),
        "replace": wants["replace"],
        "replaced": said(Outcome.REPLACES),
        "replaced_right": said(Outcome.REPLACES, "replace"),
        "offered_right": said(Outcome.MAY_REPLACE, "replace"),
        "repeat": wants["repeat"],
        "repeats": said(Outcome.REPEATS),
        "repeats_right": said(Outcome.REPEATS, "repeat") + said(Outcome.SAME, "repeat"),
        "keep": wants["keep"],
        "keep_replaced": said(Outcome.REPLACES, "keep"),
        "keep_offered": said(Outcome.MAY_REPLACE, "keep"),
        "keep_folded": said(Outcome.REPEATS, "keep") + said(Outcome.SAME, "keep"),
        "swapped": swapped,
        "swapped_hit": swapped_hit,
    }


def _is_swapped(older: str, newer: str) -> bool:
    """Return whether two texts differ only in word order, or in one word."""
    old, new = set(read(older).stems), set(read(newer).stems)
    return len(old - new) <= _SWAPPED and len(new - old) <= _SWAPPED


def of_life(facts: Sequence[str], judge: Judge) -> Counts:
    """Each fact beside those before it that are nearest."""
    replaced, folded, offered = set(), set(), set()
    for older, newer in neighbours(judge.vectors, facts):
        outcome = judge.judge(older, newer).outcome
        if outcome is Outcome.REPLACES:
            replaced.add(older)
        elif outcome is Outcome.MAY_REPLACE:
            offered.add(newer)
        elif outcome is not Outcome.KEEP:
            folded.add(newer)
    return {
        "facts": len(facts),
        "facts_replaced": len(replaced),
        "facts_folded": len(folded),
        "facts_offered": len(offered),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", default=HELD_OUT)
    parser.add_argument("--models", type=Path, help="where MiniLM is; default as for the daemon")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    options = parser.parse_args()
    models = daemons.models_folder(options.models)
    results = []
    for name in reversed(daemons.providers(models)):
        embedder = load(name, models_dir=models or Path()) if name != "none" else None
        if embedder is None:
            continue
        judge = Judge(Vectors(embedder))
        for path in options.files:
            if path.suffix == ".txt":
                facts = path.read_text(encoding="utf-8").splitlines()
                counts = of_life(facts, judge)
            else:
                counts = of_pairs(read_rows(path), judge)
            results.append({"file": path.stem, "judge": name, **counts})
    print(table(results))
    if options.write:
        readme.keep_statements({"machine": machine.describe(PACKAGES), "judged": results})


if __name__ == "__main__":
    main()
