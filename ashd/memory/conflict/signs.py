"""What a reader of grammar notices of two texts, by name: what the model of pairs is told.

Vectors tell what words mean, but hardly which number, name or thing stands where: "locker 20 is
rented" and "locker 62 is rented" are all but one to them. Pure; the same signs in every language,
though of a text that cannot be read there are few.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from ashd.memory.conflict.attribute import shape
from ashd.memory.conflict.change import is_number
from ashd.memory.conflict.clause import OBJECT, Clause, Content, content
from ashd.memory.conflict.reading import read
from ashd.memory.conflict.wording import Word, said

_READ_TEXTS: Final = 1_024
_FLAGS: Final = (
    *("negative", "past", "perfect", "passive", "former"),
    *("wish", "able", "cued", "changed", "also"),
)


def signs(older: str, newer: str) -> frozenset[str]:
    """The names of what is noticed: "numbers apart", "newer changed", "subject same"."""
    found = set()
    ours, theirs = _kinds(older), _kinds(newer)
    for name, words in ours.items():
        found |= set(_beside(name, words, theirs[name]))
    before, after = read(older), read(newer)
    for side, clauses in (("older", before), ("newer", after)):
        found |= {f"{side} {flag}" for flag in _FLAGS if any(getattr(one, flag) for one in clauses)}
        found.add(f"{side} {min(len(clauses), 3)} clauses")
    if before and after:
        found |= set(_of_clauses(before[0], after[0]))
    return frozenset(found)


@lru_cache(maxsize=_READ_TEXTS)
def _kinds(text: str) -> Mapping[str, Content]:
    """The words of a text by what is compared of them; a text is compared with many."""
    found = said(text)
    return {
        "words": content(found),
        "numbers": _texts(word for word in found if word.is_number),
        "names": _texts(word for word in found[1:] if word.is_capital),
        "codes": _texts(word for word in found if _is_code(word)),
        "first word": _texts(found[:1]),
        "last word": _texts(found[-1:]),
    }


def _of_clauses(older: Clause, newer: Clause) -> Iterator[str]:
    yield from _beside("subject", older.subject.all, newer.subject.all)
    yield from _beside("person", older.subject.person, newer.subject.person)
    yield from _beside("topic", older.subject.topic, newer.subject.topic)
    yield from _beside("subject names", older.subject.names, newer.subject.names)
    yield from _beside("head", {older.subject.head} - {""}, {newer.subject.head} - {""})
    written = (content(clause.written) for clause in (older, newer))
    yield from _beside("subject numbers", *({w for w in side if is_number(w)} for side in written))
    yield from _beside("verb", {older.verb}, {newer.verb})
    yield from _beside("object", older.phrase(), newer.phrase())
    yield from _beside("slots", older.slots.keys(), newer.slots.keys())
    yield from _beside("rest", older.content, newer.content)
    for side, clause in (("older", older), ("newer", newer)):
        yield f"{side} object {shape(clause.slots.get(OBJECT, ()))}"


def _texts(found: Iterable[Word]) -> Content:
    return frozenset(word.text for word in found)


def _is_code(word: Word) -> bool:
    """Written as nothing but a name for one thing is: foo_bar, ASH-12, B14, a@b.c."""
    inner = word.raw[1:-1]
    return not word.raw.isdecimal() and (
        word.is_number
        or any(sign in inner for sign in "_@./#:")
        or word.raw[1:] != word.raw[1:].lower()
    )


def _beside(name: str, older: Iterable[str], newer: Iterable[str]) -> Iterator[str]:
    """How what both texts have of a kind lies to one another; nothing where neither has any."""
    one, two = set(older), set(newer)
    if not one and not two:
        return
    if one == two:
        yield f"{name} same"
    elif not two:
        yield f"{name} gone"
    elif not one:
        yield f"{name} come"
    elif not one & two:
        yield f"{name} apart"
    elif one < two:
        yield f"{name} more"
    elif two < one:
        yield f"{name} fewer"
    else:
        yield f"{name} other"
