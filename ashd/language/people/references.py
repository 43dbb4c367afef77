"""References to people ("my wife Sarah", "@bob", "Alice's boss"), and when two names are the same.

Pure functions of text, no store, no model. What must hold: every function is total (any string, any
script, never an error), reads whole words only, and answers "none" rather than a guess in case of
doubt. `people.resolve` decides whose people the reference is looked up among.
"""

import enum
import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from ashd.language.folding import clean, fold_name
from ashd.language.people import vocabulary
from ashd.language.people.roles import is_acronym, may_be_role, names_agent, role_at
from ashd.language.people.unspaced_relationships import unspaced_relationship_at
from ashd.language.people.vocabulary import relationship_at
from ashd.language.text_caches import cached_by_text
from ashd.language.words import Word, normalise, split


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed reference to a person; with all fields unset it names nobody ("she")."""

    name: str | None = None
    """The name for display ("Sarah Jane", "Dr. Müller")."""
    relationship: str | None = None
    """The canonical word ("wife"), or a more specific one if the reference has it ("older sister").
    """
    handle: str | None = None
    """The handle without its "@"."""
    of: "Reference | None" = None
    """The owner of the relationship; None is the speaker, an empty reference an unnamed person."""
    is_self: bool = False
    """Whether it is the speaker ("me", "the user")."""

    @property
    def is_empty(self) -> bool:
        """Return whether it names nobody."""
        return not (self.name or self.relationship or self.handle or self.is_self)


NOBODY: Final = Reference()
HANDLE: Final = re.compile(r"(?<![\w.])@([\w.-]*\w)")
_APPOSITION: Final = re.compile(r"(.+?)\s*(?:\((.+)\)|(?:,|\s-)\s+(.+))")
_OWN_THING: Final = re.compile(r" of (?:my|our|the) ")
_OUTER: Final = " \"'*.,;:!?\u00ab\u00bb\u201c\u201d\u201e\u2039\u203a"
# "Ludwig from my book club" is "Ludwig from the book club".
_OWN_PLACE: Final = re.compile(r"(?<=\w )(from|at|in) (?:my|our) (?=[a-z])")
_INITIALS: Final = re.compile(r"\b(?:[A-Z]{2}|(?:[A-Z]\.){2,3})(?=\s+[A-Z][a-z])")
_MAX_REFERENCE_CHARS: Final = 200
_MAX_OWNERS: Final = 4
_MAX_OPEN_WORDS: Final = 5


def parse_reference(reference: str) -> Reference:
    """Parse a caller's words for a person; see `Reference`. Never fails."""
    text = " ".join(clean(reference)[:_MAX_REFERENCE_CHARS].split())
    return _parse(_OWN_PLACE.sub(r"\1 the ", text), _MAX_OWNERS)


@cached_by_text(512)
def _parse(text: str, owners: int) -> Reference:
    """Parse a reference or a part of one; a chain of owners has the same parts again and again."""
    text = text.strip(_OUTER)
    words = split(text)
    if not words:
        return NOBODY
    if normalise(text) in vocabulary.SELF_WORDS:
        return Reference(is_self=True)
    if len(words) == 1 and words[0].key in vocabulary.PRONOUNS:
        return NOBODY
    handle = HANDLE.search(text)
    if handle:
        rest = _parse(
            text[: handle.start()].rstrip(" (") + text[handle.end() :].lstrip(")"), owners
        )
        return replace(rest, handle=handle[1])
    if joined := _parse_apposition(text, owners):
        return joined
    if owners and (related := _parse_owned(text, words, owners)):
        return related
    return _parse_plain(text, words, owners)


def _parse_apposition(text: str, owners: int) -> Reference | None:
    """Read "Sarah (my wife)", "my wife, Sarah", "Bob, Alice's boss"."""
    halves = _APPOSITION.fullmatch(text)
    if not halves or not owners:
        return None
    one, other = _parse(halves[1], owners - 1), _parse(halves[2] or halves[3], owners - 1)
    named, related = (one, other) if one.name else (other, one)
    if named.relationship or not named.name or related.name or not related.relationship:
        return None
    return replace(related, name=named.name)


