"""Keys of HTTP clients: made and revoked by `ash key`, checked here without the daemon.

A key is 256 random bits, so a plain hash of it is safe. The file holds only hashes, and only its
owner can read it.
"""

import fcntl
import hashlib
import hmac
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from ashd import atomic_file
from ashd.clock import SystemClock, to_text

FILE_NAME: Final = "http_keys.json"
"""The file's name in the home."""
PREFIX: Final = "ash-"
ANY_AGENT: Final = "*"
_ID_CHARS: Final = 8


class Key(msgspec.Struct, frozen=True):
    """A key as it is stored: its hash, and the agents or the account that it may act as."""

    id: str
    hash: str
    agents: list[str]
    created_at: str
    account: tuple[str, str] | None = None
    """The provider and the user id of a person's own account; then there are no agents."""
    stores: bool = False
    """Whether the gateway keeps the turns without being asked for each."""

    def may_act_as(self, agent: str) -> bool:
        """Return whether the key is good for an agent."""
        return ANY_AGENT in self.agents or agent in self.agents

    @property
    def only_agent(self) -> str | None:
        """Return the agent of a key that is good for only one."""
        return self.agents[0] if len(self.agents) == 1 and ANY_AGENT not in self.agents else None


class KeysUnreadable(Exception):
    """The file of keys cannot be read, so that no key is good."""

    message = f"The file of keys ({FILE_NAME} in the home) cannot be read."
    hint = "Mend or remove it, and make new keys with `ash key create`."


class KeyFile:
    """The file of keys; read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._keys: list[Key] = []

    def all(self) -> list[Key]:
        """Return the keys, the oldest first.

        Raises:
            KeysUnreadable
        """
        try:
            found = self._path.stat()
            stamp = (found.st_mtime_ns, found.st_ino)
            if stamp != self._stamp:
                self._keys = msgspec.json.decode(self._path.read_bytes(), type=list[Key])
                self._stamp = stamp
        except FileNotFoundError:
            return []
        except (OSError, msgspec.MsgspecError) as error:
            raise KeysUnreadable from error
        return list(self._keys)

    def find(self, token: str) -> Key | None:
        """Return the key of a token; it is compared with every hash, in constant time."""
        digest = _hash(token)
        found = None
        for key in self.all():
            if hmac.compare_digest(key.hash, digest):
                found = key
        return found

    def create(
        self,
        agents: Collection[str],
        account: tuple[str, str] | None = None,
        *,
        stores: bool = False,
    ) -> tuple[Key, str]:
        """Make a key for agents or an account; return it with its token, which is not stored."""
        token = PREFIX + secrets.token_urlsafe(32)
        now = to_text(SystemClock().now()) or ""
        key = Key(
            *(secrets.token_hex(_ID_CHARS // 2), _hash(token), sorted(set(agents)), now),
            account=account,
            stores=stores,
        )
        with self._alone():
            self._write([*self.all(), key])
        return key, token

    def revoke(self, key_id: str) -> Key | None:
        """Remove a key by its id, and return it if there was one."""
        with self._alone():
            keys = self.all()
            found = next((key for key in keys if key.id == key_id), None)
            if found is not None:
                self._write([key for key in keys if key is not found])
        return found

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the file while it is changed."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path.with_suffix(".lock")
        with path.open("w") as lock:
            atomic_file.give_to_owner_of(path.parent, path)
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _write(self, keys: list[Key]) -> None:
        atomic_file.write(self._path, msgspec.json.format(msgspec.json.encode(keys)) + b"\n")
        atomic_file.give_to_owner_of(self._path.parent, self._path)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()
