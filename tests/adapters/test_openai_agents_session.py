"""A session of the OpenAI Agents SDK on a real daemon, with its real runner. Budget: 20 s."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon
from endpoint import Calls, Endpoint

from ashd_client.aio import AsyncClient

pytest.importorskip("agents", reason="openai-agents is not installed: make test-adapters")
from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from agents.memory import Session, SessionSettings
from openai import AsyncOpenAI

from ashd_client.adapters.openai_agents import AshSession

Scope = Callable[..., dict[str, Any]]
set_tracing_disabled(True)


@function_tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"It rains in {city}."


def with_session(daemon: Daemon, me: dict[str, Any], name: str, work: Any) -> Any:
    """Run asynchronous work with a session."""

    async def run() -> Any:
        async with AsyncClient(daemon.socket, scope=me) as client:
            return await work(AshSession(name, client))

    return asyncio.run(run())


def test_it_has_what_was_added(daemon: Daemon, scope: Scope) -> None:
    """Items of every kind, long ones too, in order; the last ones with a limit."""
    items: list[Any] = [
        {"role": "user", "content": "Is it raining?"},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"a": "é"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "x y " * 7_000},
        {"role": "assistant", "content": "Yes. " * 5_000 + "Take a coat."},
        {"role": "user", "content": "Is it raining?"},
    ]

    async def work(session: AshSession) -> None:
        assert isinstance(session, Session)
        assert [] == await session.get_items()
        assert await session.pop_item() is None
        await session.add_items(items[:2])
        await session.add_items(items[2:])
        assert items == await session.get_items()
        assert items[-2:] == await session.get_items(limit=2)
        assert items[-1] == await session.pop_item()
        assert items[:-1] == await session.get_items()
        await session.clear_session()
        assert [] == await session.get_items()

    with_session(daemon, scope(), "items", work)


def test_it_has_texts_of_any_form(daemon: Daemon, scope: Scope) -> None:
    """Line ends where a long text is parted, blank texts, and signs that no text may hold."""
    lines = "x" * 8_999 + "\n" + "y" * 8_999 + "\n\n" + "z" * 20
    items: list[Any] = [
        {"role": "user", "content": lines},
        {"role": "user", "content": " "},
        {"role": "assistant", "content": [{"type": "output_text", "text": "\n"}]},
        {"role": "user", "content": "cut \ud83d\0 here"},
        {"type": "function_call_output", "call_id": "c1", "output": "cut \ud83d\0 here"},
    ]

    async def work(session: AshSession) -> None:
        await session.add_items(items)
        got = await session.get_items()
        assert [*items[:3], {"role": "user", "content": "cut \ufffd here"}, items[4]] == got

    with_session(daemon, scope(), "odd", work)


def test_its_settings_bound_what_is_read(daemon: Daemon, scope: Scope) -> None:
    """As of the framework's own sessions; a limit of the call wins."""
    items: list[Any] = [{"role": "user", "content": str(number)} for number in range(4)]

    async def work(session: AshSession) -> None:
        await session.add_items(items)
        session.session_settings = SessionSettings(limit=2)
        assert items[-2:] == await session.get_items()
        assert items[-3:] == await session.get_items(limit=3)

    with_session(daemon, scope(), "bounded", work)


def test_a_pop_that_is_cancelled_loses_nothing_else(daemon: Daemon, scope: Scope) -> None:
    """As when a request of a server is cancelled: the items before it are stored anew first."""
    items: list[Any] = [{"role": "user", "content": f"item {number}"} for number in range(3)]

    async def work(session: AshSession) -> None:
        await session.add_items(items)
        clear = session.clear_session
        cleared = asyncio.Event()

        async def slowly() -> None:
            await clear()
            cleared.set()
            await asyncio.sleep(0.05)

        session.clear_session = slowly  # type: ignore[method-assign]  # to be cancelled in between
        popping = asyncio.ensure_future(session.pop_item())
        await cleared.wait()
        popping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await popping
        assert items[:2] == await session.get_items()

    with_session(daemon, scope(), "cancelled", work)


def test_a_secret_is_left_out_and_the_rest_stays(daemon: Daemon, scope: Scope) -> None:
    """A call of a tool and its result stay a pair."""
    items: list[Any] = [
        {"role": "user", "content": "My password is hunter2-Xy77"},
        {"type": "function_call_output", "call_id": "c1", "output": "password: hunter2-Xy77"},
    ]

    async def work(session: AshSession) -> list[Any]:
        await session.add_items(items)
        return await session.get_items()

    kept = with_session(daemon, scope(), "secret", work)

    assert ["user", None] == [one.get("role") for one in kept]
    assert "c1" == kept[1]["call_id"]
    assert "hunter2" not in str(kept)


def test_a_secret_in_a_long_result_leaves_one_item(daemon: Daemon, scope: Scope) -> None:
    """Its other parts, which were stored before, are no item of their own; wherever it stands."""
    words = "word " * 2_500
    results: list[Any] = [
        {"type": "function_call_output", "call_id": f"c{number}", "output": output}
        for number, output in enumerate(
            [f"password=hunter2-Xy77 {words}", f"{words} password=hunter2-Xy77"]
        )
    ]

    async def work(session: AshSession) -> list[Any]:
        await session.add_items([*results, {"role": "user", "content": "Go on"}])
        return await session.get_items()

    kept = with_session(daemon, scope(), "long secret", work)

    assert ["c0", "c1", None] == [one.get("call_id") for one in kept]
    assert "hunter2" not in str(kept)


def test_a_conversation_of_another_host_can_be_gone_on_with(daemon: Daemon, scope: Scope) -> None:
    """Its messages have other names, or none, and texts that are no items."""
    me = scope()
    messages = [
        {"role": "system", "content": "Be brief"},
        {"role": "user", "content": "Hello", "external_id": "chat/7"},
    ]
    daemon.call("conversation.ingest", scope=me, conversation_id="theirs", messages=messages)

    kept = with_session(daemon, me, "theirs", lambda session: session.get_items())

    assert [("developer", "Be brief"), ("user", "Hello")] == [
        (one["role"], one["content"]) for one in kept
    ]


def test_a_runner_goes_on_where_it_was(daemon: Daemon, scope: Scope, endpoint: Endpoint) -> None:
    """The second run sends the first one's turns; what was said is found by a search."""
    endpoint.script(
        "chat", Calls((("weather", {"city": "Bern"}),)), "It rains.", "You asked of Bern."
    )
    client = AsyncOpenAI(base_url=endpoint.url, api_key="none")
    model = OpenAIChatCompletionsModel("scripted", client)
    agent = Agent(name="helper", model=model, tools=[weather])
    me = scope()

    async def ask(session: AshSession, text: str) -> str:
        return str((await Runner.run(agent, text, session=session)).final_output)

    first = with_session(daemon, me, "s", lambda one: ask(one, "How is the weather in Bern?"))
    second = with_session(daemon, me, "s", lambda one: ask(one, "Which city did I ask about?"))

    assert ("It rains.", "You asked of Bern.") == (first, second)
    sent = endpoint.requests[-1]["messages"]
    assert ["user", "assistant", "tool", "assistant", "user"] == [one["role"] for one in sent]
    assert "It rains in Bern." == sent[2]["content"]
    found = daemon.call("conversation.search", scope=me, query="weather in Bern")["results"]
    assert "How is the weather in Bern?" == found[0]["message"]["content"]
