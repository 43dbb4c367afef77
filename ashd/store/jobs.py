"""The rows of the job queue: queued, claimed under a lease, finished or failed.

Every query is a look-up by an index, however many jobs wait. A job whose key has an earlier one
waits as `queued` and moves up when that one ends, so that only the first of a key can be claimed.
"""

import json
from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple

from ashd.clock import DAY
from ashd.store.database import Tx
from ashd.store.dialect import text_list

WAITING: Final = ("queued", "delayed", "due")
_COLUMNS: Final = (
    "id, uuid, kind, key, owner, grant_id, state, payload, not_before, lease, attempts, failures,"
    " interruptions, outcome, error, tokens, created_at, finished_at"
)
_PENDING: Final = "state in ('queued', 'delayed', 'due', 'running')"
_FIRST_STATE: Final = (
    f"case when exists (select 1 from jobs where key = ?3 and {_PENDING})"
    " then 'queued' when ?7 > ?8 then 'delayed' else 'due' end"
)


class Job(NamedTuple):
    """A row of `jobs`."""

    id: int
    uuid: str
    kind: str
    key: str
    owner: str
    grant_id: str | None
    state: str
    payload: Any
    not_before: int
    lease: str | None
    attempts: int
    failures: int
    interruptions: int
    outcome: str | None
    error: str | None
    tokens: int
    created_at: int
    finished_at: int | None

    @property
    def is_waiting(self) -> bool:
        """Return whether it is neither running nor over."""
        return self.state in WAITING

    @property
    def is_over(self) -> bool:
        """Return whether the job has ended."""
        return self.state in {"done", "set_aside"}


class Filter(NamedTuple):
    """A filter of jobs; empty fields match all. `before` is the number of a row."""

    states: tuple[str, ...] = ()
    kind: str | None = None
    grant_id: str | None = None
    owner: str | None = None
    before: int | None = None


# Put ---------------------------------------------------------------------------------------------


def put(
    tx: Tx,
    *,
    kind: str,
    key: str,
    owner: str,
    payload: Any,
    not_before: int | None = None,
    grant_id: str | None = None,
) -> Job:
    """Put a job into the queue, in the transaction of its cause.

    Jobs of one `key` run in the order in which they were put. Wake the queue after the commit.
    """
    at = tx.now if not_before is None else not_before
    number = tx.insert(
        "insert into jobs (uuid, kind, key, owner, grant_id, state, payload, not_before, attempts,"
        " failures, interruptions, tokens, created_at)"
        f" values (?1, ?2, ?3, ?4, ?5, {_FIRST_STATE}, ?6, ?7, 0, 0, 0, 0, ?8)",
        *(tx.new_id(), kind, key, owner, grant_id, json.dumps(payload), at, tx.now),
    )
    return get(tx, number)


def unstarted(tx: Tx, kind: str, key: str) -> Job | None:
    """Return the last job of a kind and key, if no run of it has begun: it can take more work."""
    row = tx.one(
        f"select {_COLUMNS} from jobs where key = ? and {_PENDING} order by id desc limit 1", key
    )
    last = _job(row) if row else None
    fits = last is not None and last.kind == kind and last.is_waiting and not last.attempts
    return last if fits else None


def left_of(tx: Tx, key: str) -> int:
    """Count the jobs of a key that wait or run."""
    return int(tx.value(f"select count(*) from jobs where key = ? and {_PENDING}", key))


def amend(tx: Tx, job: Job, *, payload: Any, not_before: int) -> None:
    """Change the payload and the time of a job of which no run has begun."""
    tx.run(
        "update jobs set payload = ?1, not_before = ?2,"
        " state = case when state = 'queued' then state when ?2 > ?3 then 'delayed' else 'due' end"
        " where id = ?4",
        *(json.dumps(payload), not_before, tx.now, job.id),
    )


def bring_forward(tx: Tx, latest: int) -> None:
    """Let jobs that wait until after `latest` run now."""
    tx.run(
        "update jobs set not_before = ? where state in ('queued', 'delayed') and not_before > ?",
        *(tx.now, latest),
    )


# Run ---------------------------------------------------------------------------------------------


def claim(
    tx: Tx, *, kinds: Collection[str], after: str, full: Collection[str], lease: str
) -> Job | None:
    """Lease the next job: the first job of the next owner who is below the limit.

    Owners take turns, so that an owner with a thousand jobs delays nobody else.
    """
    tx.run("update jobs set state = 'due' where state = 'delayed' and not_before <= ?", tx.now)
    for beginning in (after, ""):
        row = tx.one(
            "select id from jobs where state = 'due' and owner > ?"
            f" and kind in (select value from {text_list('?')})"
            f" and owner not in (select value from {text_list('?')}) order by owner, id limit 1",
            *(beginning, json.dumps(list(kinds)), json.dumps(list(full))),
        )
        if row is not None:
            tx.run(
                "update jobs set state = 'running', lease = ?, attempts = attempts + 1"
                " where id = ?",
                *(lease, row[0]),
            )
            return get(tx, row[0])
    return None


