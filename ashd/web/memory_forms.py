"""Fields of a memory as its forms have them: choices, and the requested changes."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from ashd import wording
from ashd.web.forms import Form
from ashd.web.rendering import harmless

TYPES: Final = [
    ("knowledge", "knowledge"),
    ("preference", "preference"),
    ("identity", "identity"),
    ("relationship", "relationship"),
    ("decision", "decision"),
    ("correction", "correction"),
    ("commitment", "commitment"),
    ("skill", "skill"),
    ("context", "context (fades in a week)"),
    ("event", "event (fades in a month)"),
    ("task", "task (fades in two weeks)"),
    ("observation", "observation (fades in three days)"),
]
LABELS: Final = [
    ("", "no label (as public)"),
    ("public", "public: everyone in its chat, and whom it is about"),
    ("personal", "personal: who was there when it was said"),
    ("sensitive", "sensitive: its owner alone, in private"),
]
PORTABLE: Final = [("yes", "yes, where the label allows"), ("no", "no, never")]


def given(memory: Mapping[str, Any], names: list[str]) -> dict[str, str]:
    """Return the fields of a memory's form."""
    return {
        "content": memory["content"],
        "subjects": ", ".join(names),
        "type": memory["memory_type"],
        "sensitivity": memory["sensitivity"] or "",
        "portable": "yes" if memory["portable"] else "no",
        "expires": _last_day(memory["expires_at"]),
        "tags": ", ".join(memory["tags"]),
    }


def _last_day(expires_at: str | None) -> str:
    """Return the day after whose end something expires, as a form's date."""
    if expires_at is None:
        return ""
    end = dt.datetime.fromisoformat(expires_at) - dt.timedelta(microseconds=1)
    return end.date().isoformat()


def changes(form: Form, before: Mapping[str, str]) -> dict[str, Any]:
    """Return the changes for `memory.update`: the fields that differ from what the form had."""
    now = {name: form.text(name) for name in before if form.has(name)}
    # The form holds the text as it was shown: without hidden or active characters.
    changed = {name: text for name, text in now.items() if text != harmless(before[name]).strip()}
    return {key: value for name, text in changed.items() for key, value in _change(name, text)}


def _change(name: str, text: str) -> list[tuple[str, Any]]:
    match name:
        case "subjects" | "tags":
            return [(name, [part.strip() for part in text.split(",") if part.strip()])]
        case "sensitivity":
            return [(name, text or None)]
        case "portable":
            return [(name, text == "yes")]
        case "expires":
            return [("expires_at", text or None)]
        case _:
            return [(name, text)]


def former(changed: Mapping[str, Any], before: Mapping[str, Any], names: list[str]) -> Any:
    """Return the changes that bring a memory's former values back."""
    values = {**before, "type": before["memory_type"], "subjects": names}
    return {name: values[name] for name in changed}


def state(memory: Mapping[str, Any]) -> tuple[str, str]:
    """Return a memory's state in words and the kind of its badge; no words for most active ones."""
    if memory["archived_at"]:
        return wording.archived(memory["archive_reason"]), "bad"
    if memory["superseded_at"]:
        return "replaced", "note"
    expires = memory["expires_at"]
    if expires and dt.datetime.fromisoformat(expires) <= dt.datetime.now(dt.UTC):
        return "expired", "warn"
    return wording.earlier(memory), "note"
