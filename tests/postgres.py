"""Databases on the server of ASH_TEST_POSTGRES, each in the place of the file at a path.

They are copies of a template that ashd migrated once. Without the variable, this has no effect.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from ashd.clock import SystemClock
from ashd.store.database import Database

SERVER: Final = os.environ.get("ASH_TEST_POSTGRES")
"""The URL of a database on a server, by a role that may create others."""

_TEMPLATE: Final = "ash_template"
_MAKING_THE_TEMPLATE: Final = 32
"""The advisory lock of the process that makes the template."""


class Databases:
    """The databases of one test process, by path. They are made when they are first asked for."""

    def __init__(self, server: str, open_database: Callable[..., Database]) -> None:
        self._server = server
        self._open = open_database
        self._made: dict[str, str] = {}
        """The URLs of those that are there, by name."""
        self._kept: set[str] = set()

    @cached_property
    def _admin(self) -> Any:
        import psycopg

        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute("select pg_advisory_lock(%s)", (_MAKING_THE_TEMPLATE,))
            found = "select 1 from pg_database where datname = %s"
            if not connection.execute(found, (_TEMPLATE,)).fetchone():
                # Under its name only when it is whole.
                connection.execute(f"drop database if exists {_TEMPLATE}_begun with (force)")
                connection.execute(f"create database {_TEMPLATE}_begun")
                begun = self._url(f"{_TEMPLATE}_begun")
                self._open(Path("/nonexistent"), SystemClock(), url=begun).close()
                connection.execute(f"alter database {_TEMPLATE}_begun rename to {_TEMPLATE}")
        return psycopg.connect(self._server, autocommit=True)

    def _url(self, name: str) -> str:
        return urlsplit(self._server)._replace(path=f"/{name}").geturl()

    def at(self, path: Path) -> str:
        """The URL of the database in place of the file at `path`."""
        name = _name(path)
        if name not in self._made:
            self._drop(name)  # an earlier run's
            # Copying files is the faster strategy where a checkpoint syncs nothing.
            self._admin.execute(f"create database {name} template {_TEMPLATE} strategy file_copy")
            self._made[name] = self._url(name)
        return self._made[name]

    def keep(self, path: Path) -> None:
        """Keep the database longer than its test: until it is dropped by its path."""
        self._kept.add(_name(path))

    def drop(self, path: Path) -> None:
        """Drop a database, even if somebody is still connected."""
        self._kept.discard(_name(path))
        self._drop(_name(path))

    def names(self) -> set[str]:
        """The databases that are there."""
        return set(self._made)

    def drop_others(self, names: set[str]) -> None:
        """Drop all databases but these and those that are kept."""
        for name in self.names() - names - self._kept:
            self._drop(name)

    def _drop(self, name: str) -> None:
        self._admin.execute(f"drop database if exists {name} with (force)")
        self._made.pop(name, None)


def _name(path: Path) -> str:
    return "ash_" + hashlib.sha256(bytes(path.absolute())).hexdigest()[:24]


def _over_postgres(server: str) -> Databases:
    """Have `Database.open` take a database of the server where no URL is given."""
    original = cast("Callable[..., Database]", Database.open)
    databases = Databases(server, original)

    def opened(
        _: type[Database], path: Path, clock: Any, url: str | None = None, *others: Any
    ) -> Database:
        return original(path, clock, url or databases.at(path), *others)

    Database.open = classmethod(opened)  # type: ignore[assignment,method-assign]
    return databases


DATABASES: Final = _over_postgres(SERVER) if SERVER else None


def environment(home: Path) -> dict[str, str]:
    """The variables that a daemon on this home is started with."""
    return {"ASH_STORAGE_URL": DATABASES.at(_of(home))} if DATABASES else {}


def keep(home: Path) -> None:
    """Keep the database of a home until `drop`, whichever test began it."""
    if DATABASES:
        DATABASES.keep(_of(home))


def drop(home: Path) -> None:
    """Drop the database of a home."""
    if DATABASES:
        DATABASES.drop(_of(home))


def _of(home: Path) -> Path:
    return home / "data" / "ash.db"
