"""Run `ashd http`: its sockets, and its time limits for clients."""

import signal
import socket
import sys
from pathlib import Path
from typing import Any, Final

import uvicorn

from ashd import errors, log
from ashd.config import Places, Settings
from ashd.http.app import Routes
from ashd.http.memory import Memory
from ashd.http.shared_keys import SharedKeys
from ashd.http.upstream import Upstream
from ashd.http_server.connections import Connections, Limits, most_connections
from ashd.http_server.protocol import protocol_for
from ashd.http_server.requests import Followed
from ashd.key_file import FILE_NAME, KeyFile

_ANSWERS: Final = 256
"""Requests with keys that are answered at the same time."""
_ANSWERS_OF_KEY: Final = 192
_KEEP_ALIVE_SECONDS: Final = 30
_DRAIN_SECONDS: Final = 10


def serve(settings: Settings, places: Places, daemon: Path | None) -> None:
    """Serve until SIGTERM or Ctrl-C; `daemon` is the control socket, where it is named.

    Raises:
        errors.StartError: a socket cannot be had; the message says why and what to do.
    """
    log.configure(settings.log.level, settings.log.format)
    http = settings.http
    sockets = [_tcp(http.host, http.port)]
    if http.unix_socket is not None:
        sockets.append(_unix(Path(http.unix_socket).expanduser()))
    model = Upstream(settings.llm) if settings.llm.model else None
    memory = Memory(daemon, places.home)
    is_shared = settings.storage.url is not None
    keys = SharedKeys(daemon, places.home) if is_shared else KeyFile(places.home / FILE_NAME)
    routes = Routes(http, keys, memory, model)
    connections = Connections(
        Limits(
            answers=_ANSWERS,
            answers_of_key=_ANSWERS_OF_KEY,
            places=most_connections(),
            header_seconds=http.header_seconds,
            unread_seconds=http.body_seconds,
        )
    )
    config = uvicorn.Config(
        Followed(routes.app()),
        http=protocol_for(connections),
        ws="none",
        loop="uvloop",
        log_config=None,
        log_level="error",  # whoever reaches the port can cause its warnings
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_DRAIN_SECONDS,
    )
    # uvicorn raises the signal that ended it once more: the process is to end as it always does.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _end)
    log.info("http_ready", host=http.host, port=http.port)
    uvicorn.Server(config).run(sockets=sockets)


def _end(*_: Any) -> None:
    sys.exit(0)


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
    """Listen on a socket file for its owner only; a file left by an ended process is replaced."""
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
