"""The other routes of `ashd http`, and who gets past its checks. Budget: 20 s."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import anyio
import httpx2
import pytest
from daemons import Daemon
from gateways import BIN, Gateway, started
from mcp import Client

CALL = {"jsonrpc": "2.0", "id": 1, "method": "memory.list"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def patient() -> Iterator[Gateway]:
    """A gateway that drops nobody for being late, however busy the machine is."""
    with started(Daemon(), seconds=600) as gateway:
        yield gateway


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/chat/completions"),
        ("GET", "/v1/models"),
        ("POST", "/memory/ingest"),
        ("GET", "/agents"),
        ("POST", "/rpc"),
        ("POST", "/mcp"),
        ("GET", "/metrics"),
    ],
)
@pytest.mark.parametrize("key", [None, "ash-wrong", "sk-other"])
def test_without_a_key_nothing_is_done(
    gateway: Gateway, method: str, path: str, key: str | None
) -> None:
    """Every program of every user of the machine can reach the port."""
    status, headers, body = gateway.ask(method, path, {} if method == "POST" else None, key=key)

    assert status == 401
    assert headers["www-authenticate"] == "Bearer"
    assert "ash key create" in json.loads(body)["error"]["message"]
    assert gateway.upstream.asked == []


def test_health_is_reported_without_a_key(gateway: Gateway) -> None:
    """The health check alone needs no key."""
    assert gateway.ask("GET", "/healthz", key=None)[::2] == (200, b"ok\n")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:1337"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Length": "99999999999"}, 413),
    ],
)
@pytest.mark.parametrize("path", ["/rpc", "/mcp", "/memory/ingest", "/v1/chat/completions"])
def test_a_hostile_page_gets_nothing(
    gateway: Gateway, path: str, headers: dict[str, str], status: int
) -> None:
    """Foreign origins, rebound names and forms are refused, even with a key."""
    got, answered, _ = gateway.ask("POST", path, CALL, **headers)

    assert got == status
    assert not [name for name in answered if name.startswith("access-control")]
    assert gateway.upstream.asked == []


def test_a_key_opens_its_agents_alone(gateway: Gateway) -> None:
    """This holds on every route, whatever the request says; a revoked key opens nothing."""
    key = gateway.key_for("ann")
    ingest = {"agent_id": "bob", "conversation_id": "c", "turns": []}

    assert gateway.ask("POST", "/rpc", CALL, key=key)[0] == 200
    assert gateway.ask("POST", "/rpc", CALL, key=key, X_Ash_Agent_Id="bob")[0] == 403
    assert gateway.ask("POST", "/memory/ingest", ingest, key=key)[0] == 403
    assert gateway.ask("GET", "/metrics", key=key)[0] == 403
    chat = {"messages": [{"role": "user", "content": "hi"}]}
    denied = gateway.ask("POST", "/v1/chat/completions", chat, key=key, X_Ash_Agent_Id="bob")
    assert denied[0] == 403
    file = gateway.daemon.home / "http_keys.json"
    assert key not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_an_agent_has_one_name_in_headers_and_bodies(gateway: Gateway, encoding: str) -> None:
    """A header has bytes: of UTF-8 from most clients, of Latin-1 from browsers."""
    key, agent = gateway.key_for("josé"), "josé".encode(encoding).decode("latin-1")
    turn = {"user": "I moved to Porto", "assistant": "Noted"}
    ingest = {"agent_id": "josé", "conversation_id": "c", "turns": [turn]}
    search = {
        "jsonrpc": "2.0", "id": 1, "method": "conversation.search", "params": {"query": "Porto"},
    }  # fmt: skip

    assert gateway.ask("POST", "/memory/ingest", ingest, key=key)[0] == 200
    status, _, body = gateway.ask("POST", "/rpc", search, key=key, X_Ash_Agent_Id=agent)

    assert status == 200
    found = [hit["message"]["content"] for hit in json.loads(body)["result"]["results"]]
    assert "I moved to Porto" in found


@pytest.mark.parametrize("route", ["/rpc", "/mcp"])
@pytest.mark.parametrize("body", [b"", b" \r\n"])
def test_an_empty_body_is_no_message(gateway: Gateway, route: str, body: bytes) -> None:
    """It is the caller's error, which no retry mends."""
    status, headers, answer = gateway.ask("POST", route, body, key=gateway.key_for("ann"))

    assert (status, json.loads(answer)["error"]["code"]) == (400, -32700)
    assert "retry-after" not in headers


