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
from ashd.language.english_date_words import (
    DAY_WORDS,
    HOLIDAYS,
    NAMED_DAYS,
    NUMBERS,
    SEASONS,
    VAGUE,
)
from ashd.language.lazy_pattern import pattern_of
from ashd.language.people.vocabulary import MONTH_NAMES

Found = dict[str, str | None]
Read = Callable[[Found, dt.date], Days]


MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = "(?P<year>(?:19|20)[0-9]{2}|['\N{RIGHT SINGLE QUOTATION MARK}][0-9]{2})"
_SEASON: Final = rf"(?P<season>{'|'.join(SEASONS)})"
_WEEKDAY: Final = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_PART_OF_DAY: Final = r"(?:morning|afternoon|evening|night)"
_HOLIDAY: Final = rf"(?P<holiday>easter|{'|'.join(HOLIDAYS)})".replace(
    "'", "['\N{RIGHT SINGLE QUOTATION MARK}]"
)
_SMALL: Final = (
    r"(?:an?|(?:a )?couple of|(?:a )?few|several|one|two|three|four|five|six|seven|eight|nine|ten"
    r"|eleven|twelve)"
)
COUNT: Final = (
    r"(?P<count>(?<!\d[.,])\d{1,3}"
    rf"|(?<![a-z]-)(?<!ty )(?<!\bhundred )(?<!\band )(?<!\bhalf ){_SMALL})"
)
"""A number, but not the end of a longer one: "2.5", "twenty-two", "a hundred and two"."""
COUNTED: Final = rf"(?:\d{{1,3}}|{_SMALL})"
_UNIT: Final = r"(?P<unit>day|weekend|week|fortnight|month|year)s?"
_APART: Final = r"(?<![\w./-])"
_ENDS: Final = r"(?![/-]?\w|\.\w)"
"""A date in numbers is no part of a longer identifier."""
_SHIFT: Final = r"(?P<shift>last|this|next|past|previous|coming)"
_NO_VERB: Final = r"(?!(?-i:[Tt]his (?:may|march))\b)"
_OF_NOBODY: Final = "(?= \\w+(?!\\w|['\N{RIGHT SINGLE QUOTATION MARK}]s))"
"""Not "in June's bag"."""
_NAMES: Final = "|".join(sorted(MONTH_NAMES))
_BEFORE_MONTH: Final = rf"(?:in|during|of(?! (?:{_NAMES})\b)|back in|over)"
CLOSED: Final = r"(?=\s*(?:$|[^\w\s]|(?:and|or|at|in|with|by|did|do|was|were|had|have|i|we)\b))"
"""After "on the 14th", "of 2019": "on the 14th floor" and "of 2000 euros" are no times."""


def _month_number(found: Found) -> int:
    return [name[:3] for name in MONTHS].index(str(found["month"]).lower()[:3]) + 1


def _shift_of(found: Found) -> int:
    word = str(found.get("shift") or "this").lower()
    return {"this": 0, "next": 1, "coming": 1}.get(word, -1)


def _is_this(found: Found) -> bool:
    """Return whether "this" is said, which may be ahead: "on Friday" is the latest one."""
    return str(found.get("shift")).lower() == "this"


def _year(found: Found) -> int | None:
    """Return the year that is named; "'24" is no later than '49."""
    digits = (found.get("year") or "").strip("'\N{RIGHT SINGLE QUOTATION MARK}")
    if len(digits) == 2:
        return (2000 if digits < "50" else 1900) + int(digits)
    return int(digits) if digits else None


def _unit(found: Found) -> tuple[Unit, int]:
    """Return a unit, and the number of it that the word means."""
    word = str(found["unit"]).lower()
    return ("week", 2) if word == "fortnight" else (cast(Unit, word), 1)


def count_of(found: Found) -> int:
    """Return the number that a word or a figure means."""
    word = str(found["count"]).lower()
    return int(word) if word.isdigit() else NUMBERS[word]


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


def _read_worded_date(found: Found, today: dt.date) -> Days:
    day = DAY_WORDS[str(found["nth"]).lower().replace(" ", "-")]
    return date_spans.of_date(today, _month_number(found), day, _year(found))


def _read_of_year(found: Found, today: dt.date) -> Days:
    """Return a day, month, season or holiday of last, this or next year."""
    days = read_term(f"{found['part']} {today.year + _shift_of(found)}", today)
    if days is None:
        raise ValueError("no such day in that year")
    return days


