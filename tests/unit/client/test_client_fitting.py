"""Chat messages, long texts and arguments as the clients send them."""

from types import SimpleNamespace
from typing import Any

import pytest

from ashd import limits
from ashd_client import fitting


def test_the_clients_limits_are_the_daemons() -> None:
    """The limits are written twice, as the synchronous client imports only the standard library."""
    assert fitting.CONTENT_CHARS == limits.CONTENT_CHARS
    assert fitting.RECENT_MESSAGES == limits.RESULTS_PER_CALL


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("tea", "tea"),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {}}], "Look:"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        (["a", SimpleNamespace(type="output_text", text="b"), None, 7], "a\nb"),
        (7, ""),
        ("a\0b", "ab"),
        ("half \ud83d", "half \N{REPLACEMENT CHARACTER}"),
        ("whole \ud83d\ude00", "whole \N{GRINNING FACE}"),
    ],
)
def test_content_of_any_form_is_a_text(content: Any, expected: str) -> None:
    """Parts that are text are joined, what is no text is none, and what comes out is Unicode."""
    assert fitting.text(content) == expected
    fitting.text(content).encode()


def test_a_long_text_is_cut_with_a_mark() -> None:
    """The cut text has the daemon's greatest length, and its mark gives the original length."""
    cut = fitting.text("x" * 25_000)

    assert len(cut) == limits.CONTENT_CHARS
    assert cut.endswith("… (cut: the text has 25,000 characters)")
    assert fitting.text("x" * limits.CONTENT_CHARS) == "x" * limits.CONTENT_CHARS


def test_recent_is_the_newest_that_has_text() -> None:
    """Messages keep their order; tool calls without text and old messages are left out."""
    history: list[Any] = [{"role": "user", "content": f"m{number}"} for number in range(200)]
    history += [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "found"}]},
        SimpleNamespace(role="assistant", content="done"),
        {"role": "developer", "content": "be short"},
    ]

    sent = fitting.recent(history)

    assert len(sent) == fitting.RECENT_MESSAGES
    assert sent[-4:] == [
        {"role": "user", "content": "m199"},
        {"role": "tool", "content": "found"},
        {"role": "assistant", "content": "done"},
        {"role": "system", "content": "be short"},
    ]


def test_recent_has_a_bound_for_all_texts_together() -> None:
    """The newest win."""
    sent = fitting.recent([{"role": "user", "content": "x" * 50_000}] * 90)

    assert len(sent) == fitting.RECENT_CHARS // limits.CONTENT_CHARS


def test_messages_to_store_keep_their_places_and_the_daemons_fields() -> None:
    """The index of a refused message is that of the caller's list."""
    sent = fitting.stored(
        [
            {"role": "user", "content": "hi", "at": "2026-05-04", "external_id": "1", "name": "x"},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "function", "content": "42", "name": "sum"},
            {"content": "no role"},
        ]
    )

    assert sent == [
        {"role": "user", "content": "hi", "at": "2026-05-04", "external_id": "1"},
        {"role": "assistant", "content": ""},
        {"role": "tool", "content": "42"},
        {"role": "user", "content": "no role"},
    ]


def test_turns_keep_what_else_they_say() -> None:
    """A misspelt field is the daemon's to refuse: a turn without its id would be stored twice."""
    sent = fitting.turns([{"user": None, "assistant": [{"text": "a"}], "extrnal_id": "1"}])

    assert sent == [{"user": "", "assistant": "a", "extrnal_id": "1"}]


def test_arguments_are_valid_unicode_at_every_depth() -> None:
    """A model's JSON may hold half a character."""
    assert fitting.arguments({"facts": [{"content": "\ud800", "n": 1, "\ud800": None}]}) == {
        "facts": [
            {"content": "\N{REPLACEMENT CHARACTER}", "n": 1, "\N{REPLACEMENT CHARACTER}": None}
        ]
    }
    assert fitting.arguments('{"query": "\ud800"}') == '{"query": "\N{REPLACEMENT CHARACTER}"}'
