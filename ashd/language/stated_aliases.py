"""Other names that a sentence gives a person: "Fitz is what we call Fitzgerald", a handle, née.

Pure; the same must hold as in `person_references`. Two names in one sentence belong to one person
only if the words between them say so.
"""

import re
from itertools import pairwise
from typing import Final, NamedTuple

from ashd.language import person_references
from ashd.language.folding import clean
from ashd.language.lazy_pattern import pattern_of
from ashd.language.mentions import mentions
from ashd.language.name_boundaries import name_at
from ashd.language.person_references import HANDLE, Reference
from ashd.language.relationship_words import relationship_at
from ashd.language.words import normalise, split

_OFTEN: Final = r"(?:(?:also|now|better|often|usually|mostly|simply|just|always|officially)\s+)*"
_WHO: Final = r"(?:we|i|you|they|all|people|friends|everybody|everyone|the kids|most people)"
_CALL: Final = rf"{_WHO}\s+(?:all\s+)?{_OFTEN}call(?:s|ed)?"
_KIND: Final = (
    r"(?:nick|maiden|married|birth|real|full|last|family|first|given|new|old|user|screen|pen)?"
    r"\s*-?(?:name|surname|handle|nick|account|alias)"
)
_IS: Final = rf"(?:\s+(?:is|was)|'s)\s+{_OFTEN}"
_ADJACENT: Final = pattern_of(
    rf"""(?:
      (?:,?\s+who)?{_IS}(?:called|named|nicknamed|known\s+as)
    | [\s,(]+{_OFTEN}(?:known\s+as|nicknamed|aka|a\.k\.a\.|alias|formerly|(?:goes|going)\s+by)
    | [\s,(]+(?P<maiden>n[ée]e|born)
    | 's\s+(?P<kind>{_KIND}){_IS}
    | {_IS}(?:short|the\s+short\s+form|(?:a|the|his|her)\s+nickname)\s+(?:for|of)
    | {_IS}(?:what|how)\s+{_CALL}
    | [\s,(]+whom?\s+{_CALL}
    | [\s,(]+{_CALL}\s+(?:her|him|them|it)
    )\s*(?:the\s+name\s+(?:of\s+)?)?[\s"'(:]*""",
    re.VERBOSE,
)
_DISTANT: Final = pattern_of(
    rf"""(?P<far>.*?)(?:
      \b(?:her|his|their)\s+(?P<kind>{_KIND}){_IS}
    | \b(?:has\s+)?changed\s+(?:her|his|their)\s+{_KIND}\s+(?:back\s+)?to
    | \b(?P<taken>took|has\s+taken)\s+(?:back\s+)?(?:her|his|their|the)\s+{_KIND}(?:\s+of)?
    | \b(?:she|he|they)\s+(?:is|was|are)?\s*{_OFTEN}(?:called|known\s+as|goes\s+by|go\s+by)
    | \b(?:and|who)\s+(?:is|was)?\s*{_OFTEN}(?:called|known\s+as|goes\s+by)
    | \b{_CALL}\s+(?:her|him|them)
    )\s*["'(:]*""",
    re.VERBOSE,
)
_BEFORE_HANDLE: Final = pattern_of(
    rf"(?:{_IS}|\s*\(|\s+(?:goes|writes|posts)\s+(?:by|as)\s+|'s\s+{_KIND}{_IS})"
    r"(?:on\s+\S+\s+)?(?:as\s+)?"
)
_IS_NAMED: Final = pattern_of(rf"{_IS}(?:called|named)?\s*")
_HANDLE_NEXT: Final = pattern_of(rf"{_BEFORE_HANDLE.pattern}@([\w.-]*\w)", re.IGNORECASE)
_SENTENCE: Final = pattern_of(r"[!?;\n]|\.(?!\s*k\.|\s*a\.|\w)")
_SURNAMES: Final = frozenset({"maiden", "married", "birth", "last", "family", "surname"})
_MAX_FAR_CHARS: Final = 60


class _Name(NamedTuple):
    value: str
    start: int
    end: int
    is_handle: bool


def other_names(name: str, text: str) -> list[str]:
    """Return the names and handles (without "@") that `text` gives the person called `name`."""
    cleaned = clean(text)
    found = _names(cleaned)
    aliases = []
    for one, other in pairwise(found):
        linked = _linked(cleaned, one, other)
        if linked is None:
            continue
        for mine, theirs in ((one.value, linked), (linked, one.value)):
            if person_references.matches(name, mine) and normalise(name) != normalise(theirs):
                aliases.append(theirs)
    return list(dict.fromkeys(aliases))


def stated_handle(reference: Reference, text: str) -> str | None:
    """Return the handle that `text` gives the holder of a relationship: "my boss is @mike"."""
    cleaned = clean(text)
    words = split(cleaned)
    for mention in mentions(words, any_noun=True):
        last = words[mention.after - 1]
        found = _HANDLE_NEXT.match(cleaned, last.start + len(last.text))
        same = mention.reference.relationship == reference.relationship
        if found and same and mention.reference.of == reference.of:
            return found[1]
    return None


def full_name(name: str, text: str) -> str:
    """Return the longer name around each mention of this one: "Tom" in "Tom Baker is …"."""
    spoken = [one.value for one in _names(clean(text)) if not one.is_handle]
    fits = [one for one in spoken if person_references.matches(name, one)]
    longer = {
        one
        for one in fits
        if person_references.matches(name, one) is person_references.MatchKind.SHORTER
    }
    return fits[0] if len(longer) == 1 and len(set(fits)) == 1 else name


def _names(text: str) -> list[_Name]:
    words = split(text)
    found = [_Name(hit[1], hit.start(), hit.end(), is_handle=True) for hit in HANDLE.finditer(text)]
    taken = {place for one in found for place in range(one.start, one.end)}
    at = 0
    while at < len(words):
        hit = None if words[at].start in taken else name_at(words, at)
        if hit is None:
            at += 1
            continue
        last = words[hit[1] - 1]
        end = last.start + len(last.text)
        found.append(_Name(hit[0], words[at].start, end, is_handle=False))
        at = hit[1]
    return sorted(found, key=lambda one: one.start)


def _linked(text: str, one: _Name, other: _Name) -> str | None:
    """Return the other name as an alias of the first, if the words between them say so."""
    between = text[one.end : other.start].lower()
    if one.is_handle:
        return other.value if _IS_NAMED.fullmatch(between) else None
    if other.is_handle:
        return other.value if _BEFORE_HANDLE.fullmatch(between) else None
    if _SENTENCE.search(between):
        return None
    hit = _ADJACENT.fullmatch(between)
    if hit is None:
        hit = _DISTANT.fullmatch(between)
        if hit is None or not _is_aside(hit["far"]):
            return None
    parts = hit.groupdict()
    kind = normalise(parts.get("kind") or "").split(" ")[0]
    is_surname = bool(parts.get("maiden") or parts.get("taken")) or kind in _SURNAMES
    if is_surname and " " not in other.value:
        return f"{one.value.rpartition(' ')[0] or one.value} {other.value}"
    return other.value


def _is_aside(text: str) -> bool:
    """Return whether nobody and nothing else is mentioned that a following "her" could mean."""
    keys = [word.key for word in split(text)]
    return (
        len(text) <= _MAX_FAR_CHARS
        and not {"a", "an", "the", "with", "to"} & set(keys)
        and not any(relationship_at(keys, at) for at in range(len(keys)))
    )
