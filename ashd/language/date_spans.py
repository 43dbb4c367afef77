"""Spans of days by numbers: the date arithmetic that all languages share (row D6).

Pure functions of today's date. A span is half-open, in whole days. An impossible date raises
ValueError or OverflowError.
"""

import datetime as dt
import re
from calendar import isleap
from collections.abc import Callable
from typing import Final, Literal

Days = tuple[dt.date, dt.date]
Reader = Callable[[re.Match[str], dt.date], Days]
Rule = tuple[re.Pattern[str], Reader]
"""A pattern of time words, and the span that a match means on a day."""
Unit = Literal["day", "week", "weekend", "month", "year"]

MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS: Final = (*("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),)
_SEASON_MONTHS: Final = 3
_MONTHS_TO_LOOK_AT: Final = 14
_LATELY_DAYS: Final[dict[Unit, int]] = {"day": 1, "week": 7, "weekend": 7, "month": 31, "year": 366}


def months_on(day: dt.date, months: int) -> dt.date:
    """Return the first day of the month that is so many months after that of ``day``."""
    index = day.year * 12 + day.month - 1 + months
    return dt.date(index // 12, index % 12 + 1, 1)


def span(day: dt.date, unit: Unit, shift: int = 0) -> Days:
    """Return the day, week, weekend, month or year that is ``shift`` away from that of ``day``."""
    if unit == "day":
        first = day + dt.timedelta(days=shift)
        return first, first + dt.timedelta(days=1)
    monday = day - dt.timedelta(days=day.weekday()) + dt.timedelta(weeks=shift)
    if unit == "week":
        return monday, monday + dt.timedelta(weeks=1)
    if unit == "weekend":
        return monday + dt.timedelta(days=4), monday + dt.timedelta(weeks=1)
    if unit == "month":
        return months_on(day, shift), months_on(day, shift + 1)
    return dt.date(day.year + shift, 1, 1), dt.date(day.year + shift + 1, 1, 1)


def of_date(today: dt.date, month: int, day: int, year: int | None) -> Days:
    """Return a day; without a year the latest such day that is not in the future."""
    if year is None:
        year = today.year if (month, day) <= (today.month, today.day) else today.year - 1
        while (month, day) == (2, 29) and not isleap(year):
            year -= 1
    return span(dt.date(year, month, day), "day")


def of_month(today: dt.date, month: int, year: int | None, shift: int = 0) -> Days:
    """Return a month; without a year the next (1), latest (0), last (-1) or one earlier (-2)."""
    if year is None and shift == 1:
        year = today.year if month > today.month else today.year + 1
    elif year is None:
        now = month < today.month or (month == today.month and shift == 0)
        year = (today.year if now else today.year - 1) + min(shift + 1, 0)
    return span(dt.date(year, month, 1), "month")


def of_season(today: dt.date, first_month: int, year: int | None, shift: int = 0) -> Days:
    """Return a season; without a year the next (1), latest (0), last (-1) or one earlier (-2).

    A winter belongs to the year it begins in.
    """
    if year is None:
        year = today.year - (dt.date(today.year, first_month, 1) > today)
        is_over = months_on(dt.date(year, first_month, 1), _SEASON_MONTHS) <= today
        year += shift if shift >= 0 else shift + is_over
    first = dt.date(year, first_month, 1)
    return first, months_on(first, _SEASON_MONTHS)


def of_weekday(today: dt.date, weekday: int, shift: int = -1) -> Days:
    """Return the next such weekday after today (1), the latest before it, or one earlier (-2).

    Monday is 0.
    """
    if shift == 1:
        return span(today, "day", (weekday - today.weekday() - 1) % 7 + 1)
    return span(today, "day", -((today.weekday() - weekday - 1) % 7 + 1) + 7 * min(shift + 1, 0))


def of_day(today: dt.date, day: int) -> Days:
    """Return the latest such day of a month: "the 31st"."""
    for months in range(_MONTHS_TO_LOOK_AT):
        one = months_on(today, -months) + dt.timedelta(days=day - 1)
        if one.day == day and one <= today:
            return span(one, "day")
    raise ValueError("no such day in a month")


def of_weekday_and_day(today: dt.date, weekday: int, day: int) -> Days:
    """Return the latest such day of a month that is such a weekday: "Sunday the 8th"."""
    for months in range(_MONTHS_TO_LOOK_AT):
        first = months_on(today, -months)
        one = first + dt.timedelta(days=day - 1)
        if (one.month, one.weekday()) == (first.month, weekday) and one <= today:
            return span(one, "day")
    raise ValueError("no such day in these months")


def this_year(days_of: Callable[[int], Days], today: dt.date) -> Days:
    """Return the days of a year that contain today, else those of this year."""
    before = days_of(today.year - 1)
    return before if before[0] <= today < before[1] else days_of(today.year)


def of_quarter(
    today: dt.date, number: int | None = None, year: int | None = None, shift: int = 0
) -> Days:
    """Return a quarter by its number, without a year the latest begun; or the ``shift``-th away."""
    now = (today.month - 1) // 3 + 1
    if number is None:
        number, year = now, today.year
    elif year is None:
        year = today.year - (number > now)
    first = months_on(dt.date(year or today.year, 3 * number - 2, 1), 3 * shift)
    return first, months_on(first, 3)


def lately(today: dt.date, unit: Unit, count: int) -> Days:
    """The last so many days, weeks, months or years, with today."""
    return today - dt.timedelta(days=_LATELY_DAYS[unit] * count), today + dt.timedelta(days=1)


def easter(year: int) -> dt.date:
    """Return Easter Sunday of the Gregorian calendar, by the moon's cycle of 19 years."""
    century = year // 100
    moon = (19 * (year % 19) + century - century // 4 - (8 * century + 13) // 25 + 15) % 30
    moon -= moon // 28 * (1 - 29 // (moon + 1) * ((21 - year % 19) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    away = moon - weekday
    month = 3 + (away + 40) // 44
    return dt.date(year, month, away + 28 - 31 * (month // 4))
