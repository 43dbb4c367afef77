"""Check a whole database: every page, and whether the index fits its rows."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import apsw

from ashd.clock import Clock
from ashd.store import damage, doctor, index_rows, migrations
from ashd.store.connection import Reader, as_ash_error, connect, make_durable
from ashd.store.damage import Hurt
from ashd.store.doctor import Counts
from ashd.store.health import Health
from ashd.store.transaction import Tx


class Examined(NamedTuple):
    """The result of a check: the damage, and inconsistent index rows by `index_rows.UNFIT`."""

    hurt: Hurt
    unfit: dict[str, int]

    @property
    def is_sound(self) -> bool:
        """Return whether nothing is wrong."""
        return not self.hurt and not self.unfit


def examine(
    reader: Reader, clock: Clock, check: Callable[[], None], health: Health | None = None
) -> Examined:
    """Examine a database over a separate connection; calls `check` often, which may raise.

    Raises:
        errors.StorageError: it cannot be read at all, or the disk failed.
    """
    with _own_errors(health):
        hurt = damage.examine(reader, check)
        if hurt.by_disk and health is not None:
            health.failed(apsw.IOError())
        if hurt:
            return Examined(hurt, {})
        with reader() as connection:
            damage.interruptible(connection, check)
            return Examined(hurt, index_rows.unfit(Tx(connection, clock.now(), clock.new_id)))


def count(reader: Reader, clock: Clock) -> Counts | None:
    """Count the problems of a database; None if its schema is another ashd's.

    Raises:
        errors.StorageError: it cannot be read.
    """
    with _own_errors(), reader() as connection:
        tx = Tx(connection, clock.now(), clock.new_id)
        if tx.value("pragma user_version") != migrations.schema_files()[-1][0]:
            return None
        return doctor.count(tx)


def repair(path: Path, hurt: Hurt) -> None:
    """Rebuild what is damaged and derived, in a database that nobody else has open.

    Raises:
        errors.StorageError: what is damaged still is.
    """
    with _own_errors(), closing(connect(path, read_only=False)) as connection:
        make_durable(connection, path)
        damage.repair(connection, hurt)


@contextmanager
def _own_errors(health: Health | None = None) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise as_ash_error(error, health) from error
