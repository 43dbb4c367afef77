"""A server for the tests of this folder: the one that runs already, or one of their own."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from urllib.parse import urlsplit

import postgres_server
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ashd.store.postgres.connection import Connection

_numbers = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a database at a server, by a role that may make others."""
    running = os.environ.get("ASH_TEST_POSTGRES")
    if running:
        yield running
        return
    with postgres_server.needed() as own:
        yield own.url


@pytest.fixture
def url(server: str) -> Iterator[str]:
    """The address of a new and empty database."""
    name = f"ash_unit_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"create database {name}")
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
        admin.execute(f"drop database {name} with (force)")


@pytest.fixture
def empty(server: str) -> Iterator[Callable[[], Connection]]:
    """Connects to a new and empty database, as often as it is called."""
    made: list[tuple[str, Connection]] = []
    with psycopg.connect(server, autocommit=True) as admin:

        def connect() -> Connection:
            name = f"ash_unit_{os.getpid()}_{next(_numbers)}"
            admin.execute(f"create database {name}")
            made.append((name, Connection(make_conninfo(server, dbname=name))))
            return made[-1][1]

        yield connect
        for name, connection in made:
            connection.close()
            admin.execute(f"drop database {name} with (force)")
