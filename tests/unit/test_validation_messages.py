"""The sentence of a type check: the parameter and its allowed values."""

import time
from typing import Annotated, Any, Literal

import msgspec
import pytest

from ashd import limits, validation_messages
from ashd.ids import Identifier
from ashd.memory.model import Content, Fact, MemoryId

Few = Annotated[int, msgspec.Meta(ge=1, le=100)]


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """Something in something."""

    content: Content


class Params(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One parameter of each sort."""

    user: Identifier
    id: MemoryId | None = None
    limit: Few = 20
    days: Annotated[float, msgspec.Meta(gt=0, le=36_500)] | None = None
    before: Annotated[int, msgspec.Meta(ge=0)] | None = None
    kind: Literal["red", "blue"] | None = None
    query: Annotated[str, msgspec.Meta(max_length=limits.QUERY_CHARS)] = ""
    name: Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)] = ""
    parts: Annotated[list[Part], msgspec.Meta(max_length=limits.MESSAGES_PER_CALL)] = []
    facts: Annotated[list[Any], msgspec.Meta(max_length=limits.FACTS_PER_CALL)] = []
    tags: Annotated[list[str], msgspec.Meta(max_length=50)] = []
    counts: dict[str, Few] = {}


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"id": "x"}, "invalid_params", "id is too short: give at least 6 characters."),
        ({"id": "x" * 37}, "invalid_params", "id is too long: give at most 36 characters."),
        ({"id": 3}, "invalid_params", "id must be a text, not a whole number."),
        ({"user": ""}, "invalid_params", "user is empty."),
        ({"user": "a\n"}, "invalid_params", "user has a character that it may not have."),
        ({"limit": 0}, "invalid_params", "limit must be 1 to 100."),
        ({"limit": 101}, "invalid_params", "limit must be 1 to 100."),
        ({"limit": None}, "invalid_params", "limit must be a whole number, not null."),
        ({"days": 0}, "invalid_params", "days must be more than 0 and at most 36,500."),
        ({"before": -1}, "invalid_params", "before must be at least 0."),
        ({"kind": "green"}, "invalid_params", "kind must be one of blue, red."),
        ({"usr": 1}, "invalid_params", "There is no parameter 'usr'."),
        ({"parts": [{}]}, "invalid_params", "parts[0].content is missing."),
        (
            {"parts": [{"content": "", "x": 1}]},
            "invalid_params",
            "There is no field 'x' in parts[0].",
        ),
        ({"counts": {"a": 0}}, "invalid_params", "counts[...] must be 1 to 100."),
        ({"tags": [""] * 51}, "invalid_params", "tags is too long: give at most 50 entries."),
        ({"name": "x" * 201}, "invalid_params", "name is too long: give at most 200 characters."),
        ({"query": "x" * 4_001}, "too_large", "query is too long: give at most 4,000 characters."),
        ({"facts": [1] * 101}, "too_large", "facts is too long: give at most 100 entries."),
        (
            {"parts": [{"content": ""}] * 501},
            "too_large",
            "parts is too long: give at most 500 entries.",
        ),
        (
            {"parts": [{"content": "x" * 10_001}]},
            "too_large",
            "parts[0].content is too long: give at most 10,000 characters.",
        ),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_complaint_is_a_sentence(given: dict[str, Any], kind: str, message: str) -> None:
    """The sentence names the parameter and what is allowed; excess is reported as too large."""
    error = _error({"user": "a", **given}, Params)

    assert (error.kind, error.message) == (kind, message)
    assert error.hint


def test_a_missing_parameter_is_named() -> None:
    """A missing nested parameter is named with its parent."""
    assert _error({}, Params).message == "user is missing."
    assert _error({}, Params, within="scope").message == "scope.user is missing."


def test_a_misspelt_parameter_gets_its_name() -> None:
    """A parameter with no similar name gets all known names."""
    assert _error({"user": "a", "usr": 1}, Params).hint == "Did you mean 'user'?"
    assert "content" in _error({"qqqq": 1, "content": "x"}, Fact).hint


def test_no_value_is_repeated() -> None:
    """The error repeats no value, whatever it looks like."""
    for given in ({"kind": "secret - at `$.id`"}, {"id": "secret" * 9}, {"limit": "secret"}):
        error = _error({"user": "a", **given}, Params)
        assert "secret" not in error.message + error.hint
    for given in ({"secret": 1}, {"parts": [{"content": "x", "secret": 1}]}, {"kinds-secret": 1}):
        error = _error({"user": "a", **given}, Params)
        assert "secret" not in error.message + error.hint
    assert _error({"user": "a", "x - at `$.id`": 1}, Params).kind == "invalid_params"


def test_a_name_of_megabytes_costs_no_more_than_one_of_a_line() -> None:
    """Only the beginning of the name is compared with the known names."""
    spent = []
    for size in (100, 4_000_000):
        with pytest.raises(msgspec.ValidationError) as caught:
            msgspec.convert({"user": "a", "parts": [{"content" + "ab" * size: 1}]}, Params)
        began = time.thread_time()
        error = validation_messages.of(caught.value, Params)
        spent.append(time.thread_time() - began)
        assert "in parts[0]" in error.message

    assert spent[1] < 50 * spent[0]


def test_too_deep_is_a_complaint_too() -> None:
    """The complaint names no place."""
    assert validation_messages.of(RecursionError("too deep"), Params).kind == "invalid_params"


def _error(given: object, kind: type, within: str = "") -> Any:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(given, kind)
    return validation_messages.of(caught.value, kind, within)
