"""The engine for a PostgreSQL server: one daemon has the database, and keeps it over broken links.

The daemon that opened the database last is its holder, a row that each transaction reads in its own
snapshot: a daemon that lost the server for a while and was replaced meanwhile answers nothing more
from what it remembers. A commit whose answer was lost is settled by its transaction's number.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import ceil, inf
from pathlib import Path
from typing import Final

import psycopg

from ashd import errors, log
from ashd.store.health import Health, Warned
from ashd.store.postgres import schema
from ashd.store.postgres.address import conninfo
from ashd.store.postgres.connection import Connection
from ashd.store.postgres.postgres_dialect import PostgresDialect
from ashd.store.transaction import Row

_LOCK: Final = 0x41534844
"""The advisory lock of the daemon that has the database, for as long as its writer is connected."""

UNREACHABLE: Final = Warned(
    "server_unreachable",
    "The PostgreSQL server does not answer: nothing is stored or found.",
    "Look at the server and the network; the daemon goes on by itself.",
)
REPLACED: Final = Warned(
    "database_taken_over",
    "Another ashd has taken over the database.",
    "Stop one of the two. This one answers nothing from the database until it is restarted.",
)


class _Replaced(Exception):
    """Another daemon opened the database."""


class _Unsettled(Exception):
    """The server went away during a commit, and it is not known whether it was made."""


class Postgres:
    """One database of a PostgreSQL server."""

    def __init__(self, url: str, password_file: Path | None, path: Path) -> None:
        self._conninfo = conninfo(url, password_file)
        self._holder = secrets.token_hex(16)
        self._transaction = ""
        """The number of the writer's transaction, for the server."""
        self.dialect = PostgresDialect()
        self.health = Health(path)

    def open_writer(self) -> Connection:
        """Connect, make or upgrade the schema, and become the holder of the database.

        Raises:
            errors.StartError: it cannot be used; the message says why and what to do.
        """
        with ExitStack() as on_error:
            connection = self._locked()
            on_error.callback(connection.close)
            try:
                schema.migrate(connection.raw)
                connection.raw.execute(
                    "insert into daemon (id, holder) values (1, %s)"
                    " on conflict (id) do update set holder = excluded.holder",
                    (self._holder,),
                )
            except psycopg.Error as error:
                raise errors.StartError(_why_not(error)) from error
            on_error.pop_all()
        return connection

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Yield a connection of the only program that uses the database, with the newest schema.

        Raises:
            errors.StartError: it cannot be used; the message says why and what to do.
        """
        connection = self._locked()
        try:
            schema.migrate(connection.raw)
            yield connection
        finally:
            connection.close()

    def open_reader(self) -> Connection:
        """Connect for reading.

        Raises:
            errors.StartError: the server cannot be reached.
        """
        return self._opened()

    def _locked(self) -> Connection:
        connection = self._opened()
        if not _lock(connection):
            connection.close()
            raise errors.StartError(
                "Another ashd uses this database. Stop it first: several daemons on one database"
                " are not there yet."
            )
        return connection

    def _opened(self) -> Connection:
        try:
            return Connection(self._conninfo)
        except psycopg.Error as error:
            raise errors.StartError(_why_not(error)) from error

    @contextmanager
    def long_read(self) -> Iterator[Connection]:
        """Yield a connection for a long read on another thread; nobody waits for it."""
        connection = Connection(self._conninfo)
        try:
            yield connection
        finally:
            connection.close()

    def begin_write(self, connection: Connection) -> None:
        """Begin a transaction that writes, and the savepoint `job` of its first job.

        Connects again if the connection was lost.
        """
        begin = (
            "begin; savepoint job; select holder, pg_current_xact_id()::text from daemon"
            " where id = 1"
        )
        holder, self._transaction = self._begin(connection, begin, is_writer=True)
        self._require_holder(holder)

    def begin_job(self, connection: Connection) -> None:
        """Let the savepoint `job` begin here: what was done before it stays."""
        connection.script("release job; savepoint job")

    def commit(self, connection: Connection, *, has_grown: bool) -> None:  # noqa: ARG002  the server merges its index by itself
        """Commit what was written; return once it is durable."""
        try:
            connection.script("commit")
        except psycopg.OperationalError:
            if not connection.is_lost:
                raise
            self._settle(connection)

    def _settle(self, connection: Connection) -> None:
        """Ask a new connection whether the last commit was made.

        Raises:
            psycopg.OperationalError: it was not.
            _Unsettled: nobody knows.
        """
        try:
            connection.connect()
            number = self._transaction
            state = connection.raw.execute("select pg_xact_status(%s::xid8)", (number,)).fetchone()
            connection.close()  # the next transaction takes the lock
        except psycopg.Error as error:
            raise _Unsettled from error
        if state == ("aborted",):
            raise psycopg.OperationalError("the connection was lost")
        if state != ("committed",):
            raise _Unsettled

    def require_kept(self) -> None:
        """Do nothing: what the server has committed is durable."""

    def begin_read(
        self,
        connection: Connection,
        is_late: Callable[[], bool] = lambda: False,
        seconds: float = inf,
    ) -> None:
        """Begin a snapshot; no statement begins once `is_late` says so, or runs for longer."""
        connection.is_late = is_late
        (holder,) = self._begin(
            connection,
            "begin isolation level repeatable read read only;"
            f" set local statement_timeout = {_milliseconds(seconds)};"
            " select holder from daemon where id = 1",
            is_writer=False,
        )
        self._require_holder(holder)

    def _begin(self, connection: Connection, script: str, *, is_writer: bool) -> Row:
        """Begin a transaction; over a new connection if the old one is found to be gone.

        Nothing was asked of the server before, so nothing is done twice.
        """
        if not connection.is_lost:
            try:
                return connection.script(script)[0]
            except psycopg.OperationalError:
                if not connection.is_lost:
                    raise
        connection.connect()
        if is_writer and not _lock(connection):
            connection.close()
            raise psycopg.OperationalError("the database is locked")
        began = connection.script(script)[0]
        self.health.clear(UNREACHABLE.name)
        return began

    def _require_holder(self, holder: str) -> None:
        if holder != self._holder:
            raise _Replaced

    def roll_back(self, connection: Connection) -> None:
        """End a transaction without its changes, if one is open."""
        connection.is_late = lambda: False
        if connection.in_transaction:
            connection.send("rollback")

    def error(self, error: Exception, connection: Connection | None) -> Exception:  # noqa: ARG002  the error tells enough
        """Return the server's errors as the daemon's own, others as they are.

        The server's words may hold what was to be stored; only codes and names are logged.
        """
        match error:
            case TimeoutError() | psycopg.errors.QueryCanceled():
                return errors.StorageError(
                    "The query took too long and was stopped.",
                    "Ask for less: a shorter query, a filter.",
                )
            case _Replaced():
                self.health.warn(REPLACED)
                return errors.StorageError(REPLACED.detail, REPLACED.remedy)
            case _Unsettled():
                self.health.warn(UNREACHABLE)
                return errors.StorageError(
                    "The PostgreSQL server went away while this was stored; it may have been"
                    " stored.",
                    "Repeat the call with its idempotency_key, or look whether it is there.",
                )
            case psycopg.Error():
                return self._failure(error)
        return error

    def _failure(self, error: psycopg.Error) -> errors.StorageError:
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            self.health.warn(UNREACHABLE, code=error.sqlstate)
            return errors.StorageError(
                "The PostgreSQL server does not answer.",
                "Nothing was changed. Try again in a moment; the operator looks at the server.",
            )
        log.error(
            "statement_failed",
            error=type(error).__name__,
            code=error.sqlstate,
            table=error.diag.table_name,
            constraint=error.diag.constraint_name,
        )
        failure = errors.StorageError(
            f"The database failed ({type(error).__name__}).",
            "Nothing was changed. The daemon's log says why (statement_failed).",
        )
        failure.__cause__ = error
        return failure

    def close_writer(self, connection: Connection) -> None:
        """Close the connection that writes."""
        with suppress(psycopg.Error):
            connection.close()

    def close(self) -> None:
        """Do nothing: each reader closes its connection."""


def _milliseconds(seconds: float) -> int:
    """Return a time limit as the server takes it: 0 is none."""
    return 0 if seconds == inf else max(1, ceil(seconds * 1000))


def _lock(connection: Connection) -> bool:
    """Take the lock of the database; return whether nobody else has it."""
    return connection.script(f"select pg_try_advisory_lock({_LOCK})") == [(True,)]


def _why_not(error: psycopg.Error) -> str:
    """Return why the daemon cannot start on this server, and what to do."""
    match error:
        case psycopg.errors.InsufficientPrivilege():
            return (
                "The user of [storage] url has not the rights to make tables there. Let it own the"
                " database, or a schema named ashd."
            )
        case psycopg.OperationalError():
            return (
                f"There is no way to the PostgreSQL server: {_reason(error)}. Check in [storage]"
                " url the host, the user and the database (createdb makes one), the password in"
                " password_file or PGPASSFILE, and the server's certificate."
            )
    return f"The PostgreSQL server cannot be used ({type(error).__name__}, {error.sqlstate})."


def _reason(error: psycopg.Error) -> str:
    """Return the words of libpq: names and addresses, never content or the password."""
    first = str(error).strip().partition("\n")[0]
    return first.rpartition("FATAL:")[2].strip() or first
