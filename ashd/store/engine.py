"""The two engines a database can have, as `database.Database` and its transactions see them.

`sqlite.Sqlite` keeps the database in one file, `postgres.engine.Postgres` on a server.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import Any, NamedTuple, Protocol, TypeAlias

from ashd.store.commit_notes import Notes
from ashd.store.full_text_terms import Term
from ashd.store.health import Health

Params: TypeAlias = Sequence[Any] | Mapping[str, Any]
"""The parameters of a statement, in order or by name."""


class Rows(Protocol):
    """The rows of a statement."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Return the rows one by one."""

    def __next__(self) -> tuple[Any, ...]:
        """Return the next row."""

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that are left."""

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, or None."""


class Connection(Protocol):
    """A connection to the database, used by one thread at a time."""

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""

    def execute(self, sql: str, params: Params = (), /) -> Rows:
        """Run a statement."""

    def changes(self) -> int:
        """Return how many rows the last statement changed."""

    def total_changes(self) -> int:
        """Return how many rows were changed over this connection."""

    def close(self) -> None:
        """Close the connection."""


class Reference(NamedTuple):
    """A column that refers to the rows of a table."""

    table: str
    column: str
    to: str
    is_needed: bool
    """Whether the column must not be null."""


class Catalog(Protocol):
    """An engine's description of the tables of the store."""

    def tables(self, connection: Any) -> list[str]:
        """Return the names of all tables with rows of the store, in alphabetical order."""

    def references(self, connection: Any, table: str) -> list[Reference]:
        """Return the columns of a table that refer to another table, or to itself."""

    def broken_references(self, connection: Any) -> dict[str, int]:
        """Count the rows by table that refer to a row that is not there."""

    def columns(self, connection: Any, table: str) -> list[str]:
        """Return the columns of a table, the same on both engines."""

    def key(self, connection: Any, table: str) -> list[str]:
        """Return the columns by which a row is found in all databases."""

    def row_key(self, connection: Any, table: str) -> str:
        """Return the columns that identify a row of a table in one transaction."""

    def last_numbers(self, connection: Any) -> dict[str, int]:
        """Return the last number that each table has given to a row, of those that give any."""

    def continue_numbers(self, connection: Any, last: dict[str, int]) -> None:
        """Let the tables go on after these numbers."""


class Commit(NamedTuple):
    """A commit to the database: its number, in the order of commits, and its notes."""

    number: int
    notes: Notes


class Dialect(Protocol):
    """Operations inside a transaction that differ between engines."""

    @property
    def refused(self) -> type[Exception]:
        """Return the error of a change that a constraint refuses."""

    @property
    def catalog(self) -> Catalog:
        """Return the description of the tables."""

    def insert(self, connection: Any, sql: str, params: Params) -> int:
        """Insert a row; return its number, or 0 if nothing was inserted."""

    def append(self, connection: Any, sql: str, params: Params) -> int:
        """Insert a row that no constraint refuses; return its number."""

    def send(self, connection: Any, sql: str, params: Params) -> None:
        """Execute a change; a server may be sent it with a later statement, which then fails."""

    def together(
        self, connection: Any, statements: Sequence[tuple[str, Params]]
    ) -> list[list[tuple[Any, ...]]]:
        """Run queries that do not depend on one another; return the rows of each."""

    def expression(self, terms: Sequence[Term], scopes: Sequence[str] | None = None) -> str:
        """Return the full-text expression for rows with any of the terms, in one of the scopes."""

    def in_scopes(self, scopes: Sequence[str]) -> str:
        """Return the full-text expression for rows with one of these tokens as their scope."""

    def index_text(self, connection: Any, number: int, columns: Sequence[str]) -> None:
        """Add a row to the full-text index; the columns are scope, body, names, dates, grams."""

    def running_daemons(self, connection: Any) -> Collection[str]:
        """Return the names of the daemons that have the database open."""

    def server_time(self, connection: Any) -> int | None:
        """Return the time by the clock that all daemons have in common, if there is one."""


class Engine(Protocol):
    """Opens connections, and begins and commits transactions on them. One for a database."""

    health: Health
    daemon: str
    """The name of this run of the daemon, among those that use the database."""
    is_shared: bool
    """Whether other daemons may use the database at the same time."""
    last_commit: int
    """The number of the last commit when the database was opened; from 1."""
    next_commit: int
    """The number that the writer's commit will have with notes; 0 if only this daemon makes any."""

    @property
    def dialect(self) -> Dialect:
        """Return the dialect of its transactions."""

    def open_writer(self) -> Any:
        """Open the only connection that writes; the schema is brought up to date.

        Raises:
            errors.StartError: the database cannot be used; the message says why and what to do.
        """

    def open_reader(self) -> Any:
        """Open a connection that only reads.

        Raises:
            errors.StartError: the database cannot be read.
        """

    def long_read(self) -> AbstractContextManager[Any]:
        """Return a connection for a long read on another thread; nobody waits for it.

        Its transaction ends with it.
        """

    def begin_job(self, connection: Any) -> None:
        """Let the savepoint `job` begin here: what was done before it stays."""

    def end_job(self, connection: Any) -> None:
        """Refuse a job in which a statement failed, though its function returned.

        Raises:
            Exception: it is to be rolled back to its savepoint.
        """

    def begin_write(self, connection: Any, at_least: int) -> int | None:
        """Begin the only transaction of all daemons that writes, and the savepoint `job` in it.

        It is refused if the commit `at_least`, which the daemon has seen, is not there any more.
        Return the number of the last commit; None if only this daemon makes any.
        """

    def commit(self, connection: Any, notes: Notes | None, *, has_grown: bool) -> int | None:
        """Commit what was written; return once it is durable. `has_grown`: texts were indexed.

        Other daemons get the notes. Return the number under which they do; None if there is no
        other daemon.
        """

    def commits_after(self, connection: Any, number: int) -> list[Commit]:
        """Return the commits with notes after this one, in order.

        Raises:
            Exception: some are not kept any more; the engine makes an error of it.
        """

    def require_kept(self) -> None:
        """Refuse to acknowledge a commit that would be gone when the daemon stops.

        Raises:
            errors.StorageError
        """

    def begin_read(
        self,
        connection: Any,
        is_late: Callable[[], bool] = lambda: False,
        seconds: float = inf,
        at_least: int = 0,
    ) -> int | None:
        """Begin a snapshot; a statement is stopped after `seconds`, and once `is_late` says so.

        It is refused if the commit `at_least`, which the daemon has seen, is not there any more.
        Return the number of its last commit; None if only this daemon makes any.
        """

    def roll_back(self, connection: Any) -> None:
        """End a transaction without its changes, if one is open; a failing disk may fail it."""

    def error(self, error: Exception, connection: Any) -> Exception:
        """Return the engine's errors as the daemon's own, others as they are."""

    def lead(self, connection: Any) -> bool:
        """Return whether this daemon does the periodic work of all; take it on if nobody does.

        The connection is the writer's, outside of any transaction.
        """

    def close_writer(self, connection: Any) -> None:
        """Close the connection that writes, as the last one."""

    def close(self) -> None:
        """Close what else is open; no read is running any more."""
