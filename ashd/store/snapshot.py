"""A view of the database at one moment, on a separate connection, for as long as needed.

For long reads in parallel to the daemon's own: nobody waits for them.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from ashd.clock import Clock
from ashd.store.connection import as_ash_error, connect
from ashd.store.transaction import Tx


@contextmanager
def snapshot(path: Path, clock: Clock) -> Iterator[Tx]:
    """Yield a transaction that only reads.

    Raises:
        errors.StorageError: the database failed.
    """
    try:
        with closing(connect(path, read_only=True)) as connection:
            connection.execute("begin")
            yield Tx(connection, clock.now(), clock.new_id)
            connection.execute("rollback")
    except apsw.Error as error:
        raise as_ash_error(error) from error
