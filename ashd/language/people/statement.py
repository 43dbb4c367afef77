"""Statements about who is who, as one clause makes them of its phrases. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ashd.language.people import vocabulary
from ashd.language.people.patterns import Kind
from ashd.language.people.references import Reference
from ashd.language.words import normalise


@dataclass(frozen=True, slots=True)
class Statement:
    """Two references and what the text says of them.

    `kind` is SAME, DIFFERENT, ENDED or KNOWN: of one person, of two people, `one` holds the role
    `other` no longer, or `one` is somebody known before.
    """

    kind: Kind
    one: Reference
    other: Reference
    in_passing: bool = False
    """Said beside something else ("my wife Sarah"), not for its own sake."""
    expressly: bool = False
    """Said of two in so many words: "are the same person"."""
    adds: bool = False
    """Said of somebody who is known: "Anna is also my boss", "Ravi took over as coach"."""
    takes_over: bool = False
    """The role was another's: "Ravi took over as coach"."""
    besides: bool = False
    """Another name than the one by which the person is known: "we call my aunt Bee"."""


def of_pair(kind: Kind, one: Reference, other: Reference, *, passing: bool) -> Iterator[Statement]:
    """Yield what a clause of this kind says of its two phrases."""
    if kind is Kind.SURNAME or kind is Kind.GIVEN:
        whole = _with_surname(one, other) if kind is Kind.SURNAME else _with_given(one, other)
        if whole:
            yield Statement(Kind.SAME, one, whole, in_passing=passing, besides=True)
    elif kind is Kind.ALIKE:
        if one.name is None or _shares_word(one.name, other.name or ""):
            yield Statement(Kind.SAME, one, other)
    elif kind is Kind.ALSO:
        yield Statement(Kind.SAME, one, other, in_passing=passing, besides=True)
    elif kind is Kind.MARRIED:
        yield Statement(Kind.SAME, one, Reference(relationship="spouse", of=other), adds=True)
        yield Statement(Kind.SAME, other, Reference(relationship="spouse", of=one), adds=True)
    elif kind is Kind.ONE:
        yield Statement(Kind.SAME, one, other, expressly=True)
    elif kind is Kind.DENIED:
        # "Anna is not my boss" may say that she is no longer.
        if one.name and other.name:
            yield Statement(Kind.DIFFERENT, one, other)
    elif kind is Kind.WAS:
        if one.relationship and one.name is None:
            yield from of_pair(Kind.FORMER, other, one, passing=passing)
        else:
            yield from of_pair(Kind.ALIKE, one, other, passing=passing)
    elif kind is Kind.SPLIT:
        first, _, last = (one.name or "").rpartition(" ")
        if first:
            yield Statement(Kind.SAME, Reference(name=first), Reference(name=last), besides=True)
    elif kind is Kind.FORMER:
        word = other.relationship or ""
        yield Statement(Kind.SAME, one, replace(other, relationship=vocabulary.former(word)))
    else:
        yield Statement(kind, one, other, in_passing=passing)


def of_succession(new: Reference, old: Reference, role: Reference) -> Iterator[Statement]:
    """`new` holds the role of `old`, which may be said with the name of `old` alone."""
    if role.is_empty and old.relationship:
        role = replace(old, name=None)
    if role.is_empty or new.is_empty:
        return
    if new.relationship is None:
        yield Statement(Kind.SAME, new, role, adds=True, takes_over=True)
    if not old.is_empty and (old.name or old.handle):
        yield Statement(Kind.ENDED, old, role)


def _with_surname(one: Reference, other: Reference) -> Reference | None:
    """The name of `one` with another surname."""
    if other.name is None or " " in other.name:
        return other
    if one.name is None:
        return None
    words = one.name.split(" ")
    return Reference(name=" ".join([*(words[:-1] or words), other.name]))


def _with_given(one: Reference, other: Reference) -> Reference | None:
    """The name of `one` with a first name before its surname."""
    words = (one.name or "").split(" ")
    if other.name is None or not words[0]:
        return other
    if words[0].lower().rstrip(".") in vocabulary.TITLES and len(words) > 1:
        words = words[1:]
    return Reference(name=f"{other.name} {words[-1]}") if len(words) == 1 else other


def _shares_word(name: str, other: str) -> bool:
    mine, theirs = set(normalise(name).split(" ")), set(normalise(other).split(" "))
    return bool(mine & theirs) and mine != theirs
