"""The one-time token that opens a session, and the session; both exist in memory only."""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ashd_client.types import Scope

COOKIE: Final = "__Host-ash"
LOGIN_SECONDS: Final = 60.0
IDLE_SECONDS: Final = 3600.0
_KEPT: Final = 200
"""Values kept for URLs; the least recently used are dropped."""
_TOKEN_BYTES: Final = 32


def _new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


class Undo(NamedTuple):
    """A form that undoes an act: its path and fields, and the button's label."""

    path: str
    fields: Mapping[str, str]
    label: str = "Undo"


class Notice(NamedTuple):
    """A report of what was done, shown once on the next page."""

    text: str
    undo: Undo | None = None


@dataclass
class Session:
    """A signed-in browser: its form token, its chosen view, and the values its URLs refer to."""

    form_token: str = field(default_factory=_new_token)
    scope: Scope | None = None
    """The scope on whose behalf the pages ask; None is the daemon's default, the local user."""
    all_scopes: bool = False
    local_user: str | None = None
    """The name of the local user, who is "you" on every page; None before the daemon told it."""
    own_person: str | None = None
    """The person that the local user is, as far as it is known; None for another view."""
    is_bound: bool = False
    """Whether the view was chosen by the command that serves the page, and is the only one."""
    notices: list[Notice] = field(default_factory=list)
    _kept: OrderedDict[str, Any] = field(default_factory=OrderedDict)

    def look(self, scope: Scope | None, *, all_scopes: bool) -> None:
        """Choose another view; the forms of open pages end with the former one.

        Those pages show another account, and their forms would change the new one.
        """
        assert not self.is_bound
        if (scope, all_scopes) != (self.scope, self.all_scopes):
            self.form_token = _new_token()
            self.own_person = None
        self.scope, self.all_scopes = scope, all_scopes

    def keep(self, value: Any) -> str:
        """Keep a value, such as a search, and return a key for it that may be in a URL."""
        key = secrets.token_urlsafe(6)
        self._kept[key] = value
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return key

    def kept(self, key: str | None) -> Any:
        """Return a kept value; None for a key that is unknown or was dropped."""
        if key is None or key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key]

    def drop(self, key: str) -> None:
        """Drop a kept value."""
        self._kept.pop(key, None)

    def take_notices(self) -> list[Notice]:
        """Return the notices that were not shown yet; they are shown once."""
        notices, self.notices = self.notices, []
        return notices


class Sessions:
    """The token, which opens one session within a minute, and the session that it opened."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, session: Session | None = None
    ) -> None:
        self._clock = clock
        self.login_token = _new_token()
        self._login_hash: bytes | None = _hash(self.login_token)
        self._last_use = clock()
        self._cookie_hash: bytes | None = None
        self._session = session or Session()

    def log_in(self, token: str) -> str | None:
        """Return the cookie of a new session for the right token, once and in time; else None."""
        if not self.waits_for_login() or not _matches(self._login_hash, token):
            return None
        self._login_hash = None
        cookie = _new_token()
        self._cookie_hash = _hash(cookie)
        self._last_use = self._clock()
        return cookie

    def of_cookie(self, cookie: str | None) -> Session | None:
        """Return the session of a cookie; None for any other cookie, and after idle time."""
        if cookie is None or self.seconds_left() <= 0 or not _matches(self._cookie_hash, cookie):
            return None
        self._last_use = self._clock()
        return self._session

    def waits_for_login(self) -> bool:
        """Return whether the token can still be used."""
        return self._login_hash is not None and self.seconds_left() > 0

    def was_opened(self) -> bool:
        """Return whether the token was used."""
        return self._cookie_hash is not None

    def seconds_left(self) -> float:
        """Return the seconds until the token, or the session, ends."""
        patience = IDLE_SECONDS if self.was_opened() else LOGIN_SECONDS
        return self._last_use + patience - self._clock()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _matches(expected: bytes | None, token: str) -> bool:
    given = hashlib.sha256(token.encode(errors="replace")).digest()
    return expected is not None and hmac.compare_digest(expected, given)
