"""An answer put together from chunks whose cuts are the endpoint's."""

import json
from types import SimpleNamespace as Part
from typing import Any

import pytest

from ashd.providers.streamed import Reading, ToolCall

POPPER = "\N{PARTY POPPER}"
LOST = "\N{REPLACEMENT CHARACTER}"

_WHOLE_CALL = {"id": None, "function": {"name": "forget", "arguments": {"id": 3}}}


def _chunk(text: str | None = None, arguments: str | None = None) -> Any:
    return _delta(text, *([] if arguments is None else [_call(0, "one", "recall", arguments)]))


def _delta(text: str | None, *calls: Any) -> Any:
    delta = Part(content=text, tool_calls=calls)
    return Part(choices=[Part(finish_reason=None, delta=delta)])


def _call(index: int, identity: str | None, name: str | None, arguments: str) -> Any:
    return Part(index=index, id=identity, function=Part(name=name, arguments=arguments))


@pytest.mark.parametrize(
    ("chunks", "pieces"),
    [
        (["a\ud83c", "\udf89b"], ["a", f"{POPPER}b"]),
        (["\ud83c", "", "\udf89"], ["", "", POPPER]),
        (["a\ud83c", "b"], ["a", f"{LOST}b"]),
        (["\udf89", "\ud83c"], [LOST, ""]),
    ],
)
def test_the_halves_of_a_character_are_joined(chunks: list[str], pieces: list[str]) -> None:
    """A gateway that cuts UTF-16 sends an emoji in two chunks, and no UTF-8 can carry a half."""
    reading = Reading()

    assert pieces == [reading.take(_chunk(text)) for text in chunks]
    assert "".join(pieces) == reading.text


def test_the_halves_in_the_arguments_of_a_tool_are_joined() -> None:
    """They go back to the endpoint in the next question."""
    reading = Reading()
    for half in ('{"query": "\ud83c', '\udf89"}'):
        reading.take(_chunk(arguments=half))

    assert (ToolCall("one", "recall", f'{{"query": "{POPPER}"}}'),) == reading.tool_calls()


@pytest.mark.parametrize(
    "parts",
    [
        [(0, "a", "recall", "{}"), (0, "b", "forget", '{"id": 1}')],  # all with one index
        [(0, "a", "recall", "{"), (0, None, None, "}"), (1, "b", "forget", '{"id": 1}')],
        [  # a name or another id alone begins no call
            *((0, "a", "recall", "{"), (1, "b", "forget", '{"id"')),
            *((0, "a", "recall", "}"), (1, "c", None, ": 1}")),
        ],
    ],
)
def test_the_parts_of_several_calls_are_told_apart(parts: list[Any]) -> None:
    """By their index, or else by their id and name."""
    reading = Reading()
    for part in parts:
        reading.take(_delta(None, _call(*part)))

    read = [(call.name, call.arguments) for call in reading.tool_calls()]
    assert [("recall", "{}"), ("forget", '{"id": 1}')] == read


def _beside(text: Any, **fields: Any) -> Any:
    delta = Part(content=text, tool_calls=None, **fields)
    return Part(choices=[Part(finish_reason=None, delta=delta)])


@pytest.mark.parametrize(
    "chunks",
    [
        [  # thoughts and text as parts of one content
            _beside([{"type": "thinking", "thinking": [{"type": "text", "text": "{}"}]}]),
            _beside([{"type": "text", "text": '{"facts"'}, {"type": "text", "text": ": []}"}]),
        ],
        [Part(choices=[Part(finish_reason=None, delta=None)]), _beside('{"facts": []}')],
        [Part(choices=[Part(finish_reason=None)]), _beside('{"facts": []}')],
        [_delta(None, _call(0, "one", "extract_facts", '{"facts": []}'))],
        [_beside(None, reasoning_content='{"facts"'), _beside("", reasoning_content=": []}")],
        [_beside(None, reasoning='{"facts": []}')],
        [_beside(None, reasoning_content="[1]"), _beside('{"facts": []}')],
    ],
)
def test_an_answer_is_found_wherever_an_endpoint_puts_it(chunks: list[Any]) -> None:
    reading = Reading()
    for chunk in chunks:
        reading.take(chunk)

    assert '{"facts": []}' == reading.answer


@pytest.mark.parametrize(
    "thoughts",
    ['Perhaps {"facts": []}?', '[1] may be {"facts": []}. But no.', '{"facts": []} {}', "7"],
)
def test_thoughts_that_are_no_answer_are_not_one(thoughts: str) -> None:
    reading = Reading()
    reading.take(_beside(None, reasoning_content=thoughts))

    assert ("", "") == (reading.answer, reading.text)
    assert reading.chars == len(reading.written) > 0


@pytest.mark.parametrize(
    ("choice", "calls"),
    [
        ({"message": {"content": "Yes"}, "finish_reason": None}, []),
        ({"message": {"content": [{"type": "text", "text": "Yes"}]}}, []),
        (
            {"message": {"content": "Yes", "tool_calls": [_WHOLE_CALL]}, "finish_reason": "stop"},
            ['{"id": 3}'],
        ),
    ],
)
def test_a_whole_answer_is_read_whatever_stands_beside_it(choice: Any, calls: list[str]) -> None:
    reading = Reading()
    usage = {"prompt_tokens": 7.0, "completion_tokens": "2"}
    reading.take_whole(json.dumps({"choices": [choice], "usage": usage}).encode())

    assert ("Yes", "stop", None) == (reading.text, reading.finish_reason, reading.stated_tokens)
    assert calls == [call.arguments for call in reading.tool_calls()]


@pytest.mark.parametrize("content", [7, {"text": "Yes"}, ["Yes"]])
def test_a_content_of_another_form_is_an_error(content: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        Reading().take(_beside(content))
