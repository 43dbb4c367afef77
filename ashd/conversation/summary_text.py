"""The text of a summary: a language model's answer, made fit to be stored and shown. Pure."""

from collections.abc import Sequence
from typing import Final

import msgspec

from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import one_line

_OVERALL_CHARS: Final = 2_000
_ENTRY_CHARS: Final = 300
_ENTRIES: Final = 20
_TITLE_CHARS: Final = 60


class KeyDate(msgspec.Struct, frozen=True):
    """A date that was spoken of, as it was understood, and its event."""

    date: str
    what: str


class SummaryText(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of a conversation: the whole, and lists by topic."""

    overall: str
    topics: list[str]
    decisions: list[str]
    key_dates: list[KeyDate]
    action_items: list[str]


def title(topics: Sequence[str]) -> str:
    """Return a short title of a conversation, its first topic; empty if it has none."""
    return _fit(topics[0], _TITLE_CHARS) if topics else ""


def as_text(summary: SummaryText) -> str:
    """Return the whole summary as text, as it is indexed and shown in a prompt."""
    lists = {
        "Topics": summary.topics,
        "Decisions": summary.decisions,
        "Dates": [f"{entry.date} {entry.what}" for entry in summary.key_dates],
        "To do": summary.action_items,
    }
    named = [f"{name}: {'; '.join(entries)}." for name, entries in lists.items() if entries]
    return "\n".join([*filter(None, [summary.overall]), *named])


def stored_as_text(parts: str) -> str:
    """Render a stored summary, whose parts are given as a JSON object."""
    return as_text(msgspec.json.decode(parts, type=SummaryText))


def checked(answer: SummaryText) -> SummaryText:
    """Return the answer with clean texts of bounded length, without empty entries.

    Raises:
        errors.ContentRefused: it holds a secret.
    """
    made = SummaryText(
        overall=_fit(answer.overall, _OVERALL_CHARS),
        topics=_entries(answer.topics),
        decisions=_entries(answer.decisions),
        key_dates=[
            KeyDate(_fit(entry.date, _ENTRY_CHARS), _fit(entry.what, _ENTRY_CHARS))
            for entry in answer.key_dates[:_ENTRIES]
            if entry.what.strip()
        ],
        action_items=_entries(answer.action_items),
    )
    require_no_secret(as_text(made), "summary")
    return made


def says_something(summary: SummaryText) -> bool:
    """Return whether there is anything to store."""
    lists = (summary.topics, summary.decisions, summary.key_dates, summary.action_items)
    return bool(summary.overall or any(lists))


def _entries(given: list[str]) -> list[str]:
    fitting = (_fit(entry, _ENTRY_CHARS) for entry in given[:_ENTRIES])
    return [entry for entry in fitting if entry]


def _fit(text: str, most: int) -> str:
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1]}…"
