"""Move a home's database from its file to a PostgreSQL server, or back into a file.

No daemon runs meanwhile. The source is only read. The copy is one transaction, or a file that gets
its name at the end, so whatever stops it leaves nothing behind; then it is done again.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from ashd import errors
from ashd.clock import Clock
from ashd.config import Places, Settings
from ashd.ops import files
from ashd.store import engines, migrations, moving
from ashd.store.connection import connect, own_errors
from ashd.store.moving import Progress
from ashd.store.transaction import Tx

_SCHEMES: Final = ("postgresql://", "postgres://")


class Moved(msgspec.Struct, frozen=True):
    """A database that was copied and compared; `rows` are those of all tables."""

    to: str
    memories: int
    rows: int


def move(
    settings: Settings,
    places: Places,
    to: str,
    password_file: Path | None,
    clock: Clock,
    show: Progress,
) -> Moved:
    """Copy the database to the other engine, and compare every row.

    The caller holds the lock of the file, and has unlocked it.

    Raises:
        errors.StartError: one of the two cannot be used, or is in use.
        errors.InvalidParams: there is a file of this name, or the target has rows.
        errors.StorageError: one of the two failed; nothing was moved.
    """
    is_server = to.startswith(_SCHEMES)
    if is_server == (settings.storage.url is not None):
        raise errors.InvalidParams(
            "The database is on a server already."
            if is_server
            else "The database is a file already.",
            "A server's own tools copy it to another server; `ash db backup` copies a file.",
        )
    if is_server:
        with (
            _from_file(places, clock) as source,
            _to_server(to, password_file, places, clock) as target,
        ):
            counts = _copy(source, target, show)
    else:
        file = Path(to).absolute()
        to = str(file)
        with _from_server(settings, places, clock) as source, _to_file(file, clock) as target:
            counts = _copy(source, target, show)
    return Moved(to, counts["memories"], sum(counts.values()))


def _copy(source: Tx, target: Tx, show: Progress) -> dict[str, int]:
    if any(moving.row_counts(target).values()):
        raise errors.InvalidParams(
            "The database to move to is not empty.", "Make a new one, or clear that one first."
        )
    return moving.copy_and_compare(source, target, show)


@contextmanager
def _from_file(places: Places, clock: Clock) -> Iterator[Tx]:
    if not places.database.exists():
        raise errors.StartError(f"There is no database at {places.database}.")
    with own_errors(), closing(connect(places.database, read_only=True)) as connection:
        tx = Tx(connection, clock.now(), clock.new_id)
        migrations.require_newest(tx)
        connection.execute("begin")
        yield tx
        connection.execute("rollback")


@contextmanager
def _to_file(path: Path, clock: Clock) -> Iterator[Tx]:
    with files.new_file(path) as part, moving.into_file(part, clock) as tx:
        yield tx


@contextmanager
def _from_server(settings: Settings, places: Places, clock: Clock) -> Iterator[Tx]:
    storage = settings.storage
    password_file = Path(storage.password_file).expanduser() if storage.password_file else None
    engine = _engine(storage.url or "", password_file, places)
    with _alone(engine) as connection:
        connection.script("begin isolation level repeatable read read only")
        yield Tx(connection, clock.now(), clock.new_id, dialect=engine.dialect)


@contextmanager
def _to_server(url: str, password_file: Path | None, places: Places, clock: Clock) -> Iterator[Tx]:
    engine = _engine(url, password_file, places)
    with _alone(engine) as connection:
        connection.script("begin")
        with engine.dialect.catalog.without_references(connection):
            yield Tx(connection, clock.now(), clock.new_id, dialect=engine.dialect)
        connection.script("commit")


def _engine(url: str, password_file: Path | None, places: Places) -> Any:
    return engines.postgres().Postgres(url, password_file, places.database)


@contextmanager
def _alone(engine: Any) -> Iterator[Any]:
    """Yield a connection of the only program that uses a database of a server.

    Raises:
        errors.StartError: it cannot be used.
        errors.StorageError: it failed.
    """
    try:
        with engine.alone() as connection:
            yield connection
    except Exception as error:
        raise engine.error(error, None) from error
