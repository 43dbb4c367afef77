"""The guard of `ashd http`: headers, size, time, and the caller's identity."""

import json
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from ashd.config import Http
from ashd.http import callers, guard, mcp, upstream
from ashd.http.callers import Caller
from ashd.http.guard import Guard, refusal
from ashd.http.problems import HttpProblem
from ashd.key_file import ANY_AGENT, FILE_NAME, KeyFile, KeysUnreadable

HOST = "127.0.0.1:1337"
SENT = {"host": HOST, "content-type": "application/json", "content-length": "2"}


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "new" / "home" / FILE_NAME)


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("POST", {}, None),
        ("POST", {"host": "LOCALHOST:1337"}, None),
        ("POST", {"host": "localhost"}, None),
        ("POST", {"host": "[::1]:1337"}, None),
        ("POST", {"host": "[::1]"}, None),
        ("POST", {"host": "memory.lan:1337"}, None),
        ("POST", {"host": "evil.test:1337"}, 421),
        ("POST", {"host": "localhost.evil.test"}, 421),
        ("POST", {"host": "evil.test:localhost"}, 421),
        ("POST", {"host": ""}, 421),
        ("POST", {"origin": f"http://{HOST}"}, None),
        ("POST", {"origin": f"HTTP://{HOST}"}, None),
        ("POST", {"origin": f"https://{HOST}"}, 403),
        ("POST", {"origin": "http://127.0.0.1:1338"}, 403),
        ("POST", {"origin": "null"}, 403),
        ("POST", {"origin": ""}, 403),
        ("POST", {"sec-fetch-site": "same-origin"}, None),
        ("POST", {"sec-fetch-site": "none"}, None),
        ("POST", {"sec-fetch-site": "same-site"}, 403),
        ("POST", {"sec-fetch-site": "cross-site"}, 403),
        ("POST", {"content-type": "Application/JSON ; charset=utf-8"}, None),
        ("POST", {"content-type": "application/json-seq"}, 415),
        ("POST", {"content-type": "text/plain;application/json"}, 415),
        ("POST", {"content-type": ""}, 415),
        ("POST", {"content-length": "33554432"}, None),
        ("POST", {"content-length": "33554433"}, 413),
        ("POST", {"content-length": "-1"}, 413),
        ("GET", {"content-type": "", "content-length": "x"}, None),
        ("GET", {"host": "evil.test"}, 421),
        ("GET", {"origin": "http://evil.test"}, 403),
        ("GET", {"sec-fetch-site": "cross-site"}, 403),
    ],
)
def test_requests_a_browser_can_be_made_to_send_are_refused(
    method: str, headers: dict[str, str], status: int | None
) -> None:
    """Rebound names, foreign origins and forms are refused; programs of this machine pass."""
    problem = refusal(method, SENT | headers, {"memory.lan"})

    assert (problem and problem.status) == status


def test_a_gateway_answers_as_the_names_it_was_given() -> None:
    """A load balancer passes on the name by which clients know it; no others are added."""
    plain, named = Http(), Http(names=("Memory.example.org",))

    for settings, status in ((plain, 421), (named, None)):
        problem = refusal("POST", SENT | {"host": "memory.example.org"}, settings.host_names())
        assert (problem and problem.status) == status
    assert refusal("POST", SENT | {"host": "other.example.org"}, named.host_names())


@pytest.mark.parametrize("name", ["*", "", "memory.example.org:443", "https://memory.example.org"])
def test_only_names_of_hosts_are_taken(name: str) -> None:
    """A pattern, a port or an address would answer nobody as meant."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"names": [name]}, Http)


def test_a_body_without_a_length_may_come() -> None:
    """The body is counted while it is read."""
    assert refusal("POST", {"host": HOST, "content-type": "application/json"}, ()) is None


async def _answered(headers: list[tuple[str, str]], parts: list[Message], seconds: float) -> Any:
    """The status that a client gets, and how much of the body the application got."""
    sent: list[Message] = []
    got = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal got
        more = True
        while more:
            message = await receive()
            got += len(message["body"])
            more = message.get("more_body", False)
        assert (await receive())["type"] == "http.disconnect"
        await Response(status_code=200)(scope, receive, send)

    async def receive() -> Message:
        await anyio.lowlevel.checkpoint()
        if not parts and seconds < 1:
            await anyio.sleep_forever()
        return parts.pop(0) if parts else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    encoded = [(name.encode(), value.encode()) for name, value in headers]
    scope: Scope = {"type": "http", "method": "POST", "path": "/", "headers": encoded}
    await Guard(app, names=(), body_seconds=seconds)(scope, receive, send)
    return sent[0]["status"], got


def _part(size: int, *, more: bool) -> Message:
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


async def test_a_body_is_bounded_while_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body has limits of size and time over all its parts; later traffic has no time limit."""
    monkeypatch.setattr(guard, "MOST_BODY_BYTES", 10)
    headers = [("host", HOST), ("content-type", "application/json")]

    fits = [_part(6, more=True), _part(4, more=False)]
    assert await _answered(headers, fits, 60) == (200, 10)
    assert await _answered(headers, [_part(6, more=True), _part(5, more=False)], 60) == (413, 6)
    assert await _answered(headers, [_part(11, more=False)], 60) == (413, 0)
    assert await _answered(headers, [_part(6, more=True)], 0.01) == (408, 6)


