"""Spellings of a day, month or year: the phrases by which a text itself names it (row D6)."""

import datetime as dt
from typing import Final, NamedTuple

from ashd.language.date_spans import MONTHS, Days, months_on

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


class Spellings(NamedTuple):
    """Phrases for the full-text index, which takes a text apart at every sign."""

    exact: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    """Phrases that leave out the year or the day, so that they may name another time."""


UNSPELLED: Final = Spellings()


def of_span(days: Days, *, any_year: bool = False) -> Spellings:
    """Return the spellings of a span; none if it is no single day, month or year.

    ``any_year``: no year was said, so a date without one is exact.
    """
    first, after = days
    year = str(first.year)
    if after - first == dt.timedelta(days=1):
        exact, short = _of_day(first), _without_year(first)
        return Spellings(exact + short) if any_year else Spellings(exact, short)
    if first.day == 1 and after == months_on(first, 1):
        name = MONTHS[first.month - 1]
        names = [f"{month} {year}" for month in _names(first)]
        exact = (*names, f"{name} of {year}", f"{year} {first.month:02}")
        return Spellings((*exact, name)) if any_year else Spellings(exact, (name,))
    if first.month == first.day == 1 and after == months_on(first, 12):
        return Spellings((year,))
    return UNSPELLED


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
