"""The people that a pronoun may mean, by the gender of English words. Pure."""

from typing import Final

from ashd.language.english_words import word_set
from ashd.language.people import vocabulary
from ashd.language.people.references import Reference
from ashd.language.words import normalise

_FEMALE: Final = word_set(
    """
    wife girlfriend mother sister daughter grandmother granddaughter aunt niece landlady fiancee
    goddaughter godmother stepmother stepsister stepdaughter mother-in-law sister-in-law
    daughter-in-law
    mrs ms miss lady madam
    """
)
_MALE: Final = word_set(
    """
    husband boyfriend father brother son grandfather grandson uncle nephew landlord godson godfather
    stepfather stepbrother stepson father-in-law brother-in-law son-in-law mr sir lord
    """
)
_HER: Final = frozenset({"she", "her", "herself"})
_HIS: Final = frozenset({"he", "him", "his", "himself"})


def may_mean(pronoun: str, person: Reference) -> bool:
    """Return whether nothing about a person speaks against the pronoun."""
    words = _words(person)
    against = _MALE if pronoun in _HER else _FEMALE if pronoun in _HIS else frozenset[str]()
    return words.isdisjoint(against)


def surely_means(pronoun: str, person: Reference) -> bool:
    """Return whether a person's role or title is of the pronoun's gender."""
    words = _words(person)
    fitting = _FEMALE if pronoun in _HER else _MALE if pronoun in _HIS else frozenset[str]()
    return not words.isdisjoint(fitting)


def _words(person: Reference) -> set[str]:
    role = (person.relationship or "").removeprefix("ex-")
    title = normalise(person.name or "").split(" ")[0]
    return {role, vocabulary.base_relationship(role) or role, title}
