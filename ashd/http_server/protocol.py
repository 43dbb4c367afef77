"""uvicorn's protocol for connections that `Connections` knows.

uvicorn limits neither the time for a header nor that for reading an answer, and when all places are
taken it refuses whoever comes. Of its class only the constructor and the methods of
`asyncio.Protocol` are used.
"""

import asyncio
import socket
import struct
from collections.abc import Hashable
from typing import Any, Final

from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from ashd.http_server.connections import Admit, Connection, Connections

CONNECTION: Final = "connection"
"""The name of a request's `Connection` in the state of its scope."""
_CREDENTIALS: Final = struct.Struct("3i")


def protocol_for(connections: Connections, admit: Admit | None = None) -> type[H11Protocol]:
    """Return the protocol; with `admit` no request is read from a client until it is admitted."""

    class Counted(H11Protocol):
        def __init__(
            self,
            config: Config,
            server_state: ServerState,
            app_state: dict[str, Any],
            _loop: asyncio.AbstractEventLoop | None = None,
        ) -> None:
            self._connection = Connection(connections, _loop or asyncio.get_running_loop())
            self._is_admitted = False
            self._arriving: asyncio.Transport | None = None
            self._early = bytearray()
            """Data that came before it was decided whether its sender is admitted."""
            state = {**app_state, CONNECTION: self._connection}
            super().__init__(config, server_state, state, _loop)

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            if admit is None:
                self._admitted(transport)
                return
            self._arriving = transport
            deciding = admit(transport)
            deciding.add_done_callback(lambda decided: self._decided(transport, decided))

        def data_received(self, data: bytes) -> None:
            if self._is_admitted:
                super().data_received(data)
            elif self._arriving is not None:
                self._early += data
                self._arriving.pause_reading()

        def connection_lost(self, exc: Exception | None) -> None:
            self._connection.closed()
            if self._is_admitted:
                super().connection_lost(exc)

        def pause_writing(self) -> None:
            self._connection.writing_paused()
            super().pause_writing()

        def resume_writing(self) -> None:
            self._connection.writing_resumed()
            super().resume_writing()

        def _decided(self, transport: asyncio.Transport, decided: "asyncio.Future[bool]") -> None:
            if decided.cancelled() or decided.exception() is not None or not decided.result():
                transport.abort()
            elif not transport.is_closing():
                self._admitted(transport)
                if self._early:
                    super().data_received(bytes(self._early))
                    self._early.clear()
                    transport.resume_reading()

        def _admitted(self, transport: asyncio.Transport) -> None:
            self._is_admitted = True
            self._connection.opened(transport, _process_of(transport))
            super().connection_made(transport)

    return Counted


def _process_of(transport: asyncio.Transport) -> Hashable:
    """Return the process at the other end of a Unix socket; None where it is not known."""
    connected = transport.get_extra_info("socket")
    if connected is None or connected.family != socket.AF_UNIX:
        return None
    try:
        raw = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    except OSError:
        return None
    pid: int = _CREDENTIALS.unpack(raw)[0]
    return pid
