"""LoCoMo for retrieval: conversations, questions, evidence, and how well a ranking finds it.

A turn's text is what was said and, where a picture was shared, its caption. The image search
words (`query`) are left out: no host would have them.
"""

import datetime as dt
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class Turn:
    external_id: str
    session: int
    speaker: str
    text: str
    at: dt.datetime


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    turns: list[Turn]
    questions: list[Question]

    @property
    def speakers(self) -> list[str]:
        return list(dict.fromkeys(turn.speaker for turn in self.turns))


def headline(conversation: Conversation) -> list[Question]:
    """The questions that the headline is about: all but code 5, which asks about the wrong one."""
    return [question for question in conversation.questions if question.category <= 4]


def messages(conversation: Conversation) -> list[dict[str, object]]:
    """Return the messages for `conversation.ingest`: the same text, original dates and ids."""
    return [
        {
            "role": "user",
            "speaker": turn.speaker,
            "content": turn.text,
            "at": turn.at.isoformat(),
            "external_id": turn.external_id,
        }
        for turn in conversation.turns
    ]


def load(path: Path) -> list[Conversation]:
    return [_conversation(sample) for sample in json.loads(path.read_text())]


def _conversation(sample: dict) -> Conversation:
    spoken = sample["conversation"]
    numbers = sorted(int(k.split("_")[1]) for k in spoken if re.fullmatch(r"session_\d+", k))
    turns = []
    for number in numbers:
        start = dt.datetime.strptime(
            spoken[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y"
        ).replace(tzinfo=dt.UTC)
        for place, turn in enumerate(spoken[f"session_{number}"]):
            text = turn["text"]
            if turn.get("blip_caption"):
                text += f" [shares {turn['blip_caption']}]"
            at = start + dt.timedelta(seconds=place)
            turns.append(Turn(turn["dia_id"], number, turn["speaker"], text, at))
    known = {turn.external_id for turn in turns}
    questions = []
    for item in sample["qa"]:
        evidence = frozenset(_evidence(item.get("evidence", []))) & known
        if evidence:
            questions.append(Question(item["question"], item["category"], evidence))
    return Conversation(sample["sample_id"], turns, questions)


def _evidence(items: Sequence[str]) -> list[str]:
    """Ids as the turns have them: lists in one string split, ``D:11:26`` and ``D30:05`` mended."""
    found = []
    for item in items:
        for session, turn in re.findall(r"D:?(\d+):(\d+)", item):
            found.append(f"D{int(session)}:{int(turn)}")
    return found


def recall_at(ranking: Sequence[str], evidence: frozenset[str], k: int) -> float:
    return len(evidence.intersection(ranking[:k])) / len(evidence)


def ndcg_at(ranking: Sequence[str], evidence: frozenset[str], k: int) -> float:
    gain = sum(1 / math.log2(i + 2) for i, turn in enumerate(ranking[:k]) if turn in evidence)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(k, len(evidence))))
