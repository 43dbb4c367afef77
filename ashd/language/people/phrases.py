"""Noun phrases of a text that mean people: names, handles, roles and pronouns, each at its place.

Pure; the same must hold as in `references`. A phrase is as long as the text lets it be: of
"my wife's brother Sam" it is the whole, and so is "the head coach of our club".
"""

import enum
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ashd.language.english_words import NUMBERS, TIMES, word_set
from ashd.language.folding import clean
from ashd.language.people import roles, vocabulary
from ashd.language.people.names import is_month_after, is_name_word, key_at, name_at
from ashd.language.people.references import HANDLE, NOBODY, Reference
from ashd.language.people.unspaced_relationships import unspaced_relationship_at
from ashd.language.text_caches import cached_by_text
from ashd.language.words import Word, split

_MAX_PLACE_WORDS: Final = 4
_MAX_OWNERS: Final = 4
_OWN: Final = frozenset({"my", "our"})
_THEIR: Final = frozenset({"his", "her", "their", "whose"})
_SUBJECTS: Final = frozenset(
    {"he", "she", "they", "him", "them", "himself", "herself", "who", "whom"}
)
_ARTICLES: Final = frozenset({"the", "a", "an"})
_WHERE: Final = frozenset({"upstairs", "downstairs", "opposite"})
_HAVE: Final = frozenset({"have", "got", "i've", "we've"})
_SENTENCE_ENDS: Final = frozenset(".!?;")
_INSIDE: Final = frozenset({"in", "at", "on", "into", "inside"})
# "Author: George Orwell" is of a book, and nobody's author.
_OF_WORKS: Final = word_set(
    "author writer editor director actor singer composer painter sender winner speaker owner seller"
    " buyer customer maker publisher producer creator member user player"
)
_OBJECTS: Final = frozenset({"my", "our", "a", "an", "me", "us", "him", "them"})
_IS: Final = frozenset({"is", "was", "isn't", "wasn't"})
_BESIDE: Final = frozenset({"(", ",", ":", "=", "-", "\u2013", "\u2014"})
_MAX_ROLE_WORDS: Final = 5
_MINE: Final = frozenset({"mine", "ours"})


class Form(enum.Enum):
    """The form of a phrase."""

    NAME = enum.auto()
    HANDLE = enum.auto()
    ROLE = enum.auto()
    """A role, with or without a name: "my boss", "my boss Ann"."""
    GROUP = enum.auto()
    """Several people of one role: "my brothers"; the reference is to each of them."""
    PRONOUN = enum.auto()
    SOMEBODY = enum.auto()
    """A role of somebody who is not named yet: "a sister"."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase and its place, counted in characters."""

    form: Form
    reference: Reference
    start: int
    end: int
    owns: bool = False
    """It ends in a possessive, which belongs to it."""
    pronoun: str = ""
    """The pronoun that it is, or by which its owner is named ("her" of "her brother")."""


class _Found(NamedTuple):
    form: Form
    reference: Reference
    after: int
    pronoun: str = ""


def person_phrases(text: str, *, any_case: bool = False) -> list[Phrase]:
    """The phrases of a cleaned text that mean people, left to right, none within another.

    With `any_case` a name in lower case may own a relationship: "kurt's sister".
    """
    words = split(text)
    handles = {hit.start(1): hit for hit in HANDLE.finditer(text)}
    phrases: list[Phrase] = []
    at = 0
    while at < len(words):
        hit = handles.get(words[at].start)
        if hit:
            phrases.append(Phrase(Form.HANDLE, Reference(handle=hit[1]), hit.start(), hit.end()))
            while at < len(words) and words[at].start < hit.end():
                at += 1
            continue
        found = _phrase_at(words, at, _MAX_OWNERS)
        if found is None and any_case:
            found = _owned_by_lower_case(words, at)
        if found is None and phrases:
            found = _role_after_name(words, at, phrases[-1])
        if found is None and phrases and words[at].key == "and":
            found = _role_after_and(words, at + 1, phrases[-1])
            at += found is not None
        if found is None and words[at].key == "as":  # "as treasurer"
            found = _role_phrase(words, at + 1, None, 0, article="as")
            at += found is not None
        if found is None:
            at += 1
            continue
        if phrases and key_at(words, at - 1) == "and" and _is_namesake(phrases[-1], found):
            found = found._replace(reference=replace(found.reference, name=None))
        last = words[found.after - 1]
        end = last.start + len(last.text)
        phrases.append(
            Phrase(found.form, found.reference, words[at].start, end, last.owns, found.pronoun)
        )
        at = found.after
    return phrases