async def test_the_first_of_two_headers_decides() -> None:
    """A second host or kind of content hides nothing and mends nothing."""
    good = [("host", HOST), ("content-type", "application/json")]

    assert (await _answered([("host", "evil.test"), *good], [], 60))[0] == 421
    assert (await _answered([("content-type", "text/plain"), *good], [], 60))[0] == 415


async def test_events_other_than_requests_pass() -> None:
    """The server's own start and end pass the guard."""
    passed: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        passed.append(scope)

    nothing: Any = None
    await Guard(app, names=(), body_seconds=1)({"type": "lifespan"}, nothing, nothing)

    assert passed == [{"type": "lifespan"}]


def caller(keys: KeyFile, *, is_open: bool = False, **headers: str) -> Caller:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return callers.of_request(named, keys, is_open=is_open)


def refused(keys: KeyFile, *, is_open: bool = False, **headers: str) -> tuple[int, str]:
    with pytest.raises(HttpProblem) as caught:
        caller(keys, is_open=is_open, **headers)
    return caught.value.status, caught.value.code


def test_a_caller_needs_a_key_that_is_good(keys: KeyFile) -> None:
    """Open means without a key, never with a wrong one."""
    assert refused(keys) == (401, "key_missing")
    assert refused(keys, authorization="Bearer sk-other") == (401, "key_missing")
    assert refused(keys, x_ash_key="ash-wrong") == (401, "key_unknown")
    assert refused(keys, x_ash_key="ash-wrong", is_open=True) == (401, "key_unknown")
    assert refused(keys, authorization="Bearer ash-wrong", is_open=True) == (401, "key_unknown")
    assert caller(keys, is_open=True).key.may_act_as("anybody")
    own = caller(keys, is_open=True, authorization="Bearer sk-own")
    assert (own.authorization, own.token) == ("Bearer sk-own", None)


def test_a_wrong_key_is_called_unknown(keys: KeyFile) -> None:
    """Its sender has made a key, and learns why that one is refused."""
    with pytest.raises(HttpProblem, match=r"not known here.*ash key list"):
        caller(keys, x_ash_key="ash-wrong")
    with pytest.raises(HttpProblem, match=r"A key is needed.*ash key create"):
        caller(keys)


@pytest.mark.parametrize("form", ["Bearer {}", "{}", "Basic x:{}", 'Custom token="{}"', "A,{}"])
def test_our_key_is_taken_out_of_what_the_upstream_gets(keys: KeyFile, form: str) -> None:
    """The key is removed in whatever form it was sent."""
    key, token = keys.create(["ann"])

    found = caller(keys, authorization=form.format(token))
    assert (found.key, found.authorization, found.token) == (key, None, token)
    beside = caller(keys, authorization="Bearer sk-own", x_ash_key=token)
    assert (beside.authorization, beside.token) == ("Bearer sk-own", token)
    both = caller(keys, authorization=form.format("ash-wrong"), x_ash_key=token)
    assert (both.authorization, both.token) == (None, token)


def test_a_key_is_for_its_agents(keys: KeyFile) -> None:
    """A key for one needs no name; one for several, or for all, does not guess."""
    one, two, every = (keys.create(agents)[1] for agents in (["ann"], ["ann", "bob"], [ANY_AGENT]))

    assert caller(keys, x_ash_key=one).must_act().user_id == "ann"
    assert caller(keys, x_ash_key=two).agent is None
    assert refused(keys, x_ash_key=one, x_ash_agent_id="bob") == (403, "agent_denied")
    assert caller(keys, x_ash_key=two, x_osaurus_agent_id="bob").must_act().user_id == "bob"
    assert caller(keys, x_ash_key=every, x_ash_agent_id="eve").must_act().user_id == "eve"
    both = caller(keys, x_ash_key=every, x_ash_agent_id="", x_osaurus_agent_id="ann")
    assert both.must_act().user_id == "ann"
    for several in (two, every):
        with pytest.raises(HttpProblem, match="X-Ash-Agent-Id") as caught:
            caller(keys, x_ash_key=several).must_act()
        assert caught.value.status == 400
    longest = "a" * 200
    assert caller(keys, x_ash_key=every, x_ash_agent_id=longest).agent == longest
    too_long = refused(keys, x_ash_key=every, x_ash_agent_id=longest + "a")
    assert too_long == (400, "agent_too_long")


def test_keys_are_stored_as_hashes_and_are_their_owners_to_read(keys: KeyFile) -> None:
    """A key is 256 bits; what is revoked opens nothing, at once and in another process."""
    file = keys._path
    (first, token), (second, other) = keys.create(["bob", "ann", "bob"]), keys.create(["ann"])

    assert len(token) >= len("ash-") + 43
    assert token not in file.read_text()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (first.agents, first.created_at[-1]) == (["ann", "bob"], "Z")
    assert [key.id for key in KeyFile(file).all()] == [first.id, second.id]
    assert len({first.id, second.id}) == 2
    assert [len(first.id), keys.find(token), keys.find(other)] == [8, first, second]
    assert keys.find(token + "x") is None
    assert keys.find("ash-\udcff") is None

    elsewhere = KeyFile(file)
    assert elsewhere.find(token) == first
    assert keys.revoke("nobody") is None
    assert keys.revoke(first.id) == first
    assert [elsewhere.find(token), elsewhere.find(other)] == [None, second]