def _parse_owned(text: str, words: list[Word], owners: int) -> Reference | None:
    """Read "Alice's boss", "the boss of Alice"; "Sarah's birthday" refers to Sarah."""
    keys = [word.key for word in words]
    start = 1 if keys[0] in {"the", "a", "an"} else 0
    found = relationship_at(keys, start) if start < len(keys) else None
    if found and keys[start + found[1] : start + found[1] + 1] == ["of"]:
        return _parse_of(found[0], text, words, start + found[1] + 1, owners)
    for i in _last_owners(words):
        owner_text = text[: words[i].start] + words[i].text
        thing = _parse_plain(text, words[i + 1 :], 0)
        if thing.relationship:
            owner = _parse(owner_text, owners - 1)
            return replace(thing, of=None if owner.is_self else owner)
        owner = _parse(owner_text, owners - 1)
        if role := role_at(words, i + 1):
            # Of "Liv's midwife" it is the midwife, of "Liv's surgery" it is Liv.
            rest = words[role[1] :]
            if rest[0].capital if rest else _is_person(owner, words[-1].key):
                of = None if owner.is_self else owner
                return Reference(name=_display(text, rest), relationship=role[0], of=of)
        if not any(word.capital for word in words[i + 1 :]):
            return owner
    return None


def _last_owners(words: list[Word]) -> list[int]:
    """Return the places of the last words that own what follows, the last one first.

    Each is read with all that own it in turn, so as many as are read of one another are enough.
    """
    places = range(len(words) - 2, -1, -1)
    owners = (i for i in places if words[i].owns and words[i].key not in vocabulary.PRONOUNS)
    return list(islice(owners, _MAX_OWNERS))


def _is_person(owner: Reference, noun: str) -> bool:
    """Return whether what somebody has is a person."""
    is_role = vocabulary.canonical_relationship(noun) is not None
    return owner.is_self or is_role or names_agent(noun)


def _parse_of(relationship: str, text: str, words: list[Word], at: int, owners: int) -> Reference:
    """Read what follows on "the boss of": a person, or else a thing, which sets the boss apart."""
    if at >= len(words) or words[at].key in {"mine", "ours"}:
        return Reference(relationship=relationship)
    owner = _parse(text[words[at].start :], owners - 1)
    if _is_thing(owner, words[at:]):
        thing = owner.relationship or words[-1].key
        return Reference(relationship=f"{relationship} of {thing}")
    return Reference(relationship=relationship, of=None if owner.is_self else owner)


def _is_thing(owner: Reference, words: list[Word]) -> bool:
    """Return whether what somebody is the boss of is no person: "the branch", "library"."""
    noun = words[-1].key
    if owner.of is not None or (owner.name and owner.relationship):
        return False
    if owner.relationship is None:
        return len(words) == 1 and words[0].text.islower() and not may_be_role(noun)
    if words[0].key != "the":
        return vocabulary.is_open(owner.relationship) and not may_be_role(noun)
    is_group = owner.relationship in vocabulary.GROUPS
    return is_group or (vocabulary.is_open(owner.relationship) and not names_agent(noun))


