"""Spellings of a day or a month: the phrases by which a text itself names it (row D6)."""

import datetime as dt
import re
from typing import Final, NamedTuple

from ashd.language.date_spans import MONTHS, Days, span

_ENDINGS: Final = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}


class Spellings(NamedTuple):
    """Phrases for the full-text index, which takes a text apart at every sign."""

    exact: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    """Phrases that leave out the year, so that they may name another one."""

    year: str = ""
    """The year that the loose phrases leave out."""

    def may_be_of_year(self, text: str) -> bool:
        """Return whether a text names the asked year, or none."""
        years = {year[-2:] if len(year) == 3 else year for year in _YEAR.findall(text)}
        return not years or self.year in years or self.year[2:] in years


# "1200" is rather an amount than a year, and so is "1,850" or "$1850".
_YEAR: Final = re.compile(
    r"(?<![\d$\u00a3\u20ac])(?<!\d[.,])(?:1[5-9]|20)\d{2}(?![.,]?\d| ?[$\u00a3\u20ac])"
    r"|(?<!\w)['\u2019]\d\d(?!\d)"
)

UNSPELLED: Final = Spellings()


def of_span(days: Days, *, of_any_year: bool) -> Spellings:
    """Return the spellings of a span; none if it is neither a day nor a month.

    If the day is `of_any_year`, that may be the next one, and all spellings without it are exact.
    """
    first, after = days
    if days == span(first, "month"):
        return Spellings(tuple(f"{month} {first.year}" for month in _names(first)))
    if after - first != dt.timedelta(days=1):
        return UNSPELLED
    if not of_any_year:
        return Spellings(_of_day(first), _without_year(first), str(first.year))
    return Spellings((*_of_day(first), *_of_day(_next(first)), *_without_year(first)))


def _next(day: dt.date) -> dt.date:
    """Return the same day of the next year that has it."""
    for year in range(day.year + 1, day.year + 9):
        try:
            return day.replace(year=year)
        except ValueError:  # the 29th of February
            continue
    return day


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
