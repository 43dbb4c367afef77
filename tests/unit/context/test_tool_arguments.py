"""Arguments that models write are read by the tool's schema, as far as they can be."""

from typing import Any

import pytest

from ashd import errors, limits
from ashd.context.tool_arguments import read
from ashd.context.tools import CallParams, arguments_of

_TEXT = {"type": "string"}
_SCHEMA = {
    "properties": {
        "query": _TEXT,
        "days": {"type": ["integer", "null"]},
        "share": {"type": "number"},
        "shared": {"type": "boolean"},
        "names": {"type": "array", "items": _TEXT},
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"content": _TEXT, "days": {"type": "integer"}},
                "required": ["content"],
            },
        },
    },
    "required": ["query"],
}


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        # Nothing is given for what may be left out.
        ({"days": None, "shared": None, "names": []}, {}),
        ({"days": 0, "names": ["", "Ann"]}, {"names": ["Ann"]}),
        ({"query": "  "}, {}),
        ({"facts": [{"content": "Tea", "days": "0"}]}, {"facts": [{"content": "Tea"}]}),
        # False is a value.
        ({"shared": False}, {"shared": False}),
        ({"shared": "False"}, {"shared": False}),
        ({"shared": 1}, {"shared": True}),
        ({"shared": 0}, {"shared": False}),
        ({"shared": 2}, {"shared": 2}),
        ({"shared": "perhaps"}, {"shared": "perhaps"}),
        # Numbers in words, one value for a list, a list for one value.
        ({"days": "7"}, {"days": 7}),
        ({"days": 7.0}, {"days": 7}),
        ({"days": "7.5"}, {"days": 7.5}),
        ({"days": "a week"}, {"days": "a week"}),
        ({"names": "Ann"}, {"names": ["Ann"]}),
        ({"names": ' ["Ann", "Bob"]'}, {"names": ["Ann", "Bob"]}),
        ({"names": "[Ann"}, {"names": ["[Ann"]}),
        ({"query": ["tea"]}, {"query": "tea"}),
        ({"query": ["tea", "cake"]}, {"query": ["tea", "cake"]}),
        ({"facts": "Tea"}, {"facts": [{"content": "Tea"}]}),
    ],
)
def test_a_value_is_read_as_what_the_schema_names(
    given: dict[str, Any], taken: dict[str, Any]
) -> None:
    """A value that cannot be read stays as it is, for the check that names it."""
    assert read(given, _SCHEMA) == (taken, [])


@pytest.mark.parametrize(("name", "kind"), [("days", int), ("share", float)])
def test_a_whole_number_is_an_integer_only_where_one_is_asked_for(name: str, kind: type) -> None:
    for value in (7.0, "7"):
        taken, _ = read({name: value}, _SCHEMA)
        assert isinstance(taken[name], kind)


def test_a_few_of_many_unknown_arguments_are_named() -> None:
    """A model that makes up arguments is told of three; the others are ignored, too."""
    made_up = dict.fromkeys(("mood", "tone", "lang", "top_k"), 1)

    taken, remarks = read({"query": "tea", **made_up}, _SCHEMA)
    within, of_facts = read({"facts": [{"content": "tea", **made_up}]}, _SCHEMA)

    assert taken == {"query": "tea"}
    assert within == {"facts": [{"content": "tea"}]}
    for told in (remarks, of_facts):
        assert [one.split(".")[0] for one in told] == [
            f"There is no argument '{name}'" for name in list(made_up)[:3]
        ]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ({"query": "tea"}, {"query": "tea"}),
        ('{"query": "tea"}', {"query": "tea"}),
        ("", {}),
        (" " * (limits.TOOL_ARGUMENTS_CHARS - 2) + "{}", {}),
        (" " * (limits.TOOL_ARGUMENTS_CHARS - 1) + "{}", errors.TooLarge),
        ("[]", errors.InvalidParams),
        ('"tea"', errors.InvalidParams),
        ("{query: tea}", errors.InvalidParams),
        ("\ud800", errors.InvalidParams),
    ],
)
def test_arguments_are_an_object_or_its_text(given: Any, taken: Any) -> None:
    """Any other text is refused, and so is one that is too long."""
    params = CallParams(name="recall", arguments=given)

    if isinstance(taken, dict):
        assert arguments_of(params) == taken
    else:
        with pytest.raises(taken):
            arguments_of(params)