def _parse_plain(text: str, words: list[Word], owners: int) -> Reference:
    """Read "my older sister Anna", "the boss", "Sarah my wife", "Dr. Müller"."""
    keys = [word.key for word in words]
    whose: Reference | None = None
    start = 0
    if keys[0] in vocabulary.OTHERS_WORDS and len(words) > 1:
        whose, start = NOBODY, 1
    while keys[start] in vocabulary.ARTICLES and start + 1 < len(words) and not _is_initial(words):
        start += 1
    if (
        keys[0] in vocabulary.FOREIGN_ARTICLES
        and len(words) > 2
        and keys[1] in vocabulary.SPEAKER_WORDS
    ):
        start = 1
    found = (
        relationship_at(keys, start)
        or vocabulary.foreign_relationship_at(keys, start)
        or unspaced_relationship_at(words, start, of_name=True)
    )
    bare = start == 0 and found is not None and found[1] == 1
    is_titled = keys[0] in vocabulary.TITLE_LIKE and _is_titled(words)
    if found and bare and (is_titled or _is_spelt_otherwise(words[0], found[0])):
        found = None
    if not found and start and (opened := _open_relationship(words, start)):
        found = opened
    if found:
        relationship, after = found[0], start + found[1]
        if owners and keys[after : after + 1] == ["of"] and not words[after - 1].owns:
            return _parse_of(relationship, text, words, after + 1, owners)
        if keys[after : after + 1] and keys[after] in vocabulary.PLACED:
            return Reference(relationship=" ".join([relationship, *keys[after:]]), of=whose)
        name = None if words[after - 1].owns else _display(text, words[after:])
        if name and (place := _place_after(words, after)):
            relationship = f"{relationship} {place}"
        return Reference(name=name, relationship=relationship, of=whose)
    if whose is not None:
        return NOBODY
    for i in range(start + 1, len(words) - 1):
        if owners and keys[i] in vocabulary.SPEAKER_WORDS:
            related = _parse_plain(text, words[i:], 0)
            if related.relationship and not related.name:
                return replace(related, name=_display(text, words[start:i]))
    return Reference(name=_display(text, words[start:], whole=True))


def _is_initial(words: list[Word]) -> bool:
    """Return whether a name begins with the initial "A.", which is no article."""
    return words[0].text == "A" and words[1].gap.startswith(".")


def _is_spelt_otherwise(word: Word, relationship: str) -> bool:
    """Return whether a name is like a relationship only without its accents: Pål is no pal."""
    is_changed = word.capital and word.text.lower() != word.key
    return is_changed and fold_name(relationship) != word.key


def _is_titled(words: list[Word]) -> bool:
    return len(words) > 1 and words[0].capital and words[1].capital


def _open_relationship(words: list[Word], start: int) -> tuple[str, int] | None:
    """Read lower case words that the table does not have: "math teacher", "sommelier" Joe.

    Without a name they are one relationship: "beekeeper next door".
    """
    keys = [word.key for word in words]
    acronym = 1 if is_acronym(words[start]) and keys[0] in vocabulary.SPEAKER_WORDS else 0
    if acronym and start + 1 == len(words):
        return keys[start], 1
    for i in range(start + acronym, len(words)):
        if words[i].capital:
            named = start < i <= start + 2
            return (" ".join(keys[start:i]), i - start) if named else None
        if start < i <= start + 2 and (found := relationship_at(keys, i)):
            return " ".join([*keys[start:i], found[0]]), i - start + found[1]
    if len(words) - start > _MAX_OPEN_WORDS or not all(
        word.text.islower() or is_acronym(word) for word in words[start:]
    ):
        return None
    relationship = " ".join(keys[start:])
    return _OWN_THING.sub(" of ", relationship), len(words) - start


def _display(text: str, words: list[Word], *, whole: bool = False) -> str | None:
    """Return the name as written; one in lower case throughout gets capitals."""
    end = len(words) if whole else 0
    ends = vocabulary.AFTER_NAME | vocabulary.PLACED
    while end < len(words) and (words[end].key not in ends or words[end].capital):
        end += 1
    if not end:
        return None
    name = text[words[0].start : words[end - 1].start] + words[end - 1].text
    if name.count("(") > name.count(")"):  # "Bob (accounting)"
        name += ")"
    if name.islower() and all(word.text.isalpha() for word in words[:end]):
        return " ".join(
            part if i and part in vocabulary.NAME_PARTICLES else part[0].upper() + part[1:]
            for i, part in enumerate(name.split())
        )
    return name


def _place_after(words: list[Word], at: int) -> str | None:
    """Read "from the choir" of "my friend Robin from the choir"."""
    for i in range(at + 1, len(words)):
        if words[i].key in vocabulary.PLACED and not words[i].capital:
            rest = [word.key for word in words[i:]]
            return " ".join(rest) if len(rest) <= _MAX_OPEN_WORDS else None
    return None


def display_name(reference: Reference) -> str:
    """Return a name for a person known only by a reference: its name, else the relationship."""
    if reference.name:
        return reference.name
    if reference.relationship:
        if reference.of is None:
            return reference.relationship
        if reference.of.is_empty:
            return f"someone's {reference.relationship}"
        return f"{display_name(reference.of)}'s {reference.relationship}"
    if reference.handle:
        return f"@{reference.handle}"
    return "user" if reference.is_self else "someone"