def holds_lease(tx: Tx, job: Job) -> bool:
    """Return whether a run may still finish its job."""
    return (
        tx.one(
            "select 1 from jobs where id = ? and state = 'running' and lease = ?",
            *(job.id, job.lease),
        )
        is not None
    )


def finish(tx: Tx, job: Job, outcome: str, tokens: int) -> None:
    """End a job successfully; the next of its key moves up."""
    tx.run(
        "update jobs set state = 'done', lease = null, payload = null, error = null, outcome = ?,"
        " tokens = tokens + ?, finished_at = ? where id = ?",
        *(outcome, tokens, tx.now, job.id),
    )
    _move_up(tx, job.key)


def set_aside(tx: Tx, job: Job, error: str, *, failures: int) -> None:
    """End a job without success; it can be retried, and the next of its key moves up."""
    tx.run(
        "update jobs set state = 'set_aside', lease = null, error = ?1, outcome = ?2,"
        " failures = ?5, finished_at = ?3 where id = ?4",
        *(error, f"set aside: {error}", tx.now, job.id, failures),
    )
    _move_up(tx, job.key)


def try_again(tx: Tx, job: Job, *, at: int, error: str | None, counts: bool) -> None:
    """Schedule another attempt at a job; the jobs queued behind it wait too."""
    tx.run(
        "update jobs set state = case when ?1 > ?2 then 'delayed' else 'due' end, lease = null,"
        " not_before = ?1, error = coalesce(?3, error), failures = failures + ?4 where id = ?5",
        *(at, tx.now, error, counts, job.id),
    )


def narrow(tx: Tx, job: Job, payload: Any) -> None:
    """Leave a running job what is still to be done of it."""
    tx.run("update jobs set payload = ? where id = ?", json.dumps(payload), job.id)


def spend(tx: Tx, job: Job, tokens: int) -> None:
    """Record the cost of a failed attempt."""
    tx.run("update jobs set tokens = tokens + ? where id = ?", tokens, job.id)


def give_back(tx: Tx, job: Job) -> None:
    """Undo a claim, since the daemon stops before the job is done."""
    tx.run(
        "update jobs set state = 'due', lease = null, attempts = attempts - 1"
        " where id = ? and state = 'running' and lease = ?",
        *(job.id, job.lease),
    )


def retry(tx: Tx, job: Job) -> None:
    """Make a waiting or set-aside job runnable now, or after those before it of its key."""
    if job.state == "set_aside":
        tx.run(
            "update jobs set failures = 0, interruptions = 0, outcome = null, finished_at = null,"
            " not_before = ?1, state = case when exists"
            f" (select 1 from jobs o where o.key = ?2 and o.{_PENDING}) then 'queued' else 'due'"
            " end where id = ?3",
            *(tx.now, job.key, job.id),
        )
    else:
        _let_run(tx, [job.id])


def recover(tx: Tx, *, pause_after: Callable[[int], int]) -> int:
    """Queue again the jobs of daemons that were killed; return their number.

    A lease begins with the name of its daemon and a slash. `pause_after` gives the delay of a job
    by the number of its interruptions.
    """
    leased = [_job(row) for row in tx.all(f"select {_COLUMNS} from jobs where state = 'running'")]
    running = tx.dialect.running_daemons(tx.connection) if leased else ()
    interrupted = [job for job in leased if (job.lease or "").partition("/")[0] not in running]
    for job in interrupted:
        tx.run("update jobs set interruptions = interruptions + 1 where id = ?", job.id)
        at = tx.now + pause_after(job.interruptions + 1)
        try_again(tx, job, at=at, error=None, counts=False)
    return len(interrupted)


def hasten(tx: Tx, *, kinds: Collection[str], but: Collection[int]) -> list[int]:
    """Make delayed jobs of some kinds due now, with exceptions; return all that have not ended."""
    rows = tx.all(
        f"select id from jobs where {_PENDING} and kind in (select value from {text_list('?')})"
        " and id not in (select value from json_each(?))",
        *(json.dumps(list(kinds)), json.dumps(list(but))),
    )
    numbers = [row[0] for row in rows]
    _let_run(tx, numbers)
    return numbers


def _let_run(tx: Tx, numbers: list[int]) -> None:
    tx.run(
        "update jobs set state = case state when 'delayed' then 'due' else state end,"
        " not_before = ?"
        " where state in ('queued', 'delayed') and id in (select value from json_each(?))",
        *(tx.now, json.dumps(numbers)),
    )


def hasten_others(tx: Tx, *, kind: str, owner: str, key: str) -> None:
    """Make an owner's delayed jobs of a kind due now, except those of one key."""
    tx.run(
        "update jobs set state = 'due', not_before = ?1 where state = 'delayed' and attempts = 0"
        " and kind = ?2 and owner = ?3 and key <> ?4",
        *(tx.now, kind, owner, key),
    )


