"""Requests that get nothing from `ash web`: on every route, all that are not the person's.

The daemon counts the calls it gets: a refused request causes none.
"""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from daemons import Daemon
from sites import Site, Visitor

from ashd.web.pages import ROUTES

_PASSING = {"/danger/confirm", "/danger/receipt", "/memories/preview"}
_EVERY = sorted({(method, route.path) for route in ROUTES for method in route.methods - {"HEAD"}})
_POSTED = sorted({path for method, path in _EVERY if method == "POST"})
_READ = sorted({path for method, path in _EVERY if method == "GET"})


def address(path: str) -> str:
    """A route's path with something in place of its parameters."""
    return re.sub(r"\{[^}]+\}", "00000000-0000-4000-8000-000000000000", path)


def calls(site: Site) -> int:
    """The calls that the daemon has answered, but for these looks."""
    text = site.daemon.call("system.metrics")["text"]
    rows = re.findall(r'ashd_requests_total\{method="([^"]+)".*\} (\d+)', text)
    return sum(int(count) for method, count in rows if method != "system.metrics")


@pytest.fixture
def untouched(site: Site) -> Iterator[None]:
    """The daemon was asked nothing during the test."""
    before = calls(site)
    yield
    assert calls(site) == before


def without(headers: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in names}


def wrong(visitor: Visitor) -> dict[str, tuple[dict[str, str], int]]:
    """Requests that are wrong in one way, by what is wrong, with the status they get."""
    good, site = visitor.headers, visitor.site
    name = site.host.rpartition(":")[0]
    return {
        "no session": (without(good, "Cookie"), 401),
        "the cookie of another process": ({**good, "Cookie": "__Host-ash=" + "A" * 43}, 401),
        "another host": ({**good, "Host": "evil.test"}, 421),
        "another host with our port": ({**good, "Host": f"evil.test:{site.port}"}, 421),
        "the address instead of the name": ({**good, "Host": f"127.0.0.1:{site.port}"}, 421),
        "localhost": ({**good, "Host": f"localhost:{site.port}"}, 421),
        "a name below ours": ({**good, "Host": f"a.{site.host}"}, 421),
        "our name without its port": ({**good, "Host": name}, 421),
        "rebinding, where no browser says whence": (
            {"Cookie": visitor.cookie, "Host": "evil.test", "Origin": "http://evil.test"},
            421,
        ),
        "another origin": ({**good, "Origin": "http://evil.test"}, 403),
        "an origin on another port": ({**good, "Origin": "http://127.0.0.1:1"}, 403),
        "no origin of a file or a frame": ({**good, "Origin": "null"}, 403),
        "the same site": ({**good, "Sec-Fetch-Site": "same-site"}, 403),
        "another site": ({**good, "Sec-Fetch-Site": "cross-site"}, 403),
        "an old browser and another origin": (
            {**without(good, "Sec-Fetch-Site"), "Origin": "http://evil.test"},
            403,
        ),
    }


@pytest.mark.parametrize(("method", "path"), _EVERY, ids=lambda part: part)
def test_wrong_requests_get_nothing(
    visitor: Visitor, untouched: None, method: str, path: str
) -> None:
    """A request with one fault gets no byte of a page and makes no call of the daemon."""
    del untouched
    fields = {"token": visitor.form_token} if method == "POST" else None
    got = {}
    for what, (headers, status) in wrong(visitor).items():
        answer = visitor.site.request(method, address(path), fields, headers)
        got[what] = answer.status == status and "<nav" not in answer.text

    assert got == dict.fromkeys(got, True)


@pytest.mark.parametrize("path", _POSTED)
def test_wrong_forms_change_nothing(visitor: Visitor, untouched: None, path: str) -> None:
    """A form without the session's token, of another type, or opened as an address is refused."""
    del untouched
    good, request = visitor.headers, visitor.site.request
    token = visitor.form_token
    opened = {**good, "Sec-Fetch-Site": "none"}
    unsaid = {"Cookie": visitor.cookie}
    as_json = {**good, "Content-Type": "application/json"}
    as_text = {**good, "Content-Type": "text/plain"}

    assert request("POST", address(path), {}, good).status == 403
    assert request("POST", address(path), {"token": token[:-1]}, good).status == 403
    assert request("POST", address(path), {"token": token}, opened).status == 403
    assert request("POST", address(path), {"token": token}, unsaid).status == 403
    assert request("POST", address(path), b"{}", as_json).status == 415
    assert request("POST", address(path), f"token={token}".encode(), as_text).status == 415
    assert request("PUT", address(path), {"token": token}, good).status == 405


def test_reading_changes_nothing(visitor: Visitor) -> None:
    """No page leaves a row of a change, nor does opening a form's address, even with its token."""
    daemon = visitor.site.daemon
    visitor.get("/")
    before = _changes(daemon)

    for path in _READ:
        visitor.get(address(path))
    for path in set(_POSTED) - set(_READ):
        assert visitor.get(f"{address(path)}?token={visitor.form_token}").status in (400, 404)

    assert _changes(daemon) == before


