"""The open connections of each socket, and how many there may be at a time.

A socket is known by its key: a grant's id, the control socket, or a listener for tokens.
"""

from collections import defaultdict
from typing import Final

import anyio
import msgspec

from ashd import config, errors, limits
from ashd.eviction import longest_waiting
from ashd.limits import SocketLimits
from ashd.rpc.app import Session

CONTROL: Final = "control"
SHARED: Final = "shared"
TCP: Final = "tcp"
_OF_TOKENS: Final = frozenset({SHARED, TCP})


class Connections:
    """Counts connections, and refuses those beyond the limit. One for the daemon."""

    def __init__(self, settings: config.Limits) -> None:
        self._inside: defaultdict[str, dict[anyio.CancelScope, int | None]] = defaultdict(dict)
        """The connections of each key, oldest first, with the process at the other end."""
        self.configure(settings)

    def configure(self, settings: config.Limits) -> None:
        """Set the most connections at a time; those that are open stay."""
        replace = msgspec.structs.replace
        self._control = replace(limits.CONTROL, connections=settings.control_connections)
        self._sandbox = replace(limits.SANDBOX, connections=settings.connections)

    def limits_of(self, place: str) -> SocketLimits:
        """Return the limits of a new connection."""
        if place == CONTROL:
            return self._control
        return limits.UNKNOWN if place in _OF_TOKENS else self._sandbox

    def enter(self, place: str, session: Session) -> None:
        """Count a connection.

        Raises:
            errors.RateLimited: there are as many as there may be.
        """
        inside = self._inside[place]
        if len(inside) >= session.limits.connections:
            if place not in _OF_TOKENS:
                setting = "control_connections" if place == CONTROL else "connections"
                raise errors.RateLimited(
                    "Too many connections.",
                    f"Close one first; the operator can raise [limits] {setting}.",
                )
            # A client with a token shows it at once; one that does not gives up its place.
            waiting = longest_waiting(inside)
            del inside[waiting]
            waiting.cancel()
        inside[session.scope] = session.peer.pid
        session.place = place

    def leave(self, place: str, connection: anyio.CancelScope) -> None:
        """Forget a connection that has ended."""
        inside = self._inside.get(place, {})
        inside.pop(connection, None)
        if not inside:
            self._inside.pop(place, None)

    def drop(self, place: str) -> None:
        """End all connections of a socket."""
        for connection in self._inside.pop(place, {}):
            connection.cancel()