def drop_old(tx: Tx, before: int, limit: int) -> int:
    """Remove the records of jobs that ended before a time, but for those that failed."""
    done = "select id from jobs where state = 'done' and finished_at < ?1 order by finished_at"
    refused = "select id from jobs where state = 'set_aside' and failures = 0 and finished_at < ?1"
    ended = f"select id from ({done} limit ?2) d union all {refused}"
    return tx.run(f"delete from jobs where id in ({ended})", before, limit)


def move_up_bereft(tx: Tx) -> None:
    """Promote the first job of each key whose earlier jobs were erased: it can be claimed."""
    tx.run(
        "update jobs set state = case when not_before > ? then 'delayed' else 'due' end where id in"
        f" (select min(id) from jobs where {_PENDING} group by key"
        "  having min(state) = 'queued' and max(state) = 'queued')",
        tx.now,
    )


def _move_up(tx: Tx, key: str) -> None:
    """Promote the next job of a key, since only the first of a key may be claimed."""
    row = tx.one(
        f"select id, not_before from jobs where key = ? and {_PENDING} order by id limit 1", key
    )
    if row is not None:
        state = "delayed" if row[1] > tx.now else "due"
        tx.run("update jobs set state = ? where id = ?", state, row[0])


# Read --------------------------------------------------------------------------------------------


def get(tx: Tx, number: int) -> Job:
    """A job by its row number."""
    job = find(tx, number)
    assert job is not None
    return job


def find(tx: Tx, number: int) -> Job | None:
    """Return the job with that row number; None if it was erased."""
    row = tx.one(f"select {_COLUMNS} from jobs where id = ?", number)
    return _job(row) if row else None


def next_time(tx: Tx) -> int | None:
    """The time at which the next delayed job is due."""
    row = tx.one("select min(not_before) from jobs where state = 'delayed'")
    return row[0] if row else None


def newest(tx: Tx, wanted: Filter, limit: int) -> list[Job]:
    """Return the newest jobs that match the filter."""
    rows = tx.named(
        f"select {_COLUMNS} from jobs where (:states = '[]' or state in"
        f" (select value from {text_list(':states')}))"
        " and (cast(:kind as text) is null or kind = :kind)"
        " and (cast(:grant_id as text) is null or grant_id = :grant_id)"
        " and (cast(:owner as text) is null or owner = :owner)"
        " and (cast(:before as bigint) is null or id < :before) order by id desc limit :limit",
        {**wanted._asdict(), "states": json.dumps(wanted.states), "limit": limit},
    )
    return [_job(row) for row in rows]


def with_prefix(tx: Tx, prefix: str, wanted: Filter) -> list[tuple[str, Job]]:
    """Return the jobs whose id has a prefix: those of a grant, of an owner, or all."""
    rows = tx.all(
        f"select {_COLUMNS} from jobs where uuid >= ?1 and uuid < ?1 || 'g'"
        " and (cast(?2 as text) is null or grant_id = ?2)"
        " and (cast(?3 as text) is null or owner = ?3)"
        " order by uuid limit 6",
        *(prefix, wanted.grant_id, wanted.owner),
    )
    return [(job.uuid, job) for job in map(_job, rows)]


def conversation_of(tx: Tx, job: Job) -> str | None:
    """Return the host's name of the conversation that a job reads, if it still exists.

    Jobs of these two kinds run in order per conversation, which is named in their key.
    """
    named_by = {"extract_facts": "id = cast(? as integer)", "summarise": "uuid = ?"}.get(job.kind)
    if named_by is None or not job.key.startswith(prefix := f"{job.kind}/"):
        return None
    name = job.key.removeprefix(prefix)
    row = tx.one(f"select external_id from conversations where {named_by}", name)
    return row[0] if row else None


def count_of(tx: Tx, numbers: Collection[int]) -> dict[str, int]:
    """Count the given jobs by state."""
    rows = tx.all(
        "select state, count(*) from jobs where id in (select value from json_each(?))"
        " group by state",
        json.dumps(list(numbers)),
    )
    return {row[0]: row[1] for row in rows}


def ended(tx: Tx, numbers: Collection[int]) -> set[int]:
    """Return those of the given jobs that have ended, or were erased."""
    pending = tx.all(
        f"select id from jobs where id in (select value from json_each(?)) and {_PENDING}",
        json.dumps(list(numbers)),
    )
    return set(numbers) - {row[0] for row in pending}


def counts(tx: Tx) -> dict[tuple[str, str], int]:
    """Count all jobs by kind and state."""
    rows = tx.all("select kind, state, count(*) from jobs group by kind, state")
    return {(row[0], row[1]): row[2] for row in rows}


def set_aside_count(tx: Tx) -> int:
    """Count the jobs that were set aside; one that has not failed, for a week: nobody need act."""
    counted = "state = 'set_aside' and (failures > 0 or finished_at > ?)"
    return int(tx.value(f"select count(*) from jobs where {counted}", tx.now - 7 * DAY))


def _job(row: tuple[Any, ...]) -> Job:
    job = Job(*row)
    return job._replace(payload=json.loads(job.payload) if job.payload else None)
