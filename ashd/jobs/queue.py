"""The worker of the job queue: claims jobs, runs their handlers, ends each in one transaction.

Owns the leases and the slots. Up to `SLOTS` jobs run at once, at most all but one of them for the
same owner. If a language model refuses our key, or is not asked for a while, the queue stops and
loses nothing: `jobs.retry`, `jobs.flush`, the first job that gets an answer or the end of a pause
resume it.
"""

import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext, suppress
from functools import partial
from typing import Final, NamedTuple

import anyio

from ashd import errors, log
from ashd.clock import DAY, SECOND, Clock
from ashd.jobs import policy
from ashd.jobs.pace import Pace
from ashd.jobs.work import Handler, Work
from ashd.providers.metering import Spent, metered
from ashd.store import jobs
from ashd.store.database import Database, Tx
from ashd.store.jobs import Job

SLOTS: Final = 4
SLOTS_PER_OWNER: Final = SLOTS - 1
RUN_SECONDS: Final = 3_600.0
"""Seconds that a run of a handler may take; a longer one counts as failed."""
RECORDS_KEPT: Final = 30 * DAY
_LOOK_SECONDS: Final = 60.0
_LOOK_AT_OTHERS_SECONDS: Final = 1.0
_DROPPED_AT_ONCE: Final = 200


class Flushed(NamedTuple):
    """The outcome of a flush: how many jobs were done, were set aside and still wait."""

    done: int
    set_aside: int
    waiting: int


class _LeaseLost(errors.Conflict):
    """The job was taken away from this run: its effects are rolled back."""


