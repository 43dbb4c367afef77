"""Relationships and names inside a sentence: the people it speaks of, and their names.

Pure; the same must hold as in `references`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from ashd.language.assertion import asserted
from ashd.language.folding import clean
from ashd.language.people import vocabulary
from ashd.language.people.names import (
    continues_name,
    is_closed,
    is_name_word,
    joined,
    key_at,
    name_at,
    name_before,
)
from ashd.language.people.references import NOBODY, Reference
from ashd.language.people.vocabulary import relationship_at
from ashd.language.text_caches import cached_by_text
from ashd.language.words import Word, is_sentence_end, normalise, split

_MAX_CHARS: Final = 10_000


class Mention(NamedTuple):
    """A relationship word in a sentence, and its owner; positions count words."""

    reference: Reference
    begin: int  # index of the first word, the possessive included
    after: int  # index after the last word, with an "of" phrase that belongs to it


def mentions(words: list[Word], wanted: Sequence[str] = ()) -> list[Mention]:
    """The relationship words of a text and whose they are, left to right.

    `wanted`: relationships from outside the table to look for ("math teacher").
    """
    keys = [word.key for word in words]
    extra = [tuple(relationship.split(" ")) for relationship in wanted]
    firsts = {phrase[0] for phrase in extra}
    found: list[Mention] = []
    done = 0
    for at, key in enumerate(keys):
        if at < done or not (key in firsts or vocabulary.may_begin(key)):
            continue
        hit = next(
            ((" ".join(e), len(e)) for e in extra if tuple(keys[at : at + len(e)]) == e), None
        )
        hit = hit or relationship_at(keys, at) or vocabulary.foreign_relationship_at(keys, at)
        if hit is None or any(words[i].owns for i in range(at, at + hit[1] - 1)):
            continue
        relationship, after = hit[0], at + hit[1]
        begin, owner = _owner(words, at, relationship, found)
        done, speaks = after, key in vocabulary.SPEAKER_WORDS
        if of_somebody := _owner_after(words, after):
            owner, after = of_somebody
        if speaks or (owner and owner.is_self):
            owner = None
        found.append(Mention(Reference(relationship=relationship, of=owner), begin, after))
    return found


def _owner(
    words: list[Word], at: int, relationship: str, before: list[Mention]
) -> tuple[int, Reference | None]:
    """Return the owner of the relationship word at `at`, by the words before it."""
    if at == 0 or is_sentence_end(words[at].gap):
        return at, None
    word = words[at - 1]
    if word.key in vocabulary.DETERMINERS:
        return at - 1, None
    if word.owns and word.key not in vocabulary.PRONOUNS:
        if before and before[-1].after == at:
            return before[-1].begin, before[-1].reference
        if word.key == "user":
            return at - (2 if at > 1 and words[at - 2].key == "the" else 1), None
        begin = at - 1
        while (
            begin
            and at - begin < 4
            and continues_name(words, begin)
            and is_name_word(words, begin - 1)
        ):
            begin -= 1
        named = Reference(name=joined(words[begin:at]))
        if before and before[-1].after == begin and not words[begin - 1].owns:
            return before[-1].begin, replace(before[-1].reference, name=named.name)
        return begin, named
    if word.key == "and" and before:
        return at, before[-1].reference.of
    if word.key in vocabulary.INDEFINITE:
        return at - 1, NOBODY
    if relationship in vocabulary.CALLED_BARE:
        return at, None  # "I asked Mom"
    return at, NOBODY


def _owner_after(words: list[Word], after: int) -> tuple[Reference, int] | None:
    """Return the owner after "of" ("the boss of Alice", "a friend of mine") and the next word."""
    if after + 1 >= len(words) or words[after].key != "of" or words[after - 1].owns:
        return None
    word = words[after + 1]
    if word.key in {"mine", "ours"}:
        return Reference(is_self=True), after + 2
    if name := name_at(words, after + 1):
        return Reference(name=name[0]), name[1]
    if word.key in vocabulary.SPEAKER_WORDS and after + 2 < len(words):
        found = relationship_at([w.key for w in words[after + 2 : after + 10]], 0)
        return (Reference(relationship=found[0]), after + 2 + found[1]) if found else None
    return None


def relationships_in(text: str) -> list[Reference]:
    """Return the people that `text` names by relationship, with their owners, in order."""
    return [mention.reference for mention in mentions(split(clean(text)))]


def name_from_hint(reference: Reference, hint: str) -> str | None:
    """Return the name that `hint` gives the person of `reference`, or None.

    "My wife Sarah Jane loves …", "my wife's name is Sarah", "Sarah, my wife, …" name "my wife";
    "Bob's wife Sarah" and "my wife is German" do not.
    """
    return reference.name or _name_in(reference, hint, stated_only=False)


def stated_name(reference: Reference, text: str) -> str | None:
    """Return the same, only from a sentence whose purpose is the name ("my wife is called Sarah").

    In passing, "my friend Bob" may be another friend than the one without a name.
    """
    return _name_in(reference, text, stated_only=True)


def _name_in(reference: Reference, text: str, *, stated_only: bool) -> str | None:
    relationship = reference.relationship
    if relationship is None or relationship in vocabulary.GROUPS:
        return None
    words, headline, lower = read(text)
    for mention in mentions(words, (relationship,)):
        other = mention.reference
        fits = relationship in {
            other.relationship,
            vocabulary.base_relationship(other.relationship or ""),
        }
        if not fits or not same_person(other.of, reference.of):
            continue
        name = _stated(words, mention, lower=lower)
        if name is None and not stated_only and not headline:
            name = _in_passing(words, mention)
        if name:
            return name
    return None


def foreign_relationship(name: str, text: str) -> Reference | None:
    """Return what `text` says in another language than English that a name is to the speaker.

    "Anna ist meine Frau" and "meine Frau Anna" say it of Anna.
    """
    words, headline, lower = read(text)
    key = normalise(name)
    for mention in mentions(words):
        if words[mention.begin].key not in vocabulary.FOREIGN_SPEAKER_WORDS:
            continue
        said = _stated(words, mention, lower=lower)
        if said is None and not headline:
            said = _in_passing(words, mention)
        if said and normalise(said) == key:
            return mention.reference
    return None


class _Hint(NamedTuple):
    words: list[Word]
    headline: bool
    """Return whether a text is in Title Case or ALL CAPS, where capitals mean nothing."""
    lower: bool


@cached_by_text(4)
def read(text: str) -> _Hint:
    """Return a text split into words, cached for the several people it is about."""
    words = split(clean(asserted(text))[:_MAX_CHARS])  # one may have become eighteen
    cased = [word.text for word in words if word.text[0].lower() != word.text[0].upper()]
    return _Hint(
        words,
        headline=len(cased) > 3 and sum(word[0].isupper() for word in cased) > 0.8 * len(cased),
        lower=not any(word[0].isupper() and word != "I" for word in cased[1:]),
    )


def same_person(one: Reference | None, other: Reference | None) -> bool:
    """Return whether two owners of a relationship are the same; None is the speaker."""
    if one is None or other is None:
        return one is other
    if one.is_empty or one.relationship != other.relationship:
        return False
    if one.relationship:
        return same_person(one.of, other.of)
    return normalise(one.name or "") == normalise(other.name or "")


def _stated(words: list[Word], mention: Mention, *, lower: bool) -> str | None:
    """Read "…'s name is X", "… is called X", "… is X", "X is …"."""
    at = mention.after
    owned = words[at - 1].owns
    if owned:
        while key_at(words, at) in vocabulary.NAME_KINDS:
            at += 1
        if key_at(words, at) == "name":
            colon = at + 1 < len(words) and ":" in words[at + 1].gap
            is_copula = colon or words[at].owns
            after = at + 1 if is_copula else _after(words, at + 1, vocabulary.COPULAS)
            after = after and (_after(words, after, vocabulary.CALLED) or after)
            return _name_after(words, after, lower=lower) if after else None
    if after := _named_after(words, at, is_copula=owned):
        return _name_after(words, after, lower=lower)
    if owned:
        return None
    if after := _after(words, at, vocabulary.COPULAS):
        if (name := name_at(words, after)) is None:
            return None
        end = name[1]
        while key_at(words, end) in vocabulary.FILLERS and not is_closed(words, end):
            end += 1  # "my boss is Stefan now"
        return name[0] if is_closed(words, end) else None
    before = mention.begin
    while before and words[before - 1].key in vocabulary.FILLERS:
        before -= 1  # "Hugo is also my tax adviser"
    if before and key_at(words, before - 1) in vocabulary.COPULAS and words[before].gap == " ":
        before -= 1
    elif not (before and words[before - 1].owns):
        return None
    found = name_before(words, before)
    return found[0] if found else None


def _after(words: list[Word], at: int, expected: frozenset[str]) -> int | None:
    """Return the index after an expected word and fillers."""
    if key_at(words, at) not in expected:
        return None
    at += 1
    while key_at(words, at) in vocabulary.FILLERS:
        at += 1
    return at


def _named_after(words: list[Word], at: int, *, is_copula: bool) -> int | None:
    """Return the index after "(is) called", "goes by", "s'appelle"."""
    if not is_copula:
        after = _after(words, at, vocabulary.BEFORE_CALLED)
        is_copula, at = after is not None, after or at
    if key_at(words, at) == "goes" and key_at(words, at + 1) == "by":
        return at + 2
    if key_at(words, at) == "called" and not is_copula and words[at].gap == " ":
        return None  # "my wife called Sarah"
    return _after(words, at, vocabulary.CALLED)


def _name_after(words: list[Word], at: int, *, lower: bool) -> str | None:
    """Return the name in a place that requires one; `lower` allows it in lower case."""
    if found := name_at(words, at):
        return found[0]
    if not lower or at >= len(words) or not is_closed(words, at + 1):
        return None
    word = words[at]
    if word.key in vocabulary.NO_LOWER_NAMES or not word.text.isalpha():
        return None
    return word.text.capitalize()


def _in_passing(words: list[Word], mention: Mention) -> str | None:
    """Read "my wife Sarah …", "my wife, Sarah, …", "Sarah, my wife, …", "Sarah (my wife)"."""
    at, begin = mention.after, mention.begin
    if at < len(words) and not words[at - 1].owns:
        found = name_at(words, at)
        gap = words[at].gap
        if found and gap in {" ", ""}:
            return found[0]
        if found and gap in {", ", " (", " - ", ": "} and _ends_apposition(words, found[1]):
            return found[0]
    if begin and words[begin].gap in {", ", " (", " - "} and not words[at - 1].owns:
        before = name_before(words, begin)
        if before and _ends_apposition(words, at) and not _in_list(words, before[1]):
            return before[0]
    return None


def _ends_apposition(words: list[Word], at: int) -> bool:
    """Return whether a mark closes the apposition; ", and" continues a list."""
    if at >= len(words):
        return True
    return words[at].gap.strip() != "" and words[at].key not in {"and", "or"}


def _in_list(words: list[Word], begin: int) -> bool:
    return begin > 0 and "," in words[begin].gap
