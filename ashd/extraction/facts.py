"""Prepare a model's facts to be stored as if their speaker had stated them. Pure.

Never weaker than `memory.add`: the same checks for secrets and forms, and the label of sensitivity
is the strictest of the model's and of the classifier's on the content and on the quote.
"""

from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from ashd import errors, limits
from ashd.access import disclosure, sensitivity
from ashd.access.text_cleaning import one_line
from ashd.clock import DAY
from ashd.extraction import evidence
from ashd.extraction.answer import Fact
from ashd.language.people import pronouns, roles, vocabulary
from ashd.language.people.phrases import Form, Phrase, person_phrases
from ashd.language.people.references import parse_reference
from ashd.memory import incoming_facts, marks, model
from ashd.memory.incoming_facts import Prepared
from ashd.search.indexing import TextVectors
from ashd.store.transcripts import Said
from ashd.wire_times import micros, require_order

STATEMENT_CHARS: Final = limits.STATEMENT_CHARS
_MOST_TAGS: Final = 3
_BEFORE_PLACES: Final = vocabulary.PLACED - {"from"} | {"at"}
"""A bare name after these is hardly a person's: "works at Acme"."""
_BEFORE_EITHER: Final = frozenset({"to", "into", "for", "of", "on", "over", "through", "towards"})
"""A bare name after these is a place's or a person's: "moved to Graz", "wrote to Ann"."""
_SENTENCE_ENDS: Final = ".!?\n"


class Ready(NamedTuple):
    """A fact that can be stored, and the least strict label that it may get."""

    fact: Prepared
    least: str | None


def prepare(fact: Fact, spoken: Said, *, in_group: bool, is_quoted: bool) -> Ready:
    """Check a fact that was said in a turn; for a thread.

    `is_quoted`: the speaker has no account, so it is not stored as their own word.

    Raises:
        errors.InvalidParams: a value that cannot be stored.
        errors.ContentRefused: it holds a secret.
    """
    subjects = _named(fact, spoken)
    others = [one for one in subjects if one and not evidence.is_speaker(one, spoken)]
    about = others
    if is_quoted:
        own = spoken.speaker or spoken.handle
        about = [own, *others] if own and (len(others) < len(subjects) or not others) else others
    elif others and len(others) < len(subjects):
        about = ["me", *others]
    try:
        wire = msgspec.convert(
            {
                "content": fact.content,
                "subjects": about,
                "type": fact.type,
                "shared": fact.shared and in_group,
                "portable": fact.portable,
                "everywhere": fact.everywhere,
                **_validity(fact),
                "tags": list(filter(None, marks.without(map(one_line, fact.tags))))[:_MOST_TAGS],
            },
            model.Fact,
        )
    except msgspec.ValidationError:
        raise errors.InvalidParams("A field of the fact is out of range.") from None
    made = incoming_facts.prepare(wire)
    least = disclosure.stricter(sensitivity.classify(fact.quote), fact.sensitivity)
    days = fact.expires_in_days
    expires_at = None
    if days is not None and 0 < days <= limits.EXPIRY_DAYS:
        expires_at = spoken.said_at + int(days * DAY)
    return Ready(
        structs.replace(
            made, observed_at=spoken.said_at, expires_at=expires_at, confidence=fact.confidence
        ),
        least,
    )


def _named(fact: Fact, spoken: Said) -> list[str]:
    """Return the subjects of a fact; a pronoun is the one person whom it may mean.

    The last sentence that names such a person before the last such pronoun in the sentences of the
    quote tells; without this pronoun there, the last one before the quote ends. A pronoun is left
    out if that sentence names several, or one that may be a place.
    """
    found = []
    for given in fact.subjects[: limits.SUBJECTS_PER_FACT]:
        subject = one_line(given)
        if parse_reference(subject).is_empty:
            subject = _antecedent(subject, fact, spoken)
        if subject and subject not in found and not _is_word(subject, fact, spoken):
            found.append(subject)
    return found


def _is_word(subject: str, fact: Fact, spoken: Said) -> bool:
    """Return whether a subject is a word for a thing or a time, which models take for a name."""
    reference = parse_reference(subject)
    if reference.relationship is not None or reference.handle is not None:
        return False
    texts = (fact.content, spoken.content[:STATEMENT_CHARS])
    return roles.is_mere_word(subject) or roles.is_written_as_word(subject, texts)


def _antecedent(pronoun: str, fact: Fact, spoken: Said) -> str:
    words = spoken.content[:STATEMENT_CHARS]
    key = pronoun.casefold()
    at = words.casefold().find(fact.quote.casefold())
    end = at + len(fact.quote) if at >= 0 else len(words)
    sentence = _sentence_start(words, max(at, 0))
    phrases = [phrase for phrase in person_phrases(words) if phrase.end <= end]
    pronouns_said = [one.start for one in phrases if one.pronoun == key and one.start > sentence]
    begin = max(pronouns_said, default=end)
    fitting = [
        phrase
        for phrase in phrases
        if phrase.end <= begin
        and phrase.form not in {Form.PRONOUN, Form.SOMEBODY}
        and not (phrase.reference.is_self or _is_name_after(_BEFORE_PLACES, phrase, words))
        and pronouns.may_mean(key, phrase.reference)
    ]
    if not fitting:
        return ""
    last = fitting[-1]
    sentence = _sentence_start(words, last.start)
    meant = {one.reference.name or one.reference for one in fitting if one.end > sentence}
    if len(meant) > 1 or _is_name_after(_BEFORE_EITHER, last, words):
        return ""
    return one_line(words[last.start : last.end])


def _sentence_start(words: str, at: int) -> int:
    return max(words.rfind(mark, 0, at) for mark in _SENTENCE_ENDS)


def _is_name_after(before: frozenset[str], phrase: Phrase, words: str) -> bool:
    """Return whether a phrase is a bare name right after one of some words."""
    last = words[: phrase.start].casefold().split()[-1:]
    return phrase.form is Form.NAME and not before.isdisjoint(last)


def labelled(ready: Ready, vectors: TextVectors) -> Prepared:
    """Return the fact with its label, once the vectors of its content are there."""
    made = incoming_facts.labelled(ready.fact, vectors)
    assert isinstance(made, Prepared)
    return structs.replace(made, sensitivity=disclosure.stricter(made.sensitivity, ready.least))


def _validity(fact: Fact) -> dict[str, str | None]:
    """Return since and until when a fact holds; neither if it would end before it begins."""
    start, end = time_of(fact.valid_from), time_of(fact.valid_until)
    try:
        require_order(micros(start, "valid_from"), micros(end, "valid_until", end_of_day=True))
    except errors.InvalidParams:
        return {}
    return {"valid_from": start, "valid_until": end}


def time_of(text: str | None) -> str | None:
    """Return a time that the model gave, if it is valid."""
    try:
        return text if micros(text, "valid") is not None else None
    except errors.InvalidParams:
        return None
