"""Edits of JSON as text: one place changes, and every comment stays. Budget: 10 s."""

import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.cli import jsonc

_KEYS = st.text('abc"\\{}[]/*,: é', min_size=1, max_size=4)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\/*{},', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


def _space(chance: random.Random, number: list[int]) -> str:
    """White space, perhaps with a comment that has a number of its own."""
    number[0] += 1
    return chance.choice(
        [
            *("", "", " ", "\n", "\n    ", "\t"),
            *(f" // note {number[0]} }} ,\n", f"/* note {number[0]} ] */"),
        ]
    )


def _written(value: Any, chance: random.Random, number: list[int], *, trailing: bool) -> str:
    """A value as text, with comments and white space anywhere."""

    def space() -> str:
        return _space(chance, number)

    if not isinstance(value, list | dict):
        return json.dumps(value)
    items = [
        (f"{json.dumps(one)}{space()}:{space()}" if isinstance(value, dict) else "")
        + _written(
            value[one] if isinstance(value, dict) else one, chance, number, trailing=trailing
        )
        for one in value
    ]
    inner = ",".join(space() + item + space() for item in items) or space()
    comma = "," + space() if items and trailing and chance.random() < 0.5 else ""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{inner}{comma}{closing}"


def _notes(text: str) -> list[str]:
    return re.findall(r"note \d+", text)


@given(
    st.dictionaries(_KEYS, _VALUES, max_size=4),
    st.dictionaries(_KEYS, _VALUES, max_size=3),
    st.integers(),
)
def test_what_is_put_can_be_taken_out_again(
    root: dict[str, Any], servers: dict[str, Any], seed: int
) -> None:
    """Any document holds the new entry afterwards, and its own values and comments throughout."""
    chance = random.Random(seed)
    root = {**root, "servers": servers}
    text = _written(root, chance, [0], trailing=True)
    entry = {"command": "x", "args": ["1", "}"]}
    added = jsonc.put(text, ("servers", "ash"), entry)

    assert jsonc.parse(text).value == root
    assert jsonc.parse(added).value == {**root, "servers": {**servers, "ash": entry}}
    assert _notes(added) == _notes(text)
    assert jsonc.put(added, ("servers", "ash"), entry) == added

    removed = jsonc.remove(added, ("servers", "ash"))
    assert jsonc.parse(removed).value == root
    assert _notes(removed) == _notes(text)


@given(st.lists(_VALUES, max_size=4), st.integers())
def test_elements_of_arrays_are_put_and_taken_out(values: list[Any], seed: int) -> None:
    """An array gets one more element, and loses any one of them, without its comments."""
    chance = random.Random(seed)
    text = _written({"a": values}, chance, [0], trailing=True)
    more = jsonc.append(text, ("a",), {"x": 1})
    assert jsonc.parse(more).value == {"a": [*values, {"x": 1}]}
    assert _notes(more) == _notes(text)

    at = chance.randrange(len(values) + 1)
    left = jsonc.remove(more, ("a", at))
    expected = [*values, {"x": 1}]
    del expected[at]
    assert jsonc.parse(left).value == {"a": expected}
    if at == len(values):
        assert _notes(left) == _notes(text)


def test_an_edit_looks_as_a_person_would_write_it() -> None:
    """Indentation, line ends and the comma after the last item are those of the file."""
    text = '{\n\t// mine\n\t"a": 1, // one\n\t"s": {\n\t\t"o": {"command": "x"},\n\t},\n}\n'
    made = jsonc.put(text, ("s", "ash"), {"command": "y"})

    assert made == text.replace(
        '"x"},\n\t},', '"x"},\n\t\t"ash": {\n\t\t\t"command": "y"\n\t\t},\n\t},'
    )
    assert jsonc.remove(made, ("s", "ash")) == text
    assert jsonc.put('{"a": {"b": 1}}', ("a", "c"), {"d": 2}) == '{"a": {"b": 1, "c": {"d": 2}}}'
    assert jsonc.put("{}\r\n", ("a",), 1) == '{\n  "a": 1\n}\r\n'.replace("\n", "\r\n").replace(
        "\r\r", "\r"
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[1,,2]", "{'a': 1}", '{"a" 1}', '{"a": 1} x', '{"a": nul}', '"\n"', "/* {}"),
        *("{,}", "[" * 100_000, '{"a": tru}', "{1: 2}", "{} //x\n}"),
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    """It is said, and nothing is guessed."""
    with pytest.raises(jsonc.NotJson):
        jsonc.parse(text)


def test_a_key_that_is_there_twice_is_not_edited() -> None:
    """Readers differ about which one holds."""
    with pytest.raises(jsonc.NotJson):
        jsonc.put('{"s": {}, "s": {}}', ("s", "ash"), 1)
