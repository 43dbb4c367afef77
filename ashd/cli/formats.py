"""Values of a result as text for a person: the formats that views name."""

import datetime as dt
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from ashd import wording
from ashd.cli.output import again, block, day, shown, when

_ID_SHOWN: Final = 8
_ECHO_CHARS: Final = 300
_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})


def short(full_id: Any) -> str:
    """Return the part of an id that a person needs; the daemon accepts a unique prefix."""
    return shown(full_id)[:_ID_SHOWN]


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 memory``, ``2 memories``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def quoted(value: Any) -> str:
    """Return a value as one word of a command line."""
    import shlex

    return shlex.quote(shown(value))


def memories(number: int) -> str:
    """``1 memory``, ``2 memories``."""
    return count(number, "memory", "memories")


def account(entry: Mapping[str, Any]) -> str:
    """Return an account as ``--as`` takes it."""
    return f"{shown(entry.get('provider'))}:{shown(entry.get('user_id'))}"


def chat(scope: Mapping[str, Any]) -> str:
    """Return the chat of a scope, to follow its account; nothing for a private one."""
    chat_id = scope.get("chat_id")
    return f" in {shown(scope.get('chat_type'))} {shown(chat_id)}" if chat_id else ""


def chat_name(scope: Mapping[str, Any]) -> str:
    """Return a chat as commands take it; nothing for a private one."""
    return f"{scope['provider']}:{scope['chat_id']}" if scope.get("chat_id") else ""


def place(scope: Mapping[str, Any]) -> str:
    """Return where something was said: the provider and the chat."""
    return f"{shown(scope['provider'])}, {shown(scope['chat_type'])} {shown(scope['chat_id'])}"


def project(named: Mapping[str, Any] | str) -> str:
    """Return a project's id, as ``--project`` takes it, after its name if the id lacks that."""
    if isinstance(named, str):
        return "all" if named == "*" else shown(named)
    project_id, name = shown(named["id"]), shown(named.get("name") or "")
    return project_id if project_id.endswith(name) else f"{name} ({project_id})"


def owner(memory: dict[str, Any]) -> str:
    """Return the owner of a memory: an account, or a group."""
    whose = memory.get("owner_user_id")
    if whose is None:
        return f"group {shown(memory.get('chat_id'))}"
    return f"{shown(memory.get('provider'))}:{shown(whose)}"


def state(memory: dict[str, Any]) -> str:
    """Return a memory's state if it is hidden from default reads, or is perhaps replaced."""
    if memory.get("archived_at"):
        return f"archived: {shown(memory.get('archive_reason'))}"
    if memory.get("superseded_at"):
        return "superseded"
    expires = memory.get("expires_at")
    if expires and dt.datetime.fromisoformat(expires) <= dt.datetime.now(dt.UTC):
        return "expired"
    return wording.earlier(memory)


def echo_of(memory: dict[str, Any]) -> str:
    """Return a memory's short id and the beginning of its content, to confirm a change of it."""
    content = shown(memory["content"])
    cut = content if len(content) <= _ECHO_CHARS else content[:_ECHO_CHARS] + "…"
    return f"{short(memory['id'])}: {cut}"


def text_of(memory: dict[str, Any], passage: str | None = None) -> str:
    """Return a memory's content, or the passage of it, for a table cell, after its state.

    What was told in a chat has its teller before it: "I am away" may be another's word.
    """
    mark = state(memory)
    content = shown(f"…{passage}…" if passage else memory.get("content"))
    teller = memory.get("source_display_name") or memory.get("source_username")
    if memory.get("chat_id") and teller:
        content = f"{shown(teller)}: {content}"
    return f"[{mark}] {content}" if mark else content


def supersede(newer_id: str, older_id: str) -> str:
    """Return the command that makes a memory replace another."""
    return f"ash memory supersede {short(newer_id)} {short(older_id)}"


def score(hit: dict[str, Any]) -> str:
    """Return a result's score, marked if the match is weak."""
    return f"{hit['score']:.2f}{' weak' if hit.get('weak') else ''}"


def relation(claim: dict[str, Any]) -> str:
    """Return what a person is to somebody: "wife of Ben"."""
    return f"{shown(claim['relationship'])} of {shown(claim['to_name'])}"


def to(person: Any) -> str:
    """Return the option that names the other person of a relationship."""
    return f" --to {quoted(person)}"


FORMATS: Final[Mapping[str, Callable[[Any], str]]] = MappingProxyType(
    {
        "": shown,
        "account": account,
        "again": again,
        "block": block,
        "chat": chat,
        "chat_name": chat_name,
        "day": day,
        "echo": echo_of,
        "owner": owner,
        "place": place,
        "project": project,
        "quoted": quoted,
        "relation": relation,
        "score": score,
        "short": short,
        "state": state,
        "text": text_of,
        "to": to,
        "when": when,
    }
)


def formatted(value: Any, spec: str) -> str:
    """Return a value in a format; each entry of a list, with commas between.

    ``count``, ``count NOUN`` and ``count NOUN/PLURAL`` count entries or say a number; ``brackets``
    puts a list into brackets after a blank. A Python format, as ``.2f``, is for numbers.
    """
    form, _, otherwise = spec.partition("|")
    name, _, nouns = form.partition(" ")
    if name == "count":
        return count(_size(value), *nouns.split("/")) if nouns else str(_size(value))
    if name == "memories":
        return memories(_size(value))
    if value in _EMPTY:
        return otherwise
    if name == "brackets":
        return f" ({shown(value)})"
    if isinstance(value, list):
        return ", ".join(formatted(entry, spec) for entry in value)
    if name in FORMATS:
        return FORMATS[name](value) or otherwise
    return format(shown(value) if isinstance(value, str) else value, name)


def _size(value: Any) -> int:
    return value if isinstance(value, int) else len(value or ())