def _changes(daemon: Daemon) -> list[Any]:
    """The rows of the audit, all pages, but for looks at everybody's accounts, chats or jobs."""
    page = daemon.call("audit.list", limit=100)
    rows = page["entries"]
    while cursor := page["next_cursor"]:
        page = daemon.call("audit.list", limit=100, cursor=cursor)
        rows += page["entries"]
    return [row for row in rows if row["outcome"] != "all_scopes"]


@pytest.mark.parametrize(
    "path", [path for method, path in _EVERY if method == "GET" and "{" not in path]
)
def test_every_page_answers_without_parameters(visitor: Visitor, path: str) -> None:
    """Where links have parameters, too; a preview is a page while it lasts."""
    assert visitor.get(path).status in ({404, 410} if path in _PASSING else {200, 303})


_AS_ANOTHER_USER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
connection = socket.socket()
connection.settimeout(120)
connection.connect(("127.0.0.1", int(sys.argv[1])))
try:
    connection.sendall(sys.argv[2].encode())
    print(len(connection.recv(1)))
except (BrokenPipeError, ConnectionResetError):
    print(0)
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_of_the_machine_gets_nothing(visitor: Visitor, untouched: None) -> None:
    """Another user is refused even with everything that the person's browser has."""
    del untouched
    headers = {"Host": visitor.site.host, **visitor.headers}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    text = "\r\n".join(["GET / HTTP/1.1", *lines, "", ""])

    done = subprocess.run(
        [sys.executable, "-I", "-c", _AS_ANOTHER_USER, str(visitor.site.port), text],
        capture_output=True,
        check=True,
    )

    assert done.stdout == b"0\n"


def test_every_answer_has_the_security_headers(visitor: Visitor) -> None:
    """A page, an unknown one, a refusal and a form alike; static files may be cached, no more."""
    site, good = visitor.site, visitor.headers
    style = re.search(r'href="(/static/style[^"]+)"', visitor.get("/").text)[1]
    answers = [
        visitor.get("/"),
        visitor.get("/nothing"),
        visitor.get(style),
        site.request("GET", "/", None, {}),
        site.request("GET", "/", None, {**good, "Host": "evil.test"}),
        site.request("POST", "/sync", {}, good),
    ]

    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "trusted-types 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers
    cached = [answer.headers["cache-control"] for answer in answers]
    assert "immutable" in cached.pop(2)
    assert set(cached) == {"no-store"}


def test_header_sent_twice_is_refused(visitor: Visitor) -> None:
    """A second `Host` or cookie cannot hide behind the first."""
    raw = (
        f"GET / HTTP/1.1\r\nHost: {visitor.site.host}\r\nCookie: {visitor.cookie}\r\n"
        "Cookie: a=b\r\nConnection: close\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", visitor.site.port), timeout=10) as connection:
        connection.sendall(raw.encode())
        assert connection.recv(64).startswith(b"HTTP/1.1 400 ")


def test_refused_requests_keep_no_place(visitor: Visitor) -> None:
    """Another page cannot fill the connection limit with requests that are refused."""
    host, cookie = visitor.site.host, {"Cookie": visitor.cookie}
    for headers in ({"Host": f"a.{host}"}, {**cookie, "Sec-Fetch-Site": "cross-site"}):
        assert visitor.site.request("GET", "/", None, headers).headers["connection"] == "close"
    assert "connection" not in visitor.get("/").headers


def test_nul_in_a_form_is_the_forms_fault(visitor: Visitor) -> None:
    """The page asks for a correction, and reports no fault of the daemon."""
    answer = visitor.post("/memories/add", content="a\0b")

    assert answer.status == 400
    assert "NUL" in answer.words


def test_long_form_is_refused(visitor: Visitor) -> None:
    """A form that does not declare its length is refused too."""
    body = b"token=" + b"a" * 600_000
    said = visitor.site.request("POST", "/sync", body, visitor.headers)
    chunked = visitor.site.request(
        "POST",
        "/sync",
        b"5\r\ntoken\r\n0\r\n\r\n",
        {**visitor.headers, "Transfer-Encoding": "chunked"},
    )

    assert said.status == 413
    assert chunked.status in (400, 413)


def test_redirect_stays_on_this_server(visitor: Visitor) -> None:
    """A form's way back is a path of ours, whatever it says."""
    for back in ("//evil.test/", "http://evil.test/x", "/\\evil.test", "javascript:alert(1)"):
        fields = {"token": visitor.form_token, "back": back}
        answer = visitor.site.request("POST", "/viewing", fields, visitor.headers)

        assert "evil" not in answer.headers.get("location", "")
        assert answer.headers.get("location", "/").startswith("/")
        assert not answer.headers.get("location", "/").startswith("//")


def test_error_page_names_no_path_of_the_machine(visitor: Visitor, site: Site) -> None:
    """An error page does not repeat the requested address either."""
    page = visitor.get("/no/such/secret-page").text

    assert "secret-page" not in page
    assert str(site.daemon.home) not in page


@pytest.mark.parametrize("headers", [{}, {"Origin": "null", "Sec-Fetch-Site": "cross-site"}])
def test_used_token_opens_nothing(site: Site, headers: dict[str, Any]) -> None:
    """The link works once, from the file and from anywhere else."""
    answer = site.request("POST", "/login", {"token": site.token}, headers)

    assert answer.status == 401
    assert "set-cookie" not in answer.headers
