"""Turns of a conversation as text for a language model: data whose borders no turn can forge.

Pure. A turn is `[3] @david (David Cramer), 2026-05-04T18:30Z: …`; its further lines are indented,
so that what somebody says can begin no turn, and a label holds no character that ends one.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ashd.access.text_cleaning import clean, one_line
from ashd.clock import from_micros

ASSISTANT: Final = "assistant"
_INDENT: Final = "    "
_LABEL_CHARS: Final = 40
_ENDS_LABEL: Final = re.compile(r"[\[\]()@,:\s]+")


class Spoken(NamedTuple):
    """A turn: what was said when, by whom; an assistant has neither handle nor name."""

    role: str
    handle: str | None
    name: str | None
    content: str
    at: int | None


def label(turn: Spoken) -> str:
    """The speaker of a turn, as a model is told: `@david (David Cramer)`, or `assistant`."""
    if turn.role == ASSISTANT:
        return ASSISTANT
    handle = _safe(turn.handle or turn.name or "", "_") or "user"
    name = _safe(turn.name or "", " ")
    return f"@{handle} ({name})" if name and name != handle else f"@{handle}"


def text(turns: Sequence[Spoken]) -> str:
    """The turns as text, numbered from 1."""
    return "\n".join(_lines(number, turn) for number, turn in enumerate(turns, start=1))


def _lines(number: int, turn: Spoken) -> str:
    at = "" if turn.at is None else f", {from_micros(turn.at):%Y-%m-%dT%H:%MZ}"
    said = clean(turn.content).replace("\n", f"\n{_INDENT}")
    return f"[{number}] {label(turn)}{at}: {said}"


def _safe(name: str, between: str) -> str:
    return _ENDS_LABEL.sub(between, one_line(name)[:_LABEL_CHARS]).strip(between)
