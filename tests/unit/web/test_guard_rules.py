"""The guard of `ash web`: headers and the signed-in session."""

from typing import Any

import anyio.lowlevel
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from ashd.web import forms, guard
from ashd.web.forms import Form
from ashd.web.guard import HEADERS, LOGIN, Guard, refusal
from ashd.web.problems import Problem
from ashd.web.sessions import COOKIE, LOGIN_SECONDS, Session, Sessions

HOST = "a1.localhost:4242"
OWN = {"host": HOST, "origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
SENT = OWN | {"content-type": "application/x-www-form-urlencoded", "content-length": "3"}


def without(headers: dict[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in names}


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", OWN, None),
        ("HEAD", "/", OWN, None),
        ("GET", "/", {"host": HOST}, None),
        ("GET", "/", {"host": HOST.upper()}, None),
        ("GET", "/", {"host": "localhost:4242"}, 421),
        ("GET", "/", {"host": "evil.test:4242"}, 421),
        ("GET", "/", {}, 421),
        ("GET", LOGIN, {"host": "evil.test"}, 421),
        ("PUT", "/", OWN, 405),
        ("DELETE", "/", OWN, 405),
        ("OPTIONS", LOGIN, OWN, 405),
        # Reading: an address that was typed, or our own page; no page of anybody else's.
        ("GET", "/", OWN | {"sec-fetch-site": "none"}, None),
        ("GET", "/", OWN | {"sec-fetch-site": "cross-site"}, 403),
        ("GET", "/", OWN | {"sec-fetch-site": "same-site"}, 403),
        ("GET", "/", OWN | {"origin": "http://evil.test"}, 403),
        ("GET", "/", OWN | {"origin": "null"}, 403),
        # Forms: our own page alone.
        ("POST", "/x", SENT, None),
        ("POST", "/x", without(SENT, "sec-fetch-site"), None),
        ("POST", "/x", without(SENT, "origin"), None),
        ("POST", "/x", without(SENT, "origin", "sec-fetch-site"), 403),
        ("POST", "/x", SENT | {"sec-fetch-site": "none"}, 403),
        ("POST", "/x", SENT | {"sec-fetch-site": "cross-site"}, 403),
        ("POST", "/x", SENT | {"origin": f"https://{HOST}"}, 403),
        ("POST", "/x", SENT | {"origin": "null"}, 403),
        ("POST", "/x", SENT | {"origin": "http://a1.localhost:4243"}, 403),
        # The login comes from a file, and has its token.
        ("POST", LOGIN, SENT | {"origin": "null", "sec-fetch-site": "cross-site"}, None),
        ("POST", f"{LOGIN}/", SENT | {"origin": "null"}, 403),
        ("POST", "/x", SENT | {"content-type": "text/plain"}, 415),
        ("POST", "/x", SENT | {"content-type": "multipart/form-data; boundary=x"}, 415),
        ("POST", LOGIN, SENT | {"content-type": "application/json"}, 415),
        ("POST", "/x", SENT | {"content-length": "524288"}, None),
        ("POST", "/x", SENT | {"content-length": "524289"}, 413),
        ("POST", "/x", SENT | {"content-length": "-1"}, 413),
        ("POST", "/x", without(SENT, "content-length"), 413),
    ],
)
def test_only_our_own_page_is_served(
    method: str, path: str, headers: dict[str, str], status: int | None
) -> None:
    """No rebound name, no other origin, no other method and no other kind of content."""
    problem = refusal(method, path, headers, HOST)

    assert (problem and problem.status) == status


