"""Pydantic AI with the daemon's tools and memory in its prompt. Budget: 20 s."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon
from endpoint import Calls, Endpoint

from ashd_client.aio import AsyncClient

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed: make test-adapters")
from pydantic_ai import Agent
from pydantic_ai.messages import TextContent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from ashd_client.adapters.pydantic_ai import MemoryToolset, memory_in_prompt

Scope = Callable[..., dict[str, Any]]


def ask(daemon: Daemon, me: dict[str, Any], endpoint: Endpoint, *texts: Any) -> list[str]:
    """Ask an agent with memory, each text in the history of those before it."""

    async def run() -> list[str]:
        provider = OpenAIProvider(base_url=endpoint.url, api_key="none")
        async with AsyncClient(daemon.socket, scope=me) as client:
            agent = Agent(
                OpenAIChatModel("scripted", provider=provider),
                toolsets=[MemoryToolset(client)],
                capabilities=[memory_in_prompt(client)],
            )
            answers, history = [], None
            for text in texts:
                done = await agent.run(text, message_history=history)
                answers.append(done.output)
                history = done.all_messages()
            return answers

    return asyncio.run(run())


def test_it_remembers_in_a_second_session(daemon: Daemon, scope: Scope, endpoint: Endpoint) -> None:
    """`remember` of one agent is `recall` of the next, with the arguments that a model gives."""
    me = scope()
    endpoint.script(
        "chat",
        Calls((("remember", {"content": "My sister Petra lives in Bern", "tags": None}),)),
        "Noted.",
    )
    assert ["Noted."] == ask(daemon, me, endpoint, "Petra, my sister, lives in Bern")
    endpoint.script("chat", Calls((("recall", {"query": "sister", "limit": ""}),)), "In Bern.")

    assert ["In Bern."] == ask(daemon, me, endpoint, "Where does my sister live?")

    result = endpoint.requests[-1]["messages"][-1]
    assert ("tool", True) == (result["role"], "Petra lives in Bern" in str(result["content"]))
    names = {one["function"]["name"] for one in endpoint.requests[-1]["tools"]}
    assert {"remember", "recall"} <= names


def test_the_prompt_has_what_is_known(daemon: Daemon, scope: Scope, endpoint: Endpoint) -> None:
    """Before the newest message alone: what was known at an earlier turn is not repeated."""
    me = scope()
    daemon.call("memory.add", scope=me, content="I am allergic to walnuts")
    daemon.call("memory.add", scope=me, content="My bicycle has a flat tyre")
    endpoint.script("chat", "No walnuts.", "Mend it.")

    ask(daemon, me, endpoint, "What can I not eat?", "What is wrong with my bicycle?")

    first, second = (one["messages"] for one in endpoint.requests)
    assert "allergic to walnuts" in first[0]["content"]
    assert "What can I not eat?" == first[1]["content"]
    blocks = [one["content"] for one in second if one["role"] == "system"]
    assert 1 == len(blocks)
    assert "flat tyre" in blocks[0]


def test_a_short_question_is_read_with_the_one_before(
    daemon: Daemon, scope: Scope, endpoint: Endpoint
) -> None:
    """The message before tells what "when" asks for, among much else that is known."""
    me = scope()
    facts = [f"Shelf {number} holds {number} jars of jam" for number in range(40)]
    facts.insert(0, "The ferry to Capri leaves at noon")
    daemon.call("memory.add", scope=me, facts=[{"content": fact} for fact in facts])
    endpoint.script("chat", "Which ferry?", "At noon.")

    ask(daemon, me, endpoint, "I take the ferry to Capri", "And when does it go?")

    sent = endpoint.requests[-1]["messages"]
    assert "Capri leaves at noon" in "".join(
        one["content"] for one in sent if one["role"] == "system"
    )


def test_a_long_or_broken_text_is_asked_with_memory(
    daemon: Daemon, scope: Scope, endpoint: Endpoint
) -> None:
    """A person may paste a book, or half of a sign; a part may have metadata of the program."""
    me = scope()
    daemon.call("memory.add", scope=me, content="I am allergic to walnuts")
    question = "May I eat a walnut? "
    for asked in (question * 2_000, f"{question}\0", [TextContent(question, metadata={"n": 1})]):
        endpoint.script("chat", "No.")
        assert ["No."] == ask(daemon, me, endpoint, asked)
        assert "allergic to walnuts" in str(endpoint.requests[-1]["messages"])


def test_without_a_daemon_the_model_is_asked_all_the_same(
    tmp_path: Path, endpoint: Endpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Memory that fails costs no answer; the log says so."""
    endpoint.script("chat", "Hello.")

    async def run() -> str:
        provider = OpenAIProvider(base_url=endpoint.url, api_key="none")
        async with AsyncClient(tmp_path / "nobody.sock") as client:
            model = OpenAIChatModel("scripted", provider=provider)
            tools = MemoryToolset(client)
            agent = Agent(model, toolsets=[tools], capabilities=[memory_in_prompt(client)])
            done = await agent.run("Hi")
            # The model reads why a tool that it knows from before cannot be used now.
            unused: Any = None
            answer = await tools.call_tool("recall", {"query": "tea"}, unused, unused)
            assert "No daemon runs here" in answer
            return done.output

    assert "Hello." == asyncio.run(run())
    assert "No daemon runs here" in caplog.text


def test_nothing_known_adds_nothing(daemon: Daemon, scope: Scope, endpoint: Endpoint) -> None:
    """An empty memory leaves the prompt as it was, without a block of the date alone."""
    endpoint.script("chat", "Hello.")

    ask(daemon, scope(), endpoint, "What can I not eat?")

    assert ["user"] == [one["role"] for one in endpoint.requests[0]["messages"]]
