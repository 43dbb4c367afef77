"""`ash web` as a process: its file, its end, its options."""

import contextlib
import http.client
import os
import re
import signal
import socket
import stat
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import pytest
from daemons import Daemon
from sites import BIN, opened
from waiting import until

from ashd.web.calls import Calls
from ashd_client.protocol import AshCallError

_HOOK = """#!/bin/sh
echo "$1" > "$OPENED"
"""


def test_file_is_for_its_owner_alone_and_goes_with_the_login(daemon: Daemon) -> None:
    """Nobody else can read the token, and a used one lies nowhere."""
    with opened(daemon) as site:
        assert stat.S_IMODE(site.page.stat().st_mode) == 0o600
        assert stat.S_IMODE(site.page.parent.stat().st_mode) == 0o700

        site.log_in()

        assert not site.page.parent.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_it_and_removes_the_file(daemon: Daemon, number: signal.Signals) -> None:
    """A signal also works before anybody has signed in."""
    with opened(daemon) as site:
        site.process.send_signal(number)
        site.process.wait(120)

        assert not site.page.parent.exists()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.1", site.port), timeout=5)


def test_read_only_page_refuses_every_change(daemon: Daemon) -> None:
    """The page and the daemon both refuse; choosing a view is no change."""
    with opened(daemon, "--read-only") as site:
        visitor = site.log_in()

        refused = visitor.post("/sync")

        assert refused.status == 403
        assert "without --read-only" in refused.text
        assert "Sync now" not in visitor.get("/system").text
        assert visitor.post("/viewing", back="/").status == 200


@pytest.mark.parametrize("chat", [None, "club"])
def test_a_page_for_one_account_is_for_no_other(
    daemon: Daemon, scope: Callable[..., dict[str, str]], chat: str | None
) -> None:
    """The first page is that account's, its title says so, and nothing leads out of it."""
    mine, other = scope(), scope()
    daemon.call("memory.add", scope=mine, content="My diary is about axolotls")
    daemon.call("memory.add", scope=other, content="The other diary is about eels")
    account = f"{mine['provider']}:{mine['user_id']}"
    options = ["--as", account, *(["--chat", chat] if chat else [])]
    with opened(daemon, before=options) as site:
        visitor = site.log_in()
        first = visitor.get("/")

        assert f"as {account}, in " in re.search(r"<title>(.*)</title>", first.text)[1]
        assert ("axolotls" in first.text) == (chat is None)
        assert 'action="/viewing"' not in first.text
        for fields in (
            {},
            {"account": f"{other['provider']}:{other['user_id']}"},
            {"all_scopes": "1"},
        ):
            assert visitor.post("/viewing", back="/memories", **fields).status == 403
        for path in ("/accounts", "/grants", "/statistics", "/jobs", "/audit", "/danger"):
            page = visitor.get(path)
            assert f'href="{path}"' not in first.text
            assert other["user_id"] not in page.text
            assert "without --as" in page.text
        for path, fields in {
            "/sync": {},
            "/danger/backup": {},
            "/danger/clear": {"name": "everything"},
            "/danger/erase": {"field": "owner", "name": account},
        }.items():
            assert visitor.post(path, **fields).status == 403
        assert "eels" not in visitor.get("/memories").text
        assert account in visitor.get("/memories").words


def test_chosen_port_is_used_and_a_taken_one_is_named(daemon: Daemon) -> None:
    """The error says what to do about a taken port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [BIN / "ash", "--socket", daemon.socket, "web", "--no-open", "--port", str(port)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode != 0
        assert "--port" in done.stderr
        assert "Traceback" not in done.stderr
    with opened(daemon, "--port", str(port)) as site:
        assert site.port == port


def test_nobody_else_can_have_the_other_address_of_the_loopback(daemon: Daemon) -> None:
    """Browsers lead the name to either; both answer, to the one name alone."""
    with opened(daemon) as site:
        other = socket.socket(socket.AF_INET6)
        with contextlib.closing(other), pytest.raises(OSError, match="in use"):
            other.bind(("::1", site.port))
        visitor = site.log_in()
        with contextlib.closing(http.client.HTTPConnection("::1", site.port)) as connection:
            for host, status in ((site.host, 200), (f"[::1]:{site.port}", 421)):
                connection.request("GET", "/", None, {"Host": host, **visitor.headers})
                with connection.getresponse() as answer:
                    assert answer.status == status
                    answer.read()


def test_taken_address_of_the_loopback_stops_the_start(daemon: Daemon) -> None:
    """A listener on the other loopback address could pretend to be the page."""
    with contextlib.closing(socket.create_server(("::1", 0), family=socket.AF_INET6)) as other:
        port = str(other.getsockname()[1])
        done = subprocess.run(
            [BIN / "ash", "--socket", daemon.socket, "web", "--no-open", "--port", port],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode != 0
    assert "taken" in done.stderr


def test_read_only_connections_are_denied_by_the_daemon(daemon: Daemon) -> None:
    """The daemon denies changes, whatever the page would let through."""

    async def store() -> None:
        calls = Calls(daemon.socket, read_only=True)
        try:
            await calls.call("memory.add", content="Anna keeps bees.")
        finally:
            await calls.aclose()

    # In a thread: a browser of the suite has an event loop running in this one.
    with ThreadPoolExecutor() as threads, pytest.raises(AshCallError, match="only reads"):
        threads.submit(anyio.run, store).result()


def test_browser_of_the_environment_is_opened_with_the_file(daemon: Daemon, tmp_path: Path) -> None:
    """BROWSER gets the file's address, which has no token in it."""
    program, shown = tmp_path / "browser", tmp_path / "opened"
    program.write_text(_HOOK)
    program.chmod(0o700)
    with opened(daemon, browser=program, OPENED=str(shown)) as site:
        until(lambda: shown.exists() and shown.read_text().strip())

        assert shown.read_text().strip() == site.page.as_uri()
        assert site.token not in shown.read_text()


def test_missing_daemon_is_one_line_with_its_remedy(tmp_path: Path) -> None:
    """The page is not served, and no file is left."""
    done = subprocess.run(
        [BIN / "ash", "--socket", tmp_path / "none.sock", "web", "--no-open"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )

    assert done.returncode == 6
    assert "ashd serve" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_a_request_is_printed(daemon: Daemon) -> None:
    """No access log: the lines that it began with are all there is."""
    with opened(daemon) as site:
        site.log_in().get("/nothing-like-this")
        site.process.send_signal(signal.SIGINT)
        site.process.wait(120)

        assert site.process.stderr.read() == ""


def test_pages_that_try_a_websocket_print_nothing(daemon: Daemon) -> None:
    """Any page in the browser can send such a request; it cannot fill the terminal."""
    with opened(daemon) as site:
        upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Origin": "http://evil.test"}
        assert site.request("GET", "/", None, upgrade).status == 403
        site.process.send_signal(signal.SIGINT)
        assert site.process.stderr is not None
        said = site.process.stderr.read()

    assert "upgrade" not in said.lower()


def test_code_can_be_typed_where_the_file_cannot_be_opened(daemon: Daemon) -> None:
    """A browser that reads no files gets the form for the code."""
    with opened(daemon) as site:
        page = site.request("GET", "/", None, {"Sec-Fetch-Site": "none"})
        own = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}

        assert page.status == 401
        assert 'action="/login"' in page.text
        assert site.token not in page.text
        assert site.request("POST", "/login", {"token": site.token}, own).status == 200
