"""A model's answer to `summarise` is read field by field."""

import json
from typing import Any

import pytest

from ashd.conversation import summary_reading, summary_text
from ashd.conversation.summary_text import KeyDate, SummaryText
from ashd.providers.structured import Fault

WHOLE = {
    "overall": "Alice goes to Lisbon.",
    "topics": ["voyage"],
    "decisions": ["by train"],
    "key_dates": [{"date": "2026-05-04", "what": "departure"}],
    "action_items": ["book the sleeper"],
}
LISTS = ("topics", "decisions", "key_dates", "action_items")


def read(**changed: Any) -> SummaryText:
    """The summary in an answer that differs so from a whole one; without what is None."""
    given = {**WHOLE, **changed}
    return summary_reading.read(json.dumps({name: given[name] for name in given if given[name]}))


def test_field_that_is_left_out_is_empty() -> None:
    assert "" == read(overall=None).overall
    assert ["voyage"] == read(overall=None).topics
    for name in LISTS:
        made = read(**{name: None})
        assert [] == getattr(made, name)
        assert "Alice goes to Lisbon." == made.overall


def test_text_of_a_summary_begins_with_its_first_part() -> None:
    lists = {name: None for name in LISTS if name != "topics"}
    assert "Topics: voyage." == summary_text.as_text(read(overall=None, **lists))


def test_null_is_a_field_that_is_left_out() -> None:
    nulls = {**WHOLE, **dict.fromkeys(LISTS)}
    assert "Alice goes to Lisbon." == summary_reading.read(json.dumps(nulls)).overall


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        ("voyage", ["voyage"]),
        (["voyage", None, 7, ["x"]], ["voyage"]),
        ([{"who": "Alice", "what": "takes the train"}], ["Alice: takes the train"]),
        ({"first": "voyage", "second": "train"}, ["voyage", "train"]),
    ],
)
def test_list_of_another_form_is_read_as_far_as_it_says_something(
    topics: Any, expected: list[str]
) -> None:
    assert expected == read(topics=topics).topics


def test_date_of_a_wrong_form_costs_itself_only() -> None:
    given = [{"date": "2026-05-04"}, "soon", {"Date": "2026-06", "What": "return"}]
    assert [KeyDate("2026-06", "return")] == read(key_dates=given).key_dates


@pytest.mark.parametrize(
    "text", [json.dumps({"summary": WHOLE}), f"Here it is:\n```json\n{json.dumps(WHOLE)}\n```"]
)
def test_summary_stands_within_something_else(text: str) -> None:
    assert "Alice goes to Lisbon." == summary_reading.read(text).overall


def test_empty_summary_is_an_answer() -> None:
    """A model says so that nothing matters."""
    made = summary_reading.read('{"overall": ""}')
    assert not summary_text.says_something(made)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Alice goes to Lisbon.",
        "{}",
        '{"topics": [], "decisions": []}',
        '{"title": "Lisbon"}',
        '{"overall": "string", "topics": ["string"]}',
    ],
)
def test_answer_that_says_nothing_is_none(text: str) -> None:
    """The last one copies the form that it was shown."""
    with pytest.raises(Fault, match="overall"):
        summary_reading.read(text)
