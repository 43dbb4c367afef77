"""Run the page: open its port, admit its user's connections, open a browser, end."""

import os
import secrets
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Final

import anyio
import uvicorn

from ashd import errors
from ashd.http_server.connections import Connections, Limits, most_connections
from ashd.http_server.protocol import protocol_for
from ashd.http_server.requests import Followed
from ashd.web import app
from ashd.web.admission import OwnUser
from ashd.web.calls import Calls
from ashd.web.login_file import LoginFile
from ashd.web.sessions import Session, Sessions
from ashd_client.types import Scope

_ANSWERS: Final = 64
_HEADER_SECONDS: Final = 15.0
_UNREAD_SECONDS: Final = 30.0
_HEADER_BYTES: Final = 32 * 1024
_KEEP_ALIVE_SECONDS: Final = 30
_DRAIN_SECONDS: Final = 3
_PORTS_TRIED: Final = 20


def serve(
    socket_path: Path | None,
    home: Path | None,
    *,
    port: int,
    read_only: bool,
    scope: Scope | None = None,
    all_scopes: bool = False,
    opens_browser: bool,
    say: Callable[[str], None],
) -> bool:
    """Serve until Ctrl-C or an hour without use; return False if nobody came in time.

    With a scope the page is for that scope alone.

    Raises:
        errors.StartError: the port cannot be opened.
        AshCallError: no daemon answers.
    """
    calls = Calls(socket_path, home=home, read_only=read_only)
    listening = _listen(port)
    port = listening[0].getsockname()[1]
    # A host name of its own: cookies are shared by all ports of a host, and any user may have a
    # port.
    host = f"{secrets.token_hex(8)}.ash.localhost:{port}"
    session = Session(scope=scope, all_scopes=all_scopes, is_bound=scope is not None)
    sessions = Sessions(session=session)
    login_file = LoginFile(host, sessions.login_token)
    application = app.build(
        calls, sessions, host=host, read_only=read_only, on_login=login_file.remove
    )
    connections = Connections(
        Limits(
            answers=_ANSWERS,
            answers_of_key=_ANSWERS,
            places=most_connections(),
            header_seconds=_HEADER_SECONDS,
            unread_seconds=_UNREAD_SECONDS,
        )
    )
    server = uvicorn.Server(
        uvicorn.Config(
            Followed(application),
            http=protocol_for(connections, OwnUser(most_connections()).admits),
            ws="none",
            log_config=None,
            log_level="error",  # any page in the browser can cause its warnings
            access_log=False,
            server_header=False,
            proxy_headers=False,
            h11_max_incomplete_event_size=_HEADER_BYTES,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=_DRAIN_SECONDS,
        )
    )

    async def run() -> None:
        session.local_user = (await calls.call("session.hello"))["scope"]["user_id"]
        if scope is not None:
            await calls.call("memory.list", scope=scope, limit=1)  # refuses a scope that is none
        say(f"Open {login_file.path} in your browser within a minute; Ctrl-C ends.")
        say(f"Or open http://{host}/ and enter this code: {sessions.login_token}")
        if opens_browser and _has_browser():
            # A browser in the terminal runs until it is closed.
            threading.Thread(
                target=webbrowser.open, args=(login_file.path.as_uri(),), daemon=True
            ).start()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_when_over, server, sessions, login_file)
            await server.serve(listening)
            tasks.cancel_scope.cancel()

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # Its loop accepts one connection at a time: what others send is read between two.
        anyio.run(run, backend_options={"use_uvloop": True})
    except* KeyboardInterrupt:
        pass
    finally:
        login_file.remove()
        for one in listening:
            one.close()
    return sessions.was_opened() or sessions.seconds_left() > 0


async def _end_when_over(server: uvicorn.Server, sessions: Sessions, login_file: LoginFile) -> None:
    while (left := sessions.seconds_left()) > 0:  # noqa: ASYNC110  each use moves the end away
        await anyio.sleep(left)
    login_file.remove()
    server.should_exit = True


def _listen(port: int) -> list[socket.socket]:
    """Return sockets that listen on both addresses of the loopback; port 0 is any that is free.

    Browsers resolve a name in .localhost to either, so another user's program on the other address
    could pose as the page.
    """
    for _ in range(_PORTS_TRIED):
        four = _bound(socket.AF_INET, "127.0.0.1", port)
        if four is None:
            break
        six = _bound(socket.AF_INET6, "::1", four.getsockname()[1]) if _has_ipv6() else four
        if six is not None:
            return [four] if six is four else [four, six]
        four.close()
        if port:
            break
    named = f"Port {port}" if port else "Any port"
    raise errors.StartError(
        f"{named} of the loopback cannot be opened: it is taken. Name another with --port."
    )


def _bound(family: socket.AddressFamily, host: str, port: int) -> socket.socket | None:
    """Return a listening socket; None if the port is taken or not allowed."""
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((host, port))
        listening.listen()  # connections made before the loop runs wait
    except OSError:
        listening.close()
        return None
    return listening


def _has_ipv6() -> bool:
    """Return whether the loopback's IPv6 address can be used."""
    probe = _bound(socket.AF_INET6, "::1", 0) if socket.has_ipv6 else None
    if probe is not None:
        probe.close()
    return probe is not None


def _has_browser() -> bool:
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
