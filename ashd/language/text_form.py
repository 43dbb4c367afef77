"""The form of a stored text: a question, a statement with a time in it, short or long.

Read once, when the text is stored, so that ranking does not need the text.
"""

import re
from dataclasses import dataclass
from typing import Final

from ashd.language import english_dates

_ATTACHMENT: Final = re.compile(r"\s*\[[^\[\]]*\]\s*$")
"""A note in brackets at the end, such as the caption of a picture."""
_SENTENCE: Final = re.compile(r"(?:[^.!?。！？؟\n]|\.(?=\w))+[.!?。！？؟]*")  # noqa: RUF001 - other scripts' marks
_QUESTION_MARKS: Final = ("?", "？", "؟")  # noqa: RUF001 - the same


@dataclass(frozen=True, slots=True)
class TextCues:
    """Form of a text, for ranking."""

    dated: bool
    """Whether it speaks of a time."""
    asking: float
    """The share of its words that are in questions, 0-1."""
    ends_asking: bool
    """Whether it ends with a question: the next text is likely the answer."""
    words: int


def read_cues(text: str) -> TextCues:
    """Read the form of a text; without spaces, two characters count as a word."""
    said = _ATTACHMENT.sub("", text) if "]" in text else text
    has_question = any(mark in said for mark in _QUESTION_MARKS)
    return TextCues(
        dated=english_dates.has_time_expression(text),
        asking=_asking(said) if has_question else 0.0,
        ends_asking=has_question and _asks(said),
        words=_word_count(text),
    )


def only_asks(text: str) -> bool:
    """Return whether each sentence of a text is a question, so that it states nothing."""
    return any(mark in text for mark in _QUESTION_MARKS) and all(map(_asks, _sentences(text)))


def _sentences(text: str) -> list[str]:
    return [s.strip() for s in _SENTENCE.findall(text) if s.strip()]


def _asking(text: str) -> float:
    """Return the share of the words of a text that are in questions."""
    sentences = _sentences(text)
    asked = sum(_word_count(s) for s in sentences if _asks(s))
    total = sum(_word_count(s) for s in sentences)
    return asked / total if total else 0.0


def _asks(text: str) -> bool:
    """Return whether a text ends with a question mark, perhaps with other marks: "Really?!"."""
    return text.rstrip(" \n!.\uff01").endswith(_QUESTION_MARKS)


def _word_count(text: str) -> int:
    others = len(text) - len(text.encode("ascii", "ignore"))
    return max(len(text.split()), others // 2)
