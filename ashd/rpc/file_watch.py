"""Watch the files that a running daemon needs: deleted sockets and locks are made again.

If another process took a lock meanwhile, the daemon ends, before two of them write.
"""

import os
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import anyio

from ashd import errors, log
from ashd.access.grants import Grants
from ashd.ops import locks
from ashd.rpc.server import Server
from ashd.store.health import Health, Warned

_EVERY_SECONDS: Final = 5.0
_DATABASE_MISSING: Final = Warned(
    "database_missing",
    "The database's file was deleted or replaced while the daemon uses it.",
    "Do not stop the daemon before `ash db export` has saved what it holds.",
)


class FileWatch:
    """Watches the files of one daemon; make it when all of them are in place."""

    def __init__(
        self, server: Server, grants: Grants, database: Path, run: Path, health: Health
    ) -> None:
        self._server = server
        self._grants = grants
        self._database = database
        self._health = health
        self._locks = {
            locks.of_database(database): "database",
            run / "ashd.lock": "run directory",
        }
        self._inodes = {path: _inode(path) for path in (database, *self._locks)}
        self._held = ExitStack()

    async def run(self) -> None:
        """Look again and again, for as long as the daemon runs."""
        with self._held:
            while True:
                await anyio.sleep(_EVERY_SECONDS)
                await self.look()

    async def look(self) -> None:
        """Make missing files again."""
        try:
            await self._server.renew(self._grants.opened)
        except OSError as error:
            log.error("socket_not_made", reason=error.strerror)
        for path, what in self._locks.items():
            if self._is_replaced(path):
                self._take_again(path, what)
        if self._is_replaced(self._database):
            self._health.warn(_DATABASE_MISSING)

    def _is_replaced(self, path: Path) -> bool:
        return self._inodes[path] != _inode(path)

    def _take_again(self, path: Path, what: str) -> None:
        try:
            self._held.enter_context(locks.hold(path, what))
        except errors.StartError as error:
            log.error("lock_lost", reason=str(error))
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            log.warning("lock_taken_again", path=path)
            self._inodes[path] = _inode(path)


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
