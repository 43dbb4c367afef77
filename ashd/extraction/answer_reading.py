"""Read an answer to `extract_facts` fact by fact: a wrong part costs itself, not the others. Pure.

What must always hold: nothing is made up. A field that cannot be read gets its default; where it
protects somebody, the strictest value. An item without the fields that only the model can know is
counted as refused.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from ashd.extraction.answer import Answer, Entity, Fact, ProfileStatement, Relation
from ashd.providers import structured
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
_PERCENT: Final = 100
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
        envelope = _envelope(value)
        if envelope is not None:
            envelopes.append(envelope)
        elif _form_of(value) is not None:
            items.append(value)
    full = [one for one in envelopes if any(one.values())]
    is_cut = not envelopes and _is_cut(written)
    if not (envelopes or items or is_cut):
        raise Fault("it holds no complete JSON object with `facts`")
    # Drafts come before the answer; an answer that was cut is whole objects without a list.
    chosen = (full or envelopes or [{}])[-1]
    loose = [] if full else items
    malformed: Counter[str] = Counter()
    found: dict[str, list[Any]] = {}
    for name, form in _FORMS.items():
        given = [*chosen.get(name, ()), *(one for one in loose if _form_of(one) is form)]
        made = [_item(one, form) for one in given]
        found[name] = [one for one in made if one is not None]
        malformed[name] = len(made) - len(found[name])
    return Reading(Answer(**found), malformed, is_cut)


def _envelope(value: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """Return the lists of an answer by name, also if the answer is one level down."""
    for one in (value, *value.values()):
        if isinstance(one, dict) and any(_is_list(one, name) for name in _FORMS):
            return {name: _listed(one.get(name)) for name in _FORMS}
        if isinstance(one, list) and any(_form_of(item) is Fact for item in one):
            return {"facts": one}
    return None


def _is_list(value: Mapping[str, Any], name: str) -> bool:
    """Return whether a field holds a list, or its absence, or a single item."""
    if name not in value:
        return False
    given = value[name]
    return given is None or isinstance(given, list) or _form_of(given) is _FORMS[name]


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


def _form_of(value: Any) -> type[msgspec.Struct] | None:
    """Return the form of an item by the fields that it must have."""
    if not isinstance(value, dict):
        return None
    for form in _FORMS.values():
        if all(name in value for name in form.__struct_fields__[: _required(form)]):
            return form
    return None


def _required(form: type[msgspec.Struct]) -> int:
    return len(form.__struct_fields__) - len(form.__struct_defaults__)


def _item(value: Any, form: type[T]) -> T | None:
    """Return an item, with defaults for what is missing or unreadable; None if that is too much."""
    if not isinstance(value, dict):
        return None
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


def _value(name: str, raw: Any, of: Any) -> Any:
    if name == "turn" and isinstance(raw, str) and (number := _NUMBER.search(raw)):
        raw = number[0]
    if of == list[str]:
        listed = raw if isinstance(raw, list) else [raw]
        return [one for one in listed if isinstance(one, str)]
    made = msgspec.convert(raw, of, strict=False)
    if name == "confidence" and math.isfinite(made) and 1 < made <= _PERCENT:
        return made / _PERCENT
    return made


def _is_cut(written: Written) -> bool:
    """Return whether a text without a complete answer is the beginning of one."""
    if _BEGUN.search(written.text) is None:
        return written.is_cut
    return written.is_cut or written.text.rstrip("` \n")[-1:] not in {"}", "]"}