@pytest.mark.parametrize("text", ["", "{}", "[1]", "\x00"])
def test_a_broken_file_of_keys_opens_nothing(keys: KeyFile, text: str) -> None:
    """A broken file refuses callers without a key too; a missing file requires no key."""
    assert keys.all() == []
    _, token = keys.create([ANY_AGENT])
    keys._path.write_text(text)

    with pytest.raises(KeysUnreadable):
        keys.find(token)


def test_our_own_headers_go_to_no_upstream() -> None:
    """The caller's key and the browser's origin are removed from every header."""
    sent = {
        "content-type": "application/json",
        "x-stainless-os": "Linux",
        "authorization": "Bearer sk",
        "cookie": "c",
        "origin": "http://x",
        "referer": "http://x",
        "x-ash-key": "k",
        "x-ash-agent-id": "ann",
        "x-osaurus-agent-id": "ann",
        "sec-fetch-site": "none",
        "x-copy": "the ash-key again",
    }

    kept = {"content-type": "application/json", "x-stainless-os": "Linux"}
    assert upstream._forwarded(sent, "ash-key") == kept
    assert upstream._forwarded(sent, None) == kept | {"x-copy": "the ash-key again"}


VERSION = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
CALLED = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "find"}


@pytest.mark.parametrize(
    ("headers", "named"),
    [
        ({}, None),
        ({"mcp-name": "=?base64?ZmluZA==?="}, None),
        ({"mcp-name": "ZmluZA=="}, "Mcp-Name"),
        ({"mcp-name": "=?base64?ZmluZA==x?="}, "Mcp-Name"),
        ({"mcp-name": "=?base64?/w==?="}, "Mcp-Name"),
        ({"mcp-name": ""}, "Mcp-Name"),
        ({"mcp-method": "tools/list"}, "Mcp-Method"),
        ({"mcp-protocol-version": "2025-06-18"}, "MCP-Protocol-Version"),
    ],
)
def test_headers_of_mcp_are_compared_with_the_message(
    headers: dict[str, str], named: str | None
) -> None:
    """A proxy may have let it pass for what they say."""
    message = {"method": "tools/call", "params": {"name": "find", **VERSION}}
    found = mcp.mismatch(CALLED | headers, message)

    assert (found and found.split()[0]) == named
    assert mcp.mismatch({}, {"method": "tools/call", "params": {"name": "find"}}) is None
    assert mcp.mismatch({}, {"method": "tools/list", "params": [VERSION]}) is None


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"method": 1, "id": 1}', -32600),
        ('{"method": "ping"}', None),
        ('{"method": "ping", "id": null}', -32600),
        ('{"method": "ping", "id": true}', -32600),
        ('{"method": "ping", "id": Infinity}', -32600),
        ('{"method": "ping", "id": "\\u0085"}', -32600),
        (json.dumps({"method": "ping", "id": 1, "params": VERSION}), -32020),
    ],
)
async def test_bodies_that_are_no_mcp_request_reach_no_daemon(body: str, code: int | None) -> None:
    """Requests with an unusable id or other headers are refused as well."""
    status, answer = await _mcp(body, None)

    assert (status, answer and answer["error"]["code"]) == (202 if code is None else 400, code)


@pytest.mark.parametrize(
    ("code", "status"),
    [(None, 200), (-32601, 404), (-32700, 400), (-32600, 400), (-32022, 400), (-32000, 200)],
)
@pytest.mark.parametrize("identifier", ["a\n", "é", 7.5])
async def test_an_answer_of_mcp_has_the_status_of_its_error(
    code: int | None, status: int, identifier: object
) -> None:
    """The answer has the request's id, whatever kind it is."""
    outcome = {"result": {}} if code is None else {"error": {"code": code}}
    body = json.dumps({"method": "ping", "id": identifier})

    assert await _mcp(body, outcome) == (status, {"id": identifier, **outcome})


async def _mcp(body: str, outcome: dict[str, Any] | None) -> tuple[int, Any]:
    """The status and the answer to a message; without an `outcome` the daemon is not asked."""

    class Memory:
        async def forward(self, agent: str, sent: bytes) -> bytes:
            assert (agent, outcome is None) == ("ann", False)
            return json.dumps({"id": json.loads(sent)["id"], **(outcome or {})}).encode()

    async def receive() -> Message:
        return {"type": "http.request", "body": body.encode(), "more_body": False}

    request = Request({"type": "http", "headers": []}, receive)
    answer = await mcp.answer(request, Memory(), "ann")  # type: ignore[arg-type]
    return answer.status_code, json.loads(bytes(answer.body)) if answer.body else None
