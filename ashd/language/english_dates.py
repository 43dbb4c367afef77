"""Time words: the span that a question names, and whether a text speaks of a time at all (row D6).

Pure functions of text, the time now and a zone. A span is half-open, in microseconds UTC, and
covers whole days, weeks, months, seasons or years of the asker's zone. Words that are not
understood give no span rather than a guess: a wrong span would push the answer down. The rules here
are English; a text in another language is read by its own (`foreign_dates`).
"""

import datetime as dt
import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from ashd.language import date_spellings, detection, foreign_dates
from ashd.language.date_spans import MONTHS, WEEKDAYS, Days
from ashd.language.date_spellings import UNSPELLED, Spellings
from ashd.language.english_date_rules import (
    AHEAD,
    BARE,
    COUNT,
    MONTH,
    RELATIVE,
    RULES,
    Found,
    Read,
    has_year,
    read_weekday,
    read_weekend,
)
from ashd.language.folding import fold_for_tables
from ashd.language.lazy_pattern import pattern_of

_EPOCH: Final = dt.datetime.fromtimestamp(0, dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_DAY_MICROS: Final = dt.timedelta(days=1) // _MICROSECOND
_PAST: Final = pattern_of(r"\b(?:did|was|were|had|\w{2,}ed)\b", re.IGNORECASE)
_LONG_AGO: Final = dt.date(1900, 1, 1)
_SOME_DAY: Final = dt.date(2000, 2, 29)
"""A day to read words on if only the words matter; it is in a leap year."""
_LEADING: Final = pattern_of(
    r"(?:\b(?:in|on|at|during|around|of))?(?: the)?"
    rf"(?:(?:^| )(?:{'|'.join(WEEKDAYS)}),?)?\Z",
    re.IGNORECASE,
)
"""Words before a date that belong to it."""
_BOUND: Final = pattern_of(
    r"(?<!\bday )(?<!\bweek )(?<!\bmonth )(?<!\byear )(?<!\bnight )"
    r"\b(?P<bound>since|before|after) (?:the )?",
    re.IGNORECASE,
)
_PAIR: Final = pattern_of(
    r"\b(?:(between)|from) (?:the )?(?P<first>\S[^?.;]{2,28}?)"
    r"(?P<and> (?(1)and|(?:to|until|till|through)) )",
    re.IGNORECASE,
)
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
    + MONTH.replace("?P<month>", "?:")
    + r""
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|"
    + COUNT.replace("?P<count>", "?:")
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
    spellings: Spellings = UNSPELLED
    """How a text names it, or the dates it begins or ends with."""

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
    said = _find(text, today)
    if said is not None:
        return _range(said.days, text[said.start : said.end], zone, said.spellings)
    plain = fold_for_tables(text)
    named = [foreign_dates.span_of(language, plain, today) for language in detection.spoken(text)]
    known = [one for one in named if one is not None]
    return _range(*max(known, key=lambda one: len(one[1])), zone) if known else None


def without_time_words(text: str) -> str:
    """Return a question without the words for a span of the past, or for one with numbers.

    A memory has its time, but seldom these words: "3 days ago", "on 4 May 2026", "since Friday".
    Names of days and months and words of what is ahead stay: texts have them too.
    """
    said = _find(text, _SOME_DAY)
    if said is None or not said.is_removable:
        return text
    before = _LEADING.sub("", text[: said.start].rstrip())
    return (before.rstrip() + text[said.end :]).lstrip(" ,:")


class _Said(NamedTuple):
    """A span, and where a text names it."""

    days: Days
    start: int
    end: int
    spellings: Spellings
    is_removable: bool


class _Point(NamedTuple):
    """A span inside words that name a longer one: "2024" in "since 2024"."""

    days: Days
    end: int
    found: Found
    read: Read

    @property
    def is_sure(self) -> bool:
        """Whether the same words never name a time of another year."""
        return bool(has_year(self.found)) or self.read in RELATIVE


def _find(text: str, today: dt.date) -> _Said | None:
    """Return the first span by the order of the rules; longer ones that a span bounds first."""
    for find in (_find_between, _find_bounded):
        said = find(text, today)
        if said is not None:
            return said
    for pattern, read in RULES:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            days = read(match.groupdict(), today)
        except (ValueError, OverflowError):  # the 31st of June, a year before 1
            continue
        if read is read_weekend and not _PAST.search(text):
            continue
        found = match.groupdict()
        is_relative = read in RELATIVE
        removable = is_relative and not AHEAD.match(match.group(0))
        return _Said(
            days,
            *match.span(),
            date_spellings.of_span(days, any_year=not has_year(found) and not is_relative),
            removable or bool(has_year(found) or found.get("day")),
        )
    return None


def _find_between(text: str, today: dt.date) -> _Said | None:
    for match in _PAIR.finditer(text):
        last = _point(text, match.end("first") + len(match["and"]), today)
        if last is None or last.read is read_weekday:
            continue
        # "between April and June 2025": the first is the latest one before the last.
        then = today if last.read in RELATIVE else last.days[1] - dt.timedelta(days=1)
        first = _point(text, match.start("first"), then)
        if first is None or first.end != match.end("first") or first.days[0] >= last.days[1]:
            continue
        return _bounded(match.start(), last.end, (first.days[0], last.days[1]), first, last)
    return None


def _find_bounded(text: str, today: dt.date) -> _Said | None:
    tomorrow = today + dt.timedelta(days=1)
    for match in _BOUND.finditer(text):
        point = _point(text, match.end(), today)
        if point is None:
            continue
        first, after = point.days
        bound = match["bound"].lower()
        if bound == "before":
            # "before Friday" may be the next one, unless the question is about the past.
            if not point.is_sure and not _PAST.search(text):
                continue
            days = (_LONG_AGO, first)
        else:
            begin = first if bound == "since" else after
            days = (begin, max(tomorrow, begin + dt.timedelta(days=1)))
        if days[0] < days[1]:
            return _bounded(*(match.start(), point.end, days, point), is_inside=bound == "since")
    return None


def _bounded(start: int, end: int, days: Days, *points: _Point, is_inside: bool = True) -> _Said:
    """Return a span by the points that bound it.

    A text that names a point is of that time only if the point is inside.
    """
    named = [date_spellings.of_span(point.days, any_year=not point.is_sure) for point in points]
    exact = tuple(phrase for one in named for phrase in one.exact)
    loose = tuple(phrase for one in named for phrase in one.loose)
    spellings = Spellings(exact, loose) if is_inside else Spellings((), exact + loose)
    return _Said(days, start, end, spellings, is_removable=True)


def _point(text: str, at: int, today: dt.date) -> _Point | None:
    """Return the span that the words at a place name; "October" alone is enough here."""
    for pattern, read in (*RULES, *BARE):
        match = pattern.match(text, at)
        if match is not None:
            try:
                return _Point(read(match.groupdict(), today), match.end(), match.groupdict(), read)
            except (ValueError, OverflowError):
                continue
    return None


def _range(days: Days, words: str, zone: dt.tzinfo, spellings: Spellings = UNSPELLED) -> TimeRange:
    start, end = (
        (dt.datetime.combine(day, dt.time(), tzinfo=zone) - _EPOCH) // _MICROSECOND for day in days
    )
    return TimeRange(start, end, words, spellings)
