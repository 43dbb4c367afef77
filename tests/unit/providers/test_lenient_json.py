"""JSON as language models write it."""

import json
import math
from typing import Any

import pytest

from ashd.providers import lenient_json, structured

VALUE = {"facts": [{"content": "Ana's tea", "shared": False, "turn": 1}, {"turn": None}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(VALUE),
        str(VALUE),
        json.dumps(VALUE).replace("false", "False").replace("null", "None"),
        json.dumps(VALUE).replace("}", ",}").replace("]", " , ]"),
        json.dumps(VALUE).replace("}, {", "} {").replace(', "turn"', ' "turn"'),
        '{facts: [{content: "Ana\'s tea", shared: false, turn: 1}, {turn: null}]}',
        json.dumps(VALUE).replace("Ana's", "Ana\\'s"),
        json.dumps(VALUE).replace("[", "[ // the facts: {1}\n").replace("]", "/* {all} */]"),
    ],
)
def test_habits_of_models_are_read(text: str) -> None:
    """Python's words and quotes, commas too many or too few, comments, bare keys, odd escapes."""
    assert [VALUE] == list(structured.objects(f"Here: {text} Well, {{that}} is all."))
    assert (VALUE, len(text)) == lenient_json.decode(f"{text} and more", 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'{"a": "\like \"it\" \\ \u00e4 \u12"}', 'like "it" \\ ä u12'),
        (r"""{'a': 'Ana\'s "tea"'}""", 'Ana\'s "tea"'),
        ('{"a": "two\nlines",}', "two\nlines"),
        (
            r"{'a': 'half \ud83c, whole \ud83c\udf89'}",
            "half \N{REPLACEMENT CHARACTER}, whole \N{PARTY POPPER}",
        ),
        ("{'a': -1.5e3}", -1500.0),
        ("{'a': +7}", 7),
        ("{'a': undefined}", None),
    ],
)
def test_value_is_that_which_was_meant(text: str, expected: Any) -> None:
    assert {"a": expected} == lenient_json.decode(text, 0)[0]


def test_words_for_no_number_are_none() -> None:
    assert math.isnan(lenient_json.decode("{'a': NaN}", 0)[0]["a"])


@pytest.mark.parametrize(
    "text",
    [
        "{hope}",
        "{'a'}",
        "{'a': string}",
        '{"a": "b", …}',
        "{'a': 'I don't know'}",
        "{'a': [1, 2",
        "{'a': 'cut",
        "{'a': 1",
        "{'a': 1]",
        "{1: 2, : 3}",
        "{'a': 9" + "9" * 6_000 + "}",
        "{a:" * 5_000,
        "{a:[" * 5_000,
    ],
)
def test_text_that_could_mean_anything_is_refused(text: str) -> None:
    with pytest.raises(lenient_json.NotJson):
        lenient_json.decode(text, 0)
