"""Structured answers of a language model: the schema to ask with, and reading the answer. Pure.

What must always hold: only an object with every required field is an answer; a fault is described
without repeating a value of the answer.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from json import JSONDecoder
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import msgspec

from ashd.providers import lenient_json
from ashd.providers.streamed import whole_characters

T = TypeVar("T", bound=msgspec.Struct)

_KEPT: Final = ("type", "enum", "const", "description")
"""Keywords that are kept: some strict endpoint refuses each other one (bounds, defaults, titles).
"""
TEXT_FORM: Final = "string"
"""The word for a text where a form is described: a small model may copy it as its answer."""
_TYPES: Final = {str: TEXT_FORM, int: "integer", bool: "boolean"}
_THOUGHTS: Final = re.compile(
    r"\A(?!\s*[`{\[]).*?</think(?:ing)?>|\A\s*<think(?:ing)?>.*\Z", re.DOTALL
)
"""The thoughts before an answer, whose beginning a template may have; a quote in it has tags, too.
"""
_VALUE: Final = re.compile(r"'[^']*'|Invalid enum value .*?(?= - at|$)", re.DOTALL)
_REPEATED_CHARS: Final = 8_000
"""Characters of a wrong answer that are shown to the model for repair."""
_NO_ANSWER: Final = "(no answer)"
_MOST_OBJECTS: Final = 500
_MOST_FAULTS: Final = 50
"""Largest number of opening braces that may turn out to begin no object."""


Read = TypeVar("Read")


class Written(NamedTuple):
    """The text that a model wrote, whether its limit of tokens cut it off, and if it refused."""

    text: str
    is_cut: bool = False
    is_refusal: bool = False


class Asks(Protocol):
    """The part of a language model that questions with a schema need."""

    async def ask_for(
        self,
        task: str,
        system: str,
        user: str,
        schema: Mapping[str, Any],
        read: Callable[[Written], Read],
    ) -> Read:
        """Return what `read` finds in the model's answer to one question."""
        ...


class Fault(Exception):
    """The reason why a text is no valid answer, in words for the model that wrote it."""


def schema(answer: type[msgspec.Struct], without: Collection[str] = frozenset()) -> dict[str, Any]:
    """Return the JSON schema of a type as strict endpoints take it: no references, all required.

    Fields named in `without` are not asked for.

    Raises:
        TypeError: the type has a part that strict schemas cannot express, such as a free dict.
    """
    (reference,), components = msgspec.json.schema_components([answer])
    return _strict(reference, components, without)


def described(schema: Mapping[str, Any]) -> str:
    """Return the form of an answer in words, for a model whose endpoint takes no schema.

    It is an outline of the answer: a small model copies a schema instead of following it.
    """
    form = _outline(schema)
    return f"Answer with one JSON object of this form, with values for the types: {form}"


def _outline(node: Mapping[str, Any]) -> str:
    if "anyOf" in node:
        return " or ".join(_outline(one) for one in node["anyOf"])
    if "enum" in node:
        return " or ".join(json.dumps(one) for one in node["enum"])
    if node["type"] == "array":
        return f"[{_outline(node['items'])}, …]"
    if node["type"] == "object":
        fields = (f'"{name}": {_outline(of)}' for name, of in node["properties"].items())
        return f"{{{', '.join(fields)}}}"
    return str(node["type"])


def repair(text: str, why: str, schema: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the messages that show a model its wrong answer and ask once more."""
    # Some endpoints take no empty message, and some models no two of the user in a row.
    return [
        {"role": "assistant", "content": text[:_REPEATED_CHARS].strip() or _NO_ANSWER},
        {"role": "user", "content": f"This answer is wrong: {why}. {described(schema)}"},
    ]


def read(text: str, answer: type[T]) -> T:
    """Return the answer in a text, perhaps after thoughts, in a code fence or between sentences.

    Raises:
        Fault: there is none; names the first thing that is wrong.
    """
    fault: Fault | None = None
    for value in objects(text):
        try:
            return msgspec.convert(value, answer)
        except msgspec.ValidationError as error:
            fault = fault or Fault(_VALUE.sub("a value that is not allowed", str(error)))
    raise fault or Fault("it holds no complete JSON object")


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost complete JSON objects of a text, in order, after the model's thoughts.

    Of an object that is not complete, those within it.
    """
    text = said(text)
    decoder = JSONDecoder(strict=False)
    at = faults = found = 0
    while found < _MOST_OBJECTS and faults < _MOST_FAULTS:
        at = text.find("{", at)
        if at < 0:
            return
        try:
            value, end = _decoded(decoder, text, at)
            # An escape in the answer may be half of a character.
            value = json.loads(whole_characters(json.dumps(value, ensure_ascii=False)))
        except (ValueError, RecursionError):  # no JSON, or a number with too many digits
            at, faults = at + 1, faults + 1
        else:
            at, found = end, found + 1
            yield value


def said(text: str) -> str:
    """Return a text without the model's thoughts; if the rest is a JSON string, its value."""
    text = _THOUGHTS.sub("", text)
    try:
        value = json.loads(text, strict=False) if text.lstrip()[:1] == '"' else None
    except ValueError:
        return text
    return value if isinstance(value, str) else text


def folded(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with its names in small letters."""
    return {name.strip().casefold(): one for name, one in value.items()}


def _decoded(decoder: JSONDecoder, text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at an index, and the index after it.

    Raises:
        ValueError, RecursionError: there is none that is complete.
    """
    try:
        return decoder.raw_decode(text, at)
    except ValueError:
        return lenient_json.decode(text, at)


def _strict(
    node: Mapping[str, Any], components: Mapping[str, Any], without: Collection[str]
) -> dict[str, Any]:
    if "$ref" in node:
        return _strict(components[node["$ref"].rsplit("/", 1)[1]], components, without)
    made = {key: node[key] for key in _KEPT if key in node}
    if "anyOf" in node:
        made["anyOf"] = [_strict(one, components, without) for one in node["anyOf"]]
    elif "enum" in node:
        made.setdefault("type", _TYPES[type(node["enum"][0])])
    elif node.get("type") == "array":
        made["items"] = _strict(node["items"], components, without)
    elif "properties" in node:
        made["properties"] = {
            name: _strict(of, components, without)
            for name, of in node["properties"].items()
            if name not in without
        }
        made["required"] = list(made["properties"])
        made["additionalProperties"] = False
    elif node.get("type") in {None, "object"}:
        raise TypeError("a strict schema needs a struct, not a dict or anything")
    return made
