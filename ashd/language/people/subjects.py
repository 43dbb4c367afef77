"""People whom a statement is about by its own words, for a caller that names nobody. Pure.

A statement is about the people of whom it says who they are, and about the one it begins with. A
word with a capital is most often no person, so it makes somebody known only where the text says
that it is one: by a role, a title, initials or a handle. Else it finds who is known already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from ashd.language.folding import clean
from ashd.language.lazy_pattern import pattern_of
from ashd.language.people import references, roles
from ashd.language.people.clauses import Kind
from ashd.language.people.phrases import Form, Phrase, stated_phrases
from ashd.language.people.references import Reference
from ashd.language.people.statements import Statement, read

_MOST: Final = 4
"""Each is resolved while others wait for the writer thread."""


_WHO: Final = pattern_of(r",? who(?:'s|se)? ")


class Subject(NamedTuple):
    """A reference in words, and whether it makes somebody known who is not."""

    words: str
    creates: bool


def subjects_of(text: str) -> tuple[Subject, ...]:
    """Return the people whom a statement is about."""
    phrases = stated_phrases(clean(text))
    if not phrases:
        return ()
    found: dict[str, bool] = {}
    for one in list(_stated(text)) or _opening(text, phrases):
        found[one.words] = found.get(one.words, False) or one.creates
    return tuple(Subject(*one) for one in islice(found.items(), _MOST))


def _stated(text: str) -> Iterator[Subject]:
    """Yield the people of whom the text says who they are, each by their name if there is one."""
    for statement in read(text).statements:
        ends = [end for end in (statement.one, statement.other) if not end.is_self]
        if statement.kind is Kind.SAME:
            yield from _subject(_first_of(statement, ends), creates=_is_of_a_person(statement))
        else:
            for end in ends:
                if end.name or end.handle:
                    yield from _subject(end, creates=False)


def _first_of(statement: Statement, ends: list[Reference]) -> Reference:
    """The reference by which the person of a statement is looked for.

    A role gets its name: "My flatmate is called Bo". A name gets a role that others may have.
    """
    related = [end for end in ends if end.relationship]
    named = [end for end in ends if end.name or end.handle]
    if statement.in_passing and related and named:
        return replace(related[0], name=named[0].name, handle=named[0].handle)
    preferred, others = (named, related) if statement.adds else (related, named)
    return (preferred or others)[0]


def _is_of_a_person(statement: Statement) -> bool:
    """Return whether the role of a statement is one that people have, or it has two of their names.

    Not "My gym is Virgin Active", nor "The Golden Retriever is called Biscuit".
    """
    ends = (statement.one, statement.other)
    roles_told = [end.relationship for end in ends if end.relationship]
    if not roles_told:
        return not any(end.name and end.name.startswith("the ") for end in ends)
    return all(map(roles.is_of_a_person, roles_told))


def _opening(text: str, phrases: Sequence[Phrase]) -> Iterator[Subject]:
    """Yield the person with whom the text begins."""
    first, text = phrases[0], clean(text)
    is_first = not text[: first.start].strip(" \"'")
    if not is_first or first.pronoun or first.form in {Form.GROUP, Form.SOMEBODY}:
        return
    reference = first.reference
    role = reference.relationship
    if role is None:
        name = reference.name or ""
        is_titled = references.title_of(name) or references.has_initials(name)
        creates = bool(reference.handle or is_titled or _WHO.match(text, first.end))
    elif reference.of is not None and not roles.is_of_a_person(role):
        return
    else:
        creates = roles.is_surely_of_a_person(role)
    yield from _subject(reference, creates=creates)


def _subject(reference: Reference, *, creates: bool) -> Iterator[Subject]:
    words = references.in_words(reference)
    if words is not None:
        yield Subject(words, creates)