def _read_month(found: Found, today: dt.date) -> Days:
    year = today.year if _is_this(found) else _year(found)
    return date_spans.of_month(today, _month_number(found), year, _shift_of(found))


def _read_season(found: Found, today: dt.date) -> Days:
    month, year = SEASONS[str(found["season"]).lower()], _year(found)
    if _is_this(found) and year is None:
        return date_spans.this_year(lambda one: date_spans.of_season(today, month, one), today)
    return date_spans.of_season(today, month, year, _shift_of(found))


def _read_season_before_last(found: Found, today: dt.date) -> Days:
    return date_spans.of_season(today, SEASONS[str(found["season"]).lower()], None, -2)


def _read_weekday(found: Found, today: dt.date) -> Days:
    """Return the day of a weekday: the latest one, the next, or this week's."""
    weekday = WEEKDAYS.index(str(found["weekday"]).lower())
    if _is_this(found):
        return date_spans.span(today, "day", weekday - today.weekday())
    return date_spans.of_weekday(today, weekday, _shift_of(found))


def _read_weekday_before_last(found: Found, today: dt.date) -> Days:
    return date_spans.span(_read_weekday(found, today)[0], "day", -7)


def _read_ordinal(found: Found, today: dt.date) -> Days:
    """Return the latest such day of a month, or that of this or the last one."""
    day, which = int(str(found["day"])), found.get("which")
    if which is None:
        return date_spans.of_day(today, day)
    months = -1 if which.lower() == "last" else 0
    return date_spans.span(date_spans.months_on(today, months).replace(day=day), "day")


def _read_weekday_and_day(found: Found, today: dt.date) -> Days:
    weekday = WEEKDAYS.index(str(found["weekday"]).lower())
    return date_spans.of_weekday_and_day(today, weekday, int(str(found["day"])))


def _read_weekdays_ago(found: Found, today: dt.date) -> Days:
    return date_spans.span(_read_weekday(found, today)[0], "day", -7 * (count_of(found) - 1))


def _read_quarter(found: Found, today: dt.date) -> Days:
    if found.get("quarter") is None:
        return date_spans.of_quarter(today, shift=_shift_of(found))
    return date_spans.of_quarter(today, int(str(found["quarter"])), _year(found))


def _read_holiday(found: Found, today: dt.date) -> Days:
    """Return a holiday: of the year that is named, the latest, or the next."""
    name = str(found["holiday"]).lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if (year := _year(found)) is not None:
        return _holiday(name, year)
    if _is_this(found):
        return date_spans.this_year(lambda one: _holiday(name, one), today)
    days = next(
        days
        for year in (today.year, today.year - 1)
        for days in [_holiday(name, year)]
        if days[0] <= today
    )
    return _holiday(name, days[0].year + 1) if _shift_of(found) == 1 else days


def _holiday(name: str, year: int) -> Days:
    if name == "easter":
        sunday = date_spans.easter(year)
        return sunday - dt.timedelta(days=2), sunday + dt.timedelta(days=2)
    month, day, count = HOLIDAYS[name]
    first = dt.date(year, month, day)
    return first, first + dt.timedelta(days=count)


def _read_ago(found: Found, today: dt.date) -> Days:
    unit, each = _unit(found)
    word = str(found["count"]).lower().removeprefix("a ").removesuffix(" of")
    if word in VAGUE:
        least, most = VAGUE[word]
        first, _ = date_spans.span(today, unit, -each * most)
        return first, date_spans.span(today, unit, -each * least)[1]
    count = each * count_of(found)
    if unit == "year" and count == 1:  # not the whole year before this one
        return date_spans.months_on(today, -14), date_spans.months_on(today, -9)
    return date_spans.span(today, unit, -count)


def _read_weeks_ago_today(found: Found, today: dt.date) -> Days:
    _, each = _unit(found)
    return date_spans.span(today, "day", -7 * each * count_of(found))


def _read_months_ago_today(found: Found, today: dt.date) -> Days:
    count = count_of(found) if found["count"] else 1
    months = count * (12 if str(found["unit"]).lower() == "year" else 1)
    return date_spans.span(date_spans.months_on(today, -months).replace(day=today.day), "day")


