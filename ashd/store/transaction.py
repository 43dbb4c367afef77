"""A transaction, as the domain sees it: it runs SQL and records who can see a change."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from ashd import errors
from ashd.clock import FOREVER
from ashd.store.change_tracker import Key
from ashd.store.engine import Connection, Dialect, Params
from ashd.store.sqlite_dialect import SqliteDialect

T = TypeVar("T")
Row = tuple[Any, ...]
Query = tuple[str, Params]
"""A query and its parameters, by place or by name."""


class GaveWay(Exception):
    """Stops an unfinished read, so that others can use the reader; it is run again after them."""


class _Rehearsed(Exception):
    """Rolls back a rehearsal."""


class Tx:
    """A transaction: the domain's access to the database, valid until its function returns."""

    def __init__(
        self,
        connection: Connection,
        now: int,
        new_id: Callable[[], str],
        generation: int = 0,
        *,
        clock_in_doubt: bool = False,
        dialect: Dialect | None = None,
    ) -> None:
        self._connection = connection
        self.dialect: Dialect = dialect or SqliteDialect()
        self.now = now
        self.new_id = new_id
        self.until = math.inf
        """The deadline for releasing the writer thread, by the monotonic clock."""
        self.is_late: Callable[[], bool] = lambda: False
        """Whether the time of a read is over, or its caller has gone."""
        self.generation = generation
        """The number of commits that changed what a reader may find; cache entries are valid for
        one.
        """
        self.clock_in_doubt = clock_in_doubt
        """Whether the machine's clock jumped, so that the age of rows is unknown."""
        self.changed: set[Key] = set()
        self.grown: set[Key] = set()
        self.revised: dict[Key, set[int]] = {}
        self.deleted: list[int] = []
        """The passages that this transaction deletes."""
        self.topics: set[str] = set()
        self.acting: tuple[int, frozenset[int]] | None = None
        """The account that acts, and those joined to it; None if none is joined."""
        self._unwritten: tuple[int, dict[Any, Any]] = (0, {})
        """Cached values, valid while the connection has counted this number of changed rows."""
        self._ahead: dict[Any, list[Row]] = {}
        """Rows of queries that were asked ahead, by the query."""
        self.progress: dict[Any, Any] | None = None
        """Results that a read keeps for its next run if it gives way; None if it cannot give way.
        """

    @property
    def connection(self) -> Any:
        """The connection itself, for an engine's own work outside of any transaction."""
        return self._connection

    def before(self, age: int) -> int:
        """Return the time before which rows are so old; while the clock is in doubt, no row is."""
        return -FOREVER if self.clock_in_doubt else self.now - age

    def touch(self, *keys: tuple[str, int | None]) -> None:
        """Declare who may see a change: chats, accounts and people, as ("chat", row number)."""
        self.changed.update((kind, number) for kind, number in keys if number is not None)

    def grow(self, *keys: tuple[str, int | None]) -> None:
        """Declare who may see new rows, which leave existing memories and messages unchanged."""
        self.grown.update((kind, number) for kind, number in keys if number is not None)

    def revise(self, memory: int, *keys: tuple[str, int | None]) -> None:
        """Declare who may see the change of one memory, which leaves all others unchanged."""
        for kind, number in keys:
            if number is not None:
                self.revised.setdefault((kind, number), set()).add(memory)

    def tell(self, topic: str) -> None:
        """Let a part of other daemons read again what it holds in memory, once this is committed.

        The part is registered under the topic (`ops.other_daemons`).
        """
        self.topics.add(topic)

    def give_way(self) -> None:
        """Let other waiting reads go first, if much is left to do.

        The whole function is then run again in a new snapshot, so its results so far must be in a
        cache or in `progress`.
        """
        if self.progress is not None:
            raise GaveWay

    def check_time(self) -> None:
        """Raise if the time is over or the caller has gone; for work that still has much to do.

        Raises:
            errors.TimedOut
        """
        if time.monotonic() > self.until or self.is_late():
            raise errors.TimedOut(
                "This takes the daemon too long.",
                "Send less in a call, and the rest later.",
                retryable=True,
            )

    def until_written(self, key: Any, read: Callable[[], T]) -> T:
        """Return the result of `read`, cached until this transaction writes a row."""
        changes = self._connection.total_changes()
        if self._unwritten[0] != changes:
            self._unwritten = (changes, {})
        values = self._unwritten[1]
        if key not in values:
            values[key] = read()
        found: T = values[key]
        return found

    def all(self, sql: str, *params: Any) -> list[Row]:
        """Every row."""
        return self._rows(sql, params)

    def named(self, sql: str, params: dict[str, Any]) -> list[Row]:
        """Every row of a statement whose parameters go by name."""
        return self._rows(sql, params)

    def _rows(self, sql: str, params: Params) -> list[Row]:
        found = self._ahead.pop(_key(sql, params), None) if self._ahead else None
        return self._connection.execute(sql, params).fetchall() if found is None else found

    def ask_ahead(self, *queries: Query) -> None:
        """Ask queries that `all` and `named` are asked later in a read: a server, all at once.

        Each of them is then asked once without the server.
        """
        keys = (_key(*query) for query in queries)
        self._ahead.update(zip(keys, self.together(*queries), strict=True))

    def together(self, *statements: Query) -> list[list[Row]]:
        """Every row of each of several queries; a server is asked them all at once."""
        return self.dialect.together(self._connection, statements)

    def each(self, sql: str, params: dict[str, Any]) -> Iterator[Row]:
        """Return the rows of a statement whose parameters go by name, one by one."""
        return self._connection.execute(sql, params)

    def one(self, sql: str, *params: Any) -> Row | None:
        """The first row, or None."""
        row: Row | None = self._connection.execute(sql, params).fetchone()
        return row

    def value(self, sql: str, *params: Any) -> Any:
        """The first column of the first row; the statement always has one."""
        row = self._connection.execute(sql, params).fetchone()
        assert row is not None
        return row[0]

    def run(self, sql: str, *params: Any) -> int:
        """Execute a change; return how many rows were changed."""
        self._connection.execute(sql, params)
        return self._connection.changes()

    def run_named(self, sql: str, params: dict[str, Any]) -> int:
        """Execute a change with named parameters; return how many rows were changed."""
        self._connection.execute(sql, params)
        return self._connection.changes()

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Run a block in a savepoint, which is rolled back if the block raises."""
        self._connection.execute("savepoint part")
        deleted = len(self.deleted)
        try:
            yield
            self._connection.execute("release part")
        except BaseException:
            del self.deleted[deleted:]
            self._unwritten = (0, {})  # the count of changes does not go back with them
            if self._connection.in_transaction:
                self._connection.execute("rollback to part")
                self._connection.execute("release part")
            raise

    def rehearse(self, work: Callable[[], T]) -> T:
        """Run a function for its result only: everything that it changed is rolled back."""
        with suppress(_Rehearsed), self.savepoint():
            result = work()
            raise _Rehearsed
        return result

    def insert(self, sql: str, *params: Any) -> int:
        """Insert a row; return its number, or 0 if there is such a row (`on conflict do nothing`).

        No other row had the number while the daemon runs.
        """
        return self.dialect.insert(self._connection, sql, params)

    def append(self, sql: str, *params: Any) -> int:
        """Insert a row that no constraint refuses; return its number, as `insert` does.

        A server is sent it as by `send`.
        """
        return self.dialect.append(self._connection, sql, params)

    def send(self, sql: str, *params: Any) -> None:
        """Execute a change that does nothing before the next statement, and whose count is unread.

        A server is sent it with that statement, which fails if it does, or at the end.
        """
        self.dialect.send(self._connection, sql, params)

    def index_text(self, number: int, columns: Sequence[str]) -> None:
        """Add a row to the full-text index; the columns are scope, body, names, dates, grams."""
        self.dialect.index_text(self._connection, number, columns)


Work = Callable[[Tx], T]
"""A function that the database runs in one transaction."""


def _key(sql: str, params: Params) -> tuple[str, tuple[Any, ...]]:
    return sql, tuple(params.items() if isinstance(params, dict) else params)
