"""Spellings of a day: the phrases by which a text itself names it (row D6)."""

import datetime as dt
from typing import Final, NamedTuple

from ashd.language.date_spans import MONTHS, Days

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


class Spellings(NamedTuple):
    """Phrases for the full-text index, which takes a text apart at every sign."""

    exact: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    """Phrases that leave out the year, so that they may name another one."""


UNSPELLED: Final = Spellings()


def of_span(days: Days) -> Spellings:
    """Return the spellings of a span; none if it is no single day."""
    first, after = days
    if after - first != dt.timedelta(days=1):
        return UNSPELLED
    return Spellings(_of_day(first), _without_year(first))


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
