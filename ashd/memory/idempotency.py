"""Idempotency: the outcome of a call is stored under its key for a day (A10).

Only ids are stored, no content: a repeated call gets the memories in their present state. A refusal
for lack of time is not stored, so a repeated call tries again.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.clock import SECOND
from ashd.memory import model
from ashd.memory.add_result import Added, AddResult, added, refused_with
from ashd.people import model as people_model
from ashd.store import embeddings, memories, memory_links, meta
from ashd.store.database import Tx


class _Kept(msgspec.Struct, frozen=True):
    """The outcome of a fact as it is stored for a repeated call: ids, no content."""

    outcome: Literal["added", "duplicate", "refused"]
    memory: str | None
    superseded: list[str]
    created: list[str]
    error: dict[str, Any] | None


def answer(tx: Tx, call: Call, key: str, *, has_embedder: bool) -> AddResult | None:
    """Return the result of an earlier call with this key, brought up to date; or None.

    Raises:
        errors.Conflict: the key was used by a different call.
        errors.NotFound: a memory that the call stored is gone.
    """
    earlier = meta.answer(tx, call.key_space, key, _oldest(tx))
    if earlier is None:
        return None
    entries, stored = _repeated(tx, call, *earlier)
    return AddResult(entries, _lacking(tx, stored, has_embedder=has_embedder))


def keep(tx: Tx, call: Call, key: str, entries: Sequence[Added]) -> None:
    """Store the result of a call under this key."""
    if any(map(_may_be_taken_later, entries)):
        return
    outcome = msgspec.json.encode([_keep(entry) for entry in entries]).decode()
    meta.keep_answer(tx, call.key_space, key, call.digest, outcome, _oldest(tx))


def _oldest(tx: Tx) -> int:
    return tx.before(limits.IDEMPOTENCY_SECONDS * SECOND)


def _may_be_taken_later(entry: Added) -> bool:
    """Return whether a fact was refused for lack of time, so that a repeated call tries again."""
    return isinstance(entry.error, dict) and entry.error["code"] == errors.TimedOut.code


def _keep(entry: Added) -> _Kept:
    return _Kept(
        outcome=entry.outcome,
        memory=entry.memory.id if entry.memory else None,
        superseded=entry.superseded,
        created=[person.id for person in entry.people if person.created],
        error=None if entry.error is msgspec.UNSET else entry.error,
    )


def _repeated(tx: Tx, call: Call, digest: bytes, outcome: str) -> tuple[list[Added], list[int]]:
    """Return the memories of an earlier call in their present state (A10): entries and rows."""
    if digest != call.digest:
        raise errors.Conflict(
            "This idempotency_key was used with other params.", "Use a new key for a new call."
        )
    viewer = call.look(tx)
    entries: list[Added] = []
    stored: list[int] = []
    for kept in msgspec.json.decode(outcome, type=list[_Kept]):
        if kept.memory is None:
            assert kept.error is not None
            entries.append(refused_with(kept.error))
            continue
        found = memories.by_prefix(tx, viewer, kept.memory, 1)
        if not found:
            raise errors.NotFound(
                "What this call stored is gone.", "Use a new idempotency_key to store it again."
            )
        stored.append(found[0].id)
        about = {number for number, _ in model.subjects(found[0])}
        ids = people_model.ids_for(tx, viewer, about)
        created = {number for number, uuid in ids.items() if uuid in kept.created}
        assert kept.outcome != "refused"
        superseded = [one for one in kept.superseded if memories.by_prefix(tx, viewer, one, 1)]
        entries.append(added(tx, viewer, kept.outcome, found[0], superseded, created))
    return entries, stored


def _lacking(tx: Tx, stored: Sequence[int], *, has_embedder: bool) -> list[str]:
    """List the parts for which memories wait until they are judged, as in `AddResult.degraded`."""
    vectorless = embeddings.memories_without(tx, stored) if has_embedder else set()
    unjudged = memory_links.unjudged(tx, stored) - vectorless
    return [*(["embedder"] if vectorless else []), *(["judge"] if unjudged else [])]
