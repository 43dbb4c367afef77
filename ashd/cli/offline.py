"""Commands that work on the database's files themselves, while no daemon runs."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ashd.cli.caller import Caller

if TYPE_CHECKING:
    from ashd.config import Places


@contextmanager
def places(caller: Caller) -> Iterator["Places"]:
    """Yield the daemon's places and hold the lock of its database.

    Raises:
        AshCallError: a daemon runs, or what is done in the block failed.
    """
    from ashd import errors
    from ashd.cli import settings_file
    from ashd.ops import locks
    from ashd_client.protocol import AshCallError

    try:
        config_file = os.environ.get("ASH_CONFIG")
        _, found = settings_file.load(caller.home, Path(config_file) if config_file else None, None)
        found.database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locks.hold(locks.of_database(found.database), "database"):
            yield found
    except errors.StartError as error:
        raise AshCallError(str(error), kind="conflict", code=errors.Conflict.code) from error
    except errors.AshError as error:
        raise AshCallError(
            error.message, kind=error.kind, code=error.code, hint=error.hint
        ) from error


def into(bar: Any) -> Callable[[int, int], None]:
    """Return a function that shows `done` of `total` in a progress bar."""

    def show(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    return show