def test_rpc_is_that_of_a_sandbox(gateway: Gateway) -> None:
    """The connection is bound to the agent's memories, with the methods of a sandbox."""
    ann, bob = gateway.key_for("rpc-ann"), gateway.key_for("rpc-bob")
    add = {"jsonrpc": "2.0", "id": 1, "method": "memory.add", "params": {"content": "I like tea"}}
    gateway.ask("POST", "/rpc", add, key=ann)

    def ask(key: str, method: str, **params: object) -> dict[str, object]:
        call = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer: dict[str, object] = json.loads(gateway.ask("POST", "/rpc", call, key=key)[2])
        return answer

    assert ask(ann, "memory.list")["result"]["total"] == 1
    assert ask(bob, "memory.list")["result"]["total"] == 0
    assert ask(bob, "grant.list")["error"]["data"]["kind"] == "method_not_found"
    scope = {"provider": "http", "user_id": "rpc-ann"}
    assert ask(bob, "memory.list", scope=scope)["error"]["data"]["kind"] == "scope_is_bound"
    assert ask(ann, "memory.list")["id"] == 7


def test_a_project_of_the_header_is_that_of_every_route(gateway: Gateway) -> None:
    """A memory told in it is read in it alone; all projects cannot be asked for."""
    key = gateway.key_for("projects")

    def ask(path: str, method: str, project: str, **params: object) -> str:
        call = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        headers = {"X-Ash-Project": project} if project else {}
        status, _, body = gateway.ask("POST", path, call, key=key, **headers)
        assert status == 200
        return body.decode()

    ask("/rpc", "memory.add", "shop", content="The kraken listens on port 9999")
    turns = [{"user": "Is the kraken up?", "assistant": "The kraken is up"}]
    ingest = {"agent_id": "projects", "conversation_id": "c", "turns": turns}
    gateway.ask("POST", "/memory/ingest", ingest, key=key, X_Ash_Project="shop")

    recall = {"name": "recall", "arguments": {"query": "kraken"}}
    said = {"name": "search_conversations", "arguments": {"query": "kraken"}}
    for project, knows in (("shop", True), ("blog", False), ("", False)):
        assert ("9999" in ask("/rpc", "memory.list", project)) is knows
        assert ("9999" in ask("/mcp", "tools/call", project, **recall)) is knows
        assert ("The kraken is up" in ask("/mcp", "tools/call", project, **said)) is knows
    for wrong in ("*", "x" * 201):
        assert gateway.ask("POST", "/rpc", CALL, key=key, X_Ash_Project=wrong)[0] == 400


def test_a_key_for_several_has_to_say_which(gateway: Gateway) -> None:
    """The gateway has no account to guess."""
    status, _, body = gateway.ask("POST", "/rpc", CALL)

    assert status == 400
    assert "X-Ash-Agent-Id" in json.loads(body)["error"]["message"]


def test_turns_are_taken_and_agents_listed(gateway: Gateway) -> None:
    """Requests and answers have the forms of Osaurus' clients."""
    turns = [{"user": "We sailed to Elba", "assistant": "Nice!"}]
    body = {"agent_id": "sailor", "conversation_id": "c", "turns": turns}
    for duplicates in (0, 2):
        asked = {**body, "session_date": "2026-05-04"}
        status, _, answer = gateway.ask("POST", "/memory/ingest", asked)
        assert status == 200
        assert json.loads(answer)["duplicates"] == duplicates
    listed = json.loads(gateway.ask("GET", "/agents")[2])["agents"]
    [sailor] = [one for one in listed if one["id"] == "sailor"]

    assert (sailor["conversation_count"], sailor["turn_count"]) == (1, 1)
    wrong = gateway.ask("POST", "/memory/ingest", {**body, "agent": 1})
    assert wrong[0] == 400
    mine = json.loads(gateway.ask("GET", "/agents", key=gateway.key_for("nobody"))[2])
    assert mine == {"agents": []}


