"""Asks a daemon what the `lives` are asked, over its socket and with default calls.

    python -m benchmarks.recall.lives --models FOLDER [--data FOLDER] [--size 1000] [--locomo FILE]

`--data` names another folder of lives. With `--size` every owner's store is filled up with
unrelated facts: statements of a LoCoMo file, or made-up ones. Embedders: `--embedder`, twice for
two; wordllama and, where it is installed, MiniLM by default. `--write` keeps the figures for
`benchmarks/README.md`, in place of those of the same data and size.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from benchmarks import readme
from benchmarks.recall import lives_data, lives_tables, locomo
from benchmarks.recall.lives_data import Lives, Question
from benchmarks.speed import daemons, machine
from benchmarks.speed import facts as made_up
from tests.daemons import Daemon

BATCH: Final = 100
_DEEP: Final = 100
_LEAST_WORDS: Final = 6
PACKAGES: Final = ("numpy", "onnxruntime", "sentencepiece")


@dataclass
class Outcomes:
    """Shares, collected as hits and misses by the name of the row."""

    rows: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))

    def add(self, row: str, hit: bool) -> None:
        self.rows[row].append(hit)

    def counts(self) -> dict[str, tuple[int, int]]:
        """The hits of each row, and what they are of."""
        return {name: (sum(hits), len(hits)) for name, hits in self.rows.items()}


def unrelated(file: Path | None) -> Iterator[str]:
    """Facts that nobody asks for."""
    if file is None:
        yield from made_up.facts(7)
        return
    said = [turn.text for one in locomo.load(file) for turn in one.turns]
    told = [text for text in said if "?" not in text and len(text.split()) >= _LEAST_WORDS]
    random.Random(7).shuffle(told)
    yield from told


def store(daemon: Daemon, lives: Lives, size: int, locomo_file: Path | None) -> dict[str, str]:
    """Store each life as an owner's; the id of the memory of every fact that is there."""
    stored = {}
    for life in lives.names():
        scope = daemons.owner(life)
        facts = lives.of(life).facts
        for fact in facts:
            added = daemon.call(
                "memory.add", scope=scope, content=fact.content, subjects=list(fact.subjects)
            )
            memory = added["memories"][0]["memory"]
            stored[memory["id"]] = fact.id
        filler, left = unrelated(locomo_file), size - len(facts)
        while left > 0:
            batch = [{"content": text} for text in islice(filler, min(left, BATCH))]
            if not batch:
                raise SystemExit("There are not enough unrelated facts.")
            daemon.call("memory.add", scope=scope, facts=batch)
            left -= len(batch)
    return stored


def ask(daemon: Daemon, lives: Lives, stored: dict[str, str]) -> Outcomes:
    """Ask every question."""
    outcomes = Outcomes()
    others = {fact.id for fact in lives.facts if fact.subjects}
    there = set(stored.values())
    for fact in lives.facts:
        outcomes.add("stored", fact.id in there)
    for question in lives.questions:
        scope = daemons.owner(question.life)
        found = daemon.call("memory.search", scope=scope, query=question.text)["results"]
        if question.kind != "answer":
            strong = any(not result.get("weak", False) for result in found)
            outcomes.add(f"{question.kind}: something strong", strong)
            outcomes.add(f"{question.kind}: anything", bool(found))
            continue
        _answered(
            daemon, question, found, stored, outcomes, about_other=question.facts[0] in others
        )
    return outcomes


def _answered(
    daemon: Daemon,
    question: Question,
    found: Sequence[dict[str, Any]],
    stored: dict[str, str],
    outcomes: Outcomes,
    *,
    about_other: bool,
) -> None:
    scope, right = daemons.owner(question.life), question.facts[0]
    ranking = daemon.call(
        "memory.search", scope=scope, query=question.text, min_score=0, limit=_DEEP
    )["results"]
    block = daemon.call("context.get", scope=scope, message=question.text)
    ranked = [stored.get(result["memory"]["id"]) for result in ranking]
    shown = [stored.get(result["memory"]["id"]) for result in found]
    strong = [
        stored.get(result["memory"]["id"]) for result in found if not result.get("weak", False)
    ]
    outcomes.add("ranked first", ranked[:1] == [right])
    outcomes.add("ranked in ten", right in ranked[:10])
    outcomes.add("shown first", shown[:1] == [right])
    outcomes.add("shown", right in shown)
    outcomes.add("shown, strong", right in strong)
    first_ten = next((one["items"] for one in block["sections"] if one["name"] == "memories"), 0)
    blocked = [stored.get(memory["id"]) for memory in block["memories"]]
    outcomes.add("in the context block", right in blocked[:first_ten])
    if question.wording == "indirect":
        outcomes.add("shown, no word shared", right in shown)
    if about_other:
        outcomes.add("about a named other: ranked first", ranked[:1] == [right])
        outcomes.add("about a named other: shown", right in shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--models", type=Path)
    parser.add_argument("--data", type=Path, action="append", help="by default recall/lives")
    parser.add_argument(
        "--embedder", action="append", choices=["none", "wordllama", "minilm", "multilingual"]
    )
    parser.add_argument("--size", type=int, default=0, help="facts an owner has in all")
    parser.add_argument("--locomo", type=Path, help="where unrelated facts are taken from")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    models = daemons.models_folder(arguments.models)
    wanted = arguments.embedder or ["wordllama", *(["minilm"] if models else [])]
    lives = lives_data.load(arguments.data or [lives_data.FOLDER])
    measured = {}
    for embedder in wanted:
        with daemons.daemon(embedder, models) as daemon:
            stored = store(daemon, lives, arguments.size, arguments.locomo)
            measured[embedder] = ask(daemon, lives, stored).counts()
    folders = arguments.data or [lives_data.FOLDER]
    result = {
        "data": " and ".join(folder.name for folder in folders),
        "facts": len(lives.facts),
        "lives": len(lives.names()),
        "size": arguments.size,
        "filler": arguments.locomo.stem if arguments.locomo else "made up",
        "measured": measured,
    }
    print(lives_tables.table(result))
    if arguments.write:
        readme.keep_lives(result, machine.describe(PACKAGES))


if __name__ == "__main__":
    main()