class Server:
    """The guard with an application behind it, and a page for those who are not signed in."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        self.cookie = self.sessions.log_in(self.sessions.login_token)
        self._guard = Guard(
            self._answer("own"),
            unsigned=self._answer("unsigned"),
            host=HOST,
            sessions=self.sessions,
        )

    def _answer(self, text: str) -> Any:
        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["path"] == "/fault":
                raise RuntimeError
            body = await Request(scope, receive).body()
            session = scope["state"]["session"]
            answer = f"{text} {session is not None} {len(body)}"
            headers = {"cache-control": "max-age=9"} if scope["path"] == "/static/a" else {}
            await PlainTextResponse(answer, headers=headers)(scope, receive, send)

        return app

    async def ask(
        self, method: str, path: str, headers: dict[str, str], *twice: tuple[str, str]
    ) -> tuple[int, dict[str, str], str]:
        sent: list[Message] = []
        parts = [b"a=", b"1"]

        async def receive() -> Message:
            await anyio.lowlevel.checkpoint()
            body = parts.pop(0)
            return {"type": "http.request", "body": body, "more_body": bool(parts)}

        async def send(message: Message) -> None:
            sent.append(message)

        raw = [(name.encode(), value.encode()) for name, value in (*headers.items(), *twice)]
        scope = {"type": "http", "method": method, "path": path, "headers": raw}
        await self._guard(scope, receive, send)
        if not sent:
            return 0, {}, ""
        named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], named, sent[1]["body"].decode()


async def test_nothing_but_the_login_is_served_without_a_session() -> None:
    """Static files are the exception; every handler of a signed-in user has a session."""
    server = Server()
    signed = {"cookie": f"other=1; {COOKIE}={server.cookie}"}
    wrong = {"cookie": f"{COOKIE}=wrong"}
    odd = {"cookie": f'{COOKIE}="'}

    async def told(method: str, path: str, headers: dict[str, str]) -> str:
        return (await server.ask(method, path, headers))[2]

    assert await told("GET", "/", OWN | signed) == "own True 3"
    assert await told("GET", "/", OWN) == "unsigned False 3"
    assert await told("GET", "/", OWN | wrong) == "unsigned False 3"
    assert await told("GET", "/", OWN | odd) == "unsigned False 3"
    assert await told("POST", "/x", SENT) == "unsigned False 3"
    assert await told("POST", LOGIN, SENT) == "own False 3"
    assert await told("GET", LOGIN, OWN) == "unsigned False 3"
    assert await told("GET", "/static/a", OWN) == "own False 3"
    assert await told("GET", "/statics", OWN) == "unsigned False 3"


@pytest.mark.parametrize("name", ["host", "origin", "content-length", "cookie", "sec-fetch-site"])
async def test_a_header_that_decides_comes_once(name: str) -> None:
    """Two of them could be read one way here and another way behind."""
    server = Server()
    headers = SENT | {"cookie": f"{COOKIE}={server.cookie}"}

    status, answered, _ = await server.ask("POST", "/x", headers, (name, headers[name]))
    assert (status, answered["connection"]) == (400, "close")
    assert (await server.ask("POST", "/x", headers, ("accept", "a"), ("accept", "b")))[0] == 200


async def test_every_answer_has_the_headers_of_safety() -> None:
    """Refusals have them as well; only a static file sets its own cache time."""
    server = Server()
    for path, headers, status in (("/", OWN, 200), ("/", {"host": "evil.test"}, 421)):
        code, answered, _ = await server.ask("GET", path, headers)
        assert code == status
        assert HEADERS.items() <= answered.items()
    _, static, _ = await server.ask("GET", "/static/a", OWN)
    assert static["cache-control"] == "max-age=9"
    assert (await server.ask("GET", "/fault", OWN))[0] == 0


async def test_events_other_than_requests_pass() -> None:
    """The server's own start and end pass the guard."""
    passed: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        passed.append(scope["type"])

    nothing: Any = None
    served = Guard(app, unsigned=app, host=HOST, sessions=Sessions())
    await served({"type": "lifespan"}, nothing, nothing)

    assert passed == ["lifespan"]


def test_a_form_is_of_the_session_that_made_it() -> None:
    """A form of another view is refused; the same view chosen again accepts it."""
    session, other = Session(), Session()
    forms.check_token(Form({"token": [session.form_token]}), session)
    for wrong in ("", other.form_token, session.form_token + "x"):
        with pytest.raises(Problem) as caught:
            forms.check_token(Form({"token": [wrong]}), session)
        assert caught.value.status == 403
    before = session.form_token
    session.look(None, all_scopes=False)
    assert session.form_token == before
    session.look(None, all_scopes=True)
    assert session.form_token != before
    assert session.all_scopes


def test_fields_are_read_as_they_were_written() -> None:
    """Surrounding white space is removed, and the person's own line ends stay."""
    form = Form({"a": ["1", " x "], "n": ["-12"], "bad": ["1.5"], "w": ["a, ,b,"], "none": [""]})

    assert [form.text(name) for name in ("a", "absent")] == ["x", ""]
    assert [form.optional(name) for name in ("a", "none", "absent")] == ["x", None, None]
    assert [form.every("a"), form.every("absent")] == [["1", " x "], []]
    assert [form.words("w"), form.words("none")] == [["a", "b"], None]
    assert [form.number("n"), form.number("none")] == [-12, None]
    assert [form.has("none"), form.has("absent")] == [True, False]
    with pytest.raises(Problem):
        form.number("bad")
    assert forms._unix("a\r\nb") == "a\nb"


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("", None),
        ("p=7", 7),
        ("p=999999999", 999_999_999),
        ("p=", 0),
        ("p=1234567890", 0),
        ("p=-1", 0),
        ("p=x", 0),
        ("p=%D9%A3", 0),
    ],
)
def test_a_number_of_an_address_is_a_short_one(query: str, number: int | None) -> None:
    """Anything else is the address's fault."""
    request = Request({"type": "http", "query_string": query.encode(), "headers": []})
    if number == 0:
        with pytest.raises(Problem):
            forms.query_number(request, "p")
    else:
        assert forms.query_number(request, "p") == number


def _posted(body: bytes) -> Request:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request({"type": "http", "headers": []}, receive)


async def test_a_form_has_at_most_two_thousand_fields() -> None:
    """Empty ones count, and what is no text is no form."""
    form = await forms.read(_posted(b"a=1%0D%0A2&b=&a=3"))
    assert (form.every("a"), form.has("b")) == (["1\n2", "3"], True)
    assert len((await forms.read(_posted(b"&".join([b"a="] * 2_000)))).every("a")) == 2_000
    for body in (b"&".join([b"a="] * 2_001), b"a=%FF", b"\xff"):
        with pytest.raises(Problem) as caught:
            await forms.read(_posted(body))
        assert caught.value.status == 400


def test_nobody_waits_for_a_login_that_happened() -> None:
    """The token is used once; until then, and after it, the time that is left is known."""
    now = 5.0
    sessions = Sessions(lambda: now)
    assert (sessions.waits_for_login(), sessions.was_opened()) == (True, False)
    now += LOGIN_SECONDS - 1
    assert sessions.seconds_left() == 1
    assert sessions.log_in(sessions.login_token)
    assert (sessions.waits_for_login(), sessions.was_opened()) == (False, True)
    assert guard.LOGIN == "/login"
