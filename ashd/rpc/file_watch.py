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
from ashd.ops import file_presence, locks
from ashd.rpc.server import Server
from ashd.store.database import Database

_EVERY_SECONDS: Final = 5.0


class FileWatch:
    """Watches the files of one daemon; make it when all of them are in place."""

    def __init__(self, server: Server, grants: Grants, db: Database, run: Path) -> None:
        self._server = server
        self._grants = grants
        self._db = db
        self._locks = {
            locks.of_database(db.path): "database",
            locks.of_run_directory(run): "run directory",
        }
        self._inodes = {path: _inode(path) for path in self._locks}
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
        try:
            await file_presence.look(self._db)
        except errors.StorageError as error:
            log.error("log_not_emptied", error=error.kind)
        for path, what in self._locks.items():
            # Without its folder a lock is not needed: nothing is written to the database then.
            if self._is_replaced(path) and path.parent.exists():
                self._take_again(path, what)

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