def test_refused_turns_are_named(gateway: Gateway) -> None:
    """A client hears what was not stored, in the form that the daemon's own call has."""
    turns = [{"user": "my PIN is 4829", "assistant": "Noted."}]
    body = {"agent_id": "teller", "conversation_id": "c", "turns": turns}
    status, _, answer = gateway.ask("POST", "/memory/ingest", body)

    assert status == 200
    got = json.loads(answer)
    assert got["ingested"] == 1
    assert [(one["index"], one["kind"]) for one in got["refused"]] == [(0, "content_refused")]
    assert b"4829" not in answer


@pytest.mark.parametrize("era", ["auto", "legacy", "2026-07-28"])
def test_a_client_of_mcp_lists_and_calls(gateway: Gateway, era: str) -> None:
    """The official one, in each revision."""
    key = gateway.key_for(f"mcp-{era}")

    async def talk() -> None:
        from mcp.client.streamable_http import streamable_http_client

        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"})
        async with http:
            transport = streamable_http_client(f"{gateway.url}/mcp", http_client=http)
            async with Client(transport, mode=era) as client:
                assert len((await client.list_tools()).tools) >= 4
                stored = await client.call_tool("remember", {"content": "I like tea"})
                assert not stored.is_error
                assert len((await client.list_resources()).resources) == 3
                assert len((await client.list_prompts()).prompts) == 2
                [read] = (await client.read_resource("ash://profile")).contents
                assert read.text == "There is no profile to show here."
                [message] = (await client.get_prompt("settle_conflicts")).messages
                assert "No memory is known" in message.content.text

    anyio.run(talk)


