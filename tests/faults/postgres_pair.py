"""Two servers of one database: one takes writes, the other follows it synchronously."""

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

import psycopg
from postgres_server import PostgresServer, needed
from waiting import until

_SETTINGS: Final = {
    "synchronous_standby_names": "*",
    "wal_retrieve_retry_interval": "100ms",
    "wal_receiver_status_interval": "1s",
}


def _connected(address: dict[str, str], **options: Any) -> Any:
    """A connection, or None."""
    with suppress(psycopg.OperationalError):
        return psycopg.connect(**address, autocommit=True, **options)
    return None


class _Standby(PostgresServer):
    """A server that follows another one."""

    def __init__(self, primary: PostgresServer) -> None:
        self._primary = primary
        super().__init__(**_SETTINGS)

    def _initialize(self) -> None:
        source = ["-d", f"host={self._primary.folder} user=ash_admin"]
        with self.log.open("ab") as log:
            subprocess.run(
                [self._bin / "pg_basebackup", *source, "-D", self._data, "-R", "-c", "fast", "-N"],
                check=True,
                stdout=log,
                stderr=log,
                **self._as_user(),
            )


class Pair:
    """A primary and its standby; they can take each other's part."""

    def __init__(self) -> None:
        self.servers: list[PostgresServer] = []
        """Both, each at its place for good; a server that is made anew takes the old one's."""
        self.number = 0
        """The place of the primary."""

    @property
    def primary(self) -> PostgresServer:
        """The server that takes writes."""
        return self.servers[self.number]

    def socket_of(self, place: int) -> Path:
        """The socket of the server at a place."""
        return self.servers[place].folder / ".s.PGSQL.5432"

    def admin(self, database: str = "postgres") -> Any:
        """A connection of the superuser to the primary, once it takes any."""
        address = {"host": str(self.primary.folder), "user": "ash_admin", "dbname": database}
        # Nobody waits for the standby but the daemons.
        return until(lambda: _connected(address, options="-c synchronous_commit=local"))

    def __enter__(self) -> Self:
        self.servers.append(needed(**_SETTINGS))
        try:
            self.primary.start()
            self.servers.append(_Standby(self.primary).start())
            self.is_followed()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            server.remove()

    def is_followed(self) -> None:
        """Wait until commits wait for the standby, and are answered."""
        until(self._has_standby)

    def _has_standby(self) -> bool:
        asked = "select 1 from pg_stat_replication where sync_state = 'sync'"
        with suppress(psycopg.OperationalError), self.admin() as admin:  # it may be about to end
            return admin.execute(asked).fetchone() is not None
        return False

    def promote(self) -> None:
        """Let the standby take writes."""
        self.number = 1 - self.number
        with self.admin() as admin:
            admin.execute("select pg_promote()")

    def replace_the_old_primary(self) -> None:
        """Make the server anew that took writes before, as the standby of the other one."""
        old = 1 - self.number
        self.servers[old].remove()
        self.servers[old] = _Standby(self.primary).start()
        self.is_followed()
