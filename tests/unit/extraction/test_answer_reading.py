"""Answers to `extract_facts` as models write them, read item by item."""

import json
from typing import Any

import pytest

from ashd.extraction import answer_reading
from ashd.extraction.answer import Fact
from ashd.extraction.answer_reading import Reading
from ashd.providers.structured import Fault, Written

GOOD = {"content": "Likes tea", "quote": "I like tea", "turn": 1}


def read(answer: Any, *, is_cut: bool = False) -> Reading:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return answer_reading.read(Written(text, is_cut))


def facts(answer: Any) -> list[Fact]:
    return read(answer).answer.facts


@pytest.mark.parametrize(
    "answer",
    [
        {"facts": [GOOD]},
        [GOOD],
        GOOD,
        {"facts": GOOD},
        {"answer": {"facts": [GOOD]}},
        {"found": [GOOD]},
        f'{{"facts": []}}\nNo, wait:\n{json.dumps({"facts": [GOOD]})}',
        f'{{"facts": [{{"content": "draft"}}]}}\n{json.dumps({"facts": [GOOD]})}',
        f"{json.dumps(GOOD)}\n",
        f'{{"facts": [{json.dumps(GOOD)}, {{"content": "Likes p',
        f'<think>{{"facts": [{{"content": "x"}}]}}</think>{json.dumps([GOOD])}',
        '{"facts": [{"content": "Likes tea", "quote": "I like tea", "turn": "turn 1",}, '
        + json.dumps(GOOD)
        + "]}",
    ],
)
def test_facts_are_found_in_any_wrapping(answer: Any) -> None:
    assert [Fact("Likes tea", quote="I like tea", turn=1)] == facts(answer)


@pytest.mark.parametrize("name", [*Fact.__struct_fields__[1:]])
def test_null_is_the_default(name: str) -> None:
    [given], [plain] = facts([{**GOOD, name: None}]), facts([{**GOOD, "turn": None, "quote": None}])
    assert getattr(Fact("Likes tea"), name) == getattr(given, name)
    assert Fact("Likes tea") == plain


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("turn", "[3] @david", 3),
        ("turn", "three", None),
        ("confidence", "0.5", 0.5),
        ("confidence", "high", 0.7),
        ("confidence", 95, 0.95),
        ("subjects", "Sarah", ["Sarah"]),
        ("subjects", ["Sarah", 3, None], ["Sarah"]),
        ("type", "gossip", "knowledge"),
        ("sensitivity", "top secret", "sensitive"),
        ("portable", "perhaps", False),
        ("shared", "perhaps", False),
        ("valid_from", 2026, None),
        ("expires_in_days", "soon", None),
    ],
)
def test_unreadable_field_is_the_safe_default(field: str, value: Any, expected: Any) -> None:
    """Fields that are not said are not made up; a label that says nothing here is the strictest."""
    [fact] = facts([{**GOOD, field: value}])
    read_value = getattr(fact, field)
    if isinstance(expected, float):
        assert read_value == pytest.approx(expected)
    else:
        assert expected == read_value


@pytest.mark.parametrize(
    "bad",
    [
        "Likes tea",
        {"quote": "I like tea"},
        {**GOOD, "content": " "},
        {**GOOD, "content": None},
        {**GOOD, "content": ["Likes tea"]},
        {**GOOD, "confidence": 1e9},
        {**GOOD, "confidence": -1},
    ],
)
def test_wrong_item_is_counted_and_the_others_are_read(bad: Any) -> None:
    reading = read({"facts": [bad, GOOD]})
    assert 1 == len(reading.answer.facts)
    assert {"facts": 1} == +reading.malformed


@pytest.mark.parametrize("text", ["", "No.", "{}", '{"unexpected": true}', '{"facts": "none"}'])
def test_text_without_an_answer_is_a_fault(text: str) -> None:
    with pytest.raises(Fault):
        read(text)


@pytest.mark.parametrize(
    ("text", "by_limit", "is_cut"),
    [
        ('{"facts": [{"content": "Likes t', False, True),
        ('{"facts": [', True, True),
        ("<think>Let me see", True, True),
        ('{"facts": []}', False, False),
        ('{"facts": []}\nI hope this he', True, False),
    ],
)
def test_cut_answer_is_told_from_a_whole_one(text: str, by_limit: bool, is_cut: bool) -> None:
    assert is_cut == read(text, is_cut=by_limit).is_cut


def test_empty_answer_says_that_there_is_nothing() -> None:
    assert ([], 0) == (facts({"facts": []}), read({"facts": None}).malformed.total())