def _read_before_last(found: Found, today: dt.date) -> Days:
    return date_spans.span(today, _unit(found)[0], -2)


def _read_weekend(_: Found, today: dt.date) -> Days:
    """Return the latest weekend that has begun."""
    is_weekend = today.weekday() >= WEEKDAYS.index("saturday")
    return date_spans.span(today, "weekend", 0 if is_weekend else -1)


def _read_so_far(found: Found, today: dt.date) -> Days:
    return date_spans.span(today, _unit(found)[0])[0], today + dt.timedelta(days=1)


def _read_one_lately(found: Found, today: dt.date) -> Days:
    unit, each = _unit(found)
    return date_spans.lately(today, unit, each)


def _read_lately(found: Found, today: dt.date) -> Days:
    unit, each = _unit(found)
    return date_spans.lately(today, unit, each * count_of(found))


def _read_hours(found: Found, today: dt.date) -> Days:
    return date_spans.lately(today, "day", math.ceil(count_of(found) / 24))


def _read_year(found: Found, today: dt.date) -> Days:
    return date_spans.span(dt.date(_year(found) or today.year, 1, 1), "year")


def _read_named_day(found: Found, today: dt.date) -> Days:
    word = str(found["named"]).lower()
    return date_spans.span(today, "day", NAMED_DAYS.get(word, 0))


def _read_unit(found: Found, today: dt.date) -> Days:
    return date_spans.span(today, _unit(found)[0], _shift_of(found))


RELATIVE: Final = frozenset(
    {
        *(_read_named_day, _read_ago, _read_lately, _read_one_lately, _read_hours, _read_unit),
        *(_read_before_last, _read_weekend, _read_weeks_ago_today, _read_so_far),
        *(_read_weekdays_ago, _read_quarter, _read_months_ago_today),
    }
)
AHEAD: Final = pattern_of(r"tomorrow|the day after|next|coming", re.IGNORECASE)


def _unnamed(pattern: str) -> str:
    """Return a pattern whose groups have no names, so that others can hold it several times."""
    return re.sub(r"\?P<\w+>", "?:", pattern.replace("(?P=sign)", "[/.]"))


