"""Jobs that read conversations for facts: after a pause, or when enough turns wait (E3).

Each turn belongs to one job: a job holds the positions from `first` to `last` of a conversation,
grows with it while it waits, and is full at so many turns or characters. Imported conversations of
an owner are read one after another, so that years of them leave a local model free for new ones.
"""

from typing import Final

import msgspec

from ashd.clock import SECOND
from ashd.config import Memory
from ashd.conversation.ingest import Stored
from ashd.store import jobs, transcripts
from ashd.store.database import Tx
from ashd.store.jobs import Job

KIND: Final = "extract_facts"
MOST_CHARS: Final = 24_000
"""Characters in one call of the model; only its last message may exceed them."""


class Range(msgspec.Struct):
    """The payload of a job: the range of messages, and their turns and characters."""

    conversation: int
    first: int
    last: int
    turns: int = 0
    chars: int = 0


class ExtractionJobs:
    """Queues the jobs that read conversations."""

    def __init__(self, settings: Memory) -> None:
        self._most_turns = settings.extraction_batch_turns
        self._debounce = int(settings.extraction_debounce_s * SECOND)

    def turns_stored(self, tx: Tx, stored: Stored) -> str | None:
        """Queue new turns for extraction; return the id of the job that reads the last of them."""
        if stored.skips_model:
            return None
        job = jobs.unstarted(tx, KIND, _key(stored))
        held = msgspec.convert(job.payload, Range) if job else None
        if held is not None and held.conversation != stored.number:
            job = held = None
        for position, role, chars in transcripts.sizes(
            tx, stored.number, stored.first_position, stored.last_position
        ):
            is_turn = role == "user"
            goes_on = held is not None and held.last + 1 == position
            if held is None or not goes_on or (is_turn and self._is_full(held)):
                job = held = None
                if not is_turn:
                    continue  # an assistant's words alone tell nothing
                held = Range(stored.number, position, position)
            held.last = position
            held.turns += is_turn
            held.chars += chars
            is_due = stored.is_import or self._is_full(held)
            job = _put(tx, stored, job, held, tx.now + (0 if is_due else self._debounce))
        return job.uuid if job else None

    def _is_full(self, held: Range) -> bool:
        return held.turns >= self._most_turns or held.chars >= MOST_CHARS


def _put(tx: Tx, stored: Stored, job: Job | None, held: Range, at: int) -> Job:
    payload = msgspec.to_builtins(held)
    if job is not None:
        jobs.amend(tx, job, payload=payload, not_before=at)
        return job
    return jobs.put(
        tx, kind=KIND, key=_key(stored), owner=stored.owner, payload=payload, not_before=at
    )


def imports_left(tx: Tx, owner: str) -> int:
    """Count the parts of an owner's imported conversations that are still to be read."""
    return jobs.left_of(tx, _key_of_imports(owner))


def _key(stored: Stored) -> str:
    return _key_of_imports(stored.owner) if stored.is_import else f"{KIND}/{stored.number}"


def _key_of_imports(owner: str) -> str:
    return f"{KIND}/imported/{owner}"
