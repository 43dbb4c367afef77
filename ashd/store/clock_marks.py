"""The last moment at which the machine's clock was trusted, as the clock's watcher describes it."""

from ashd.store.transaction import Tx


def server_time(tx: Tx) -> int | None:
    """Return the time by the clock of the database's server, if it is on one."""
    return tx.dialect.server_time(tx.connection)


def stored(tx: Tx) -> str | None:
    """Return the stored description, if there is one."""
    row = tx.one("select value from meta where key = 'clock'")
    return str(row[0]) if row else None


def store(tx: Tx, text: str) -> None:
    """Store a description of the moment, in place of the previous one."""
    tx.run(
        "insert into meta (key, value) values ('clock', ?)"
        " on conflict (key) do update set value = excluded.value",
        text,
    )


def forget(tx: Tx) -> None:
    """Forget the moment, in a database that replaces another database."""
    tx.run("delete from meta where key = 'clock'")
