"""Reading: from a statement's text to its clauses.

One clause at a time, by the place of its words, without a grammar: good enough for the plain
English in which facts are written down. A text that cannot be read gives no clause at all, so
that nothing is decided by half of it. Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from ashd.memory.conflict import kinds
from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.clause import (
    LEAD,
    OBJECT,
    Clause,
    Subject,
    lemma,
    singular,
    verb_form,
)
from ashd.memory.conflict.predicate import is_finite, is_verb, predicate, with_slots
from ashd.memory.conflict.wording import COLON, COMMA, MARKS, POSSESSIVE, STOP, Word, words

_READ_TEXTS: Final = 4096
"""Texts kept as read; a new fact is compared with many of the same old ones."""
_READ_CHARS: Final = 1_000
"""A longer text is no statement but a document, and the writer lane would wait for its reading."""
_ORDER: Final = Subject(topic=frozenset({"!"}))
"""The subject of an instruction: "always reply in English"."""


@lru_cache(maxsize=_READ_TEXTS)
def read(text: str) -> tuple[Clause, ...]:
    """The clauses of a text, in order; empty if it cannot be read as English."""
    if len(text) > _READ_CHARS:
        return ()
    clauses: list[Clause] = []
    before: Subject | None = None
    for part in _parts(words(text)):
        clause = _clause(part, before)
        if clause is None:
            return ()
        before = clause.subject
        clauses.append(clause)
    return tuple(clauses)


def turned(clause: Clause) -> Clause | None:
    """The clause the other way round, if it has one: "Linda is my manager" is about my manager."""
    value = clause.slots.get(OBJECT, ())
    subject = clause.subject
    if clause.verb != "be" or clause.negative or subject.owned or subject.topic or not value:
        return None
    texts = [word.text for word in value]
    about = _noun_phrase(value, owned=True)
    owned = texts[0] in lex.OWNERS or POSSESSIVE in texts
    if not clause.written or not (owned or texts[0] == "the"):
        return None
    role = about.head in kinds.ATTRIBUTE_NOUNS | lex.KIN or kinds.is_job(about.head)
    if not role and (not owned or about.head in kinds.MANY_NOUNS):
        return None
    return replace(clause, subject=about, slots={**clause.slots, OBJECT: clause.written})


def _parts(found: list[Word]) -> Iterator[list[Word]]:
    """Each clause's words: cut where a sentence ends and before "and" with a verb of its own."""
    part: list[Word] = []
    for at, word in enumerate(found):
        joins = word.text in {"and", "but"} and _starts_clause(found[at + 1 : at + 4])
        if word.text == STOP or joins:
            if any(w.text not in MARKS for w in part):
                yield part
            part = []
        else:
            part.append(word)
    if any(w.text not in MARKS for w in part):
        yield part


def _starts_clause(following: Sequence[Word]) -> bool:
    texts = [word.text for word in following]
    if not texts:
        return False
    if texts[0] in lex.SELF | lex.OTHERS:
        return len(texts) > (2 if texts[0] in lex.OWNERS else 1)
    if texts[0] in {"now", "also", "currently", "then", "no"}:
        texts = texts[2:] if texts[1:2] == ["longer"] else texts[1:]
    form = verb_form(texts[0]) if texts else None
    return bool(texts) and (
        texts[0] in lex.BE | lex.AUXILIARIES or (form is not None and form[1] in {"s", "past"})
    )


def _clause(part: list[Word], before: Subject | None) -> Clause | None:
    """Read one clause; `before` is the subject of the one before it."""
    cues = _cues(part)
    part = _without_lead_in(part)
    texts = [word.text for word in part]
    if COLON in texts[1:5] and not lex.BE & set(texts[: texts.index(COLON)]):
        at = texts.index(COLON)  # "Time zone: CET"
        return with_slots(
            replace(cues, subject=_noun_phrase(part[:at], owned=True)), part[at + 1 :]
        )
    lead: list[Word] = []
    if COMMA in texts[:8] and texts[0] in lex.PREPOSITIONS | lex.TAIL:
        at = texts.index(COMMA)
        lead, part = part[:at], part[at + 1 :]
    found = _subject(part, before) if part else None
    if found is None:
        return None
    subject, at = found
    clause = predicate(replace(cues, subject=subject, verb=""), part[at:])
    if clause is None:
        return None
    slots = {**clause.slots, LEAD: tuple(lead)} if lead else clause.slots
    return replace(clause, slots=slots, written=tuple(part[:at]))


