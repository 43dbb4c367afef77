"""A view of the database at one moment, on a separate connection, for as long as needed.

For long reads in parallel to the daemon's own: nobody waits for them.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from ashd.clock import Clock
from ashd.store.connection import Reader, as_ash_error
from ashd.store.transaction import Tx


@contextmanager
def snapshot(reader: Reader, clock: Clock) -> Iterator[Tx]:
    """Yield a transaction that only reads.

    Raises:
        errors.StorageError: the database failed.
    """
    try:
        with reader() as connection:
            connection.execute("begin")
            yield Tx(connection, clock.now(), clock.new_id)
            connection.execute("rollback")
    except apsw.Error as error:
        raise as_ash_error(error) from error
