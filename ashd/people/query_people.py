"""People named in a question, and the memories about them (the person leg, D2)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from ashd.language.folding import clean, fold
from ashd.language.lazy_pattern import pattern_of
from ashd.language.people.name_index import NameIndex
from ashd.language.people.phrases import person_phrases
from ashd.language.people.relationship_groups import MEMBERS, NARROWER, ONE_OF, UNREAD
from ashd.language.people.vocabulary import (
    base_relationship,
    is_family,
    may_begin,
    relationship_at,
    relationships_in,
)
from ashd.language.text_caches import cached_by_text
from ashd.language.words import split
from ashd.people import model
from ashd.search.candidates import POSSESSOR
from ashd.store import people, people_names, people_told_of
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.visibility import Viewer

OWN_WORD: Final = 2.0
NAMED: Final = 1.0
RELATED: Final = 0.4
"""The weight of a memory about somebody related to a named person; own words weigh most."""
_BEFORE_OWN_GROUPS: Final = frozenset({"my", "our", "the", "whole", "entire", "all"})


class Names:
    """Every name of people, whoever may know it; read once for a question."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._read: dict[int, list[str]] = {}
        self._related: dict[int, list[tuple[int, str]]] = {}

    def listed(self, viewer: Viewer) -> set[int]:
        """Return the people that the viewer knows here; in private with their names, at once."""
        if viewer.everything or viewer.group:
            return model.listed(self._tx, viewer)
        own, self._related = people_names.of_own(self._tx, viewer.accounts, viewer.persons)
        for number, name in own:
            self._read.setdefault(number, []).append(name)
        return {number for number, _ in own}

    def related_to(self, person: int | None) -> list[tuple[int, str]]:
        """Return (person, relationship) of what others are to this person."""
        if person in self._related:
            return self._related[person]
        return people.related_to(self._tx, person)

    def of(self, persons: Collection[int]) -> Iterator[tuple[int, str]]:
        """Return the names of these people, by row number."""
        missing = [number for number in persons if number not in self._read]
        self._read.update((number, []) for number in missing)
        for number, name in people_names.of(self._tx, missing) if missing else ():
            self._read[number].append(name)
        return ((number, name) for number in persons for name in self._read[number])


class About(NamedTuple):
    """The memories about the people that a question names, and about those related to them."""

    weights: dict[int, float]
    """`OWN_WORD`, `NAMED`, `POSSESSOR` or `RELATED`, by memory."""
    via: dict[int, str]
    """The relation that brings a related person's memory: "Bob is Alice's husband"."""
    speakers: tuple[str, ...] = ()
    """The viewer's names for the named people who have said something of themselves."""
    described: tuple[tuple[str, int], ...] = ()
    """Words like "Kurt's sister" in the text, with the person whom they mean."""


def about(tx: Tx, viewer: Viewer, names: Names, speaker: Account | None, text: str) -> About:
    """Return the memories about people whom the text names, and about people related to them.

    The disclosure policy is not asked about memories here: these weights only apply to memories
    that it has let through. People and relations are those that the viewer may know of.
    """
    named, possessors, described = persons(tx, viewer, names, speaker, text)
    if not named:
        return About({}, {})
    relations = _relations(tx, viewer, named, {speaker.person} if speaker else set())
    found = About({}, {})
    every = people_told_of.memories(tx, relations.keys() | possessors | named)
    for memory, person in chain(*every.of(relations.keys())):
        found.weights[memory] = RELATED
        found.via[memory] = relations[person]
    found.weights.update((memory, POSSESSOR) for memory, _ in chain(*every.of(possessors)))
    reached = {number for _, number in described}
    ways = _relations(tx, viewer, named - reached, set()) if reached else {}
    told, own = every.of(named - possessors)
    for memory, person in (*told, *own):
        found.weights[memory] = NAMED
        if person in reached and person in ways:
            found.via[memory] = ways[person]
    found.weights.update((memory, OWN_WORD) for memory, _ in own)
    speakers = _calls(model.load(tx, viewer, {person for _, person in own}))
    return found._replace(speakers=speakers, described=described)


