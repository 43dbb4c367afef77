"""Choose the engine of a database: SQLite's for a file, PostgreSQL's for a URL."""

from pathlib import Path
from typing import Any

from ashd import errors
from ashd.clock import Clock
from ashd.store.engine import Engine
from ashd.store.sqlite import Sqlite


def engine_of(path: Path, clock: Clock, url: str | None, password_file: Path | None) -> Engine:
    """Return the engine of the file at `path`, or of a server if there is a `url`.

    Raises:
        errors.StartError: it cannot be used.
    """
    if url is None:
        return Sqlite(path, clock)
    engine: Engine = postgres().Postgres(url, password_file, path)
    return engine


def postgres() -> Any:
    """Import the module of the engine for PostgreSQL, which only some installations have.

    Raises:
        errors.StartError: its package is missing.
    """
    try:
        from ashd.store.postgres import engine  # noqa: PLC0415  needs an optional package
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("psycopg"):
            raise
        raise errors.StartError(
            "[storage] url needs the package psycopg: install 'ashd[postgres]' in place of ashd."
        ) from error
    return engine