_IN: Final = r"(?:(?:in|on|at|over|during) |(?!may\b|march\b))"
"""Words before "August last year"; "I may this year" needs them."""
_NTH: Final = "|".join(word.replace("-", "[- ]") for word in DAY_WORDS)
_PART_OF_YEAR: Final = _unnamed(
    rf"{_DAY}(?: of)? {MONTH}|{MONTH} {_DAY}|{MONTH}|{_SEASON}|{_HOLIDAY}"
)
# The order is the precedence: more exact expressions are tried earlier.
_PATTERNS: Final[tuple[tuple[str, Read], ...]] = (
    (rf"{_APART}(?P<iso>\d{{4}}-\d{{2}}-\d{{2}}){_ENDS}", _read_iso),
    (
        rf"{_APART}(?P<one>\d{{1,2}})(?P<sign>[/.])(?P<other>\d{{1,2}})(?P=sign){_YEAR}{_ENDS}",
        _read_numbers,
    ),
    (rf"{_DAY}(?: of)? {MONTH}\.?,? {_YEAR}", _read_date),
    (rf"{MONTH}\.? {_DAY},? {_YEAR}", _read_date),
    (rf"(?:the )?(?P<nth>{_NTH}) of {MONTH}(?:,? {_YEAR})?", _read_worded_date),
    (
        rf"{_IN}(?P<part>{_PART_OF_YEAR}),?(?: of)? {_SHIFT} year",
        _read_of_year,
    ),
    (
        rf"(?:{COUNT} (?P<unit>month|year)s? ago (?:today|exactly|to the day))",
        _read_months_ago_today,
    ),
    (r"(?:this day|today),? (?P<count>)last (?P<unit>month|year)", _read_months_ago_today),
    (rf"{_DAY}(?: of)? {MONTH}(?! \d)", _read_date),
    (rf"(?<!\d )(?<!\d(?:st|nd|rd|th) ){MONTH}\.? {_DAY}", _read_date),
    (rf"{MONTH}\.?(?: of)?,? {_YEAR}", _read_month),
    (rf"{_APART}(?P<iso>(?:19|20)\d{{2}}-(?:0[1-9]|1[0-2])){_ENDS}", _read_iso_month),
    (
        rf"{_NO_VERB}(?:{_SHIFT}|{_BEFORE_MONTH}{_OF_NOBODY}) {MONTH}",
        _read_month,
    ),
    (rf"{COUNT} (?P<unit>week|fortnight)s? ago (?:today|exactly)", _read_weeks_ago_today),
    (rf"exactly {COUNT} (?P<unit>week|fortnight)s? ago", _read_weeks_ago_today),
    (rf"{COUNT} {_WEEKDAY}s? ago", _read_weekdays_ago),
    (
        rf"(?P<named>{'|'.join(NAMED_DAYS)}|today|tonight|this {_PART_OF_DAY})",
        _read_named_day,
    ),
    (rf"{COUNT} {_UNIT} ago", _read_ago),
    (rf"(?:last|past|previous) {COUNT} {_UNIT}", _read_lately),
    (rf"(?:last|past|previous) {COUNT} hours?", _read_hours),
    (r"(?:past|(?<=in the )last|(?<=over the )last) (?P<unit>week|month|year)", _read_one_lately),
    (r"(?:past|last) (?P<unit>fortnight)", _read_one_lately),
    (r"(?P<unit>week|weekend|month|year) before last", _read_before_last),
    (r"(?:earlier|so far) this (?P<unit>week|month|year)", _read_so_far),
    (r"this (?P<unit>week|month|year) so far", _read_so_far),
    (rf"{_SHIFT} (?P<unit>week|weekend|month|year)", _read_unit),
    (r"(?:at|over|on|during) the weekend", _read_weekend),
    (
        rf"(?:{_SHIFT} |in (?:the )?|during (?:the )?|(?:the )?){_SEASON}(?: of)? {_YEAR}",
        _read_season,
    ),
    (rf"{_SEASON} before last", _read_season_before_last),
    (rf"(?:{_SHIFT}|in|in the|over the|during the) {_SEASON}", _read_season),
    (rf"Q(?P<quarter>[1-4])(?:,?(?: of)? {_YEAR})?|{_SHIFT} quarter", _read_quarter),
    (rf"{_WEEKDAY},? (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)", _read_weekday_and_day),
    (rf"{_WEEKDAY} before last", _read_weekday_before_last),
    (rf"(?:{_SHIFT}|on) {_WEEKDAY}(?! {_PART_OF_DAY}s)", _read_weekday),
    (rf"{_WEEKDAY} {_PART_OF_DAY}", _read_weekday),
    (rf"(?:{_SHIFT}|at|on|over|during) {_HOLIDAY}(?:,?(?: of)? {_YEAR})?", _read_holiday),
    (rf"(?:in|during|year|of(?= \S+{CLOSED})) {_YEAR}(?!-\d)", _read_year),
)
_BARE: Final[tuple[tuple[str, Read], ...]] = (
    (rf"(?:the )?{_DAY} of (?P<which>this|last) month", _read_ordinal),
    (r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)", _read_ordinal),
    (r"(?:the )?(?P<unit>week|month|year)", _read_unit),
    (r"(?:the )?weekend", _read_weekend),
    (_WEEKDAY, _read_weekday),
    (_SEASON, _read_season),
    (rf"{_HOLIDAY}(?:,?(?: of)? {_YEAR})?", _read_holiday),
    (MONTH, _read_month),
    (_YEAR, _read_year),
)
"""What names a span only beside other words: "since Tuesday", "early October"."""


def _rule(pattern: str, read: Read) -> tuple[re.Pattern[str], Read]:
    return pattern_of(rf"\b{pattern}\b", re.IGNORECASE), read


RULES: Final = tuple(_rule(*one) for one in _PATTERNS)
_TERMS: Final = (*RULES, *(_rule(*one) for one in _BARE))


TERM: Final = "(?:" + "|".join(_unnamed(pattern) for pattern, _ in (*_PATTERNS, *_BARE)) + ")"
"""A pattern, without groups, of what `read_term` reads."""


def read_term(words: str, today: dt.date) -> Days | None:
    """Return the span that these words name, all of them; None if they name none."""
    for pattern, read in _TERMS:
        match = pattern.fullmatch(words)
        if match is not None:
            try:
                return read(match.groupdict(), today)
            except (ValueError, OverflowError):
                continue
    return None
