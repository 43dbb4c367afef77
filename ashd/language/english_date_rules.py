"""Rules for the English words that name a span of time (row D6).

Pure functions of the words found and of today's date.
"""

import datetime as dt
import math
import re
from collections.abc import Callable
from typing import Final, cast

from ashd.language import date_spans
from ashd.language.date_spans import MONTHS, WEEKDAYS, Days, Unit
from ashd.language.lazy_pattern import pattern_of

Found = dict[str, str | None]
Read = Callable[[Found, dt.date], Days]

_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = {
    word: value
    for value, words in {
        1: ("a", "an", "one"),
        2: ("two", "couple of", "a couple of"),
        3: ("three", "few", "a few"),
        4: ("four", "several"),
        **dict(enumerate(zip(("five", "six", "seven", "eight"), strict=True), start=5)),
        **dict(enumerate(zip(("nine", "ten", "eleven", "twelve"), strict=True), start=9)),
    }.items()
    for word in words
}

MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>(?:19|20)\d{2})"
COUNT: Final = (
    r"(?P<count>\d{1,3}|an?|(?:a )?couple of|(?:a )?few|several|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve)"
)
_UNIT: Final = r"(?P<unit>day|week|fortnight|month|year)s?"
_APART: Final = r"(?<![\w./-])"
_ENDS: Final = r"(?![/-]?\w|\.\w)"
"""A date in numbers is no part of a longer identifier."""
_SHIFT: Final = r"(?P<shift>last|this|next|past|previous|coming)"


def _month_number(found: Found) -> int:
    return [name[:3] for name in MONTHS].index(str(found["month"]).lower()[:3]) + 1


def _shift_of(found: Found) -> int:
    word = str(found.get("shift") or "this").lower()
    return {"this": 0, "next": 1, "coming": 1}.get(word, -1)


def _year(found: Found) -> int | None:
    return int(str(found["year"])) if found.get("year") else None


def _unit(found: Found) -> tuple[Unit, int]:
    """Return a unit, and the number of it that the word means."""
    word = str(found["unit"]).lower()
    return ("week", 2) if word == "fortnight" else (cast(Unit, word), 1)


def _count(found: Found) -> int:
    word = str(found["count"]).lower()
    return int(word) if word.isdigit() else _NUMBERS[word]


def _read_iso(found: Found, _: dt.date) -> Days:
    return date_spans.span(dt.date.fromisoformat(str(found["iso"])), "day")


def _read_iso_month(found: Found, _: dt.date) -> Days:
    return date_spans.span(dt.date.fromisoformat(f"{found['iso']}-01"), "month")


def _read_numbers(found: Found, _: dt.date) -> Days:
    """Read 21/11/2026 and 11/21/2026; the order in 7/10/2026 is unknown."""
    low, high = sorted((int(str(found["one"])), int(str(found["other"]))))
    if low != high and high <= 12:
        raise ValueError("the day and the month cannot be told apart")
    return date_spans.span(dt.date(int(str(found["year"])), low, high), "day")


def _read_date(found: Found, today: dt.date) -> Days:
    return date_spans.of_date(today, _month_number(found), int(str(found["day"])), _year(found))


def _read_month(found: Found, today: dt.date) -> Days:
    return date_spans.of_month(today, _month_number(found), _year(found), _shift_of(found))


def _read_season(found: Found, today: dt.date) -> Days:
    month = _SEASONS[str(found["season"]).lower()]
    return date_spans.of_season(today, month, _year(found), _shift_of(found))


def _read_weekday(found: Found, today: dt.date) -> Days:
    """Return the day of a weekday: the latest one, or the next."""
    weekday = WEEKDAYS.index(str(found["weekday"]).lower())
    return date_spans.of_weekday(today, weekday, _shift_of(found))


def _read_ago(found: Found, today: dt.date) -> Days:
    unit, each = _unit(found)
    return date_spans.span(today, unit, -each * _count(found))


def _read_lately(found: Found, today: dt.date) -> Days:
    unit, each = _unit(found)
    return date_spans.lately(today, unit, each * _count(found))


def _read_hours(found: Found, today: dt.date) -> Days:
    return date_spans.lately(today, "day", math.ceil(_count(found) / 24))


def _read_year(found: Found, _: dt.date) -> Days:
    return date_spans.span(dt.date(int(str(found["year"])), 1, 1), "year")


def _read_named_day(found: Found, today: dt.date) -> Days:
    word = str(found["named"]).lower()
    shifts = {"the day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1}
    return date_spans.span(today, "day", shifts.get(word, 0))


def _read_unit(found: Found, today: dt.date) -> Days:
    return date_spans.span(today, _unit(found)[0], _shift_of(found))


RELATIVE: Final = frozenset({_read_named_day, _read_ago, _read_lately, _read_hours, _read_unit})
AHEAD: Final = pattern_of(r"tomorrow|next|coming", re.IGNORECASE)


def _rule(pattern: str, read: Read) -> tuple[re.Pattern[str], Read]:
    return pattern_of(rf"\b{pattern}\b", re.IGNORECASE), read


# The order is the precedence: more exact expressions are tried earlier.
RULES: Final = (
    _rule(rf"{_APART}(?P<iso>\d{{4}}-\d{{2}}-\d{{2}}){_ENDS}", _read_iso),
    _rule(rf"{_APART}(?P<one>\d{{1,2}})([/.])(?P<other>\d{{1,2}})\2{_YEAR}{_ENDS}", _read_numbers),
    _rule(rf"{_DAY}(?: of)? {MONTH},? {_YEAR}", _read_date),
    _rule(rf"{MONTH} {_DAY},? {_YEAR}", _read_date),
    _rule(rf"{_DAY}(?: of)? {MONTH}(?! \d)", _read_date),
    _rule(rf"{MONTH} {_DAY}", _read_date),
    _rule(rf"{MONTH}(?: of)?,? {_YEAR}", _read_month),
    _rule(rf"{_APART}(?P<iso>(?:19|20)\d{{2}}-(?:0[1-9]|1[0-2])){_ENDS}", _read_iso_month),
    _rule(rf"(?:{_SHIFT}|in|during|of|early|late|mid)[ -]{MONTH}", _read_month),
    _rule(
        r"(?P<named>the day before yesterday|yesterday|today|tonight|last night"
        r"|this (?:morning|evening)|tomorrow)",
        _read_named_day,
    ),
    _rule(rf"{COUNT} {_UNIT} ago", _read_ago),
    _rule(rf"(?:last|past|previous) {COUNT} {_UNIT}", _read_lately),
    _rule(rf"(?:last|past|previous) {COUNT} hours?", _read_hours),
    _rule(rf"{_SHIFT} (?P<unit>week|weekend|month|year)", _read_unit),
    _rule(
        rf"(?:{_SHIFT} |in (?:the )?|during (?:the )?|(?:the )?)"
        rf"(?P<season>spring|summer|autumn|fall|winter)(?: of)? {_YEAR}",
        _read_season,
    ),
    _rule(rf"{_SHIFT} (?P<season>spring|summer|autumn|fall|winter)", _read_season),
    _rule(rf"(?:{_SHIFT}|on) (?P<weekday>{'|'.join(WEEKDAYS)})", _read_weekday),
    _rule(rf"(?:in|during|of|year) {_YEAR}(?!-\d)", _read_year),
)
