"""The engine for a PostgreSQL server: daemons share the database, and keep it over broken links.

One transaction of all daemons writes at a time. It notes what it changes in a row of `commits`;
each snapshot begins with the number of the last one, so a daemon answers nothing from what it
remembers that another has changed. A commit whose answer was lost is settled by its number.

A server that crashed, or a standby that took over, may know nothing of what was not acknowledged,
and gives its transactions and sequences the same numbers again. So those of commits are drawn at
random, each greater than the last: the same number is the same commit.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from math import ceil, inf
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from ashd import errors
from ashd.store import commit_notes
from ashd.store.commit_notes import Notes
from ashd.store.engine import Commit
from ashd.store.health import Health
from ashd.store.postgres import failures, locks, pooler, schema
from ashd.store.postgres.address import conninfo
from ashd.store.postgres.connection import Connection
from ashd.store.postgres.failures import OutOfTouch, Unsettled, Upgraded
from ashd.store.postgres.postgres_dialect import RUNNING, PostgresDialect

_IN_USE: Final = 0x41534844
"""The advisory lock that all daemons share, and that a program takes to have the database alone."""
_LEADING: Final = 0x41534846
"""The advisory lock of the daemon that does the periodic work of all."""
_KEPT: Final = "1 day"
"""The time to keep the notes of a commit, for daemons that lost touch with the server."""
_REMOVED_EVERY: Final = 1_000
"""Commits after which older notes are removed."""

_SILENCE_SECONDS: Final = 30
"""Seconds without an answer after which a server is given up, though its link may stand."""
_STEP: Final = 2**24
"""The greatest difference of two numbers; they last for centuries of a hundred commits a second."""

_APPENDED: Final = ("memories", "passages")
"""The tables that a writer knows the next row numbers of from the beginning."""
_SEEN_BY_ALL: Final = (
    "select (select max(number) from ashd.commits), (select version from ashd.schema_version)"
)
_SEEN: Final = f"prepare seen as {_SEEN_BY_ALL}; prepare seen_alone as {_SEEN_BY_ALL}" + "".join(
    f", (select last_value + cast(is_called as int) from ashd.{table}_id_seq)"
    for table in _APPENDED
)
"""Prepares, for a connection, what each transaction begins with: the number of the last commit that
it sees, and the schema's version; for one that writes alone, the next row numbers, too.
"""


class Postgres:
    """One database of a PostgreSQL server."""

    def __init__(self, url: str, password_file: Path | None, path: Path) -> None:
        self._conninfo = conninfo(url, password_file)
        self.next_commit = 0
        self._number = 0
        """The number of this daemon; another at each start."""
        self._away: set[Connection] = set()
        """Connections that were lost, and could not be made again."""
        self._over: type[Exception] | None = None
        """Why this daemon answers nothing until it is restarted, if it does not."""
        self.last_commit = 0
        self.is_shared = True
        self.dialect = PostgresDialect()
        self.health = Health(path)

    @property
    def daemon(self) -> str:
        """The name of this run of the daemon, among those that use the database."""
        return str(self._number)

    @cached_property
    def _version(self) -> int:
        """The newest schema that this daemon knows."""
        return schema.schema_files()[-1][0]

    def open_writer(self) -> Connection:
        """Connect, make or upgrade the schema, and join the daemons that use the database.

        Raises:
            errors.StartError: it cannot be used; the message says why and what to do.
        """
        with ExitStack() as on_error:
            connection = self._opened()
            on_error.callback(connection.close)
            pooler.require_whole_sessions(connection, self._conninfo)
            if not locks.take_soon(connection, f"pg_try_advisory_lock_shared({_IN_USE})"):
                raise errors.StartError(
                    "A program has the database for itself, as `ashd migrate --to` does. Start ashd"
                    " once it is done."
                )
            try:
                schema.migrate(connection.raw)
                connection.raw.execute(_SEEN)
                opening = "select nextval('daemon_numbers'), max(number) from commits"
                [(self._number, self.last_commit)] = connection.script(opening)
            except psycopg.Error as error:
                raise errors.StartError(failures.why_not(error)) from error
            self._be_running(connection)
            on_error.pop_all()
        return connection

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Yield a connection of the only program that uses the database, with the newest schema.

        Raises:
            errors.StartError: it cannot be used; the message says why and what to do.
        """
        connection = self._opened()
        try:
            pooler.require_whole_sessions(connection, self._conninfo)
            if not locks.take_soon(connection, f"pg_try_advisory_lock({_IN_USE})"):
                raise errors.StartError(
                    "An ashd uses this database. Stop all that do, on every host."
                )
            schema.migrate(connection.raw)
            yield connection
        finally:
            connection.close()

    def open_reader(self) -> Connection:
        """Connect for reading.

        Raises:
            errors.StartError: the server cannot be reached.
        """
        connection = self._opened()
        connection.raw.execute(_SEEN)
        return connection

    def _opened(self) -> Connection:
        try:
            return Connection(self._conninfo)
        except psycopg.Error as error:
            raise errors.StartError(failures.why_not(error)) from error

    @contextmanager
    def long_read(self) -> Iterator[Connection]:
        """Yield a connection for a long read on another thread; nobody waits for it."""
        connection = Connection(self._conninfo)
        try:
            connection.raw.execute(_SEEN)
            yield connection
        finally:
            connection.close()
            self._away.discard(connection)

    def begin_write(self, connection: Connection, at_least: int) -> int:
        """Begin a transaction that writes, and the savepoint `job` of its first job.

        Return the number of the last commit. Connects again if the connection was lost. A daemon
        that is stopped in its transaction loses it, so that the others can go on.
        """
        connection.be_patient(failures.WAIT_SECONDS + _SILENCE_SECONDS)
        script = f"{_begin_alone()}; savepoint job; execute seen_alone"
        last = self._begin(connection, script, at_least, is_writer=True)
        self.next_commit = last + 1 + secrets.randbelow(_STEP)
        return last

    def begin_job(self, connection: Connection) -> None:
        """Let the savepoint `job` begin here: what was done before it stays."""
        connection.send("release job; savepoint job")

    def end_job(self, connection: Connection) -> None:
        """Refuse a job that hid a failure: the server takes nothing more before a rollback.

        The rollback of a later job of the group would take this one's changes along.

        Raises:
            psycopg.errors.InFailedSqlTransaction
        """
        connection.flush()
        if connection.has_failed:
            raise psycopg.errors.InFailedSqlTransaction("a failed statement was hidden")

    def commit(self, connection: Connection, notes: Notes | None, *, has_grown: bool) -> int | None:  # noqa: ARG002  the server merges its index by itself
        """Commit what was written, with its notes; return their number once it is durable."""
        number = self.next_commit if notes is not None else None
        connection.was_warned = False
        connection.next_numbers = None
        try:
            connection.script("commit" if notes is None else f"{self._noting(notes)}; commit")
        except psycopg.OperationalError:
            if not connection.is_lost:
                raise
            self._settle(connection, number)
        else:
            if connection.was_warned:
                self._settle(connection, number)
        if number is not None:
            self.health.written()
        return number

    def _noting(self, notes: Notes) -> str:
        """Return the statements that store the notes of the next commit."""
        text = sql.Literal(commit_notes.encoded(notes)).as_string()
        store = f"insert into commits (number, notes) values ({self.next_commit}, {text})"
        if self.next_commit % _REMOVED_EVERY:
            return store
        # The newest of the old ones stays: whoever was in touch since knows it, or a later one.
        old = f"select max(number) from commits where made_at < now() - interval '{_KEPT}'"
        return f"{store}; delete from commits where number < ({old})"

    def commits_after(self, connection: Connection, number: int) -> list[Commit]:
        """Return the commits with notes after this one, in order.

        Raises:
            OutOfTouch: some are not kept any more.
        """
        rows = connection.execute(
            "select number, notes from commits where number >= ? order by number", (number,)
        ).fetchall()
        if not rows or rows[0][0] != number:
            self._over = OutOfTouch
            raise OutOfTouch
        return [Commit(at, commit_notes.decoded(text)) for at, text in rows[1:]]

    def _settle(self, connection: Connection, number: int | None) -> None:
        """Ask over a new connection whether the commit of this number was made, and is safe.

        Raises:
            psycopg.OperationalError: it was not, and will not be.
            Unsettled: nobody knows.
        """
        if number is None:  # it left nothing to be found by
            raise Unsettled
        try:
            connection.close()
            connection.connect()
            # Once the lock can be had, the lost transaction is over.
            [(is_made,)] = connection.script(
                f"{_begin_alone()}; select exists (select from commits where number = {number})"
            )
            if is_made:  # a crash may have spared what the standby does not have: wait for it
                connection.script("select pg_logical_emit_message(true, 'ashd', ''); commit")
        except psycopg.Error as error:
            raise Unsettled from error
        finally:
            connection.close()  # the next transaction connects anew, and takes the locks
        if connection.was_warned:
            raise Unsettled
        if not is_made:
            raise psycopg.OperationalError("the connection was lost")

    def require_kept(self) -> None:
        """Do nothing: what the server has committed is durable."""

    def begin_read(
        self,
        connection: Connection,
        is_late: Callable[[], bool] = lambda: False,
        seconds: float = inf,
        at_least: int = 0,
    ) -> int:
        """Begin a snapshot; no statement begins once `is_late` says so, or runs for longer.

        Return the number of its last commit.
        """
        connection.is_late = is_late
        script = (
            "begin isolation level repeatable read read only;"
            f" set local statement_timeout = {_milliseconds(seconds)}; execute seen"
        )
        connection.be_patient(_SILENCE_SECONDS)
        last = self._begin(connection, script, at_least, is_writer=False)
        connection.be_patient(seconds + _SILENCE_SECONDS)
        return last

    def _begin(self, connection: Connection, script: str, at_least: int, *, is_writer: bool) -> int:
        """Begin a transaction; return the number of the last commit that it sees.

        It is over a new connection if the old one is found to be gone, or to lead to a server that
        does not have the commit `at_least`, since another took its place. Nothing was asked before,
        so nothing is done twice.

        Raises:
            OutOfTouch: the commit that this daemon has seen is lost.
            Upgraded: the schema is not the one that we know.
        """
        if self._over is not None:
            raise self._over
        last, version, *numbers = 0, self._version
        if not connection.is_lost:
            try:
                last, version, *numbers = connection.script(script)[0]
            except psycopg.OperationalError:
                if not connection.is_lost:
                    raise
        if connection.is_lost or last < at_least:
            connection.close()
            self._connect_again(connection, is_writer=is_writer)
            last, version, *numbers = connection.script(script)[0]
        if not self._away:
            self.health.clear(failures.UNREACHABLE.name)
        if version != self._version:
            self._over = Upgraded
            raise Upgraded
        if last < at_least:
            raise OutOfTouch
        if is_writer:
            connection.next_numbers = dict(zip(_APPENDED, numbers, strict=True))
        return last

    def _connect_again(self, connection: Connection, *, is_writer: bool) -> None:
        self._away.add(connection)
        try:
            connection.connect()
            connection.raw.execute(_SEEN)
            if is_writer:
                if not locks.take(connection, f"pg_try_advisory_lock_shared({_IN_USE})"):
                    raise psycopg.OperationalError("a program has the database for itself")
                self._be_running(connection)
        except psycopg.Error:
            connection.close()  # else it would be used, without what was still to be done
            raise
        self._away.discard(connection)

    def _be_running(self, connection: Connection) -> None:
        """Let other daemons see that this one runs, for as long as its writer is connected.

        The server may still believe in a lost connection: its lock is not in the way of this one.
        """
        locks.take(connection, f"pg_try_advisory_lock_shared({RUNNING}, {self._number})")

    def lead(self, connection: Connection) -> bool:
        """Return whether this daemon does the periodic work of all; take it on if nobody does.

        Raises:
            OutOfTouch, Upgraded: it answers nothing any more; its locks are free, so that others
                take over the lead and its jobs.
        """
        if self._over is not None:
            connection.close()
            raise self._over
        if connection.is_lost:
            self._connect_again(connection, is_writer=True)
        if connection.leads:
            connection.script("select 1")  # fails if the link was lost, and the lock with it
        else:
            connection.leads = locks.take(connection, f"pg_try_advisory_lock({_LEADING})")
        return connection.leads

    def roll_back(self, connection: Connection) -> None:
        """End a transaction without its changes, if one is open."""
        connection.is_late = lambda: False
        if connection.in_transaction:
            connection.send("rollback")
        connection.next_numbers = None

    def error(self, error: Exception, connection: Connection | None) -> Exception:  # noqa: ARG002  the error tells enough
        """Return the server's errors as the daemon's own, others as they are.

        The server's words may hold what was to be stored; only codes and names are logged.
        """
        return failures.as_ash_error(error, self.health)

    def close_writer(self, connection: Connection) -> None:
        """Close the connection that writes."""
        with suppress(psycopg.Error):
            connection.close()

    def close(self) -> None:
        """Do nothing: each reader closes its connection."""


def _begin_alone() -> str:
    """Return the beginning of a transaction that is the only one of all daemons that writes."""
    return (
        f"begin; set local lock_timeout = '{failures.WAIT_SECONDS}s';"
        f" set local idle_in_transaction_session_timeout = '{failures.WAIT_SECONDS}s';"
        f" select pg_advisory_xact_lock({schema.WRITING})"
    )


def _milliseconds(seconds: float) -> int:
    """Return a time limit as the server takes it: 0 is none."""
    return 0 if seconds == inf else max(1, ceil(seconds * 1000))