@pytest.mark.parametrize(
    ("method", "field", "name", "other"),
    [
        ("tools/call", "name", "recall", "forget"),
        ("resources/read", "uri", "ash://pinned", "ash://profile"),
        ("prompts/get", "name", "about_me", "settle_conflicts"),
    ],
)
def test_the_name_of_the_header_is_that_of_the_message(
    gateway: Gateway, method: str, field: str, name: str, other: str
) -> None:
    """A call of something else than the header names is refused."""
    params = {field: name, "_meta": META}
    if method == "tools/call":
        params["arguments"] = {"query": "tea"}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    key = gateway.key_for("mcp")
    headers = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method}
    for told, status in ((name, 200), (other, 400), (None, 400)):
        named = {"Mcp_Name": told} if told else {}
        assert gateway.ask("POST", "/mcp", message, key=key, **headers, **named)[0] == status


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"MCP_Protocol_Version": "2025-11-25", "Mcp_Method": "tools/list"},
        {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": "tools/call"},
    ],
)
def test_headers_of_mcp_say_what_the_message_says(
    gateway: Gateway, headers: dict[str, str]
) -> None:
    """Otherwise a proxy that routes by the headers could be deceived."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    key = gateway.key_for("mcp")
    status, _, body = gateway.ask("POST", "/mcp", message, key=key, **headers)

    assert status == 400
    assert json.loads(body)["error"]["code"] == -32020


def test_mcp_is_for_posts(gateway: Gateway) -> None:
    """Other methods are refused: there is no stream to get and no session to delete."""
    status, headers, _ = gateway.ask("GET", "/mcp")
    assert (status, headers["allow"]) == (405, "POST")
    unknown = {"jsonrpc": "2.0", "id": 1, "method": "no/such"}
    assert gateway.ask("POST", "/mcp", unknown, key=gateway.key_for("mcp"))[0] == 404
    notification = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert gateway.ask("POST", "/mcp", notification, key=gateway.key_for("mcp"))[0] == 202


def is_open(connection: socket.socket) -> bool:
    """Return whether the other end of the connection is still open."""
    connection.setblocking(False)
    try:
        return connection.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        connection.setblocking(True)


@pytest.mark.parametrize(
    "begin",
    [b"", b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"GET /healthz HTTP/1.1\r\n"],
)
def test_a_client_that_never_ends_its_header_is_dropped(gateway: Gateway, begin: bytes) -> None:
    """A client that sends a byte now and then is dropped, too."""
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=120) as slow:
        slow.sendall(begin)
        for _ in range(100):
            if not is_open(slow):
                break
            with suppress(ConnectionError):
                slow.sendall(b"a")
            time.sleep(0.2)

        assert not is_open(slow)


def test_a_body_that_does_not_come_is_not_waited_for(gateway: Gateway) -> None:
    """The answer says that the body did not come."""
    key = gateway.key_for("x").encode()
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=120) as slow:
        slow.sendall(
            b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{" % key
        )
        assert b" 408 " in slow.recv(4096)


def test_a_call_that_the_daemon_did_not_answer_is_no_success(start_gateway: Any) -> None:
    """Calls that are too long or empty are no success, either."""
    gateway: Gateway = start_gateway()
    key = gateway.key_for("ann")
    assert gateway.ask("POST", "/rpc", CALL, key=key)[0] == 200
    long = {**CALL, "params": {"cursor": "x" * 5_000_000}}
    assert gateway.ask("POST", "/rpc", long, key=key)[0] == 413
    assert gateway.ask("POST", "/rpc", b"", key=key)[0] != 202
    gateway.daemon.kill()

    assert gateway.ask("POST", "/rpc", CALL, key=key)[0] == 503


def test_a_client_deletes_nothing(gateway: Gateway) -> None:
    """The right to forget is not among those of its grant."""
    key = gateway.key_for("keeper")
    add = {"jsonrpc": "2.0", "id": 1, "method": "memory.add", "params": {"content": "I like tea"}}
    stored = json.loads(gateway.ask("POST", "/rpc", add, key=key)[2])["result"]["memories"][0]
    delete = {**CALL, "method": "memory.delete", "params": {"id": stored["memory"]["id"]}}
    answer = json.loads(gateway.ask("POST", "/rpc", delete, key=key)[2])

    assert answer["error"]["data"]["kind"] == "denied"


def test_a_body_without_a_length_has_its_bound_too(patient: Gateway) -> None:
    """The body is cut off once it is too long."""
    key = patient.key_for("x").encode()
    with socket.create_connection(("127.0.0.1", patient.port), timeout=120) as raw:
        raw.sendall(
            b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n" % key
        )
        chunk = b"%x\r\n%s\r\n" % (1 << 20, b" " * (1 << 20))
        with suppress(ConnectionError):
            for _ in range(40):
                raw.sendall(chunk)
        with suppress(ConnectionError):
            assert b" 413 " in raw.recv(4096)


def test_the_first_of_two_headers_counts(patient: Gateway) -> None:
    """A second one cannot take back what the first was checked for."""
    key = patient.key_for("x").encode()
    with socket.create_connection(("127.0.0.1", patient.port), timeout=120) as raw:
        raw.sendall(
            b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
            b"Content-Type: application/json\r\nAuthorization: Bearer %s\r\n"
            b"Content-Length: 2\r\n\r\n{}" % key
        )
        assert b" 415 " in raw.recv(4096)


@pytest.mark.parametrize("text", ["{", "[1]", '"\udcff'])
def test_a_broken_file_of_keys_is_named(start_gateway: Any, text: str) -> None:
    """The client and the person who lists keys are told; every key is refused."""
    gateway: Gateway = start_gateway()
    file = gateway.daemon.home / "http_keys.json"
    file.write_text(text, errors="surrogateescape")
    status, _, body = gateway.ask("POST", "/rpc", CALL)
    listed = subprocess.run(
        [BIN / "ash", "--home", gateway.daemon.home, "key", "list"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert status == 503
    assert json.loads(body)["error"]["code"] == "keys_unreadable"
    assert "Traceback" not in listed.stderr
    assert "ash key create" in listed.stderr
