"""Tokens: the fall-back for a sandbox that no directory can be mounted into.

A token is random, carries no data and identifies one grant; the daemon stores only its SHA-256,
which for 256 random bits needs no salt. It is shown once, when the grant is made, and goes over the
wire once a connection; it never appears in a log, an error or the audit.
"""

import hashlib
import secrets
from typing import Final

from ashd import errors, limits
from ashd.clock import MINUTE

PREFIX: Final = "ashtok_"
"""The prefix that identifies a token to people and to scanners for leaked secrets."""
_BYTES: Final = 32


def new_token() -> str:
    """A token: the prefix and 43 characters of base64url."""
    return PREFIX + secrets.token_urlsafe(_BYTES)


def digest(token: str) -> bytes:
    """Return the SHA-256 of a token, which is stored in its place."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


class Attempts:
    """Counts wrong tokens of all connections; beyond so many a minute, callers must wait."""

    def __init__(self) -> None:
        self._minute = 0
        self._wrong = 0

    def wrong(self, now: int) -> errors.AshError:
        """Count a wrong token, and return the error for it."""
        if now // MINUTE != self._minute:
            self._minute, self._wrong = now // MINUTE, 0
        self._wrong += 1
        if self._wrong > limits.WRONG_TOKENS_PER_MINUTE:
            return errors.RateLimited(
                "Too many wrong tokens.",
                "Wait a minute, and ask the person on the host for a token.",
                retry_after_ms=(MINUTE - now % MINUTE) // 1000,
            )
        return errors.Denied(
            "This token opens nothing.",
            "Ask the person on the host for one (`ash grant create --token`).",
        )
