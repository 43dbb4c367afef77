"""The second corpus: an assistant's facts and conversations, with questions, written for this."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path

from locomo import Conversation, Question, Turn

_FOLDER = Path(__file__).with_name("corpus")
USER, ASSISTANT = "user", "assistant"


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    right: frozenset[str]
    """The facts that answer it; empty where none does."""
    far: bool
    """It is about nothing that is stored."""


def facts() -> tuple[list[Fact], list[Asked]]:
    stored, asked = [], []
    for line in _lines("facts.txt"):
        if line.startswith("?"):
            asked.append(Asked(*_question(line), far=line.endswith("--")))
        else:
            stored.append(Fact(*(part.strip() for part in line.split("|"))))
    return stored, asked


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