def _cues(part: Sequence[Word]) -> Clause:
    """What single words of a clause say of it: that it is new, that it stands beside others."""
    texts = [word.text for word in part]
    said = f" {' '.join(texts)} "
    cued = any(f" {phrase} " in said for phrase in lex.CHANGE_PHRASES)
    cued = cued or bool(lex.CHANGE_WORDS & set(texts))
    also = bool(lex.ADDITIVE & {*texts[:3], *texts[-1:]}) or " another " in said
    return Clause(Subject(), "be", cued=cued, changed=cued, also=also)


def _without_lead_in(part: list[Word]) -> list[Word]:
    """The clause without "Correction:", "please" or "the user mentioned that" before it."""
    while part and part[0].text in lex.LEAD_INS | {COMMA, COLON}:
        if part[0].text == "no" and len(part) > 1 and part[1].text not in MARKS:
            break
        part = part[1:]
    texts = [word.text for word in part]
    for at in range(1, min(4, len(part))):
        if lemma(texts[at]) in lex.SAYING and "that" in texts[at : at + 3]:
            return part[texts.index("that", at) + 1 :]
    return part


def _subject(part: list[Word], before: Subject | None) -> tuple[Subject, int] | None:
    """The subject and where the verb group starts; None if that cannot be told."""
    texts = [word.text for word in part]
    start = 0
    while start < len(texts) and texts[start] in lex.ADVERBS | {COMMA, "no", "longer"}:
        start += 1
    if start >= len(texts):
        return None
    if texts[start] == "the" and texts[start + 1 : start + 2] == ["user"]:
        start += 1
    first = texts[start]
    owns = first in lex.OWNERS or texts[start + 1 : start + 2] == [POSSESSIVE]
    if first in lex.SELF and not owns:
        return Subject(), start + 1
    if first == "there" or (first in lex.OTHERS and not owns):
        return Subject(person=frozenset({first})), start + 1
    at = _verb_at(part, start)
    if at is None:
        # "allergic to peanuts"
        fragment = texts[start + 1 : start + 2] and texts[start + 1] in lex.PREPOSITIONS
        return (before or Subject(), start) if fragment else None
    if at > start:
        while texts[at - 1] in lex.ADVERBS | lex.NEGATIONS | {"longer"} and at > start + 1:
            at -= 1  # "Sarah no longer likes …": that belongs to the verb
        return _noun_phrase(part[start:at], owned=False), at
    if before is not None:
        return before, 0
    form = verb_form(first)
    orders = first == "do" or (form is not None and form[1] == "base" and first not in lex.BE)
    return _ORDER if orders else Subject(), 0


def _verb_at(part: list[Word], start: int) -> int | None:
    """Where the first finite verb of a clause stands."""
    texts = [word.text for word in part]
    before_noun = {POSSESSIVE} | lex.OWNERS | lex.ARTICLES
    candidate: int | None = None
    for at in range(start + (texts[start] in before_noun), len(texts)):
        text = texts[at]
        if at > start and is_finite(part[at]):
            return at
        if candidate is None and not (at and texts[at - 1] in before_noun):
            candidate = at if _may_be_verb(texts, start, at) else None
        ends = text in lex.PREPOSITIONS | lex.ARTICLES | lex.OWNERS
        if candidate is not None and (ends or at > candidate + 2):
            return candidate
    return _unknown_verb_at(texts, start) if candidate is None else candidate


