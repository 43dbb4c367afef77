"""Keys that the daemons on one database share: the gateway asks its daemon for them."""

from pathlib import Path
from typing import Final

import anyio

from ashd import key_file
from ashd.key_file import Key
from ashd_client import protocol
from ashd_client.aio import AsyncClient

_TRUSTED_SECONDS: Final = 0.5
"""Seconds after which the keys are asked for again: a key may have been revoked anywhere."""
_ANSWER_SECONDS: Final = 10.0


class SharedKeys:
    """The keys, as the daemon told them a moment ago."""

    def __init__(self, socket: Path | None, home: Path) -> None:
        self._client = AsyncClient(socket, home=home, name="http")
        self._keys: list[Key] = []
        self._asked_at = -_TRUSTED_SECONDS
        self._one_at_a_time = anyio.Lock()

    def find(self, token: str) -> Key | None:
        """Return the key of a token, if there is one."""
        return key_file.find(self._keys, token)

    async def refresh(self) -> None:
        """Ask for the keys, unless that was a moment ago.

        Raises:
            AshCallError: the daemon does not answer, so nobody knows which keys are good.
        """
        async with self._one_at_a_time:
            now = anyio.current_time()
            if now - self._asked_at < _TRUSTED_SECONDS:
                return
            try:
                with anyio.fail_after(_ANSWER_SECONDS):
                    found = await self._client.call("key.list")
            except TimeoutError:
                raise protocol.timed_out("key.list", _ANSWER_SECONDS) from None
            self._keys = [
                Key(
                    *(one["id"], one["hash"], one["agents"], one["created_at"]),
                    account=_account(one["account"]),
                    stores=one["stores"],
                )
                for one in found["keys"]
            ]
            self._asked_at = now

    async def aclose(self) -> None:
        """Close the connection."""
        await self._client.aclose()


def _account(named: dict[str, str] | None) -> tuple[str, str] | None:
    return None if named is None else (named["provider"], named["user_id"])
