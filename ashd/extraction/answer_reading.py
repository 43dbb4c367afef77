"""Read an answer to `extract_facts` fact by fact: a wrong part costs itself, not the others. Pure.

What must always hold: nothing is made up. A field that cannot be read gets its default; where it
protects somebody, the strictest value. An item without the fields that only the model can know is
counted as refused.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from ashd.extraction.answer import Answer, Entity, Fact, ProfileStatement, Relation
from ashd.providers import lenient_json, structured
from ashd.providers.structured import Fault, Written

_FORMS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "facts": Fact,
    "entities": Entity,
    "relations": Relation,
    "profile": ProfileStatement,
}
_UNREADABLE: Final = {"sensitivity": "sensitive", "portable": False, "everywhere": False}
"""The values for labels that are given and mean nothing here: on the safe side."""
_NUMBER: Final = re.compile(r"\d+")
_BEGUN: Final = re.compile(r'[{\[]\s*[{"]')
_EMPTY: Final = re.compile(r"\s*(?:```\w*\s*)?\[\s*\]\s*(?:```\s*)?")
_PERCENT: Final = 100
_PERCENTAGE: Final = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)\s*%")
_LOW: Final = frozenset(
    {"low", "very low", "lowest", "none", "no", "unlikely", "uncertain", "unsure"}
)
"""Words for a confidence that is too low; others count as none given."""
_EVIDENCE: Final = ("turn", "quote", "speaker")
_MOST_LEVELS: Final = 3
_NO_ITEMS: Final[list[Any]] = []
T = TypeVar("T", bound=msgspec.Struct)


class Reading(NamedTuple):
    """The readable parts of an answer, and the items of a wrong form by the name of their list."""

    answer: Answer
    malformed: Counter[str]
    is_cut: bool
    """Whether the answer ended before it was complete."""


def read(written: Written) -> Reading:
    """Return the readable parts of what a model wrote.

    Raises:
        Fault: there is nothing of an answer in it.
    """
    envelopes, items = [], []
    for value in structured.objects(written.text):
        found = [*_envelopes(value)]
        envelopes += found
        if not found and _form_of(value) is not None:
            items.append(value)
    is_cut = _is_cut(written, is_answer=bool(envelopes))
    if not (envelopes or items or is_cut or _EMPTY.fullmatch(structured.said(written.text))):
        raise Fault("it holds no complete JSON object with `facts`")
    # Of an answer that was cut there are whole items without a list.
    loose = {name: [one for one in items if _form_of(one) is form] for name, form in _FORMS.items()}
    malformed: Counter[str] = Counter()
    found_items: dict[str, list[Any]] = {}
    for name, form in _FORMS.items():
        made = _joined([[_item(one, form) for one in given[name]] for given in (loose, *envelopes)])
        found_items[name] = [one for one in made if one is not None]
        malformed[name] = len(made) - len(found_items[name])
    return Reading(Answer(**found_items), malformed, is_cut)


def _joined(answers: Sequence[list[T | None]]) -> list[T | None]:
    """Return the items of an answer that came in parts, such as turn by turn.

    Drafts come before the answer: an earlier part counts for turns that no later one is about.
    """
    joined: list[T | None] = []
    for given in reversed(answers):
        turns = {getattr(one, "turn", None) for one in joined} | {None}
        is_by_turn = all(getattr(one, "turn", None) for one in joined if one is not None)
        if not joined:
            joined = given
        elif is_by_turn:
            joined = [one for one in given if getattr(one, "turn", None) not in turns] + joined
    return joined


def _envelopes(value: Mapping[str, Any], depth: int = 0) -> Iterator[dict[str, list[Any]]]:
    """Yield the lists of an answer by name, also if the answer is some levels down."""
    value = structured.folded(value)
    lists = {name: _listed(value[name], form) for name, form in _FORMS.items() if name in value}
    if any(one is not None for one in lists.values()):
        # Another value in place of a list is an item of a wrong form.
        yield {
            name: [value[name]] if given is None else given
            for name, given in {**dict.fromkeys(_FORMS, _NO_ITEMS), **lists}.items()
        }
        return
    if depth == _MOST_LEVELS or _form_of(value) is not None:
        return
    members = [_decoded(one) for one in value.values()]
    if facts := [one for one in members if _form_of(one) is Fact]:
        yield {**dict.fromkeys(_FORMS, _NO_ITEMS), "facts": facts}
        return
    for one in members:
        if isinstance(one, list) and any(_form_of(item) is Fact for item in one):
            yield {**dict.fromkeys(_FORMS, _NO_ITEMS), "facts": one}
        else:
            for inner in one if isinstance(one, list) else [one]:
                if isinstance(inner, dict):
                    yield from _envelopes(inner, depth + 1)


def _listed(given: Any, form: type[msgspec.Struct]) -> list[Any] | None:
    """Return the items in a list's place: a list, its absence, an item, items by number or name."""
    given = _decoded(given)
    if given is None:
        return []
    if isinstance(given, list):
        return [*_flat(given)]
    if not isinstance(given, dict):
        return None
    if _form_of(given) is form:
        return [given]
    members = [*given.values()]
    if len(members) == 1 and isinstance(members[0], list):
        return [*_flat(members[0])]
    return members if all(_form_of(one) is form for one in members) else None