def _is_namesake(before: Phrase, found: _Found) -> bool:
    """Return whether one name is two people's: "my cousin Eva and my friend Eva"."""
    name = found.reference.name if found.form is before.form is Form.ROLE else None
    return name is not None and name == before.reference.name


@cached_by_text(256)
def stated_phrases(text: str) -> tuple[Phrase, ...]:
    """Return the phrases of a cleaned statement, which is read several times when it is stored.

    Not for questions: the time of an answer must not show what others have asked.
    """
    return tuple(person_phrases(text))


def related_in(text: str) -> list[Reference]:
    """Return the people whom a question names by relationship, with the owners of those."""
    found: list[Reference] = []
    for phrase in person_phrases(clean(text), any_case=True):
        one = None if phrase.form is Form.SOMEBODY else phrase.reference
        while one is not None and one.relationship:
            found.append(one)
            one = one.of
    words = split(clean(text))
    hits = (unspaced_relationship_at(words, at, of_name=True) for at in range(len(words)))
    return found + [Reference(relationship=hit[0]) for hit in hits if hit]


def _owned_by_lower_case(words: list[Word], at: int) -> _Found | None:
    """Read "kurt's sister", whose owner no capital tells."""
    word = words[at]
    relationship = vocabulary.relationship_at([w.key for w in words[at + 1 : at + 9]], 0)
    if not word.owns or word.key in vocabulary.PRONOUNS or relationship is None:
        return None
    return _role_phrase(words, at + 1, Reference(name=word.text), _MAX_OWNERS)


def _role_after_and(words: list[Word], at: int, before: Phrase) -> _Found | None:
    """Read "daughter Emma" of "my wife Sarah and daughter Emma"."""
    found = vocabulary.relationship_at([word.key for word in words[at : at + 8]], 0)
    if found is None or before.form is not Form.ROLE or before.end != words[at - 1].start - 1:
        return None
    return _named(words, Reference(relationship=found[0], of=before.reference.of), at + found[1])


def _phrase_at(words: list[Word], at: int, owners: int) -> _Found | None:
    """The longest phrase that begins at `at`."""
    found = _first_at(words, at, owners)
    while found and owners and words[found.after - 1].owns:
        owned = _role_phrase(words, found.after, found.reference, owners - 1)
        if owned is None:
            break
        found = owned._replace(pronoun=found.pronoun)
        owners -= 1
    return found


def _first_at(words: list[Word], at: int, owners: int) -> _Found | None:
    key = words[at].key
    if key in _SUBJECTS:
        return _Found(Form.PRONOUN, NOBODY, at + 1, key)
    if key in _THEIR:
        owned = _role_phrase(words, at + 1, NOBODY, owners)
        return owned._replace(pronoun=key) if owned else _Found(Form.PRONOUN, NOBODY, at + 1, key)
    if key == "user" or (key == "the" and key_at(words, at + 1) == "user"):
        after = at + (1 if key == "user" else 2)
        if words[after - 1].owns:
            return _role_phrase(words, after, None, owners)
        return _Found(Form.NAME, Reference(is_self=True), after) if key == "the" else None
    if key in _OWN or (key in _ARTICLES and not is_name_word(words, at)):
        role = _role_phrase(words, at + 1, None, owners, article=key)
        is_inside = key in _ARTICLES and at > 0 and words[at - 1].key in _INSIDE
        return None if role and is_inside and _is_thing(role) else role
    keys = [word.key for word in words[at : at + 8]]
    if at > 1 and words[at - 1].key == "are" and words[at - 2].key == "i":
        several = roles.group_at(words, at)  # "Petra and I are sisters"
        if several:
            return _Found(Form.GROUP, Reference(relationship=several[0]), several[1])
    if key in NUMBERS and at and words[at - 1].key in _HAVE:
        several = roles.group_at(words, at + 1)
        return (
            _Found(Form.GROUP, Reference(relationship=several[0]), several[1]) if several else None
        )
    if found := vocabulary.foreign_relationship_at(keys, 0):
        return _named(words, Reference(relationship=found[0]), at + found[1])
    if found := unspaced_relationship_at(words, at):
        return _Found(Form.ROLE, Reference(relationship=found[0]), at + found[1])
    if noted := _noted_role(words, at):
        return noted
    name = None if _is_verb_at_start(words, at) else _name_at(words, at)
    bare = vocabulary.relationship_at(keys, 0)
    # "Mum", but Grandma Rose is a name, and Father Brown another.
    if (
        bare
        and bare[0] in vocabulary.CALLED_BARE
        and bare[1] == 1
        and (not name or name[1] == at + 1)
    ):
        return _Found(Form.ROLE, Reference(relationship=bare[0]), at + 1)
    return _Found(Form.NAME, Reference(name=name[0]), name[1]) if name else None


