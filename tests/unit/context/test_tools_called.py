"""Tools as a model calls them: whose they are, what a call costs, and results that are errors."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from services import House, house

from ashd import errors, limits
from ashd.access.actor import Right
from ashd.access.quota import Cost
from ashd.context.forgetting import Forgetting
from ashd.context.given_lines import GivenLines
from ashd.context.tools import CallParams, Tools, arguments_of
from ashd.conversation.search import SearchResult as Turns
from ashd.conversation.summaries import SearchResult as SummariesFound
from ashd.graph.search import GraphSearch
from ashd.memory.short_ids import ShortIds

EVERY = {
    "write": ["remember"],
    "read": ["recall", "search_conversations", "search_summaries", "search_graph"],
    "forget": ["forget"],
}


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as found:
        yield found


@pytest.fixture
def tools(at: House) -> Tools:
    async def no_turns(*_: Any) -> Turns:
        return Turns([], [])

    async def no_summaries(*_: Any) -> SummariesFound:
        return SummariesFound([], [])

    turns, summaries = SimpleNamespace(search=no_turns), SimpleNamespace(search=no_summaries)
    ids = ShortIds(at.db)
    forgetting = Forgetting(at.recall, at.change, at.read, ids, "me")
    return Tools(
        *(at.remember, at.recall, cast("Any", turns), cast("Any", summaries), GraphSearch(at.db)),
        *(forgetting, ids, GivenLines(at.db)),
    )


@pytest.mark.parametrize("right", ["write", "read", "forget"])
async def test_a_tool_is_for_whoever_has_its_right(at: House, tools: Tools, right: Right) -> None:
    """None is there while memory is off."""
    call = at.call("tools.call")
    bound = replace(call, actor=replace(call.actor, rights=frozenset({right})))

    listed = [one["function"]["name"] for one in (await tools.list(bound)).tools]
    assert listed == EVERY[right]
    assert (await tools.list(replace(call, memory_on=False))).tools == []
    assert all(tools.has(name) for name in listed)
    assert not tools.has("sing")
    other = next(names[0] for one, names in EVERY.items() if one != right)
    with pytest.raises(errors.Denied):
        await tools.call(bound, CallParams(name=other, arguments={"query": "tea"}))
    off = replace(call, memory_on=False)
    with pytest.raises(errors.Denied):
        await tools.call(off, CallParams(name="recall", arguments={"query": "tea"}))


@pytest.mark.parametrize(
    ("name", "arguments", "is_error"),
    [
        ("remember", {"content": "Tea is in the tin"}, False),
        ("remember", {"content": "the card 4111 1111 1111 1111"}, True),
        ("recall", {"query": "tea"}, False),
        ("recall", {}, True),
        ("recall", "tea", True),
        ("recall", '["tea"]', True),
        ("search_conversations", {"query": "tea"}, False),
        ("search_summaries", {"query": "tea"}, False),
        ("search_graph", {"name": "Vega"}, False),
        ("search_graph", {"relation": "owns"}, False),
        ("search_graph", {}, True),
        ("forget", {"query": "tea"}, False),
        ("sing", {}, True),
    ],
)
async def test_a_result_is_an_error_where_the_model_can_correct_it(
    at: House, tools: Tools, name: str, arguments: dict[str, Any] | str, *, is_error: bool
) -> None:
    """It has the error's code, except for facts that are refused one by one."""
    result = await tools.call(at.call("tools.call"), CallParams(name=name, arguments=arguments))

    assert result.is_error is is_error
    assert result.content


@pytest.mark.parametrize(
    ("name", "arguments", "cost"),
    [
        ("recall", {"query": "tea"}, Cost()),
        ("forget", {"query": "tea"}, Cost(1)),
        ("remember", "no JSON", Cost()),
        ("remember", {"content": "tea"}, Cost(1, len('{"content":"tea"}'))),
        (
            "remember",
            {"facts": [{"content": "a"}, {"content": "b"}]},
            Cost(2, len('{"facts":[{"content":"a"},{"content":"b"}]}')),
        ),
    ],
)
def test_a_call_costs_what_it_stores(name: str, arguments: Any, cost: Cost) -> None:
    """Nothing if its arguments cannot be read: they are refused."""
    assert CallParams(name=name, arguments=arguments).cost() == cost


def test_arguments_are_an_object_of_bounded_size() -> None:
    """As an object or as its JSON; no text stands for no arguments."""
    assert arguments_of(CallParams(name="recall", arguments="")) == {}
    assert arguments_of(CallParams(name="recall", arguments='{"query": "tea"}')) == {"query": "tea"}
    room = limits.TOOL_ARGUMENTS_CHARS - len('{"query":""}')
    text = f'{{"query":"{"x" * room}"}}'
    assert arguments_of(CallParams(name="recall", arguments=text)) == {"query": "x" * room}
    with pytest.raises(errors.TooLarge):
        arguments_of(CallParams(name="recall", arguments=f"{text} "))
