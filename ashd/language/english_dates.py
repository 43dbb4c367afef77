"""Time words: the span that a question names, and whether a text speaks of a time at all (row D6).

Pure functions of text, the time now and a zone. A span is half-open, in microseconds UTC, and
covers whole days, weeks, months, seasons or years of the asker's zone. Words that are not
understood give no span rather than a guess: a wrong span would push the answer down. The rules here
are English; a text in another language is read by its own (`foreign_dates`).
"""

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from ashd.language import date_spans, detection, foreign_dates
from ashd.language.date_spans import MONTHS, WEEKDAYS, Days, Unit
from ashd.language.folding import fold_for_tables
from ashd.language.lazy_pattern import pattern_of

_EPOCH: Final = dt.datetime.fromtimestamp(0, dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_DAY_MICROS: Final = dt.timedelta(days=1) // _MICROSECOND
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

_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>(?:19|20)\d{2})"
_COUNT: Final = (
    r"(?P<count>\d{1,3}|an?|(?:a )?couple of|(?:a )?few|several|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|eleven|twelve)"
)
_UNIT: Final = r"(?P<unit>day|week|month|year)s?"
_SHIFT: Final = r"(?P<shift>last|this|next|past|previous|coming)"

_ASKS_WHEN: Final = pattern_of(
    r"^\W*(?:when|since when|until when|how long|how recently"
    r"|how (?:many|much) (?:time|days|weeks|months|years)|what (?:date|day|month|year|time)"
    r"|(?:in |on |at |by |during |since |for )?(?:what|which)"
    r" (?:date|day|month|year|week|weekend|season))\b",
    re.IGNORECASE,
)
_SPEAKS_OF_TIME: Final = pattern_of(
    r"\b(?:yesterday|today|tonight|tomorrow|recently|lately|just now|nowadays"
    r"|(?:last|this|next|past|previous|coming|every|each|other) "
    r"(?:night|morning|evening|day|week|weekend|month|year|spring|summer|fall|autumn|winter|christmas"
    r"|mon|tues?|wed(?:nes)?|thurs?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|(?:last|this|next|in|since|until|by|early|late|mid)[ -]"
    + _MONTH.replace("?P<month>", "?:")
    + r""
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|"
    + _COUNT.replace("?P<count>", "?:")
    + r" ?(?:minute|hour|day|night|week|weekend|month|year|yr)s?"
    r"|(?:the )?(?:other day|weekend|day before|week before|month before|year before)"
    r"|ago|since (?:\d{4}|then)|(?:19|20)\d{2}|\d{1,2}(?:st|nd|rd|th)"
    r"|(?:january|february|april|june|july|august|september|october|november|december)"
    r"|\d{1,2}[:.]\d{2}|\d{1,2} ?[ap]m|birthday|anniversary)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A span of time: from ``start`` up to, not including, ``end``, in microseconds UTC."""

    start: int
    end: int
    text: str
    """The words that name it."""

    def distance_days(self, at: int) -> float:
        """Days from a time to the nearest edge of the span; 0 inside it."""
        return max(self.start - at, at - self.end, 0) / _DAY_MICROS


def asks_when(text: str) -> bool:
    """Return whether a question asks for a time: "when did …", "how long …", "which year …"."""
    if _ASKS_WHEN.search(text) is not None:
        return True
    return any(
        foreign_dates.asks_when(name, fold_for_tables(text)) for name in detection.spoken(text)
    )


def has_time_expression(text: str) -> bool:
    """Return whether a text speaks of a time: "last week", "on Friday", "two years ago"."""
    if _SPEAKS_OF_TIME.search(text) is not None:
        return True
    return any(
        foreign_dates.speaks_of_time(name, fold_for_tables(text)) for name in detection.spoken(text)
    )


def date_words(at: int, zone: dt.tzinfo = dt.UTC) -> str:
    """Return the words by which the index finds a time: ``2023 may 8 monday``."""
    local = (_EPOCH + at * _MICROSECOND).astimezone(zone)
    return f"{local.year} {MONTHS[local.month - 1]} {local.day} {WEEKDAYS[local.weekday()]}"


def range_of(text: str, *, now: dt.datetime, zone: dt.tzinfo = dt.UTC) -> TimeRange | None:
    """Return the span that a question names, or None; the first rule that matches decides.

    If the question may be in several languages, the one that understands most of it counts. ``now``
    must be aware; relative words ("yesterday", "last May") count in ``zone``.
    """
    today = now.astimezone(zone).date()
    for pattern, read in _RULES:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            days = read(match.groupdict(), today)
        except (ValueError, OverflowError):  # the 31st of June, a year before 1
            continue
        return _range(days, match.group(0), zone)
    plain = fold_for_tables(text)
    named = [foreign_dates.span_of(language, plain, today) for language in detection.spoken(text)]
    known = [one for one in named if one is not None]
    return _range(*max(known, key=lambda one: len(one[1])), zone) if known else None


def without_relative_time(text: str) -> str:
    """Return a question without the words for a time relative to now, up to today: "3 days ago".

    Hardly a text of that time has these words; dates and the names of days and months stay.
    """
    for pattern, read in _RULES:
        match = pattern.search(text)
        if match is None:
            continue
        if read not in _RELATIVE or _AHEAD.match(match.group(0)):
            return text
        return (text[: match.start()].rstrip() + text[match.end() :]).lstrip(" ,:")
    return text


def _range(days: Days, words: str, zone: dt.tzinfo) -> TimeRange:
    start, end = (
        (dt.datetime.combine(day, dt.time(), tzinfo=zone) - _EPOCH) // _MICROSECOND for day in days
    )
    return TimeRange(start, end, words)


Found = dict[str, str | None]


def _month_number(found: Found) -> int:
    return [name[:3] for name in MONTHS].index(str(found["month"]).lower()[:3]) + 1


def _shift_of(found: Found) -> int:
    word = str(found.get("shift") or "this").lower()
    return {"this": 0, "next": 1, "coming": 1}.get(word, -1)


def _year(found: Found) -> int | None:
    return int(str(found["year"])) if found.get("year") else None


def _unit(found: Found) -> Unit:
    return cast(Unit, str(found["unit"]).lower())


def _count(found: Found) -> int:
    word = str(found["count"]).lower()
    return int(word) if word.isdigit() else _NUMBERS[word]


def _read_iso(found: Found, _: dt.date) -> Days:
    return date_spans.span(dt.date.fromisoformat(str(found["iso"])), "day")


def _read_date(found: Found, today: dt.date) -> Days:
    return date_spans.of_date(today, _month_number(found), int(str(found["day"])), _year(found))


def _read_month(found: Found, today: dt.date) -> Days:
    return date_spans.of_month(today, _month_number(found), _year(found), _shift_of(found))


def _read_season(found: Found, today: dt.date) -> Days:
    month = _SEASONS[str(found["season"]).lower()]
    return date_spans.of_season(today, month, _year(found), _shift_of(found))


def _read_weekday(found: Found, today: dt.date) -> Days:
    weekday = WEEKDAYS.index(str(found["weekday"]).lower())
    return date_spans.of_weekday(today, weekday, _shift_of(found))


def _read_ago(found: Found, today: dt.date) -> Days:
    return date_spans.span(today, _unit(found), -_count(found))


def _read_lately(found: Found, today: dt.date) -> Days:
    return date_spans.lately(today, _unit(found), _count(found))


def _read_named_day(found: Found, today: dt.date) -> Days:
    word = str(found["named"]).lower()
    shifts = {"the day before yesterday": -2, "yesterday": -1, "last night": -1, "tomorrow": 1}
    return date_spans.span(today, "day", shifts.get(word, 0))


def _read_unit(found: Found, today: dt.date) -> Days:
    return date_spans.span(today, _unit(found), _shift_of(found))


_RELATIVE: Final = frozenset({_read_named_day, _read_ago, _read_lately, _read_unit})
_AHEAD: Final = pattern_of(r"tomorrow|next|coming", re.IGNORECASE)


def _rule(
    pattern: str, read: Callable[[Found, dt.date], Days]
) -> tuple[re.Pattern[str], Callable[[Found, dt.date], Days]]:
    return pattern_of(rf"\b{pattern}\b", re.IGNORECASE), read


# The order is the precedence: more exact expressions are tried earlier.
_RULES: Final = (
    _rule(r"(?P<iso>\d{4}-\d{2}-\d{2})", _read_iso),
    _rule(rf"{_DAY}(?: of)? {_MONTH},? {_YEAR}", _read_date),
    _rule(rf"{_MONTH} {_DAY},? {_YEAR}", _read_date),
    _rule(rf"{_DAY}(?: of)? {_MONTH}(?! \d)", _read_date),
    _rule(rf"{_MONTH} {_DAY}", _read_date),
    _rule(rf"{_MONTH}(?: of)?,? {_YEAR}", _read_month),
    _rule(rf"(?:{_SHIFT}|in|during|since|of|early|late|mid)[ -]{_MONTH}", _read_month),
    _rule(
        r"(?P<named>the day before yesterday|yesterday|today|tonight|last night"
        r"|this (?:morning|evening)|tomorrow)",
        _read_named_day,
    ),
    _rule(rf"{_COUNT} {_UNIT} ago", _read_ago),
    _rule(rf"(?:last|past|previous) {_COUNT} {_UNIT}", _read_lately),
    _rule(rf"{_SHIFT} (?P<unit>week|weekend|month|year)", _read_unit),
    _rule(
        rf"(?:{_SHIFT} |in (?:the )?|during (?:the )?|(?:the )?)"
        rf"(?P<season>spring|summer|autumn|fall|winter)(?: of)? {_YEAR}",
        _read_season,
    ),
    _rule(rf"{_SHIFT} (?P<season>spring|summer|autumn|fall|winter)", _read_season),
    _rule(rf"(?:{_SHIFT}|on) (?P<weekday>{'|'.join(WEEKDAYS)})", _read_weekday),
    _rule(
        rf"(?:in|during|since|of|year) {_YEAR}",
        lambda found, _: date_spans.span(dt.date(int(str(found["year"])), 1, 1), "year"),
    ),
)
