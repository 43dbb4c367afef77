"""The database: a writer thread that commits in groups, and reader threads.

Owns every connection, of either engine. One thread holds the write connection; callers pass it
functions, and waiting ones are committed together, each in a savepoint of its own, so that a
failing one does not affect the others. A write is acknowledged only after its commit has reached
the disk. Readers see whole commits only. A function runs with all its SQL in one thread, in one go.
Nothing else in the daemon touches the database.
"""

import asyncio
import math
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack

import anyio

from ashd import errors, limits
from ashd.clock import Clock
from ashd.fair_turns import FairQueue
from ashd.prometheus_text import Histogram
from ashd.store import engines
from ashd.store.change_tracker import Key, Since
from ashd.store.engine import Connection, Engine
from ashd.store.health import Health
from ashd.store.noted_commits import NotedCommits
from ashd.store.pending import Answer, Done, Pending, answer, given_up, notes_of
from ashd.store.sqlite import Sqlite
from ashd.store.transaction import GaveWay, Query, Row, Tx, Work

__all__ = ["Database", "GaveWay", "Query", "Row", "Tx", "Work"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

READERS: Final = 2

WRAPPER: ContextVar[Callable[[Work[Any]], Work[Any]] | None] = ContextVar("WRAPPER", default=None)
"""Wrapper of every write of the call in progress; it runs in the write's transaction."""


class Database:
    """The open database. Make it with `Database.open`, end it with `close`."""

    def __init__(self, path: Path, clock: Clock, engine: Engine) -> None:
        self.path = path
        """The database's file; on a server, the place beside which the daemon keeps its files."""
        self._engine = engine
        self._clock = clock
        self._writes: FairQueue[Pending] = FairQueue(1)
        self._reads: FairQueue[Pending] = FairQueue(READERS)
        self._threads: list[threading.Thread] = []
        self._giving_up = threading.Lock()
        self._noted = NotedCommits(engine.last_commit)
        self.clock_in_doubt = False
        self.transactions = Histogram()
        """The time that each group of writes occupied the writer."""

    @classmethod
    def open(
        cls, path: Path, clock: Clock, url: str | None = None, password_file: Path | None = None
    ) -> "Database":
        """Open or create the database, migrate it and start its threads.

        It is the file at `path`, or at a PostgreSQL server if there is a `url`.

        Raises:
            errors.StartError: it cannot be used; the message says why and what to do.
        """
        engine = engines.engine_of(path, clock, url, password_file)
        writer = engine.open_writer()
        self = cls(path, clock, engine)
        readers = [engine.open_reader() for _ in range(READERS)]
        self._start("ashd-writer", self._write_loop, writer)
        for number, reader in enumerate(readers):
            self._start(f"ashd-reader-{number}", self._read_loop, reader)
        return self

    def _start(self, name: str, loop: Callable[[Connection], None], connection: Connection) -> None:
        thread = threading.Thread(target=loop, args=(connection,), name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    @property
    def file(self) -> Sqlite | None:
        """The engine of a database that is a file; None on a server."""
        return self._engine if isinstance(self._engine, Sqlite) else None

    @property
    def daemon(self) -> str:
        """The name of this run of the daemon, among those that use the database."""
        return self._engine.daemon

    @property
    def is_shared(self) -> bool:
        """Whether other daemons may use the database at the same time."""
        return self._engine.is_shared

    @property
    def health(self) -> Health:
        """The failures of the disk or the server."""
        return self._engine.health

    def since(self, keys: Collection[Key], generation: int) -> Since:
        """Return how rows visible by these keys were changed or added after a generation."""
        return self._noted.changes.since(keys, generation)

    def revised(self, keys: Collection[Key], generation: int) -> set[int]:
        """Return the memories that were changed since, where `since` says "revised"."""
        return self._noted.changes.revised(keys, generation)

    def on_deletion(self, callback: Callable[[Sequence[int]], None]) -> None:
        """Call a function with the passages that a commit deleted: caches hold them no longer.

        It runs after the commit and before the caller's answer; for a commit of another daemon,
        before anything is read that comes after it.
        """
        self._noted.on_deletion(callback)

    @property
    def generation(self) -> int:
        """A number that grows with each commit that changes what a reader may find."""
        return self._noted.last

    def take_topics(self) -> set[str]:
        """Return what other daemons have told by `Tx.tell`, as far as reads of here have seen."""
        return self._noted.take_topics()

    @property
    def waiting(self) -> dict[str, int]:
        """The number of functions that wait for a thread, by kind."""
        return {"writes": len(self._writes), "reads": len(self._reads)}

    async def write(
        self,
        work: Work[T],
        *,
        quiet: bool = False,
        scoped: bool = False,
        seconds: float = math.inf,
    ) -> T:
        """Run `work` in the writer thread and return its result once it is on disk.

        A `quiet` write changes nothing that a reader could notice (a counter). A `scoped` one
        declares by `Tx.touch`, `Tx.grow` and `Tx.revise` who may see its changes; any other may be
        seen by everybody. After `seconds` in the writer thread, `Tx.check_time` stops it. A write
        is committed even if its caller is cancelled. With `seconds`, it is rolled back then; if it
        is too late for that, its result is returned.

        Raises:
            errors.StorageError: nothing was changed.
        """
        wrap = WRAPPER.get()
        job = Pending(wrap(work) if wrap else work, seconds, quiet=quiet, scoped=scoped)
        self._writes.put(job.owner, job)
        result: T
        try:
            result = await asyncio.shield(job.future)
        except asyncio.CancelledError:
            if job.seconds == math.inf or self._gave_up(job):
                job.leave()
                raise
            with anyio.CancelScope(shield=True):
                result = await job.future
        return result

    def _gave_up(self, job: Pending) -> bool:
        """Mark a write as abandoned; return whether it can still be skipped or rolled back."""
        with self._giving_up:
            job.abandoned = not job.sealed
            if job.abandoned and job.tx is not None:
                job.tx.until = -math.inf  # it stops when it next checks its time
        return job.abandoned

    async def read(self, work: Work[T], *, seconds: float = 60.0) -> T:
        """Run `work` on a reader, in one snapshot, when it is its owner's turn.

        Raises:
            errors.StorageError: the database could not answer, or not in `seconds`.
        """
        job = Pending(work, seconds)
        self._reads.put(job.owner, job)
        result: T = await job.future
        return result

    async def compute(self, function: Callable[[Unpack[Ts]], T], *arguments: *Ts) -> T:
        """Return the result of a pure function of texts, computed by a thread of the readers.

        It takes turns with its owner's reads: each thread more that computes lets all others wait
        longer for the interpreter.
        """
        job = Pending(lambda _tx: function(*arguments), math.inf, is_alone=True)
        self._reads.put(job.owner, job, "compute")
        result: T = await job.future
        return result

    async def alone(self, work: Callable[[Tx], T]) -> T:
        """Run `work` on the writer thread outside of any transaction; return its result.

        Raises:
            errors.StorageError
        """
        job = Pending(work, math.inf, is_alone=True)
        self._writes.put(job.owner, job)
        with anyio.CancelScope(shield=True):  # it cannot be stopped any more
            result: T = await job.future
        return result

    async def lead(self) -> bool:
        """Return whether this daemon does the periodic work of all; take it on if nobody does.

        Raises:
            errors.StorageError
        """
        return await self.alone(lambda tx: self._engine.lead(tx.connection))

    @contextmanager
    def snapshot(self) -> Iterator[Tx]:
        """Yield a transaction for a long read on another thread: nobody waits for it.

        Raises:
            errors.StorageError: the database failed.
        """
        connection = None
        try:
            with self._engine.long_read() as connection:
                self._engine.begin_read(connection)
                yield self._tx(connection)
        except Exception as error:
            raise self._engine.error(error, connection) from error

    def close(self) -> None:
        """Finish what waits, checkpoint, and end the threads."""
        writer, *readers = self._threads
        self._reads.end()
        for reader in readers:
            reader.join()
        self._engine.close()
        # Last, so that closing waits for nobody.
        self._writes.end()
        writer.join()

    def _write_loop(self, connection: Connection) -> None:
        while (taken := self._writes.take()) is not None:
            owner, first = taken
            alone: list[Pending] = []
            if first.is_alone:
                alone.append(first)
            elif not first.abandoned:
                self._commit(connection, first, alone)
            self._writes.give_back(owner)
            for job in alone:
                answer([self._run_alone(connection, job)])
        self._engine.close_writer(connection)

    def _group(self, first: Pending, alone: list[Pending]) -> Iterator[Pending]:
        """Yield a write and those that wait after it, as long as nobody has waited for long.

        Its time begins with the first one: a server may have let the transaction wait for another
        daemon's. It ends before a job that runs outside of any transaction, which is added to
        `alone`.
        """
        ends, job, count = time.monotonic() + limits.WRITE_GROUP_SECONDS, first, 1
        while True:
            yield job
            if count == limits.WRITE_GROUP or time.monotonic() > ends:
                return
            following = self._writes.take_waiting()
            while following is not None and following.abandoned:
                following = self._writes.take_waiting()
            if following is None:
                return
            if following.is_alone:
                alone.append(following)
                return
            job, count = following, count + 1

    def _tx(self, connection: Connection, generation: int = 0) -> Tx:
        now, new_id, doubt = self._clock.now(), self._clock.new_id, self.clock_in_doubt
        dialect = self._engine.dialect
        return Tx(connection, now, new_id, generation, clock_in_doubt=doubt, dialect=dialect)

    def _run_alone(self, connection: Connection, job: Pending) -> Answer:
        tx = self._tx(connection)
        try:
            return job, job.work(tx), None
        except Exception as error:  # noqa: BLE001  passed on to the caller of this job
            self._engine.roll_back(connection)
            return job, None, self._engine.error(error, connection)

    def _commit(self, connection: Connection, first: Pending, alone: list[Pending]) -> None:
        """Run and commit jobs together: each in its savepoint, answered after the commit."""
        begun = time.monotonic()
        jobs = [first]
        answers: list[Answer] = []
        done_by: list[Done] = []
        try:
            at_least = self._noted.last
            self._catch_up(connection, self._engine.begin_write(connection, at_least))
            for job in self._group(first, alone):
                if job is not first:
                    jobs.append(job)
                    self._engine.begin_job(connection)
                answers.append((job, *self._run_in_savepoint(connection, job, done_by)))
            notes = notes_of(done_by)
            grown = any(done.scoped and done.tx.grown for done in done_by)
            self._noted.begin(self._engine.next_commit)
            number = self._engine.commit(connection, notes, has_grown=grown)
            if notes is not None:
                self._noted.note(number, notes)
            self._engine.require_kept()
        except Exception as error:  # noqa: BLE001  whatever it is, every waiting caller must hear of it
            self._noted.lose()
            with suppress(Exception):  # what failed first is what the callers hear
                self._engine.roll_back(connection)
            failure = self._engine.error(error, connection)
            done = {id(job) for job, _, own in answers if own is not None}
            # A job that failed by itself keeps its own error; all others were rolled back.
            answers = [one for one in answers if id(one[0]) in done]
            answers += [(job, None, failure) for job in jobs if id(job) not in done]
        self.transactions.observe(time.monotonic() - begun)
        answer(answers)

    def _run_in_savepoint(
        self, connection: Connection, job: Pending, done_by: list[Done]
    ) -> tuple[Any, BaseException | None]:
        tx = self._tx(connection)
        tx.until = time.monotonic() + job.seconds
        job.tx = tx
        if job.abandoned:  # while it waited for the others of its group
            return None, given_up()
        try:
            result = job.work(tx)
            self._engine.end_job(connection)
            self._seal(job)
        except Exception as error:
            if not connection.in_transaction:
                raise  # the whole transaction is gone (a full disk, a lost connection)
            connection.execute("rollback to job")
            return None, self._engine.error(error, connection)
        if not job.quiet or tx.topics:
            done_by.append(Done(tx, job.scoped, job.quiet))
        return result, None

    def _seal(self, job: Pending) -> None:
        """Mark a finished write to be committed, unless it was abandoned meanwhile."""
        with self._giving_up:
            job.sealed = not job.abandoned
        if job.abandoned:
            raise given_up()

    def _catch_up(self, connection: Connection, last: int | None) -> None:
        """Note what other daemons have committed up to this number, the last of a snapshot."""
        if last is not None and last > self._noted.last:
            self._noted.catch_up(last, partial(self._engine.commits_after, connection))

    def _read_loop(self, connection: Connection) -> None:
        while (taken := self._reads.take()) is not None:
            owner, job = taken
            try:
                if not job.is_alone:
                    self._read(connection, job)
                elif not job.is_late():
                    answer([self._run_alone(connection, job)])
            except GaveWay:
                self._reads.put(owner, job)
            finally:
                self._reads.give_back(owner)
        connection.close()

    def _read(self, connection: Connection, job: Pending) -> None:
        """Run a read and answer its caller.

        Raises:
            GaveWay: it has to be run again, after others.
        """
        if job.is_late():
            answer([(job, None, errors.StorageError("The query waited too long."))])
            return
        generation = self._noted.last
        try:
            try:
                last = self._engine.begin_read(connection, job.is_late, job.seconds, generation)
                self._catch_up(connection, last)
                tx = self._tx(connection, generation if last is None else last)
                tx.progress, tx.is_late = job.progress, job.is_late
                result = job.work(tx)
            finally:
                self._engine.roll_back(connection)
        except GaveWay:
            raise
        except Exception as error:  # noqa: BLE001  passed on to the caller of this job
            answer([(job, None, self._engine.error(error, connection))])
        else:
            answer([(job, result, None)])
