"""The data sets by name: LoCoMo's file as the caller names it, or the corpus kept here.

Needs the standard library only, so that the peers' environment reads the same.
"""

import dataclasses
import hashlib
import json
import re
from pathlib import Path

from benchmarks.recall import corpus, locomo
from benchmarks.recall.locomo import Conversation

ASSISTANT = "assistant"
TUNED_ON = frozenset({"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"})
"""The conversations that the package's weights were found on."""


def load(name: str) -> list[Conversation]:
    """LoCoMo conversations from a file, or the assistant's of the second corpus."""
    return [corpus.assistant()] if name == ASSISTANT else locomo.load(Path(name))


def describe(name: str, conversations: list[Conversation]) -> dict[str, object]:
    """Describe the data measured on, and whether the weights have seen it."""
    seen = [one.name for one in conversations if one.name in TUNED_ON]
    described: dict[str, object] = {
        "name": name if name == ASSISTANT else Path(name).stem,
        "conversations": [one.name for one in conversations],
        "turns": sum(len(one.turns) for one in conversations),
        "questions": sum(len(one.questions) for one in conversations),
        "in_sample": bool(seen) or name == ASSISTANT,
    }
    if name != ASSISTANT:
        described["sha256"] = hashlib.sha256(Path(name).read_bytes()).hexdigest()
    return described


def with_corrections(conversations: list[Conversation], file: Path) -> list[Conversation]:
    """The same conversations with the evidence that an audit of the labels found right.

    A correction is known by its question and the evidence that was cited before; one that leaves
    nothing among the turns changes nothing.
    """
    right = {
        (item["question"], _ids(item["cited_evidence"])): _ids(item["correct_evidence"])
        for item in json.loads(file.read_text(encoding="utf-8"))
    }
    mended = []
    for one in conversations:
        turns = {turn.external_id for turn in one.turns}
        questions = [
            dataclasses.replace(
                asked,
                evidence=right.get((asked.text, asked.evidence), frozenset()) & turns
                or asked.evidence,
            )
            for asked in one.questions
        ]
        mended.append(dataclasses.replace(one, questions=questions))
    return mended


def _ids(items: list[str]) -> frozenset[str]:
    """Turn ids as the turns have them."""
    pairs = re.findall(r"D:?(\d+):(\d+)", " ".join(items))
    return frozenset(f"D{int(session)}:{int(turn)}" for session, turn in pairs)
