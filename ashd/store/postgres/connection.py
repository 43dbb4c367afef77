"""A connection to the server: it runs the store's statements, and is made again after a loss."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf
from typing import Any, Final

import psycopg
from psycopg import generators
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumperUnknown, TextLoader

from ashd.store.engine import Params
from ashd.store.postgres.pipeline import Pipeline
from ashd.store.transaction import Row

_SETTINGS: Final = {
    "search_path": "ashd, pg_catalog, pg_temp",
    "join_collapse_limit": "1",  # statements join their tables in the best order already
    "enable_memoize": "off",  # the rows of a list differ: what was found for one is not asked again
    "plan_cache_mode": "force_generic_plan",  # planning a statement takes longer than running it
    "jit": "off",  # compiling a statement takes longer than running it
    "timezone": "UTC",
    # Statements and values are written and read as these say.
    "client_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "extra_float_digits": "1",
    "client_min_messages": "warning",  # a commit that did not wait for the standby warns of that
    "default_transaction_isolation": "read committed",
    # The daemon bounds its transactions itself, whatever is set for the role.
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
    "transaction_timeout": "0",
    # The server notices in half a minute that this machine is gone, and lets another daemon in.
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_SET: Final = (
    "select set_config(name, value, false) from pg_settings join json_each_text(%s) on key = name"
)
"""Only settings that this server has: one is newer than the oldest server."""
_DURABLE: Final = (
    "select set_config('synchronous_commit', 'on', false)"
    " where current_setting('synchronous_commit') in ('off', 'local')"
)
"""Acknowledged is what is on the disk and at the standby that is waited for, whatever is set for
the role; more than that stays."""
_TELL_SECONDS: Final = 5.0
"""Seconds for telling the server to stop, over a connection of its own."""
_READING: Final = ("select", "with", "begin", "commit")
_OF_SAVEPOINTS: Final = ("savepoint", "release", "rollback")


class Raw(psycopg.Connection[Any]):
    """A connection of the driver that does not wait forever for a server that says nothing."""

    patience = inf
    """Seconds to wait for the answer to a statement."""
    is_unwanted: Callable[[], bool] = staticmethod(lambda: False)
    """Whether nobody waits for that answer any more."""

    def wait(self, gen: Any, *args: Any, **options: Any) -> Any:
        """Run what the driver waits for."""
        return super().wait(self._bounded(gen), *args, **options)

    def _bounded(self, gen: Any) -> Any:
        """Pass a generator on; it is asked now and then, also if nothing has come.

        The server is told to stop once nobody waits any more; it answers that it did.

        Raises:
            psycopg.OperationalError: nothing came for too long; the connection is closed.
        """
        until = time.monotonic() + self.patience
        is_told = False
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > until:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"no answer in {self.patience:.0f} s")
                if not ready and not is_told and self.is_unwanted():
                    is_told = True
                    with suppress(psycopg.Error):  # its own limit of time stops the statement, too
                        self.cancel_safe(timeout=_TELL_SECONDS)
                wanted = gen.send(ready)
        except StopIteration as done:
            return done.value


class _Number(Loader):
    """Loads a sum or an average as a number of Python."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        try:
            return int(text)
        except ValueError:
            return float(text)


