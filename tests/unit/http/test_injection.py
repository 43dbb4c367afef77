"""Memory in a request: where it goes, what stays, and the names derived from them."""

import copy
from typing import Any

import pytest

from ashd.http.injection import CHAT, RESPONSES, conversation_of, last_user, turn_of

SYSTEM = {"role": "system", "content": "Be brief."}
DEVELOPER = {"role": "developer", "content": "Be kind."}
HI = {"role": "user", "content": "Hi"}
ANSWER = {"role": "assistant", "content": "Hello"}
TEA = {"role": "user", "content": "Tea?"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:"}}


@pytest.mark.parametrize(
    ("messages", "lasting", "asked", "expected"),
    [
        ([SYSTEM, HI], "", "", [SYSTEM, HI]),
        ([SYSTEM, HI], "L", "", [{**SYSTEM, "content": "Be brief.\n\nL"}, HI]),
        ([HI, DEVELOPER], "L", "", [HI, {**DEVELOPER, "content": "Be kind.\n\nL"}]),
        ([SYSTEM, DEVELOPER], "L", "", [{**SYSTEM, "content": "Be brief.\n\nL"}, DEVELOPER]),
        ([HI], "L", "", [{"role": "system", "content": "L"}, HI]),
        ([HI], "L", "A", [{"role": "system", "content": "L"}, {**HI, "content": "Hi\n\nA"}]),
        ([HI, ANSWER, TEA], "", "A", [HI, ANSWER, {**TEA, "content": "Tea?\n\nA"}]),
        ([HI, ANSWER], "", "A", [{**HI, "content": "Hi\n\nA"}, ANSWER]),
        ([ANSWER], "", "A", [ANSWER]),
        ([], "L", "A", [{"role": "system", "content": "L"}]),
        ([{"role": "user"}], "", "A", [{"role": "user", "content": "A"}]),
        ([{**HI, "content": ""}], "", "A", [{**HI, "content": "A"}]),
        (
            [{**HI, "content": [IMAGE]}],
            "",
            "A",
            [{**HI, "content": [IMAGE, {"type": "text", "text": "A"}]}],
        ),
    ],
)
def test_memory_is_put_into_the_first_system_text_and_the_last_question(
    messages: list[dict[str, Any]], lasting: str, asked: str, expected: list[dict[str, Any]]
) -> None:
    """There is one system message at most; the caller's own objects stay as they were."""
    before = copy.deepcopy(messages)

    assert CHAT.injected({"messages": messages}, lasting, asked) == {"messages": expected}
    assert messages == before


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"input": "Hi"}, {"input": "Hi\n\nA", "instructions": "L"}),
        (
            {"input": "Hi", "instructions": "Be brief."},
            {"input": "Hi\n\nA", "instructions": "Be brief.\n\nL"},
        ),
        (
            {"input": [DEVELOPER, HI], "instructions": "Be brief."},
            {
                "input": [DEVELOPER, {**HI, "content": "Hi\n\nA"}],
                "instructions": "Be brief.\n\nL",
            },
        ),
        (
            {"input": [DEVELOPER, {**HI, "content": [IMAGE]}], "instructions": None},
            {
                "input": [
                    {**DEVELOPER, "content": "Be kind.\n\nL"},
                    {**HI, "content": [IMAGE, {"type": "input_text", "text": "A"}]},
                ],
                "instructions": None,
            },
        ),
    ],
)
def test_memory_is_put_into_the_instructions_and_the_last_question(
    request_: dict[str, Any], expected: dict[str, Any]
) -> None:
    """Lasting memory joins the system text of an input that has no instructions."""
    before = copy.deepcopy(request_)

    assert RESPONSES.injected(request_, "L", "A") == expected
    assert request_ == before


@pytest.mark.parametrize("given", [None, 1, [], {}, "x", [1], [HI, "x"]])
def test_only_messages_are_read(given: Any) -> None:
    """Whatever else is there, the endpoint says what is wrong with it."""
    assert (CHAT.messages({"messages": given}) is None) == (given != [])
    is_read = given in ([], "x")
    assert (RESPONSES.messages({"input": given}) is None) != is_read


def test_a_conversation_is_known_by_its_beginning() -> None:
    """By the first thing asked and the system text, whatever is said after that."""
    name = conversation_of([SYSTEM, HI])

    assert len(name) == 32
    assert conversation_of([SYSTEM, HI, ANSWER, TEA]) == name
    others = [[HI], [DEVELOPER, HI], [SYSTEM, TEA], [SYSTEM], []]
    assert len({name, *map(conversation_of, others)}) == 6


def test_a_turn_is_known_by_what_is_said_up_to_its_question() -> None:
    """The same through its tool calls; the same question asked again is another turn."""
    asked = [SYSTEM, HI, ANSWER, TEA]
    name = turn_of(asked)

    assert len(name) == 32
    assert turn_of([*asked, ANSWER, {"role": "tool", "content": "3"}]) == name
    others = [asked[:3], [*asked, TEA], [HI, ANSWER, TEA], [SYSTEM, {**HI, "role": "x"}, TEA], []]
    assert len({name, *map(turn_of, others)}) == 6
    assert turn_of([SYSTEM]) == turn_of([ANSWER])
    assert conversation_of([HI]) != turn_of([HI])
    assert turn_of([{"role": "user", "content": "\udcff"}])
    assert [last_user(one) for one in ([], [SYSTEM], asked, [HI, ANSWER])] == [None, None, 3, 0]