class Queue:
    """Runs the jobs. One for the daemon."""

    def __init__(
        self, db: Database, clock: Clock, ask_again: Callable[[], None] = lambda: None
    ) -> None:
        """`ask_again` ends the pause of what the jobs ask, when somebody wants them run now."""
        self._db = db
        self._ask_again = ask_again
        self._clock = clock
        self._handlers: dict[str, Handler] = {}
        self._running: Counter[str] = Counter()
        self._last_owner = ""
        self._pace = Pace(0.0)
        self._wake = anyio.Event()
        self._changed = anyio.Event()
        self._flushing: set[int] = set()
        """Jobs of a flush: they fail at once instead of waiting for another attempt."""
        self._failing: set[int] = set()
        """Jobs whose failure is not written yet."""
        self._answered = 0
        """The number of jobs done for which the language model answered."""
        self._answered_at_failure: dict[int, int] = {}
        """The value of `_answered` when a job last failed, by the row number of the job."""
        self._stopped_until = 0
        self.stopped: str | None = None
        """The reason why the queue is stopped; None while it runs."""
        self.stopped_by: errors.LlmReason | None = None
        """The state of the language model that stopped it last."""

    def register(self, kind: str, handler: Handler) -> None:
        """Register the handler of a kind; jobs of other kinds wait."""
        self._handlers[kind] = handler

    def wake(self) -> None:
        """Look for a new job."""
        self._wake.set()

    def resume(self) -> None:
        """Resume after a stop."""
        self.stopped = None
        self._ask_again()
        self.wake()

    async def run(self) -> None:
        """Run jobs for as long as the daemon runs."""
        await self._tidy()
        self._pace = Pace(anyio.current_time())
        async with anyio.create_task_group() as tasks:
            while True:
                self._wake = anyio.Event()
                pause = _LOOK_SECONDS
                try:
                    while (job := await self._claim()) is not None:
                        tasks.start_soon(self._run, job)
                    pause = await self._pause()
                except errors.StorageError as error:
                    log.warning("jobs_wait", kind=error.kind, reason=error.message)
                with anyio.move_on_after(pause):
                    await self._wake.wait()

    async def flush(self, seconds: float) -> Flushed:
        """Run all waiting jobs now, whatever they wait for, for at most so many seconds."""
        self.resume()
        asked: set[int] = set()
        with anyio.move_on_after(seconds):
            while True:
                changed = self._changed
                hasten = partial(jobs.hasten, kinds=list(self._handlers), but=asked)
                found = await self._db.write(hasten, quiet=True)
                self._flushing.update(found)
                asked.update(found)
                self.wake()
                if (self.stopped or not asked & self._flushing) and not asked & self._failing:
                    break
                await self._news(changed)
        self._flushing -= asked
        count = await self._db.read(partial(jobs.count_of, numbers=asked))
        waiting = sum(number for state, number in count.items() if state not in _ENDED)
        return Flushed(count.get("done", 0), count.get("set_aside", 0), waiting)

    async def attempted(self, job: Job, seconds: float) -> Job | None:
        """Return a job once it was tried, once the queue is stopped, or after so many seconds.

        None if it was erased.
        """
        found: Job | None = job
        with anyio.move_on_after(seconds):
            while True:
                changed = self._changed
                is_stopped = self.stopped is not None and job.id not in self._failing
                found = await self._db.read(partial(jobs.find, number=job.id))
                if found is None or found.is_over or found.error is not None or is_stopped:
                    break
                await self._news(changed)
        return found

    async def _news(self, changed: anyio.Event) -> None:
        """Wait until a job was tried; after those that other daemons run, look now and then."""
        with anyio.move_on_after(_LOOK_AT_OTHERS_SECONDS if self._db.is_shared else None):
            await changed.wait()
        if self._flushing:
            ended = partial(jobs.ended, numbers=list(self._flushing))
            self._flushing -= await self._db.read(ended)

    async def _claim(self) -> Job | None:
        """Take the next job, if a slot is free and the queue is not stopped."""
        if self.stopped and self._clock.now() >= self._stopped_until:
            self.stopped = None
        if self.stopped or not self._handlers or self._running.total() >= SLOTS:
            return None
        await anyio.sleep(self._pace.wait(anyio.current_time()))
        claim = partial(
            jobs.claim,
            kinds=list(self._handlers),
            after=self._last_owner,
            full=[owner for owner, count in self._running.items() if count >= SLOTS_PER_OWNER],
            lease=f"{self._db.daemon}/{uuid.uuid4()}",
        )
        job = await self._db.write(claim, quiet=True)
        if job is not None:
            self._pace.take(anyio.current_time())
            self._last_owner = job.owner
            self._running[job.owner] += 1
        return job

    async def _pause(self) -> float:
        """Tidy up, and return the seconds until there may be something to do."""
        await self._tidy()
        at = self._stopped_until if self.stopped else await self._db.read(jobs.next_time)
        if at is None:
            return _LOOK_SECONDS
        return min(max((at - self._clock.now()) / SECOND, 0.0), _LOOK_SECONDS)

    async def _tidy(self) -> None:
        """Drop old records, and queue again the jobs of daemons that were killed."""
        tidy = partial(_tidied, before=self._clock.now() - RECORDS_KEPT)
        if recovered := await self._db.write(tidy, quiet=True):
            log.info("jobs_recovered", count=recovered)

    async def _run(self, job: Job) -> None:
        """Attempt a job once."""
        is_over = False
        try:
            await self._attempt(job)
            is_over = True
        finally:
            if (
                not is_over
            ):  # The daemon stops; at its next start it gives back every job still claimed.
                with anyio.CancelScope(shield=True), suppress(errors.StorageError):
                    await self._db.write(partial(jobs.give_back, job=job), quiet=True)
            self._running[job.owner] -= 1
            if not self._running[job.owner]:
                del self._running[job.owner]
            self._changed.set()
            self._changed = anyio.Event()
            self.wake()

    async def _attempt(self, job: Job) -> None:
        """Run the handler, then write its result or the consequence of its failure."""
        spent = Spent()
        try:
            with metered() as spent:
                work = await self._work(job)
            async with work.held or nullcontext():
                outcome = await self._db.write(
                    partial(
                        _end,
                        job=job,
                        work=work,
                        tokens=spent.tokens,
                        is_hurried=self._is_hurried(job),
                    ),
                    scoped=work.scoped,
                )
        except _LeaseLost:
            log.info("job_dropped", id=job.uuid, kind=job.kind)
        except Exception as error:  # noqa: BLE001  a fault costs the job an attempt, not the queue
            if not isinstance(error, errors.AshError):
                log.error("job_failed", id=job.uuid, kind=job.kind, error=type(error).__name__)
            self._failing.add(job.id)
            try:
                await self._failed(job, error, spent.tokens)
            finally:
                self._failing.discard(job.id)
        else:
            if spent.tokens:
                self._answered += 1
                self.stopped = None
            self._answered_at_failure.pop(job.id, None)
            if isinstance(outcome, str):
                log.debug("job_done", id=job.uuid, kind=job.kind, outcome=outcome)
            elif outcome.then == "aside":
                log.warning("job_set_aside", id=job.uuid, kind=job.kind, reason=outcome.error)
            else:
                return
            self._flushing.discard(job.id)

    def _is_hurried(self, job: Job) -> bool:
        """Return whether somebody waits for a job: another attempt comes at once."""
        return job.id in self._flushing

    async def _work(self, job: Job) -> Work:
        try:
            with anyio.fail_after(RUN_SECONDS):
                return await self._handlers[job.kind].run(job)
        except TimeoutError:
            raise errors.TimedOut(f"It took longer than {RUN_SECONDS:.0f} s.") from None

    async def _failed(self, job: Job, error: Exception, tokens: int) -> None:
        before = self._answered_at_failure.get(job.id)
        self._answered_at_failure[job.id] = self._answered
        verdict = policy.verdict(
            error,
            attempts=job.attempts,
            failures=job.failures,
            answered=before is not None and before < self._answered,
        )
        if verdict.then == "stop":
            self.stopped = verdict.error
            self.stopped_by = error.reason if isinstance(error, errors.LlmUnavailable) else None
            self._stopped_until = self._clock.now() + verdict.pause
            log.warning("jobs_stopped", reason=verdict.error)
        elif verdict.then == "aside":
            self._answered_at_failure.pop(job.id, None)
            log.warning("job_set_aside", id=job.uuid, kind=job.kind, reason=verdict.error)
        if self._is_hurried(job) and verdict.counts and verdict.then == "again":
            verdict = verdict._replace(pause=0)
        elif not verdict.counts:
            self._flushing.clear()  # nothing runs for now
        else:
            self._flushing.discard(job.id)
        while True:
            try:
                await self._db.write(
                    partial(_fail, job=job, verdict=verdict, tokens=tokens), quiet=True
                )
            except errors.StorageError as full:
                log.warning("jobs_wait", kind=full.kind, reason=full.message)
                await anyio.sleep(_LOOK_SECONDS)
            else:
                return