def _unknown_verb_at(texts: list[str], start: int) -> int | None:
    """Where a word ends as a verb does, after a subject that surely is English."""
    subject = lex.ARTICLES | lex.OWNERS | lex.SELF
    if texts[start] not in subject and POSSESSIVE not in texts:
        return None
    for at in range(start + 2, len(texts) - 1):
        verbal = texts[at].isalpha() and texts[at][-1] == "s" and texts[at][-2:] not in {"ss", "us"}
        if verbal and texts[at - 1] not in {POSSESSIVE} | subject | lex.PREPOSITIONS:
            return at
    return None


def _may_be_verb(texts: list[str], start: int, at: int) -> bool:
    """Whether the word at `at` can be the verb of a subject that begins at `start`."""
    form = verb_form(texts[at])
    if form is None:
        return False
    tells = form[1] in {"s", "past"}
    if at == start:
        orders = form[1] == "base" and texts[at] in lex.ORDERS
        return (tells or orders) and not is_verb(texts[at + 1 :])
    if form[1] == "base":
        return _is_plural(texts[start:at])
    return tells and texts[at + 1 : at + 2] != [POSSESSIVE]


def _is_plural(subject: Sequence[str]) -> bool:
    small = lex.ADVERBS | lex.NEGATIONS | {"longer"}
    nouns = [text for text in subject if text not in small]
    if not nouns or nouns[-1] == POSSESSIVE:
        return False
    last = nouns[-1].removesuffix("-in-law")
    plural = last in {"people", "children", "we"} or (last[-1] == "s" and last[-2:] != "ss")
    return plural or "and" in nouns


def _noun_phrase(found: Sequence[Word], *, owned: bool) -> Subject:
    """A subject from its words: owners, then a person, a relation or a thing."""
    person: list[str] = []
    names: set[str] = set()
    topic: tuple[list[str], str] = ([], "")
    head = ""
    chunk: list[Word] = []
    for word in [*found, Word("", STOP)]:
        if word.text in lex.OWNERS:
            owned = True
            person += [word.text] if word.text in lex.OTHERS else []
            continue
        if word.text not in {POSSESSIVE, STOP}:
            chunk.append(word)
            continue
        owner = word.text == POSSESSIVE
        small = lex.SELF | lex.ARTICLES | lex.ADVERBS | MARKS
        said = [w for w in chunk if w.text not in small]
        texts = [singular(w.text) for w in said]
        relation = _relation(said)
        if relation is not None:
            person += texts[: relation + 1]
            names |= {w.text for w in said[relation + 1 :]}
            head = texts[relation]
        elif owner or (not owned and _is_name(chunk, said)):
            person += texts
        else:
            topic = _thing([w.text for w in said])
            head = topic[1]
        owned = owned or owner
        chunk = []
    return Subject(frozenset(person), frozenset(names), frozenset(topic[0]), head, owned)


def _relation(said: Sequence[Word]) -> int | None:
    """Where a relation stands that ends the phrase or has only a name after it: "sister Lena"."""
    for at, word in enumerate(said):
        if {word.text, singular(word.text)} & lex.KIN:
            return at if all(w.is_capital for w in said[at + 1 :]) else None
    return None


def _is_name(chunk: Sequence[Word], said: Sequence[Word]) -> bool:
    """Whether a phrase at the start of a clause is a bare name, not a thing written large."""
    if not said or chunk[0].text in lex.ARTICLES or not all(w.is_capital for w in said):
        return False
    return singular(said[-1].text) not in kinds.ATTRIBUTE_NOUNS | kinds.MANY_NOUNS


def _thing(texts: Sequence[str]) -> tuple[list[str], str]:
    """The words of a thing and its head: the last before a preposition."""
    topic: list[str] = []
    head = ""
    described = False
    for text in texts:
        described = described or text in lex.PREPOSITIONS | {"of"}
        if text in {"that", "which"} or (topic and text == "use"):
            break  # "the password manager we use"
        if text in lex.PREPOSITIONS | lex.NEUTRAL | {"of", "and"}:
            continue
        topic.append(singular(text))
        head = head if described else topic[-1]
    return topic, head
