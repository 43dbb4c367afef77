"""LoCoMo's questions with their answers, every one; the turns are read by `recall.locomo`."""

import json
from dataclasses import dataclass
from pathlib import Path

ADVERSARIAL = 5
CODES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Categories by their code; other tables permute the names, so compare by code."""


@dataclass(frozen=True, slots=True)
class Question:
    conversation: str
    number: int
    """Its place among the questions of the conversation, from 0."""
    category: int
    text: str
    answer: str
    """Right answer; empty for code 5, which asks about what was never said."""

    @property
    def key(self) -> str:
        return f"{self.conversation}/{self.number}"


def questions(path: Path) -> list[Question]:
    """The questions of a file, in its order."""
    return [
        Question(
            conversation=sample["sample_id"],
            number=number,
            category=item["category"],
            text=item["question"],
            answer="" if item["category"] == ADVERSARIAL else str(item["answer"]),
        )
        for sample in json.loads(path.read_text(encoding="utf-8"))
        for number, item in enumerate(sample["qa"])
    ]
