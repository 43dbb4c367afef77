"""The text of an upstream's answer, read from a copy of its bytes."""

import json
from typing import Any

import pytest

from ashd.http.answers import Answer

PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]},
    {"type": "text", "text": "No "},
    {"type": "text", "text": "nuts"},
    {"type": "text"},
    None,
]


@pytest.mark.parametrize("content", ["No nuts", PARTS])
def test_a_whole_answer_is_read_in_either_form(content: Any) -> None:
    answer = Answer(streamed=False)
    answer.feed(json.dumps({"choices": [{"message": {"content": content}}]}).encode())
    answer.end()
    assert "No nuts" == answer.text


def test_a_streamed_answer_may_come_in_parts() -> None:
    """Some models that think send their thoughts and their text as parts of one content."""
    answer = Answer(streamed=True)
    for content in (PARTS[:1], PARTS[1:2], "nuts", None):
        event = json.dumps({"choices": [{"delta": {"content": content}}]})
        answer.feed(f"data: {event}\n\n".encode())
    assert "No nuts" == answer.text