def _is_verb_at_start(words: list[Word], at: int) -> bool:
    """Return whether a capital is only that of a sentence: "Tell my", "Had a", "Find me"."""
    is_first = at == 0 or words[at].gap.strip()[-1:] in _SENTENCE_ENDS
    after = at + 1
    return (
        is_first
        and not words[at].owns
        and key_at(words, after) in _OBJECTS
        and words[after].gap == " "
    )


def _is_thing(found: _Found) -> bool:
    """Return whether a phrase after "in" is no person: "in the army", not "at the dentist"."""
    word = found.reference.relationship or ""
    return vocabulary.is_open(word) and not roles.names_agent(word)


def _noted_role(words: list[Word], at: int) -> _Found | None:
    """The role that begins a note without "my": "Husband is Con", "Head gardener: Jo", "wife's"."""
    word = words[at]
    if at and word.gap.strip()[-1:] not in _SENTENCE_ENDS:
        return None
    found = _bare_role(words, at)
    if found is None or found[1] == len(words):
        return None
    role, after = found
    is_heading = words[after].gap.strip() in {":", "="}
    is_table = vocabulary.canonical_relationship(role) is not None
    if not is_table and (not word.capital or role in _OF_WORKS):
        return None
    reference = Reference(relationship=role)
    names = name_at(words, after) is not None
    if words[after - 1].owns:
        is_said = words[after].key == "name" or (names and word.capital)
        return _Found(Form.ROLE, reference, after) if is_said else None
    # "Plumber is Jo", but "Baker is my plumber"
    is_copula = words[after].key in _IS and (is_table or name_at(words, after + 1) is not None)
    if is_heading or is_copula:
        return _Found(Form.ROLE, reference, after)
    is_title = role in vocabulary.TITLE_LIKE or not is_table
    return _named(words, reference, after) if names and not is_title else None


def _bare_role(words: list[Word], at: int) -> tuple[str, int] | None:
    """A role that people have, without an article, and the word after it."""
    small = words[at]._replace(text=words[at].text.lower())
    found = roles.role_at([*words[:at], small, *words[at + 1 : at + _MAX_ROLE_WORDS]], at)
    return found if found and roles.is_of_a_person(found[0]) else None


def _role_after_name(words: list[Word], at: int, before: Phrase) -> _Found | None:
    """The role beside a name in a note: "Priya (flatmate)", "Lena, physio,", "Bo = coach"."""
    gap = words[at].gap.strip()
    is_next = before.form is Form.NAME and before.end + len(words[at].gap) == words[at].start
    found = _bare_role(words, at) if is_next and gap in _BESIDE else None
    if found is None:
        return None
    is_closed = found[1] == len(words) or words[found[1]].gap.strip(" ") != ""
    return _Found(Form.ROLE, Reference(relationship=found[0]), found[1]) if is_closed else None


