"""The lives: what agents noted about invented people, and what is asked of it later.

A folder has `facts.jsonl`, `questions.jsonl` and, to fit on one half of the topics and test on the
other, `split.txt`; `lives/README.md` tells of the fields.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).with_name("lives")

Kind = Literal["answer", "near", "far"]


@dataclass(frozen=True, slots=True)
class Fact:
    """A note about somebody."""

    id: str
    life: str
    topic: str
    content: str
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one life; `facts` begins with the one that answers it, where there is one."""

    id: str
    life: str
    topic: str
    kind: Kind
    wording: str
    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lives:
    """Facts and the questions to them."""

    facts: list[Fact]
    questions: list[Question]

    def names(self) -> list[str]:
        """The lives, in the order of the file."""
        return list(dict.fromkeys(fact.life for fact in self.facts))

    def of(self, life: str) -> "Lives":
        """One life alone."""
        return Lives(
            [fact for fact in self.facts if fact.life == life],
            [question for question in self.questions if question.life == life],
        )


def load(folders: Iterable[Path]) -> Lives:
    """The lives of these folders together."""
    facts, questions = list[Fact](), list[Question]()
    for folder in folders:
        for row in _rows(folder / "facts.jsonl"):
            subjects = tuple(row.get("subjects") or ())
            facts.append(Fact(row["id"], row["life"], row["topic"], row["content"], subjects))
        for row in _rows(folder / "questions.jsonl"):
            questions.append(
                Question(
                    *(row["id"], row["life"], row["topic"], row["kind"]),
                    *(row.get("wording", "natural"), row["question"], tuple(row["facts"])),
                )
            )
    return Lives(facts, questions)


def halves(folder: Path) -> dict[str, str]:
    """The half, A or B, of every topic."""
    lines = (folder / "split.txt").read_text(encoding="utf-8").split("\n")
    parts = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return {topic.strip(): half for half, topic in parts}


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