_ENDED: Final = frozenset({"done", "set_aside"})


def _tidied(tx: Tx, *, before: int) -> int:
    jobs.drop_old(tx, before, _DROPPED_AT_ONCE)
    return jobs.recover(tx, pause_after=policy.pause_after)


def _end(tx: Tx, *, job: Job, work: Work, tokens: int, is_hurried: bool) -> str | policy.Verdict:
    """Write the effects of a job and end it, or decide about its rest, in one transaction."""
    if not jobs.holds_lease(tx, job):
        raise _LeaseLost("The job was taken away.")
    outcome = work.write(tx)
    if isinstance(outcome, str):
        jobs.finish(tx, job, outcome, tokens)
        return outcome
    verdict = policy.unusable(
        outcome.reason,
        failures=job.failures,
        did_some=outcome.did_some,
        ask_again=outcome.ask_again,
    )
    if is_hurried:
        verdict = verdict._replace(pause=0)
    jobs.narrow(tx, job, outcome.payload)
    _fail(tx, job=job, verdict=verdict, tokens=tokens)
    return verdict


def _fail(tx: Tx, *, job: Job, verdict: policy.Verdict, tokens: int) -> None:
    if not jobs.holds_lease(tx, job):
        return
    jobs.spend(tx, job, tokens)
    if not verdict.tried:
        jobs.give_back(tx, job)
        return
    if verdict.then == "aside":
        failures = job.failures + 1 if verdict.counts else 0  # 0 of a job that found only refusals
        jobs.set_aside(tx, job, verdict.error, failures=failures)
    else:
        jobs.try_again(
            *(tx, job),
            at=tx.now + (0 if verdict.then == "stop" else verdict.pause),
            error=verdict.error,
            counts=verdict.counts,
        )
