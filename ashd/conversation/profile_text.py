"""The text of a profile: its parts joined, cut to a budget, and compared by sentence. Pure."""

import difflib
import re
from collections.abc import Callable
from typing import Final

from ashd.token_estimate import estimate

_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])")  # noqa: RUF001  marks of other scripts
_NOTES_HEADING: Final = "Notes:"


def whole(text: str, learned: str, notes: str) -> str:
    """Join a user's text, the learned part, and the notes under a heading."""
    return "\n".join(
        part for part in (text, learned, notes and f"{_NOTES_HEADING}\n{notes}") if part
    )


def within(text: str, tokens: int) -> str:
    """Return the first sentences of a text that fit into so many tokens."""
    if estimate(text) <= tokens:
        return text
    fitting = ""
    for line in text.splitlines():
        for place, sentence in enumerate(_split(line)):
            between = " " if place else "\n" if fitting else ""
            longer = f"{fitting}{between}{sentence}"
            if estimate(longer) > tokens:
                return fitting
            fitting = longer
    return fitting


def without(text: str, is_unwanted: Callable[[str], bool]) -> tuple[str, int]:
    """Return a text without its unwanted sentences, and how many these are."""
    lines, left_out = [], 0
    for line in text.splitlines():
        of_line = _split(line)
        wanted = [one for one in of_line if not is_unwanted(one)]
        left_out += len(of_line) - len(wanted)
        if len(wanted) == len(of_line):
            lines.append(line)
        elif wanted:
            lines.append(" ".join(wanted))
    return "\n".join(lines), left_out


def difference(older: str, newer: str, names: tuple[str, str]) -> str:
    """Return a unified difference of two texts by sentence; empty if they are the same."""
    lines = difflib.unified_diff(sentences(older), sentences(newer), *names, lineterm="", n=1)
    return "\n".join(lines)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [part for line in text.splitlines() for part in _split(line)]


def _split(line: str) -> list[str]:
    return [part for part in _SENTENCE_END.split(line) if part]
