"""One person by everything that a text calls them: names, handles, roles. Pure."""

import enum
import itertools
import operator
from dataclasses import dataclass, replace
from typing import Final

from ashd.language.people import references, vocabulary
from ashd.language.people.clauses import Kind
from ashd.language.people.references import Reference
from ashd.language.people.statements import Statement, read
from ashd.language.words import normalise


@dataclass(frozen=True, slots=True)
class Identity:
    """Whatever a text says that a person is called and is, besides the reference to them."""

    whole_name: str | None = None
    """The longer name that alone the text has: "Tom Baker" of Tom."""
    stated_name: str | None = None
    """The name a clause was made to say ("is called Ann")."""
    passing_name: str | None = None
    """A name in passing ("my wife Ann")."""
    names: tuple[str, ...] = ()
    """All names, with those the person has besides ("we call her Bee")."""
    handles: tuple[str, ...] = ()
    roles: tuple[Reference, ...] = ()
    """References by role alone ("my boss"); `of` is the person it belongs to, None the speaker."""
    stated_roles: tuple[Reference, ...] = ()
    """The roles that a clause was made to say."""
    same: tuple[Reference, ...] = ()
    """People who are the same one, as the text says expressly."""
    added: tuple[Reference, ...] = ()
    """The roles that are added to known ones: "Anna is also my boss"."""
    taken_over: tuple[Reference, ...] = ()
    """The roles that somebody else had before: "Ravi took over as coach"."""
    ended: tuple[Reference, ...] = ()
    """The roles that the person holds no longer."""
    others: tuple[Reference, ...] = ()
    """People who are somebody else, as the text says; one may have the very same name."""
    is_known: bool = False
    """Whether the text says that this is somebody known before: "that same Dan"."""


# Each name is stored and each owner of a role looked up, while others wait for the writer thread.
_MOST: Final = 8
NOTHING_SAID: Final = Identity()
_Key = tuple[str, ...]


class _Bond(enum.IntEnum):
    """The way in which a text says that two are one person; the lowest is the firmest."""

    STATED = 1
    PASSING = 2
    BESIDES = 3
    """Another name than the one by which the person is known."""


_Edges = dict[_Key, dict[_Key, _Bond]]


def identity_of(reference: Reference, text: str) -> Identity:
    """Everything `text` says of the person whom a reference in it means."""
    said, people = read(text)
    parts: dict[_Key, Reference] = {}
    for person in people:
        for part in _parts(person):
            _key_of(part, parts)
    edges: _Edges = {}
    for statement in said:
        ends = [[_key_of(part, parts) for part in _parts(end)] for end in _ends(statement)]
        if statement.kind is Kind.SAME:
            for one, other in itertools.product(*ends):
                _connect(edges, one, other, _bond(statement))
        for one, other in itertools.chain.from_iterable(map(itertools.pairwise, ends)):
            _connect(edges, one, other, _Bond.PASSING)
    own = [_key_of(part, {}) for part in _parts(reference)]
    start = [key for key in own if key in parts] or _fitting(reference, parts)
    reached = _reached(start, edges)
    there = [(parts[key], bond) for key, bond in reached.items() if key not in {*own, *start}]
    there = there[:_MOST]
    named = {bond: part.name for part, bond in reversed(there) if part.name}
    express = tuple(statement for statement in said if statement.expressly)
    return Identity(
        whole_name=_whole_name(reference, [parts[key] for key in start]),
        stated_name=named.get(_Bond.STATED),
        passing_name=named.get(_Bond.PASSING),
        names=tuple(part.name for part, _ in there if part.name),
        handles=tuple(part.handle for part, _ in there if part.handle),
        roles=tuple(part for part, _ in there if part.relationship),
        stated_roles=tuple(
            part for part, bond in there if part.relationship and bond is _Bond.STATED
        ),
        same=tuple(
            itertools.chain(*_other_ends(Kind.SAME, express, {key: reached[key] for key in start}))
        ),
        added=tuple(one.other for one in said if one.adds and _key(one.other) in reached),
        taken_over=tuple(
            one.other for one in said if one.takes_over and _key(one.other) in reached
        ),
        ended=_other_ends(Kind.ENDED, said, reached)[0],
        others=tuple(itertools.chain(*_other_ends(Kind.DIFFERENT, said, reached))),
        is_known=bool(_other_ends(Kind.KNOWN, said, reached)[0]),
    )


