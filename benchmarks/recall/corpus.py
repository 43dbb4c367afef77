"""The second corpus: an assistant's facts and conversations, with questions, written for this.

`facts.txt` is one store of many facts; `everyday.txt` many small ones, asked in other words than
they were told, in a half for choosing words and scores by and a half that is only measured;
`languages.txt` the same in other languages than English.
"""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.recall.locomo import Conversation, Question, Turn

Half = Literal["dev", "test"]

_FOLDER = Path(__file__).with_name("corpus")
USER, ASSISTANT = "user", "assistant"


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    right: frozenset[str]
    """The facts that answer it; empty where none does."""
    far: bool
    """It is about nothing that is stored."""


@dataclass(frozen=True, slots=True)
class Store:
    """The messages of one user, and questions about them only."""

    facts: list[Fact]
    asked: list[Asked]


def facts() -> list[Store]:
    """One store of a year, in many languages."""
    return [_store(_lines("facts.txt"))]


def everyday(half: Half) -> list[Store]:
    """The stores of one half, in English."""
    return _stores("everyday.txt", half)


def languages(half: Half) -> list[Store]:
    """The stores of one half, each in another language."""
    return _stores("languages.txt", half)


def _stores(file: str, half: Half) -> list[Store]:
    stores: list[tuple[str, list[str]]] = []
    for line in _lines(file):
        if line.startswith("=="):
            stores.append((line[2:].strip(), []))
        else:
            stores[-1][1].append(line)
    return [_store(lines) for name, lines in stores if name == half]


def fact_sets() -> dict[str, list[Store]]:
    """Return the sets of facts that are measured, without the half used to choose words."""
    return {"a year of facts": facts(), "everyday facts, test half": everyday("test")}


def _store(lines: list[str]) -> Store:
    told = [line for line in lines if not line.startswith("?")]
    parts = [[part.strip() for part in line.split("|")] for line in told]
    return Store(
        [Fact(names[0], names[-1]) for names in parts],
        [Asked(*_question(line), far=line.endswith("--")) for line in lines if line[0] == "?"],
    )


def assistant() -> Conversation:
    """The assistant's conversations as LoCoMo's are: evidence is ``session.line``."""
    turns: list[Turn] = []
    questions = []
    session, start = 0, dt.datetime.min.replace(tzinfo=dt.UTC)
    for line in _lines("assistant.txt"):
        if line.startswith("=="):
            session += 1
            start = dt.datetime.fromisoformat(line[2:].strip()).replace(tzinfo=dt.UTC)
        elif line.startswith("?"):
            text, evidence = _question(line)
            questions.append(Question(text, 4, evidence))
        else:
            place = sum(turn.session == session for turn in turns) + 1
            speaker = USER if line.startswith("U:") else ASSISTANT
            at = start + dt.timedelta(seconds=20 * place)
            turns.append(Turn(f"{session}.{place}", session, speaker, line[2:].strip(), at))
    return Conversation("assistant", turns, questions)


def _question(line: str) -> tuple[str, frozenset[str]]:
    text, _, evidence = line[1:].rpartition("=>")
    return text.strip(), frozenset(evidence.split()) - {"-", "--"}


def _lines(name: str) -> list[str]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]
