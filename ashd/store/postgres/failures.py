"""The failures of a PostgreSQL server, as errors of the daemon and as warnings.

The server's words may hold what was to be stored; only codes and names are logged.
"""

from typing import Final

import psycopg

from ashd import errors, log
from ashd.store.health import Health, Warned

WAIT_SECONDS: Final = 30
"""Seconds for which a transaction waits for the one of another daemon, or may stand idle."""
_TOO_MANY: Final = ("too many", "connection slots are reserved")
"""Words of a server that takes no more connections."""
UNREACHABLE: Final = Warned(
    "server_unreachable",
    "The PostgreSQL server does not answer: nothing is stored or found.",
    "Look at the server and the network; the daemon goes on by itself.",
)
_NO_ANSWER: Final = ("08", "57", "53300")
"""Beginnings of the codes of errors that end a connection, or let it not begin."""
DISK_FULL: Final = Warned(
    "disk_full",
    "The disk of the PostgreSQL server is full: nothing new is stored.",
    "Free space there; writes go on by themselves.",
)
OUT_OF_TOUCH: Final = Warned(
    "out_of_touch",
    "This ashd was out of touch with the database for longer than changes are kept for it, or a"
    " server without the last of them took over.",
    "Restart it. It answers nothing from the database until then.",
)
UPGRADED: Final = Warned(
    "database_upgraded",
    "A newer ashd has upgraded the database.",
    "Install the newer ashd here too, and restart. This one answers nothing from the database.",
)


class OutOfTouch(Exception):
    """Notes of commits that this daemon has not seen are removed."""


class Upgraded(Exception):
    """The schema is not the one that this daemon knows."""


class Unsettled(Exception):
    """The server went away during a commit, and it is not known whether it was made."""


def as_ash_error(error: Exception, health: Health) -> Exception:
    """Return the server's errors as the daemon's own, others as they are."""
    match error:
        case TimeoutError() | psycopg.errors.QueryCanceled():
            return errors.StorageError(
                "The query took too long and was stopped.",
                "Ask for less: a shorter query, a filter.",
            )
        case OutOfTouch():
            health.warn(OUT_OF_TOUCH)
            return errors.StorageError(OUT_OF_TOUCH.detail, OUT_OF_TOUCH.remedy)
        case Upgraded():
            health.warn(UPGRADED)
            return errors.StorageError(UPGRADED.detail, UPGRADED.remedy)
        case psycopg.errors.LockNotAvailable():
            return errors.StorageError(
                f"Another ashd on this database has been writing for {WAIT_SECONDS} s.",
                "Nothing was changed. Try again in a moment.",
            )
        case psycopg.errors.IdleInTransactionSessionTimeout():
            return errors.StorageError(
                f"This stood still for {WAIT_SECONDS} s, so the PostgreSQL server ended it.",
                "Nothing was changed. Try again in a moment.",
            )
        case Unsettled():
            health.warn(UNREACHABLE)
            return errors.StorageError(
                "The PostgreSQL server went away while this was stored; it may have been stored.",
                "Repeat the call with its idempotency_key, or look whether it is there.",
            )
        case psycopg.errors.InsufficientPrivilege():
            return errors.StorageError(
                "The PostgreSQL server refused it: the user lacks the right.",
                "Nothing was changed. Let the user own the database, or a schema named ashd.",
            )
        case psycopg.errors.DiskFull():
            health.warn(DISK_FULL)
            return errors.StorageError(DISK_FULL.detail, "Nothing was changed. Free space there.")
        case psycopg.Error():
            return _failure(error, health)
    return error


def _failure(error: psycopg.Error, health: Health) -> errors.StorageError:
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and (
        error.sqlstate is None or error.sqlstate.startswith(_NO_ANSWER)
    ):
        reason = _reason(error) if error.sqlstate is None else None
        health.warn(UNREACHABLE, code=error.sqlstate, reason=reason)
        return errors.StorageError(
            "The PostgreSQL server does not answer.",
            "Nothing was changed. Try again in a moment; the operator looks at the server.",
        )
    log.error(
        "statement_failed",
        error=type(error).__name__,
        code=error.sqlstate,
        table=error.diag.table_name,
        constraint=error.diag.constraint_name,
    )
    failure = errors.StorageError(
        f"The database failed ({type(error).__name__}).",
        "Nothing was changed. The daemon's log says why (statement_failed).",
    )
    failure.__cause__ = error
    return failure


def why_not(error: psycopg.Error) -> str:
    """Return why the daemon cannot start on this server, and what to do."""
    match error:
        case psycopg.errors.InsufficientPrivilege():
            return (
                "The user of [storage] url has not the rights to make tables there. Let it own the"
                " database, or a schema named ashd."
            )
        case psycopg.OperationalError() if "read-only" in str(error):
            return (
                "The PostgreSQL server takes no writes: it is a standby, or made read-only. Name in"
                " [storage] url the one that takes them, or all of them."
            )
        case psycopg.OperationalError() if any(one in str(error) for one in _TOO_MANY):
            return (
                f"The PostgreSQL server takes no more connections: {_reason(error)}. Raise"
                " max_connections, or the limit of the role or database; an ashd needs 4."
            )
        case psycopg.OperationalError():
            return (
                f"There is no way to the PostgreSQL server: {_reason(error)}. Check in [storage]"
                " url the host, the user and the database (createdb makes one), the password in"
                " password_file or PGPASSFILE, and the server's certificate."
            )
    return f"The PostgreSQL server cannot be used ({type(error).__name__}, {error.sqlstate})."


def _reason(error: psycopg.Error) -> str:
    """Return the words of libpq: names and addresses, never content or the password."""
    first = str(error).strip().partition("\n")[0]
    return first.rpartition("FATAL:")[2].strip() or first
