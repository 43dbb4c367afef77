"""Structured answers: the schema that strict endpoints take, and reading what models write."""

import json
from typing import Literal

import msgspec
import pytest

from ashd.providers import structured
from ashd.providers.structured import Fault


class Fact(msgspec.Struct, frozen=True):
    content: str
    kind: Literal["event", "task"]
    valid_from: str | None = None


class Facts(msgspec.Struct, frozen=True):
    facts: list[Fact]


GOOD = '{"facts": [{"content": "Tea", "kind": "event", "valid_from": null}]}'
READ = Facts([Fact("Tea", "event")])


def test_a_schema_has_no_reference_and_requires_every_field() -> None:
    """Strict endpoints take neither references at the root nor fields that may be missing."""
    assert structured.schema(Facts) == {
        "type": "object",
        "required": ["facts"],
        "additionalProperties": False,
        "properties": {
            "facts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["content", "kind", "valid_from"],
                    "additionalProperties": False,
                    "properties": {
                        "content": {"type": "string"},
                        "kind": {"type": "string", "enum": ["event", "task"]},
                        "valid_from": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                    },
                },
            }
        },
    }


def test_a_type_with_a_free_dict_has_no_strict_schema() -> None:
    """The mistake shows when it is made, not when an endpoint refuses the schema."""

    class Free(msgspec.Struct):
        values: dict[str, str]

    with pytest.raises(TypeError):
        structured.schema(Free)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD} \n",
        f"```json\n{GOOD}\n```",
        f"Here it is:\n```\n{GOOD}\n```\nAnything else?",
        f"<think>First {{}}. Then {{'facts': 1}}.</think>\n{GOOD}",
        f'<thinking>{{"facts": []}}</thinking>{GOOD}',
        f'The template opened it already. {{"facts": []}}</think>{GOOD}',
        f"Sure {{as you wish}}: {GOOD} I hope {{this}} helps.",
        f'{{"note": "wrong form"}}\n{GOOD}',
    ],
)
def test_an_answer_is_found_in_what_is_around_it(text: str) -> None:
    """Thoughts, fences and sentences are no part of the answer."""
    assert READ == structured.read(text, Facts)


@pytest.mark.parametrize("thoughts", ["", "```json\n", "<think>So.</think>\n", "So.</think>"])
def test_tag_of_thoughts_within_an_answer_ends_none(thoughts: str) -> None:
    """Somebody may have spoken of it, and be quoted."""
    quoted = json.dumps({"facts": ["It prints </think> at the end.", "I like tea."]})
    assert quoted == json.dumps(next(structured.objects(thoughts + quoted)))


def test_half_of_a_character_is_no_part_of_an_answer() -> None:
    """A model may escape one half of an emoji alone, which could be neither stored nor sent."""
    text = r'{"facts": [{"content": "a\ud83c b\ud83c\udf89", "kind": "task"}], "\udf89": 1}'
    [fact] = structured.read(text, Facts).facts
    assert "a\N{REPLACEMENT CHARACTER} b\N{PARTY POPPER}" == fact.content


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no complete JSON object"),
        ("I would rather not.", "no complete JSON object"),
        ('{"facts": [', "no complete JSON object"),
        ("{" * 5_000, "no complete JSON object"),
        ('{"a":' * 5_000, "no complete JSON object"),
        ("[]", "no complete JSON object"),
        ("{}", "missing required field `facts`"),
        ('{"facts": 3}', "Expected `array`, got `int`"),
        ('{"facts": [{"kind": "task"}]}', "missing required field `content`"),
        ('{"facts": [{"content": "a", "kind": "xyz"}]}', "not allowed - at `$.facts[0].kind`"),
    ],
)
def test_a_fault_names_what_is_wrong(text: str, words: str) -> None:
    """A well-formed answer that misses a field is a fault; no value of the answer is repeated."""
    with pytest.raises(Fault) as caught:
        structured.read(text, Facts)
    assert words in str(caught.value)
    assert "xyz" not in str(caught.value)


def test_form_is_described_by_an_outline() -> None:
    """Nothing of the schema's own words is in it: small models copy them."""
    fact = '{"content": string, "kind": "event" or "task", "valid_from": string or null}'
    form = f'{{"facts": [{fact}, …]}}'
    assert structured.described(structured.schema(Facts)).endswith(f": {form}")
