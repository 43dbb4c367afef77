"""The Model Context Protocol on the daemon's own sockets. Budget: 5 s."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from daemons import CallFailed, Daemon

from ashd.token_estimate import estimate

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
Scope = Callable[..., dict[str, Any]]


def test_the_list_of_tools_is_short(daemon: Daemon) -> None:
    """Hosts load it before every conversation, and the instructions too."""
    listed = daemon.call("tools/list")["tools"]
    instructions = daemon.call("server/discover")["instructions"]

    assert len(listed) >= 4
    assert estimate(json.dumps(listed, separators=(",", ":"))) <= 1_200
    assert len(instructions.encode()) <= 1_024


def test_every_tool_says_what_it_does_to_its_world(daemon: Daemon) -> None:
    """Hosts ask for approval by the four hints; three of them have a dangerous default."""
    for tool in daemon.call("tools/list")["tools"]:
        assert tool["annotations"].keys() == {
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        }
        changes = tool["name"] in {"remember", "forget"}
        assert tool["annotations"]["readOnlyHint"] != changes
        assert tool["annotations"]["destructiveHint"] == (tool["name"] == "forget")


def test_an_answer_is_text_alone(daemon: Daemon, scope: Scope) -> None:
    """Hosts show their model the text or the structured content, so there is one of them."""
    mine = scope()
    listed = daemon.call("tools/list", scope=mine)["tools"]
    told = {"name": "remember", "arguments": {"content": "I work at Acme"}}
    answer = daemon.call("tools/call", scope=mine, **told)

    assert answer.keys() == {"content", "isError"}
    assert {tuple(tool) for tool in listed} == {
        ("name", "title", "description", "inputSchema", "annotations")
    }


def test_an_optional_argument_may_be_null(daemon: Daemon) -> None:
    """Strict frameworks must give every argument, and have null for what they leave out.

    smolagents lets an argument be left out only if it is marked as OpenAPI marks it.
    """
    for tool in daemon.call("tools/list")["tools"]:
        schema = tool["inputSchema"]
        for name, argument in schema["properties"].items():
            is_optional = name not in schema.get("required", ())
            assert ("null" in argument["type"]) == is_optional, name
            assert argument.get("nullable", False) == is_optional, name


def test_a_modern_answer_says_that_it_is_whole(daemon: Daemon) -> None:
    """An older one has none of the newer fields."""
    modern = daemon.call("tools/list", _meta=META)
    older = daemon.call("tools/list")

    assert modern["resultType"] == "complete"
    assert modern["cacheScope"] == "private"
    assert modern["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "ashd"
    assert older.keys() == {"tools"}


def test_an_unknown_revision_is_told_the_known_ones(daemon: Daemon) -> None:
    """The error lists the known revisions, so that the client can ask again."""
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    with pytest.raises(CallFailed) as failed:
        daemon.call("tools/list", _meta=meta)

    assert failed.value.error["code"] == -32022
    assert "2026-07-28" in failed.value.data["supported"]
    assert failed.value.data["requested"] == "1900-01-01"


@pytest.mark.parametrize("asked", ["2024-11-05", "2025-06-18", "1999-01-01"])
def test_a_handshake_agrees_on_a_revision(daemon: Daemon, asked: str) -> None:
    """The client's, or the newest that begins with a handshake."""
    answer = daemon.call("initialize", protocolVersion=asked, capabilities={}, clientInfo={})

    spoken = asked if asked != "1999-01-01" else "2025-11-25"
    assert answer["protocolVersion"] == spoken


def test_a_tool_without_arguments_may_be_given_null(daemon: Daemon, scope: Scope) -> None:
    """Some clients have null for what they leave out; the tool says what it needs."""
    answers = [
        daemon.call("tools/call", name="recall", scope=scope(), **given)
        for given in ({}, {"arguments": None}, {"arguments": {}})
    ]

    assert answers[0]["isError"]
    assert answers[0] == answers[1] == answers[2]


def test_a_tool_that_there_is_not_is_an_error_of_the_protocol(daemon: Daemon) -> None:
    """The model did not make it up from the list."""
    with pytest.raises(CallFailed) as failed:
        daemon.call("tools/call", name="no_such", arguments={})

    assert failed.value.error["code"] == -32602


def test_a_sandbox_has_the_tools_of_its_rights(daemon: Daemon, scope: Scope) -> None:
    """A grant that may not write is offered nothing that writes, and gets nothing written."""
    mine = scope()
    grant = daemon.call("grant.create", scope=mine, rights=["read"])
    with daemon.client(grant["socket"]) as client:
        listed = {tool["name"] for tool in client.call("tools/list")["tools"]}
        with pytest.raises(CallFailed) as failed:
            client.call("tools/call", name="remember", arguments={"content": "I like tea"})
        with pytest.raises(CallFailed) as named:
            client.call("tools/call", name="recall", arguments={"query": "x"}, scope=scope())

    assert "recall" in listed
    assert "remember" not in listed
    assert failed.value.kind == "denied"
    assert named.value.kind == "scope_is_bound"
    assert daemon.call("memory.list", scope=mine)["total"] == 0


def test_a_connection_of_the_host_can_be_bound_to_a_scope(daemon: Daemon, scope: Scope) -> None:
    """Calls without a scope use it, on this connection only."""
    mine = scope()
    with daemon.client() as client:
        client.call("session.hello", scope=mine, bind=True)
        client.call("tools/call", name="remember", arguments={"content": "I like tea"})
        own = client.call("memory.list")["memories"]

    assert [memory["owner_user_id"] for memory in own] == [mine["user_id"]]
    assert "I like tea" not in [one["content"] for one in daemon.call("memory.list")["memories"]]
