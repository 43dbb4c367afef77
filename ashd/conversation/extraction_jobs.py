"""When a conversation is read for facts: after a pause, or when enough turns wait (E3).

Each turn belongs to one job: a job holds the positions from `first` to `last` of a conversation,
grows with it while it waits, and is full at so many turns or characters.
"""

from typing import Final

import msgspec

from ashd.access import quota
from ashd.access.actor import Call
from ashd.clock import SECOND
from ashd.config import Memory
from ashd.conversation.ingest import Ingested
from ashd.store import jobs
from ashd.store.database import Tx

KIND: Final = "extract_facts"
MOST_CHARS: Final = 24_000
"""What one call is given to read, but for a last message that passes it."""


class Range(msgspec.Struct):
    """The payload of a job: which messages it reads, how many turns and characters they are."""

    conversation: int
    first: int
    last: int
    turns: int = 0
    chars: int = 0


def put(tx: Tx, call: Call, ingested: Ingested, *, settings: Memory) -> str | None:
    """Let new messages of a conversation be read; the id of the job that reads the last of them."""
    if ingested.skip_extraction:
        return None
    conversation = ingested.conversation
    job: jobs.Job | None = jobs.unstarted(tx, KIND, _key(conversation))
    held = msgspec.convert(job.payload, Range) if job else None
    for message in ingested.messages:
        is_turn = message.role == "user"
        if held is not None and (
            held.last + 1 != message.position or (is_turn and _is_full(held, settings))
        ):
            job = held = None
        if held is None:
            if not is_turn:
                continue  # an assistant's words alone tell nothing
            held = Range(conversation, message.position, message.position)
        held.last = message.position
        held.turns += is_turn
        held.chars += message.chars
        full = held.turns >= settings.extraction_batch_turns or held.chars >= MOST_CHARS
        at = tx.now if full else tx.now + int(settings.extraction_debounce_s * SECOND)
        job = _put(tx, call, job, held, at)
    return job.uuid if job else None


def _put(tx: Tx, call: Call, job: jobs.Job | None, held: Range, at: int) -> jobs.Job:
    payload = msgspec.to_builtins(held)
    if job is not None:
        jobs.amend(tx, job, payload=payload, not_before=at)
        return job
    return jobs.put(
        tx,
        kind=KIND,
        key=_key(held.conversation),
        owner=quota.owner_of(call.scope),
        payload=payload,
        not_before=at,
    )


def _is_full(held: Range, settings: Memory) -> bool:
    return held.turns >= settings.extraction_batch_turns or held.chars >= MOST_CHARS


def _key(conversation: int) -> str:
    return f"{KIND}:{conversation}"
