"""Rules beyond the model: who said it, when it holds, and which words a repetition must not swap.

What must always hold: hearsay never replaces a person's own word; what fades never replaces what
lasts; the earlier of two observations never replaces the later one; a text with other numbers or
signs, or with the same names swapped, is no repetition; a question, which states nothing, neither
repeats nor replaces a statement, nor the reverse.
"""

import re
from typing import Final
from unicodedata import category

from ashd.clock import DAY
from ashd.language.english_words import CHANGES
from ashd.language.folding import typography
from ashd.language.tagged_words import Kind, Words
from ashd.language.text_form import only_asks
from ashd.memory.judge.statement import Statement
from ashd.memory.judge.verdict import Outcome, Verdict

_SIGNS: Final = frozenset({"Sc", "Sm", "So", "No"})
_AT_FIGURES: Final = re.compile(r"(?<!\S)-(?=\d)|(?<=\d)['\"]")
_LIKE: Final = 0.5
"""Share of common words from which two texts are the same sentence with other names."""


def by_words(older: Words, newer: Words, verdict: Verdict) -> Verdict:
    """Return `verdict`, or KEEP if one is a question, or names are swapped and no word says why."""
    if verdict.outcome in {Outcome.SAME, Outcome.KEEP}:
        return verdict
    if only_asks(older.text) != only_asks(newer.text):
        return Verdict(Outcome.KEEP, "question")
    if _exchanged(older, newer):
        if verdict.outcome is Outcome.REPEATS or CHANGES.isdisjoint(newer.lowered):
            return Verdict(Outcome.KEEP, "exchanged")
    elif verdict.outcome is Outcome.REPEATS and older.sets[0] != newer.sets[0]:
        return Verdict(Outcome.KEEP, "other_number")
    elif verdict.outcome is Outcome.REPEATS and _differ_in_signs(older, newer):
        return Verdict(Outcome.KEEP, "other_sign")
    return verdict


def _differ_in_signs(older: Words, newer: Words) -> bool:
    """Return whether texts have different signs, or one has some and the words are the same.

    "5 €" may be "5 euros", but neither 5 nor 5 %.
    """
    before, after = _signs(older.text), _signs(newer.text)
    if before == after:
        return False
    return older.stems == newer.stems or bool(before and after)


def _signs(text: str) -> frozenset[str]:
    """Return currencies, units, operators, symbols, question marks, and the marks of a figure."""
    spelt = typography(text)
    found = {sign for sign in spelt if sign in "%?*#" or category(sign) in _SIGNS}
    return frozenset(found.union(_AT_FIGURES.findall(spelt)))


def _exchanged(older: Words, newer: Words) -> bool:
    """Return whether similar sentences have the same names or numbers in another order."""
    old, new = set(older.stems), set(newer.stems)
    if len(old & new) < _LIKE * len(old | new):
        return False
    names = older.sets[Kind.NAME] | newer.sets[Kind.NAME] | {"i"}
    for before, after in (
        ([n for n in older.named if n in names], [n for n in newer.named if n in names]),
        (older.by_kind[Kind.NUMBER], newer.by_kind[Kind.NUMBER]),
    ):
        if list(before) != list(after) and sorted(before) == sorted(after):
            return True
    return False


def by_source(older: Statement, newer: Statement, verdict: Verdict) -> Verdict:
    """Return `verdict`, unless speakers, expiry or the order of events forbid it (A11, A13)."""
    own_word = older.first_person == "hearsay" and newer.first_person == "fact"
    if verdict.outcome is Outcome.SAME:
        # The same from the person themselves, or without an end, is worth more than the older fact.
        if newer.fades and not older.fades:
            return verdict
        if own_word:
            return Verdict(Outcome.REPLACES, "own_word")
        if older.fades and not newer.fades:
            return Verdict(Outcome.REPLACES, "lasts")
        return verdict
    if verdict.outcome in {Outcome.KEEP, Outcome.REPEATS}:
        return verdict
    if older.first_person == "fact" and newer.first_person == "hearsay":
        return Verdict(Outcome.KEEP, "hearsay")
    if newer.fades and not older.fades:
        return Verdict(Outcome.KEEP, "fades")
    if observed_before(newer, older):
        return Verdict(Outcome.KEEP, "observed_earlier")
    if _is_of_another_time(older, newer):
        return Verdict(Outcome.KEEP, "other_time")
    return verdict


def happened_again(older: Statement, newer: Statement) -> bool:
    """Return whether two events are told in the same words but were observed at other times."""
    if not (older.is_event and newer.is_event):
        return False
    both = newer.observed_at is not None and older.observed_at is not None
    return newer.observed_at != older.observed_at if both else is_of_another_day(older, newer)


def is_of_another_day(older: Statement, newer: Statement) -> bool:
    """Return whether the same words tell what was observed on another day."""
    if newer.observed_at is None:
        return False
    if older.observed_at is not None:
        return older.observed_at // DAY != newer.observed_at // DAY
    return older.stated_at is not None and abs(newer.observed_at - older.stated_at) > DAY


def observed_before(one: Statement, other: Statement) -> bool:
    """Return whether the later stored one was observed earlier, like an old letter read today."""
    if one.observed_at is None:
        return False
    if other.observed_at is not None:
        return one.observed_at < other.observed_at
    return other.stated_at is not None and one.observed_at + DAY < other.stated_at


def _is_of_another_time(older: Statement, newer: Statement) -> bool:
    """Return whether their periods differ: one is over, not yet begun, or began earlier."""
    now = newer.stated_at
    if now is not None:
        if any(one.valid_until is not None and one.valid_until <= now for one in (older, newer)):
            return True
        if newer.valid_from is not None and newer.valid_from > now:
            return True
    if older.valid_from is None or newer.valid_from is None:
        return False
    return newer.valid_from < older.valid_from
