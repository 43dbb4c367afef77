"""Keys of HTTP clients, and the file of a home with them, which is checked without the daemon.

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


def new_token() -> str:
    """Return a new key, as its caller sends it; nobody stores it."""
    return PREFIX + secrets.token_urlsafe(32)


def made(
    hashed: str,
    agents: Collection[str],
    account: tuple[str, str] | None = None,
    *,
    stores: bool = False,
) -> Key:
    """Return a new key for agents or an account, by the hash of its token."""
    now = to_text(SystemClock().now()) or ""
    return Key(
        *(secrets.token_hex(_ID_CHARS // 2), hashed, sorted(set(agents)), now),
        account=account,
        stores=stores,
    )


def find(keys: Collection[Key], token: str) -> Key | None:
    """Return the key of a token; it is compared with every hash, in constant time."""
    wanted = digest(token)
    found = None
    for key in keys:
        if hmac.compare_digest(key.hash, wanted):
            found = key
    return found


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
        """Return the key of a token, if there is one."""
        return find(self.all(), token)

    def add(self, keys: Collection[Key]) -> None:
        """Add keys whose ids are not there yet."""
        with self._alone():
            there = self.all()
            known = {key.id for key in there}
            self._write([*there, *(key for key in keys if key.id not in known)])

    def create(
        self,
        agents: Collection[str],
        account: tuple[str, str] | None = None,
        *,
        stores: bool = False,
    ) -> tuple[Key, str]:
        """Make a key for agents or an account; return it with its token, which is not stored."""
        token = new_token()
        key = made(digest(token), agents, account, stores=stores)
        self.add([key])
        return key, token

    def remove(self, keys: Collection[Key]) -> None:
        """Remove keys that are elsewhere now; without any left, there is no file."""
        with self._alone():
            if left := [key for key in self.all() if key not in keys]:
                self._write(left)
            else:
                self._path.unlink(missing_ok=True)

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
        with atomic_file.open_to_lock(self._path.with_suffix(".lock")) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _write(self, keys: list[Key]) -> None:
        atomic_file.write(self._path, msgspec.json.format(msgspec.json.encode(keys)) + b"\n")
        atomic_file.give_to_owner_of(self._path.parent, self._path)


def digest(token: str) -> str:
    """Return the hash of a token, which is stored in its place."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()
