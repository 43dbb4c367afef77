"""A floor of evidence for a summary: the names, numbers and years in it occur in its turns. Pure.

It is a floor for any language: paraphrases and translations pass, inventions and texts about
nothing that was said do not. A name is a word with a capital letter within a sentence; where the
turns themselves have many of those, as in German, capitals tell nothing.
"""

import re
from typing import Final, NamedTuple

import msgspec

from ashd.conversation.summary_text import SummaryText, says_something
from ashd.language import normal_forms
from ashd.language.word_stems import WORD, stem, stems

_NUMBER: Final = re.compile(r"\d+")
_GROUPED: Final = re.compile(r"(?<=\d)[.,'\u2019 \u00a0\u202f](?=\d{3}(?!\d))")
_INNER: Final = re.compile(r"(?<=[\w,;] )[^\W\d_]+")
"""Words that do not begin a sentence."""
_LABEL: Final = re.compile(r"@(\S+)(?: \(([^)]*)\))?, ")
_MOST_CAPITALS: Final = 0.15
_FEW_CAPITALS: Final = 4
_LEAST_SHARE: Final = 0.1
_LONG_WORDS: Final = 6
_SMALL: Final = 31
"""Numbers up to this are days and months that were reckoned, or words in the turns."""
_YEARS: Final = range(1900, 2101)


class Said(NamedTuple):
    """The turns, as far as summaries are compared with them."""

    stems: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[int]
    capitals_mean_names: bool

    @classmethod
    def of(cls, text: str) -> "Said":
        """Read the turns as the model was shown them, with speakers and times."""
        text = normal_forms.nfkc(text)
        inner = _INNER.findall(text)
        capitals = [word for word in inner if word[0].isupper()]
        speakers = WORD.findall(" ".join(map(" ".join, _LABEL.findall(text))))
        names = frozenset(map(stem, [*capitals, *speakers]))
        is_usual = len(capitals) <= max(_MOST_CAPITALS * len(inner), _FEW_CAPITALS)
        return cls(frozenset(stems(text)), names, _numbers(text), is_usual)

    def founds(self, text: str) -> bool:
        """Return whether no more of the names and numbers in a text are missing than found."""
        found, missing = self._marks(text)
        return missing <= found

    def is_about(self, text: str) -> bool:
        """Return whether a text has a name, a number or enough words of the turns, or is short."""
        words = stems(normal_forms.nfkc(text))
        if len(words) < _LONG_WORDS or self._marks(text)[0]:
            return True
        return len(words & self.stems) >= _LEAST_SHARE * len(words)

    def has_years_of(self, text: str) -> bool:
        """Return whether every year in a text is one of the turns, the one before or after."""
        years = [number for number in _numbers(text) if number in _YEARS]
        return all(self._has(year) for year in years)

    def _marks(self, text: str) -> tuple[int, int]:
        """Count the names and numbers in a text that are in the turns, and those that are not."""
        text = normal_forms.nfkc(text)
        numbers = [number for number in _numbers(text) if number > _SMALL]
        inner = {stem(word) for word in _INNER.findall(text) if word[0].isupper()}
        first = {stem(word) for word in WORD.findall(text) if word[0].isupper()} - inner
        known = (inner & self.stems) | (first & self.names)
        new = inner - known if self.capitals_mean_names else set()
        has = sum(map(self._has, numbers))
        return len(known) + has, len(new) + len(numbers) - has

    def _has(self, number: int) -> bool:
        near = {number - 1, number, number + 1} if number in _YEARS else {number}
        return not near.isdisjoint(self.numbers)


def checked(summary: SummaryText, said: Said) -> SummaryText | None:
    """Return a summary without the entries that lack evidence; None if it lacks it as a whole."""
    made = msgspec.structs.replace(
        summary,
        topics=[one for one in summary.topics if said.founds(one)],
        decisions=[one for one in summary.decisions if said.founds(one)],
        action_items=[one for one in summary.action_items if said.founds(one)],
        key_dates=[
            one
            for one in summary.key_dates
            if said.has_years_of(one.date) and said.founds(one.what)
        ],
    )
    overall = summary.overall or "; ".join([*made.topics, *made.decisions, *made.action_items])
    if overall and not (said.founds(overall) and said.is_about(overall)):
        return None
    # One that said something, and has nothing left, was made up.
    return made if says_something(made) or not says_something(summary) else None


def _numbers(text: str) -> frozenset[int]:
    digits = _NUMBER.findall(_GROUPED.sub("", text))
    return frozenset(int(one) for one in digits if len(one) <= 15)