def _role_phrase(
    words: list[Word], at: int, owner: Reference | None, owners: int, article: str = "my"
) -> _Found | None:
    """The role at `at` with the name and the complement that belong to it."""
    if at >= len(words) or words[at].gap.strip(" ") != "":
        return None
    if article in _OWN | {"the"} and (several := roles.group_at(words, at)):
        return _Found(Form.GROUP, Reference(relationship=several[0], of=owner), several[1])
    found = roles.role_at(words, at)
    if found is None:
        told = roles.description_at(words, at) if article == "the" else None
        return _Found(Form.ROLE, Reference(relationship=told[0]), told[1]) if told else None
    reference, after = Reference(relationship=found[0], of=owner), found[1]
    if words[after - 1].owns:
        return _Found(Form.ROLE, reference, after) if article in _OWN | {"the"} else None
    is_owned = False
    if owners and key_at(words, after) == "of" and words[after].gap == " ":
        complement = _of_somebody(words, after + 1, owners - 1)
        if complement:
            reference, is_owned = replace(reference, of=complement[0]), True
            after = complement[1]
        elif placed := _place(words, after + 1):
            thing = placed[0].removeprefix("the ")
            reference = replace(reference, relationship=f"{found[0]} of {thing}")
            after = placed[1]
    elif _is_place(words, after) and words[after].key in _WHERE:
        reference = replace(reference, relationship=f"{found[0]} {words[after].key}")
        after += 1
    elif _is_place(words, after) and (placed := _place(words, after + 1)):
        reference = replace(reference, relationship=f"{found[0]} {words[after].key} {placed[0]}")
        after = placed[1]
    if article == "the" and not is_owned and vocabulary.is_family(found[0]):
        return None  # "the father of two girls"
    if article in {"a", "an"} and not is_owned and owner is None:
        return _Found(Form.SOMEBODY, reference, after)
    return _named(words, reference, after)


def _is_place(words: list[Word], at: int) -> bool:
    return key_at(words, at) in vocabulary.PLACED and words[at].gap == " "


def _named(words: list[Word], reference: Reference, after: int) -> _Found:
    """The role with the name that follows on it without a mark."""
    if after < len(words) and words[after].gap == " " and (name := _name_at(words, after)):
        reference, after = replace(reference, name=name[0]), name[1]
        # "my friend Robin from the choir"
        if _is_place(words, after) and not words[after - 1].owns:
            placed = _place(words, after + 1)
            if placed and (word := reference.relationship):
                word = f"{word} {words[after].key} {placed[0]}"
                return _Found(Form.ROLE, replace(reference, relationship=word), placed[1])
    return _Found(Form.ROLE, reference, after)


def _name_at(words: list[Word], at: int) -> tuple[str, int] | None:
    """The name that begins at `at`, but not the month of "in May"."""
    name = name_at(words, at)
    is_month = name and name[1] == at + 1 and words[at].key in vocabulary.MONTH_NAMES
    return None if is_month and is_month_after(words, at) else name


def _of_somebody(words: list[Word], at: int, owners: int) -> tuple[Reference | None, int] | None:
    """The owner after "of", None for the speaker, and the word after."""
    if key_at(words, at) in _MINE:
        return None, at + 1
    found = _phrase_at(words, at, owners) if at < len(words) else None
    if found is None or found.form not in {Form.NAME, Form.ROLE} or found.reference.is_self:
        return None
    relationship = found.reference.relationship
    if relationship and vocabulary.is_open(relationship):
        return None  # "the landlord of my studio"
    return found.reference, found.after


def _place(words: list[Word], at: int) -> tuple[str, int] | None:
    """The words of a place or a body, without its determiners, up to a mark or a verb of being."""
    for end in range(at, min(at + _MAX_PLACE_WORDS, len(words))):
        word = words[end]
        if (
            word.gap != " "
            or word.text[0].isdigit()
            or word.key in TIMES
            or word.key in vocabulary.COPULAS
        ):
            return None
        after = end + 1
        is_last = after == len(words) or words[after].gap.strip(" ") or word.owns
        is_last = is_last or words[after].key in TIMES
        is_noun = word.key not in vocabulary.ARTICLES
        is_last = is_last or (is_noun and _is_verb(words, after))
        if is_last or roles.closes_place(words[after]):
            keys = [w.key for w in words[at:after]]
            return " ".join(["the", *keys[1:]] if keys[0] in _OWN else keys), after
    return None


def _is_verb(words: list[Word], at: int) -> bool:
    """Return whether a word after a noun is its verb: "wants us", "asked for", "sold me"."""
    is_verbal = words[at].text.islower() and words[at].key.endswith(("s", "ed"))
    after = at + 1
    goes_on = after < len(words) and words[after].gap == " "
    is_followed = is_verbal and goes_on and roles.closes_place(words[after])
    return is_followed or roles.takes_object(words, at)
