"""Answers to `extract_facts` as models write them, read item by item."""

import json
from typing import Any

import pytest

from ashd.extraction import answer_reading
from ashd.extraction.answer import Fact
from ashd.extraction.answer_reading import Reading
from ashd.providers.structured import Fault, Written

QUOTED = "I like tea"
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
        '{"facts": [{"content": "Likes tea", "quote": "I like tea", "turn": turn one}, '
        + json.dumps(GOOD)
        + "]}",
        "\ufeff" + json.dumps({"facts": [GOOD]}),
        f"```\n```json\n{json.dumps({'facts': [GOOD]})}\n```\n```",
        str({"facts": [{**GOOD, "shared": False, "valid_from": None}]}),
        json.dumps({"facts": [GOOD]}).replace("}", ",}").replace("]", ",]"),
        {"facts": {"1": GOOD}},
        {"fact_1": GOOD},
        {"facts": {"facts": [GOOD]}},
        {"facts": {"items": [GOOD]}, "entities": []},
        {"result": {"answer": {"facts": [GOOD]}}},
        {"turns": [{"turn": 1, "facts": [GOOD]}]},
        {"facts": [{"fact": GOOD}]},
        {"facts": json.dumps([GOOD])},
        {"name": "extract_facts", "arguments": json.dumps({"facts": [GOOD]})},
        {"FACTS": [{name.upper(): value for name, value in GOOD.items()}]},
        {"Facts": [{f" {name.title()}": value for name, value in GOOD.items()}]},
        {"facts": [{"content": "Likes tea", "evidence": [{"turn": 1, "quote": QUOTED}]}]},
        {"facts": [{"content": "Likes tea", "evidence": [QUOTED], "turn": [1]}]},
        {"facts": [{"content": "Likes tea", "evidence": QUOTED, "turn": 1.0}]},
        {"facts": [{**GOOD, "quote": [QUOTED]}]},
    ],
)
def test_facts_are_found_in_any_wrapping(answer: Any) -> None:
    assert [Fact("Likes tea", quote="I like tea", turn=1)] == facts(answer)


SECOND = {"content": "Has a dog", "quote": "have a dog", "turn": 2}


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{json.dumps({'facts': [GOOD]})}\n```\n```json\n{json.dumps([SECOND])}\n```",
        f"{json.dumps({'facts': [GOOD]})}\n{json.dumps({'facts': [SECOND]})}",
        {"turns": [{"turn": 1, "facts": [GOOD]}, {"turn": 2, "facts": [SECOND]}]},
        [{"facts": [GOOD]}, {"facts": [SECOND]}, {"facts": []}],
        {"facts": {"1": GOOD, "2": SECOND}},
        {"1": GOOD, "2": SECOND},
        json.dumps({"facts": [GOOD, SECOND]}).replace("I like", "I \\like"),
    ],
)
def test_parts_of_an_answer_are_joined(answer: Any) -> None:
    """A model may answer turn by turn."""
    assert ["Has a dog", "Likes tea"] == sorted(fact.content for fact in facts(answer))


def test_later_answer_about_a_turn_replaces_the_earlier() -> None:
    """A draft of a turn is corrected by the answer."""
    draft = {"facts": [{**GOOD, "content": "Hates tea"}, SECOND], "profile": [{"statement": "a"}]}
    reading = read(f"{json.dumps(draft)}\nNo, wait:\n{json.dumps({'facts': [GOOD]})}")
    assert ["Has a dog", "Likes tea"] == [fact.content for fact in reading.answer.facts]
    assert ["a"] == [one.statement for one in reading.answer.profile]


def test_quotes_in_a_list_are_one_with_gaps() -> None:
    assert ["like … tea"] == [
        one.quote for one in facts({"facts": [{**GOOD, "quote": ["like", "tea"]}]})
    ]


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
        ("confidence", float("nan"), 0.7),
        ("confidence", "NaN", 0.7),
        ("confidence", "20%", 0.2),
        ("confidence", "low", 0.0),
        ("confidence", " Very low", 0.0),
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
        ('{"facts": []}\n{"facts": [{"content": "Likes t', True, True),
        ('{"turns": [{"turn": 1, "facts": []}, {"turn": 2, "fac', True, True),
    ],
)
def test_cut_answer_is_told_from_a_whole_one(text: str, by_limit: bool, is_cut: bool) -> None:
    assert is_cut == read(text, is_cut=by_limit).is_cut


@pytest.mark.parametrize(
    "answer",
    [
        {"facts": [[GOOD, GOOD]]},
        {"facts": [json.dumps(GOOD), json.dumps(GOOD)]},
        {"facts": [json.dumps([GOOD, GOOD])]},
        json.dumps({"facts": [GOOD, GOOD]}),  # a JSON string that holds the answer
    ],
)
def test_items_are_found_one_wrapping_deeper(answer: Any) -> None:
    reading = read(json.dumps(answer))
    assert (2, 0) == (len(reading.answer.facts), reading.malformed.total())


def test_subjects_given_as_objects_are_their_names() -> None:
    """Without them a fact would be about nobody, and readable where its person's are not."""
    (fact,) = facts(
        {"facts": [{**GOOD, "subjects": [{"name": "Ana"}, {"id": 3}, {"Person": "Cy"}]}]}
    )
    assert ["Ana", "Cy"] == fact.subjects


@pytest.mark.parametrize("text", ["[]", "```json\n[ ]\n```", "<think>Nothing new.</think>\n[]\n"])
def test_an_empty_list_says_that_there_is_nothing(text: str) -> None:
    """A bare list is the facts: else small talk would be asked about again and again."""
    assert [] == read(text).answer.facts


def test_empty_answer_says_that_there_is_nothing() -> None:
    assert ([], 0) == (facts({"facts": []}), read({"facts": None}).malformed.total())
