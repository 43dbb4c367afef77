"""Both clients against the real daemon."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ashd_client.aio import AsyncClient
from ashd_client.sync import AshCallError, Client


def test_a_host_agent_stores_finds_changes_and_deletes(
    daemon: Any, scope: Callable[..., Any]
) -> None:
    """The whole life of a memory, in a scope given once."""
    with Client(daemon.socket, scope=scope()) as client:
        added = client.memory.add(content="I am allergic to peanuts", tags=["food"])
        memory = added["memories"][0]["memory"]
        assert memory["source"] == "rpc"
        assert [hit["memory"]["id"] for hit in client.memory.search("peanuts")["results"]] == [
            memory["id"]
        ]
        newer = client.memory.update({"content": "I am allergic to nuts"}, id=memory["id"])[
            "memory"
        ]
        assert client.memory.get(memory["id"])["memory"]["superseded_by_id"] == newer["id"]
        assert client.memory.delete(newer["id"])["memory"]["archive_reason"] == "user_deleted"
        assert [m["id"] for m in client.memory.list()["memories"]] == [memory["id"]]


def test_an_error_of_the_daemon_has_its_kind(daemon: Any, scope: Callable[..., Any]) -> None:
    """The connection stays usable after the error."""
    with Client(daemon.socket, scope=scope()) as client:
        with pytest.raises(AshCallError) as caught:
            client.memory.get("00000000-0000-4000-8000-000000000000")
        assert (caught.value.kind, caught.value.code) == ("not_found", 200)
        assert client.memory.list()["total"] == 0


def test_a_client_outlives_a_restart_of_the_daemon(new_daemon: Callable[..., Any]) -> None:
    """The call after it connects anew, and what was stored is there."""
    daemon = new_daemon()
    daemon.start()
    with Client(daemon.socket) as client:
        client.memory.add(content="tea")
        daemon.stop()
        with pytest.raises(AshCallError) as caught:
            client.memory.list()
        assert (caught.value.kind, caught.value.exit_status) == ("unavailable", 6)
        daemon.start()
        assert client.memory.list()["total"] == 1


def test_a_client_of_a_sandbox_is_bound_to_its_grant(
    daemon: Any, scope: Callable[..., Any]
) -> None:
    """The socket decides; a scope is refused."""
    mine = scope()
    with Client(daemon.socket, scope=mine) as host:
        grant = host.grant.create(rights=["read", "write"])
        host.memory.add(content="stored on the host")
        with Client(Path(grant["socket"])) as guest:
            assert guest.memory.list()["total"] == 1
            with pytest.raises(AshCallError) as caught:
                guest.memory.list(scope=mine)
        host.grant.revoke(grant["grant_id"])
    assert caught.value.kind == "scope_is_bound"


def test_an_agent_asks_for_its_context_calls_tools_and_keeps_the_turn(
    daemon: Any, scope: Callable[..., Any]
) -> None:
    """The three calls of a host agent."""
    with Client(daemon.socket, scope=scope()) as client:
        names = [tool["function"]["name"] for tool in client.tools.list()["tools"]]
        assert "remember" in names
        told = client.tools.call("remember", '{"content": "I like tea"}', idempotency_key="c1")
        assert told["is_error"] is False
        assert client.tools.call("recall", {})["is_error"] is True
        turn = {"user": "What do I like?", "assistant": "Tea.", "external_id": "t1"}
        assert client.conversation.ingest("c", turns=[turn])["ingested"] == 2
        assert client.conversation.ingest("c", turns=[turn])["duplicates"] == 2
        assert "I like tea" in client.context.get("What do I drink?", max_tokens=500)["text"]


async def test_the_asynchronous_client_does_the_same(
    daemon: Any, scope: Callable[..., Any]
) -> None:
    """Store, find, resolve."""
    async with AsyncClient(daemon.socket, scope=scope(), name="a host") as client:
        facts = [{"content": "Sarah likes tea", "subjects": ["Sarah"]}, {"content": "I like maths"}]
        added = await client.memory.add(facts=facts, idempotency_key="k")
        assert added == await client.memory.add(facts=facts, idempotency_key="k")
        found = await client.memory.search("tea", about="Sarah")
        assert found["results"][0]["about"] == ["Sarah"]
        assert (await client.person.resolve("Sarah"))["created"] is False
        assert (await client.tools.list())["tools"][0]["type"] == "function"
        recalled = await client.tools.call("recall", {"query": "tea", "about": "Sarah"})
        assert "Sarah likes tea" in recalled["content"]
        assert "Sarah likes tea" in (await client.context.get("tea"))["text"]


ODD_HISTORY: list[Any] = [
    {"role": "user", "content": [{"type": "text", "text": "The parrot is called Rio"}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
    {"role": "tool", "tool_call_id": "1", "content": "found nothing"},
    {"role": "developer", "content": "Be brief."},
    {"role": "assistant", "content": "a long answer " * 1_000},
]


async def test_both_clients_take_messages_as_a_models_api_has_them(
    daemon: Any, scope: Callable[..., Any]
) -> None:
    """Messages may lack text, have parts, or be too long or too many, in `recent` and to store."""
    with Client(daemon.socket, scope=scope()) as client:
        first = client.conversation.ingest("c", messages=ODD_HISTORY)
        told = client.context.get("parrot " * 2_000, recent=ODD_HISTORY * 50)
    async with AsyncClient(daemon.socket, scope=scope()) as other:
        second = await other.conversation.ingest("c", messages=ODD_HISTORY)
        told_other = await other.context.get(None, recent=ODD_HISTORY * 50)

    assert (first["ingested"], first["refused"]) == (4, [])
    assert (second["ingested"], second["refused"]) == (4, [])
    assert told["messages"] == told_other["messages"] == []
