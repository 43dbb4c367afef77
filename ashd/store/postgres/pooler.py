"""Refuse a pooler between the daemon and the server that takes a connection's state away.

Locks, settings and prepared statements of a daemon belong to one process of the server. A pooler
that pools transactions (PgBouncer in transaction mode) may give each transaction another one.
"""

from typing import Final

import psycopg

from ashd import errors
from ashd.store.postgres import failures
from ashd.store.postgres.connection import Connection

_PROCESS: Final = "select pg_backend_pid()"


def require_whole_sessions(connection: Connection, conninfo: str) -> None:
    """Make sure that a connection keeps its process of the server, as far as a try shows.

    Raises:
        errors.StartError: it does not keep it, or the server does not answer.
    """
    try:
        [(own,)] = connection.script(_PROCESS)
        if own == connection.raw.info.backend_pid:
            return  # a pooler gives a number of its own
        other = Connection(conninfo)
        try:
            # While this transaction lasts, nobody else can have its process.
            [(taken,)] = other.script(f"begin; {_PROCESS}")
            keeps = taken != own and connection.script(_PROCESS) == [(own,)]
        finally:
            other.close()
    except psycopg.Error as error:
        raise errors.StartError(failures.why_not(error)) from error
    if not keeps:
        raise errors.StartError(
            "A pooler gives each transaction another connection to the PostgreSQL server, and ashd"
            " needs its own. Let it pool sessions (PgBouncer: pool_mode = session), or name the"
            " server itself in [storage] url."
        )
