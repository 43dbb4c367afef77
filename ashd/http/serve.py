"""Runs `ashd http`: its sockets, and how long a client may take to say what it wants."""

import asyncio
import socket
from pathlib import Path
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ashd import errors, log
from ashd.config import Places, Settings
from ashd.http.app import Routes
from ashd.http.keys import FILE_NAME, KeyFile
from ashd.http.memory import Memory
from ashd.http.upstream import Upstream

_CONNECTIONS: Final = 256
_KEEP_ALIVE_SECONDS: Final = 30
_DRAIN_SECONDS: Final = 10


def serve(settings: Settings, places: Places, daemon: Path | None) -> None:
    """Serve until SIGTERM or Ctrl-C; `daemon` is the control socket, where it is named.

    Raises:
        errors.StartError: a socket cannot be had; the message says why and what to do.
    """
    http = settings.http
    sockets = [_tcp(http.host, http.port)]
    if http.unix_socket is not None:
        sockets.append(_unix(Path(http.unix_socket).expanduser()))
    model = Upstream(settings.llm) if settings.llm.model else None
    memory = Memory(daemon, places.home)
    routes = Routes(http, KeyFile(places.home / FILE_NAME), memory, model)
    config = uvicorn.Config(
        routes.app(),
        http=_with_deadline(http.header_seconds),
        ws="none",
        loop="uvloop",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    log.info("http_ready", host=http.host, port=http.port)
    uvicorn.Server(config).run(sockets=sockets)


def _with_deadline(seconds: float) -> type[H11Protocol]:
    """Return the protocol with a time within which the headers of a request have to come.

    uvicorn has none: a client that sends a header byte by byte would hold its place for ever.
    """

    class WithDeadline(H11Protocol):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._has_request():
                self._stop_waiting()
            else:
                self._wait()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if not self.transport.is_closing() and not self._has_request():
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _has_request(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _wait(self) -> None:
            if self._waiting is None:
                self._waiting = self.loop.call_later(seconds, self._give_up)

        def _stop_waiting(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            self._waiting = None
            if not self._has_request():
                self.transport.close()

    return WithDeadline


def _tcp(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise errors.StartError(
            f"Port {port} of {host} cannot be opened ({error.strerror}). "
            "Stop what uses it, or name another ([http] port)."
        ) from error
    return listening


def _unix(path: Path) -> socket.socket:
    """Listen on a socket file that its owner alone may use; one that nobody serves is replaced."""
    listening = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket() and not _is_served(path):
            path.unlink()
        listening.bind(str(path))
        path.chmod(0o600)
    except OSError as error:
        listening.close()
        raise errors.StartError(
            f"{path} cannot be made ({error.strerror or error}). "
            "Take away what is there, or name another place ([http] unix_socket)."
        ) from error
    return listening


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True
