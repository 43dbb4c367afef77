"""`jobs.list`, `jobs.get`, `jobs.retry` and `jobs.flush`: show and run the queue's jobs.

A job shows no content, only its kind, state, outcome and cost. An operator sees the jobs of the
scope that the call names, else every job; a sandbox sees those that its own grant asked for.
"""

from typing import Annotated, Literal

import anyio
import msgspec

from ashd import errors, limits
from ashd.access import quota
from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.ids import find_one
from ashd.jobs.queue import Queue
from ashd.store import jobs
from ashd.store.database import Database, Tx
from ashd.store.jobs import Filter, Job

State = Literal["waiting", "running", "done", "set_aside"]


WaitsFor = Literal["pause", "key", "breaker", "ceiling"]
_WAITS_FOR: dict[str | None, WaitsFor] = {
    "unauthorised": "key",
    "ceiling": "ceiling",
    "unreachable": "breaker",
}


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The jobs to list, by state and kind, and how many at a time."""

    state: State | None = None
    kind: Annotated[str, msgspec.Meta(max_length=limits.LABEL_CHARS)] | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 50
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class IdParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One job."""

    id: Annotated[str, msgspec.Meta(max_length=limits.UUID_CHARS)]


class JobView(msgspec.Struct, frozen=True):
    """A job; `outcome` says how it ended, `error` why an attempt failed.

    `waits_for` says why a job waits: until its next attempt at `not_before` (`pause`), for a valid
    key of the language model (`key`), for the end of a minute without calls, after failures
    (`breaker`), or for midnight UTC, after the tokens of the day were used up (`ceiling`).

    `owner` is the user whom the job is for, or the chat if no user is known; the job reads the
    conversation `conversation_id`.
    """

    id: str
    kind: str
    state: State
    provider: str
    user_id: str | None
    chat_id: str | None
    conversation_id: str | None
    outcome: str | None
    waits_for: WaitsFor | None
    attempts: int
    error: str | None
    created_at: str
    not_before: str | None
    finished_at: str | None
    tokens: int


class ListResult(msgspec.Struct, frozen=True):
    """Jobs, newest first; `next_cursor` gets the next page, if any."""

    jobs: list[JobView]
    next_cursor: str | None


class JobResult(msgspec.Struct, frozen=True):
    """One job."""

    job: JobView


class FlushResult(msgspec.Struct, frozen=True):
    """The outcome of the jobs; `waiting` counts those not finished when the call ended."""

    done: int
    set_aside: int
    waiting: int


class Jobs:
    """Shows the queue, and lets an operator run jobs."""

    def __init__(self, db: Database, queue: Queue) -> None:
        self._db = db
        self._queue = queue

    async def list(self, call: Call, params: ListParams) -> ListResult:
        """List background jobs, newest first.

        They are the jobs of the scope, with `all_scopes` everybody's, and in a sandbox its own.
        """
        return await self._db.read(lambda tx: self._newest(tx, call, params))

    async def get(self, call: Call, params: IdParams) -> JobResult:
        """Show a background job: its state and its outcome."""
        return await self._db.read(lambda tx: JobResult(self._view(tx, _find(tx, call, params.id))))

    async def retry(self, call: Call, params: IdParams) -> JobResult:
        """Run a job again that was set aside, or run a waiting one now.

        Raises:
            errors.Conflict: it is done, or it runs already.
        """
        found = await self._db.write(
            lambda tx: self._view(tx, _retry(tx, call, params.id)), quiet=True
        )
        self._queue.resume()
        return JobResult(msgspec.structs.replace(found, waits_for=None))

    async def flush(self, call: Call) -> FlushResult:
        """Run all waiting jobs, whatever they wait for, and answer when they are done."""
        await self._db.write(call.record, quiet=True)
        seconds = anyio.current_effective_deadline() - anyio.current_time() - limits.ANSWER_SECONDS
        return FlushResult(*await self._queue.flush(seconds))

    def _view(self, tx: Tx, job: Job) -> JobView:
        """Return a job as the wire shows it."""
        provider, kind, identifier = msgspec.json.decode(job.owner)
        state: State = "waiting" if job.is_waiting else job.state  # type: ignore[assignment]  # the other states are named alike
        return JobView(
            id=job.uuid,
            kind=job.kind,
            state=state,
            provider=provider,
            user_id=identifier if kind == "user" else None,
            chat_id=identifier if kind == "chat" else None,
            conversation_id=jobs.conversation_of(tx, job),
            outcome=job.outcome,
            waits_for=self._waits_for(tx, job),
            attempts=job.attempts,
            error=job.error,
            created_at=to_text(job.created_at) or "",
            not_before=to_text(job.not_before) if job.is_waiting else None,
            finished_at=to_text(job.finished_at),
            tokens=job.tokens,
        )

    def _newest(self, tx: Tx, call: Call, params: ListParams) -> ListResult:
        """Return the newest jobs under the filters."""
        states: tuple[str, ...] = ()
        if params.state is not None:
            states = jobs.WAITING if params.state == "waiting" else (params.state,)
        wanted = Filter(
            states=states,
            kind=params.kind,
            grant_id=call.actor.grant_id,
            owner=_owner(call),
            before=None if params.cursor is None else _find(tx, call, params.cursor).id,
        )
        rows = jobs.newest(tx, wanted, params.limit + 1)
        shown = rows[: params.limit]
        more = len(rows) > params.limit
        return ListResult([self._view(tx, row) for row in shown], shown[-1].uuid if more else None)

    def _waits_for(self, tx: Tx, job: Job) -> WaitsFor | None:
        if not job.is_waiting:
            return None
        if self._queue.stopped and (waits_for := _WAITS_FOR.get(self._queue.stopped_by)):
            return waits_for
        return "pause" if job.not_before > tx.now else None


def _find(tx: Tx, call: Call, text: str) -> Job:
    seen = Filter(grant_id=call.actor.grant_id, owner=_owner(call))
    return find_one(text, "job", lambda prefix: jobs.with_prefix(tx, prefix, seen))


def _owner(call: Call) -> str | None:
    """Return the owner whose jobs an operator's call is about; None for everybody's."""
    is_operator = call.actor.kind == "operator"
    return quota.owner_of(call.scope) if is_operator and call.is_scoped else None


def _retry(tx: Tx, call: Call, text: str) -> Job:
    job = _find(tx, call, text)
    if job.state not in {"set_aside", *jobs.WAITING}:
        raise errors.Conflict(
            f"This job is {job.state}.", "Only a job that waits or was set aside can be retried."
        )
    jobs.retry(tx, job)
    call.record(tx)
    return jobs.get(tx, job.id)