def in_words(reference: Reference) -> str | None:
    """Return words that read back as the reference; None if its owner is not known."""
    owner = "my"
    if reference.of is not None:
        of = in_words(reference.of)
        if of is None:
            return None
        owner = f"{of}'s"
    if reference.handle:
        return f"@{reference.handle}"
    if reference.relationship is None:
        return reference.name
    place = vocabulary.place_of(reference.relationship) or ""
    role = reference.relationship.removesuffix(f" {place}")
    if place.startswith("of "):
        thing = f"{owner} {role} of the {place.removeprefix('of ')}"
        return f"{thing}, {reference.name}" if reference.name else thing
    return " ".join(filter(None, (owner, role, reference.name, place)))


class MatchKind(enum.IntEnum):
    """A grade of how a name in a reference matches a known one; the lowest is the best."""

    EXACT = 1
    SHORTER = 2
    """The reference has the first name(s) of the known name: "Sarah" for "Sarah Jane"."""
    LONGER = 3
    """The known name has the first name(s) of the reference: "Sarah Jane" for "Sarah"."""


def matches(name: str, candidate: str) -> MatchKind | None:
    """Return how `name` may mean the person called `candidate`; None if it may not.

    Words are whole (Alex is not Alexandra, Anne is not Anne-Marie); one letter is no first name. A
    title counts only against another title (Mr. Miller is not Mrs. Miller); with a title the
    surname alone may mean a person (Dr. Lang is Dr. Mia Lang).
    """
    title, words = _untitled(name)
    other_title, other_words = _untitled(candidate)
    if not words or not other_words or (title and other_title and title != other_title):
        return None
    if _key_words(words) == _key_words(other_words):
        return MatchKind.EXACT
    short, long = sorted((words, other_words), key=len)
    titled_surname = len(short) == 1 and (title if short is words else other_title)
    if titled_surname and title == other_title and short[0] == long[-1]:
        return MatchKind.SHORTER if short is words else MatchKind.LONGER
    if titled_surname or short != long[: len(short)] or (len(short) == 1 and len(short[0]) == 1):
        return None
    return MatchKind.SHORTER if short is words else MatchKind.LONGER


def has_initials(name: str) -> bool:
    """Return whether a name begins with initials: "A. B. Cole", "AB Cole"."""
    words = _untitled(name)[1]
    # In scripts without case a word of one letter is a word: the Korean for "my".
    return len(words) > 1 and len(words[0]) == 1 and words[0].upper() != words[0]


def is_same(one: Reference | None, other: Reference | None) -> bool:
    """Return whether two owners of a relationship are one person; None is the speaker."""
    if one is None or other is None:
        return one is other
    if one.is_empty or one.relationship != other.relationship:
        return False
    if one.relationship:
        return is_same(one.of, other.of)
    return normalise(one.name or "") == normalise(other.name or "")


def title_of(name: str) -> str:
    """Return the title of a name by its one spelling, or an empty text."""
    return _untitled(name)[0]


def openings(name: str) -> set[str]:
    """Return keys: a name and every name that `matches` it share one."""
    title, words = _untitled(name)
    if not words:
        return set()
    titled = {f"{title} {words[-1]}"} if title else set()
    return {words[0], "".join(_key_words(words)[:1]), *titled}


@cached_by_text(16_384)
def _untitled(name: str) -> tuple[str, tuple[str, ...]]:
    words = normalise(_INITIALS.sub(_parted, name)).split(" ")
    if len(words) > 1 and words[0] in vocabulary.TITLES:
        return vocabulary.ONE_TITLE.get(words[0], words[0]), tuple(words[1:])
    return "", tuple(word for word in words if word)


def _parted(initials: re.Match[str]) -> str:
    """Return "A B" for the "AB" or "A.B." of a name."""
    return " ".join(letter for letter in initials[0] if letter.isalpha())


def _key_words(words: tuple[str, ...]) -> list[str]:
    return " ".join(words).replace("-", " ").split()