def _calls(known: Mapping[int, model.Known]) -> tuple[str, ...]:
    names = [name for one in known.values() for name in (one.name, *(a.value for a in one.aliases))]
    return tuple(dict.fromkeys(names))


def _relations(
    tx: Tx, viewer: Viewer, named: set[int], asking: Collection[int | None]
) -> dict[int, str]:
    """Return the relation in words for each person related to a named one, without the asker."""
    known = model.load(tx, viewer, people.related(tx, named) | named)
    found: dict[int, str] = {}
    for number, one in known.items():
        for claim in one.relationships:
            ends = {number, claim.to_person}
            related = ends - named
            if claim.ended_at is not None or len(related) != 1 or ends.isdisjoint(named):
                continue
            (other,) = related
            if other in known and other not in asking and other not in viewer.persons:
                to_whom = known[claim.to_person].name if claim.to_person in known else "someone"
                found.setdefault(other, f"{one.name} is {to_whom}'s {claim.relationship}")
    return found


def persons(
    tx: Tx, viewer: Viewer, names: Names, speaker: Account | None, text: str
) -> tuple[set[int], set[int], tuple[tuple[str, int], ...]]:
    """Return the people that the text names, of those whom the viewer knows here.

    The second set holds those who are named only to say whose relation is meant: Kurt in "Kurt's
    sister", if the viewer knows her; she is in the last result, with these words.
    """
    own_person = speaker.person if speaker else None
    # Reading names costs more than checking which words of the question occur in one.
    asked = _words(text)
    related = relationships_in(text)
    wider = {word: members for word, members in NARROWER.items() if word in related}

    def words_for(relationship: str) -> list[str]:
        """The words of the question that may mean somebody of this relationship."""
        words = {relationship, base_relationship(relationship)}
        # The index takes a final "s" of the question off, and so does this.
        found = [
            ONE_OF.get(word, word.removesuffix("s"))
            for word, members in wider.items()
            if not words.isdisjoint(members)
        ]
        if not words.isdisjoint(related) or _words(relationship) <= asked:
            found.append(relationship)
        return found

    listed = names.listed(viewer)
    # A person is read only if a word of the question can mean them.
    meant = {n for n, name in names.of(listed) if not asked.isdisjoint(_words(name))}
    owners = {own_person, *(meant if related else ())}
    meant |= {n for one in owners for n, word in names.related_to(one) if words_for(word)}
    groups = _own_groups(text) if related & UNREAD else set()
    if groups and own_person is not None:
        own_people = names.related_to(own_person)
        meant |= {number for number, word in own_people if _is_of(groups, word)}
    # Only names that may be known here: a name stated elsewhere must not find anything (C3).
    known = model.load(tx, viewer, listed & meant)
    # In a private chat nearly all is the asker's own word, which their name would not set apart.
    left_out = None if viewer.group else own_person
    called = {
        number: [name for name in _names_of(one) if not asked.isdisjoint(_words(name))]
        for number, one in known.items()
        if number != left_out
    }
    entries = [_Entry(name, number) for number, names in called.items() for name in names]
    in_groups: set[int] = set()
    for number in called:
        for claim in known[number].relationships:
            if claim.ended_at is None:
                owner = claim.to_person
                if owner == own_person and _is_of(groups, claim.relationship):
                    in_groups.add(number)
                whose = [(f"{name}'s", owner) for name in called.get(owner, ())]
                mine = [("my", None)] if owner == own_person else []
                entries += [
                    _Entry(f"{one} {word}", number, possessor)
                    for one, possessor in (*mine, *whose)
                    for word in words_for(claim.relationship)
                ]
    if not entries:
        return in_groups, set(), ()
    index = NameIndex([entry.name for entry in entries], families=True)
    found = [entries[place] for place in index.mentioned(text)]
    possessors = {entry.owner for entry in found if entry.owner is not None}
    if possessors:
        by_name = {entries[place] for place in index.mentioned(_without_relations(text))}
        possessors -= {entry.number for entry in by_name}
    described = tuple((one.name, one.number) for one in found if one.owner is not None)
    return {entry.number for entry in found} | in_groups, possessors, described


