"""Spellings of a day: the phrases by which a text itself names it (row D6)."""

import datetime as dt
import re
from typing import Final, NamedTuple

from ashd.language.date_spans import MONTHS, Days
from ashd.language.folding import fold

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


class Spellings(NamedTuple):
    """Phrases for the full-text index, which takes a text apart at every sign."""

    exact: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    """Phrases that leave out the year, so that they may name another one."""

    def name_another_year(self, text: str) -> bool:
        """Return whether a text has a loose phrase with a year, and none of the exact ones."""
        words = f" {' '.join(_WORD.findall(fold(text)))} "
        if any(f" {phrase} " in words for phrase in self.exact):
            return False
        return any(re.search(rf" {phrase} (?:19|20)\d\d ", words) for phrase in self.loose)


_WORD: Final = re.compile(r"\w+")

UNSPELLED: Final = Spellings()


def of_span(days: Days, *, of_any_year: bool) -> Spellings:
    """Return the spellings of a span; none if it is no single day.

    If the day is `of_any_year`, that may be the next one, and all spellings without it are exact.
    """
    first, after = days
    if after - first != dt.timedelta(days=1):
        return UNSPELLED
    if not of_any_year:
        return Spellings(_of_day(first), _without_year(first))
    leap_days = (first.month, first.day) == (2, 29)
    following = first.replace(year=first.year + (4 if leap_days else 1))
    return Spellings((*_of_day(first), *_of_day(following), *_without_year(first)))


def _of_day(day: dt.date) -> tuple[str, ...]:
    numbers = [f"{day.year} {day.month:02} {day.day:02}"]
    if day.day > 12:  # else the 7th of October may be the 10th of July
        numbers += [f"{day.day} {day.month:02} {day.year}", f"{day.day} {day.month} {day.year}"]
        numbers += [f"{day.month:02} {day.day} {day.year}", f"{day.month} {day.day} {day.year}"]
    return (*dict.fromkeys(numbers), *(f"{short} {day.year}" for short in _without_year(day)))


def _without_year(day: dt.date) -> tuple[str, ...]:
    number = str(day.day)
    ordinal = number + _ENDINGS.get(day.day, "th")
    return tuple(
        phrase
        for month in _names(day)
        for said in (number, ordinal)
        for phrase in (f"{month} {said}", f"{said} {month}", f"{said} of {month}")
    )


def _names(day: dt.date) -> tuple[str, ...]:
    name = MONTHS[day.month - 1]
    return tuple(dict.fromkeys((name, name[:3])))
