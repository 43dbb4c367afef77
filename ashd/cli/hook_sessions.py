"""Files in the home about the sessions and hosts whose events `ash hook` gets.

A session has a file from its beginning on, for some months. A host has one from the time that its
hooks were written, so that `ash status` can tell whether any ever came, and what was not stored.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from ashd.cli import hook_files

_SESSION_FIELDS: Final = ("session_id", "sessionId", "conversation_id")
_HOST: Final = "host-"
_KEPT_SECONDS: Final = 90 * 86_400
_ENDING: Final = ".json"


class Session(NamedTuple):
    """A session's first turn, if a prompt of it came, and if its model has what is always known."""

    first_turn: str | None
    is_told: bool


def id_of(given: dict[str, Any]) -> str | None:
    """Return the id of an event's session; hosts name the field differently."""
    found = (given.get(name) for name in _SESSION_FIELDS)
    return next((one for one in found if isinstance(one, str) and one), None)


def begun(folder: str, session: str) -> Session:
    """Return what is known of a session."""
    found = hook_files.read(_path(folder, session)) or {}
    first_turn = found.get("first_turn")
    return Session(
        first_turn if isinstance(first_turn, str) else None, found.get("is_told") is True
    )


def note(folder: str, session: str, *, is_told: bool) -> None:
    """Note whether a session's model was given what is always known."""
    _keep(folder, session, begun(folder, session)._replace(is_told=is_told))


def note_turn(folder: str, session: str, turn: str) -> None:
    """Note a turn of a session, if it is the first of which is known."""
    known = begun(folder, session)
    if known.first_turn is None:
        _keep(folder, session, known._replace(first_turn=turn))


def _keep(folder: str, session: str, known: Session) -> None:
    path = _path(folder, session)
    if not os.path.exists(path):
        _forget_old(folder)
    hook_files.write(path, known._asdict())


def _forget_old(folder: str) -> None:
    """Remove old files of sessions; a session may go on after weeks."""
    with suppress(OSError):
        for file in os.scandir(folder):
            is_of_session = not file.name.startswith(_HOST) and file.name != hook_files.FAILURE
            if is_of_session and file.stat().st_mtime < time.time() - _KEPT_SECONDS:
                os.unlink(file.path)


def _path(folder: str, session: str) -> str:
    return os.path.join(folder, f"session-{hash_of(session)}{_ENDING}")


def hash_of(session: str) -> str:
    """Return a session's id as the name of a file."""
    return hashlib.sha256(session.encode(errors="replace")).hexdigest()[:32]


def connected(folder: str, host: str, now: str) -> None:
    """Note that a host was given hooks, of which none has come."""
    if hook_files.read(_of_host(folder, host)) is None:
        hook_files.write(_of_host(folder, host), {"connected_at": now, "events": "none has come"})


def disconnected(folder: str, host: str) -> None:
    """Forget a host."""
    with suppress(OSError):
        os.unlink(_of_host(folder, host))


def came(
    folder: str, host: str, now: str, left_out: Mapping[str, int], *, by_tags: bool | None = None
) -> None:
    """Note that an event of a host came, and the texts that were not stored, by their kind.

    `by_tags` says whether the host named no origins of texts; None if there were none to name.
    """
    found = hook_files.read(_of_host(folder, host)) or {}
    counts = found.get("left_out")
    sums = {**counts} if isinstance(counts, dict) else {}
    for kind, number in left_out.items():
        sums[kind] = sums.get(kind, 0) + number
    found.pop("events", None)
    kept = {**found, "last_event_at": now, **({"left_out": sums} if sums else {})}
    if by_tags:
        kept["origins"] = "not named by this version: its own texts are recognised by their tags"
    elif by_tags is not None:
        kept.pop("origins", None)
    hook_files.write(_of_host(folder, host), kept)


def hosts(folder: str) -> dict[str, Any]:
    """Return what is known of each host that has hooks, by its name."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = {
        name[len(_HOST) : -len(_ENDING)]: hook_files.read(os.path.join(folder, name))
        for name in names
        if name.startswith(_HOST) and name.endswith(_ENDING)
    }
    return {name: one for name, one in found.items() if one is not None}


def _of_host(folder: str, host: str) -> str:
    return os.path.join(folder, f"{_HOST}{host}{_ENDING}")