def _own_groups(text: str) -> set[str]:
    """Return the groups of the asker's own people that a text names as a whole: "my family"."""
    words = split(clean(text))
    keys = [word.key for word in words]
    found = set()
    for at, key in enumerate(keys):
        hit = relationship_at(keys, at) if may_begin(key) else None
        if hit is None or hit[0] not in UNREAD:
            continue
        end = at + hit[1]
        is_own = at == 0 or keys[at - 1] in _BEFORE_OWN_GROUPS
        if is_own and not words[end - 1].owns and relationship_at(keys, end) is None:
            found.add(hit[0])  # and not of "the family doctor"
    return found


def _is_of(groups: Collection[str], relationship: str) -> bool:
    """Return whether somebody of this relationship belongs to one of the groups."""
    words = {relationship, base_relationship(relationship)}
    return any(not words.isdisjoint(MEMBERS[group]) for group in groups) or (
        "family" in groups and is_family(relationship)
    )


class _Entry(NamedTuple):
    name: str
    number: int
    owner: int | None = None
    """The person whom a described name starts from: Kurt in "Kurt's sister"."""


def _names_of(known: model.Known) -> list[str]:
    names = [alias.value for alias in known.aliases]
    names += [account.username for account in known.accounts if account.username]
    return [*names, known.person.name] if known.knows_name and known.person.named else names


def _without_relations(text: str) -> str:
    """Return a text without the words that name a person by a relation to somebody else."""
    cleaned = clean(text)
    for phrase in reversed(person_phrases(cleaned, any_case=True)):
        if phrase.reference.of is not None:
            cleaned = f"{cleaned[: phrase.start]} {cleaned[phrase.end :]}"
    return cleaned


def called(
    tx: Tx,
    viewer: Viewer,
    names: Names,
    described: Sequence[tuple[str, int]],
    among: Collection[int],
    terms: Sequence[str],
) -> dict[str, set[int]]:
    """Map each term, folded by `fold`, to the people the viewer knows by that name.

    Every name that the viewer may know counts, and no other; ``described`` is `About.described`.
    """
    forms = {form for term in terms for form in (term, term.removesuffix("s"))}
    openings = tuple(term[:-1] for term in terms if _has_endings(term))

    def may_fit(words: frozenset[str]) -> bool:
        if not words.isdisjoint(forms):
            return True
        return bool(openings) and any(word.startswith(openings) for word in words)

    meant = {n for n, name in names.of(among) if may_fit(_folded(name))}
    by_word: dict[str, set[int]] = {}
    for number, known in model.load(tx, viewer, meant).items():
        calls = [known.name, *_names_of(known)]
        for word in {word for name in calls for word in _folded(name)}:
            by_word.setdefault(word, set()).add(number)
    for name, number in described:
        for word in _folded(name):
            by_word.setdefault(word, set()).add(number)
    return {term: _with_word(term, by_word) for term in terms}


def _with_word(term: str, by_word: Mapping[str, set[int]]) -> set[int]:
    """Return the people with the word in a name; if none, with another ending of the word."""
    exact = by_word.get(term, set()) | by_word.get(term.removesuffix("s"), set())
    if exact or not _has_endings(term):
        return exact
    return {n for word, has in by_word.items() if word.startswith(term[:-1]) for n in has}


def _has_endings(term: str) -> bool:
    return term.isalpha() and not term.isascii() and len(term) >= _SHORTEST_WITH_ENDING


_SHORTEST_WITH_ENDING: Final = 5
_PART: Final = pattern_of(r"[^\W_]+")


@cached_by_text(16_384)
def _folded(name: str) -> frozenset[str]:
    """Return the words of a name, each folded as the terms of a question are."""
    return frozenset(fold(part) for key in _words(name) for part in _PART.findall(key))


@cached_by_text(16_384)
def _words(name: str) -> frozenset[str]:
    return frozenset(part for word in split(clean(name)) for part in word.key.split("-"))