def _ends(statement: Statement) -> tuple[Reference, Reference]:
    return statement.one, statement.other


def _parts(reference: Reference) -> list[Reference]:
    """The name, the role and the handle of a reference, each by itself."""
    return [
        *([Reference(name=reference.name)] if reference.name else []),
        *([replace(reference, name=None, handle=None)] if _is_whole(reference) else []),
        *([Reference(handle=reference.handle)] if reference.handle else []),
    ]


def _is_whole(reference: Reference) -> bool:
    """Return whether a relationship has a known owner: "his wife" is anybody's."""
    owner = reference.of
    while owner is not None and owner.relationship:
        owner = owner.of
    return reference.relationship is not None and not (owner and owner.is_empty)


def _key_of(part: Reference, parts: dict[_Key, Reference]) -> _Key:
    """The key by which a part is the same as another; `parts` gets the first of each."""
    key = _key(part)
    parts.setdefault(key, part)
    return key


def _key(part: Reference | None) -> _Key:
    if part is None:
        return ()
    word = normalise(part.handle or part.name or "")
    return (word,) if word else (part.relationship or "", "of", *_key(part.of))


def _bond(statement: Statement) -> _Bond:
    if statement.besides:
        return _Bond.BESIDES
    return _Bond.PASSING if statement.in_passing else _Bond.STATED


def _connect(edges: _Edges, one: _Key, other: _Key, bond: _Bond) -> None:
    for mine, theirs in ((one, other), (other, one)):
        known = edges.setdefault(mine, {})
        known[theirs] = min(known.get(theirs, bond), bond)


def _reached(start: list[_Key], edges: _Edges) -> dict[_Key, _Bond]:
    """The keys that are one person's with those, each with the loosest bond on the way there."""
    reached = dict.fromkeys(start, _Bond.STATED)
    todo = list(start)
    while todo:
        key = todo.pop(0)
        if _is_role(key) and _is_shared(key, edges):
            continue
        for other, bond in sorted(edges.get(key, {}).items(), key=operator.itemgetter(1)):
            if other not in reached:
                reached[other] = max(reached[key], bond)
                todo.append(other)
    return reached


def _is_role(key: _Key) -> bool:
    return len(key) > 1


def _is_shared(role: _Key, edges: _Edges) -> bool:
    """Return whether several people hold a role, who are not one by their names."""
    holders = [
        key
        for key, bond in edges.get(role, {}).items()
        if not _is_role(key) and bond < _Bond.BESIDES
    ]
    between = {
        key: {other: bond for other, bond in known.items() if not _is_role(other)}
        for key, known in edges.items()
        if not _is_role(key)
    }
    return bool(holders) and not set(holders) <= set(_reached(holders[:1], between))


def _fitting(reference: Reference, parts: dict[_Key, Reference]) -> list[_Key]:
    """The only part that may be the reference in other words: "Tom" of "Tom Baker"."""
    fits = [
        key for key, part in parts.items() if any(_fits(mine, part) for mine in _parts(reference))
    ]
    return fits if len(fits) == 1 else []


def _whole_name(reference: Reference, meant: list[Reference]) -> str | None:
    for part in meant:
        if reference.name and part.name:
            kind = references.matches(reference.name, part.name)
            return part.name if kind is references.MatchKind.SHORTER else None
    return None


def _fits(mine: Reference, part: Reference) -> bool:
    if mine.name and part.name:
        return references.matches(mine.name, part.name) is not None
    if not (mine.relationship and part.relationship and _key(mine.of) == _key(part.of)):
        return False
    one, other = mine.relationship, part.relationship
    wider = {vocabulary.base_relationship(one), vocabulary.base_relationship(other)}
    return one == other or not wider.isdisjoint({one, other})


def _other_ends(
    kind: Kind, said: tuple[Statement, ...], reached: dict[_Key, _Bond]
) -> tuple[tuple[Reference, ...], tuple[Reference, ...]]:
    """The references that statements of a kind set beside the person: after, and before."""

    def is_meant(reference: Reference) -> bool:
        return any(_key(part) in reached for part in _parts(reference))

    chosen = [one for one in said if one.kind is kind]
    return (
        tuple(one.other for one in chosen if is_meant(one.one))[:_MOST],
        tuple(one.one for one in chosen if is_meant(one.other) and one.one != one.other)[:_MOST],
    )