def _flat(given: Sequence[Any]) -> Iterator[Any]:
    """Yield the items of a list, also if they are in lists of their own, or written in texts."""
    for one in map(_decoded, given):
        yield from one if isinstance(one, list) else [one]


def _decoded(value: Any) -> Any:
    """Return the list or object that is written in a text; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        try:
            return lenient_json.decode(value, 0)[0]
        except lenient_json.NotJson:
            return value
    return value


def _form_of(value: Any) -> type[msgspec.Struct] | None:
    """Return the form of an item by the fields that it must have."""
    if not isinstance(value, dict):
        return None
    given = structured.folded(value)
    for form in _FORMS.values():
        if all(name in given for name in form.__struct_fields__[: _required(form)]):
            return form
    return None


def _required(form: type[msgspec.Struct]) -> int:
    return len(form.__struct_fields__) - len(form.__struct_defaults__)


def _item(value: Any, form: type[T]) -> T | None:
    """Return an item, with defaults for what is missing or unreadable; None if that is too much."""
    if not isinstance(value, dict):
        return None
    if len(value) == 1 and _form_of(inner := next(iter(value.values()))) is form:
        value = inner
    value = structured.folded(value)
    value = {**_evidence(value.get("evidence")), **value}
    given = {}
    for field in msgspec.structs.fields(form):
        raw = value.get(field.name)
        if raw is None:
            continue
        try:
            given[field.name] = _value(field.name, raw, field.type)
        except msgspec.ValidationError:
            if field.name in _UNREADABLE:
                given[field.name] = _UNREADABLE[field.name]
    try:
        made = form(**given)
    except TypeError:  # a field without a default
        return None
    required = form.__struct_fields__[: _required(form)]
    confidence = given.get("confidence", 0)
    is_filled = all(str(given[name]).strip() for name in required)
    return made if is_filled and 0 <= confidence <= 1 else None


def _evidence(given: Any) -> dict[str, Any]:
    """Return the fields of a finding that stand in another object or list: turn and quote."""
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if isinstance(given, str):
        return {"quote": given}
    given = structured.folded(given) if isinstance(given, dict) else {}
    return {name: given[name] for name in _EVIDENCE if name in given}


def _name_in(given: dict[str, Any]) -> str | None:
    """Return the name of a person given as an object: its `name`, or the only text in it."""
    fields = structured.folded(given)
    texts = [one for one in fields.values() if isinstance(one, str)]
    name = fields.get("name")
    return name if isinstance(name, str) else texts[0] if len(texts) == 1 else None


def _value(name: str, raw: Any, of: Any) -> Any:
    if name == "turn" and isinstance(raw, list) and len(raw) == 1:
        raw = raw[0]
    if name == "turn" and isinstance(raw, str) and (number := _NUMBER.search(raw)):
        raw = number[0]
    if name == "quote" and isinstance(raw, list):
        raw = " … ".join(one for one in raw if isinstance(one, str))
    if name == "confidence" and isinstance(raw, str):
        raw = _number_for(raw.strip().casefold())
    if of == list[str]:
        listed = raw if isinstance(raw, list) else [raw]
        texts = (_name_in(one) if isinstance(one, dict) else one for one in listed)
        return [one for one in texts if isinstance(one, str)]
    made = msgspec.convert(raw, of, strict=False)
    if name == "confidence" and math.isnan(made):
        raise msgspec.ValidationError("no number")
    if name == "confidence" and 1 < made <= _PERCENT:
        return made / _PERCENT
    return made


def _number_for(confidence: str) -> str | float:
    """Return the number that a word for a confidence is, if it is one."""
    if (percent := _PERCENTAGE.fullmatch(confidence)) is not None:
        return float(percent[1]) / _PERCENT
    return 0 if confidence in _LOW else confidence


def _is_cut(written: Written, *, is_answer: bool) -> bool:
    """Return whether a text is the beginning of an answer; `is_answer`: it has a complete one."""
    if is_answer:  # of an answer in parts the last may be cut
        return written.is_cut and _BEGUN.search(written.text.rpartition("}")[2]) is not None
    if _BEGUN.search(written.text) is None:
        return written.is_cut
    return written.is_cut or written.text.rstrip("` \n")[-1:] not in {"}", "]"}