class Found:
    """The rows of a statement; it has them all."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def __next__(self) -> Row:
        return next(self._rows)

    def fetchall(self) -> list[Row]:
        """Return all rows that are left."""
        return list(self._rows)

    def fetchone(self) -> Row | None:
        """Return the next row, or None."""
        return next(self._rows, None)


class Connection:
    """A connection, used by one thread at a time."""

    def __init__(self, conninfo: str) -> None:
        """Connect.

        Raises:
            psycopg.Error
        """
        self._conninfo = conninfo
        self._changes = 0
        self._total_changes = 0
        self.is_late: Callable[[], bool] = lambda: False
        """Whether the time of a read is over, or its caller has gone."""
        self.leads = False
        """Whether the daemon's lead is a lock of this connection."""
        self.was_warned = False
        """Whether the server has warned, as it does if a commit waits no more for the standby."""
        self.next_numbers: dict[str, int] | None = None
        """The numbers of the next rows by table, as far as known; None if no job of the writer
        runs: then nothing is deferred.
        """
        self._deferred: list[tuple[str, Params]] = []
        """Changes to be sent with the next statement."""
        self._told: dict[int, int] = {}
        """The row numbers that some of them must return, by their places."""
        self._patience = inf
        self.raw: Raw
        self.connect()

    def be_patient(self, seconds: float) -> None:
        """Wait no longer for the answer to a statement, also after connecting anew."""
        self._patience = self.raw.patience = seconds

    def connect(self) -> None:
        """Connect anew.

        Raises:
            psycopg.Error
        """
        self.leads = False
        self._forget()
        self.raw = Raw.connect(self._conninfo, autocommit=True)
        try:
            self._set_up()
        except psycopg.Error:
            self.raw.close()
            raise

    def _set_up(self) -> None:
        """Let the server and the driver treat what the store sends and reads as it needs."""
        self.raw.patience = self._patience
        self.raw.is_unwanted = self._is_unwanted
        # One type for all, so that a statement is prepared once; a text has the type of its place.
        self.raw.adapters.register_dumper(int, Int8Dumper)
        self.raw.adapters.register_dumper(str, StrDumperUnknown)
        for kind in ("json", "jsonb"):
            self.raw.adapters.register_loader(kind, TextLoader)  # its text, as SQLite gives it
        self.raw.adapters.register_loader("numeric", _Number)
        self.raw.execute(_SET, (json.dumps(_SETTINGS),))
        self.raw.execute(_DURABLE)
        self._pipeline = Pipeline(self.raw)
        self._has_sent = False
        self.was_warned = False
        self.raw.add_notice_handler(self._note)

    def _is_unwanted(self) -> bool:
        return self.is_late()

    def _note(self, notice: psycopg.errors.Diagnostic) -> None:
        self.was_warned |= notice.severity_nonlocalized == "WARNING"

    @property
    def is_lost(self) -> bool:
        """Return whether the server closed the connection, as far as is known."""
        return self.raw.closed

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""
        self._collect()
        status = self.raw.info.transaction_status
        return status not in {TransactionStatus.IDLE, TransactionStatus.UNKNOWN}

    @property
    def has_failed(self) -> bool:
        """Return whether a statement of the transaction failed, and no rollback followed."""
        self._collect()
        return self.raw.info.transaction_status == TransactionStatus.INERROR

    def send(self, sql: str) -> None:
        """Send statements without waiting for the server, whose answer the next one reads.

        It is for those on which nothing depends before the next one.
        """
        if sql.startswith("rollback"):  # also of what was deferred: the savepoint came before
            self._deferred, self._told = [], {}
            if self.next_numbers is not None:
                self.next_numbers.clear()
        else:
            self.flush()
        self._collect()
        self.raw.pgconn.send_query(sql.encode())
        self.raw.wait(generators.send(self.raw.pgconn))
        self._has_sent = True

    def _collect(self) -> list[PGresult]:
        """Wait for the server's answers to what was sent, if anything was."""
        if not self._has_sent:
            return []
        self._has_sent = False
        results: list[PGresult] = self.raw.wait(generators.fetch_many(self.raw.pgconn))
        for result in results:
            if result.status == ExecStatus.FATAL_ERROR:
                raise psycopg.errors.error_from_result(result)
        return results

    def script(self, sql: str) -> list[Row]:
        """Run several statements without parameters at once; return the rows of the last one.

        Raises:
            psycopg.Error: also for a commit of a transaction in which a statement had failed.
        """
        self.send(sql)
        last = self._collect()[-1]
        if sql.endswith("commit") and last.command_status != b"COMMIT":
            raise psycopg.errors.InFailedSqlTransaction("rolled back in place of the commit")
        return self._pipeline.rows(last)

    def execute(self, sql: str, params: Params = (), /) -> Found:
        """Run a statement of the store.

        Raises:
            TimeoutError: the time of the read is over.
            psycopg.Error
        """
        if self.is_late():
            raise TimeoutError
        if sql.startswith(_OF_SAVEPOINTS):
            self.send(sql)
            return Found([])
        [result] = self._run(((sql, params),))
        if not sql.startswith(_READING):
            self._changes = result.command_tuples or 0
            self._total_changes += self._changes
        return Found(self._pipeline.rows(result))

    def together(self, statements: Sequence[tuple[str, Params]]) -> list[list[Row]]:
        """Run queries in one round trip; return the rows of each.

        Raises:
            TimeoutError: the time of the read is over.
            psycopg.Error
        """
        if self.is_late():
            raise TimeoutError
        return [self._pipeline.rows(result) for result in self._run(statements)]

    def defer(self, sql: str, params: Params, number: int | None = None) -> None:
        """Send a change of a job with the next statement, which fails if it does.

        With a `number`, it fails unless that is the number of the row that it inserts.
        """
        if self.next_numbers is None:
            self.execute(sql, params)
            return
        if number is not None:
            self._told[len(self._deferred)] = number
        self._deferred.append((sql, params))
        self._total_changes += 1

    def flush(self) -> None:
        """Wait until the server has made all changes that were deferred.

        Raises:
            psycopg.Error: it refused one.
        """
        if self._deferred:
            self._run(())

    def _run(self, statements: Sequence[tuple[str, Params]]) -> list[PGresult]:
        """Run what was deferred, and these, in one round trip; return the results of these."""
        deferred, told = self._deferred, self._told
        self._deferred, self._told = [], {}
        self._collect()
        results = self._pipeline.run([*deferred, *statements])
        if any(
            self._pipeline.rows(results[place]) != [(number,)] for place, number in told.items()
        ):
            raise psycopg.InternalError("a row has another number than it was to have")
        return results[len(deferred) :]

    def _forget(self) -> None:
        """Know nothing of a transaction any more."""
        self._deferred, self._told, self.next_numbers = [], {}, None

    def changes(self) -> int:
        """Return how many rows the last change changed."""
        return self._changes

    def total_changes(self) -> int:
        """Return how many rows were changed over this connection."""
        return self._total_changes

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()
