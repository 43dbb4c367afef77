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

from ashd.language import date_spellings, detection, english_date_phrases, foreign_dates
from ashd.language.date_spans import MONTHS, WEEKDAYS, Days
from ashd.language.date_spellings import UNSPELLED, Spellings
from ashd.language.english_date_rules import AHEAD, COUNTED, MONTH, RELATIVE, RULES
from ashd.language.folding import fold_for_tables
from ashd.language.lazy_pattern import pattern_of

_EPOCH: Final = dt.datetime.fromtimestamp(0, dt.UTC)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_DAY_MICROS: Final = dt.timedelta(days=1) // _MICROSECOND
_SOME_DAY: Final = dt.date(2000, 2, 29)
"""A day to read words on if only the words matter; it is in a leap year."""
_READ: Final = 1_500
"""The characters of a question in which a time is looked for; more would take too long."""
_MAY_NAME_A_TIME: Final = pattern_of(
    rf"\d|{'|'.join(month[:3] for month in MONTHS)}|day|night|week|month|year|quarter|hour"
    r"|spring|summer|autumn|fall|winter|morning|afternoon|evening|tomorrow"
    r"|christmas|easter|halloween",
    re.IGNORECASE,
)
"""A part of all that any rule reads: most questions name no time, and need not be read by each."""
_LEADING: Final = pattern_of(
    r"(?:\b(?:in|on|at|during|around|of))?(?: the)?"
    rf"(?:(?:^| )(?:{'|'.join(WEEKDAYS)}),?)?\Z",
    re.IGNORECASE,
)
"""Words before a date that belong to it."""
_LEADING_THE: Final = pattern_of(r"(?:\b(?:in|over|during|for|from))? the\Z", re.IGNORECASE)
"""Words before "last two weeks" and the like that belong to them."""
_GOES_ON_BEFORE: Final = pattern_of(r"\d\s*(?:to|and|or|till|until|[-\u2013])?\s*\Z", re.IGNORECASE)
_GOES_ON: Final = pattern_of(r"\s*(?:to|and|or|till|until|[-\u2013,'\u2019])?\s*\d", re.IGNORECASE)
_TO_COME: Final = pattern_of(r"\b(?:tomorrow|next|coming)\b", re.IGNORECASE)
_WORDS_TOO: Final = frozenset({"may", "march"})
_SAYS_DATE: Final = pattern_of(r"\bon (?:the )?[^,.?]*\Z|\bof (?:may|march)\Z|\d(?:st|nd|rd|th)\b")
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
    r"|" + COUNTED + r" ?(?:minute|hour|day|night|week|weekend|month|year|yr)s?"
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
    """Phrases by which a text may name the span."""

    def distance_days(self, at: int) -> float:
        """Days from a time to the nearest edge of the span; 0 inside it."""
        return max(self.start - at, at - (self.end - 1), 0) / _DAY_MICROS


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
        spellings = date_spellings.of_span(said.days, of_any_year=said.lacks_year)
        return _range(said.days, text[said.start : said.end], zone, spellings)
    plain = fold_for_tables(text)
    named = [foreign_dates.span_of(language, plain, today) for language in detection.spoken(text)]
    known = [one for one in named if one is not None]
    return _range(*max(known, key=lambda one: len(one[1])), zone) if known else None


def without_time_words(text: str) -> str:
    """Return a question without the words for a past time, or for a date.

    A memory has its time, but seldom these words: "3 days ago", "on 4 May 2026", "2026-05". Names
    of months and days, years and words of what is ahead stay: texts have them too.
    """
    said = _find(text, _SOME_DAY)
    if said is None or not (said.is_date or said.is_past):
        return text
    leading = _LEADING if said.is_date else _LEADING_THE
    before = leading.sub("", text[: said.start].rstrip()).rstrip()
    return (before + text[said.end :]).lstrip(" ,:")


class _Said(NamedTuple):
    """A span, and where a text names it."""

    days: Days
    start: int
    end: int
    is_date: bool
    """Whether it is a day of a month, or a month in figures, and surely nothing else."""
    lacks_year: bool
    """Whether it is a day of a month, of no year that is named."""
    is_past: bool
    """Whether the words are relative to now, and of no time to come."""


def _find(text: str, today: dt.date) -> _Said | None:
    """Return the span of the first phrase that others make up, or else of the first rule."""
    text = text[:_READ]
    if _MAY_NAME_A_TIME.search(text) is None:
        return None
    phrase = english_date_phrases.find(text, today)
    if phrase is not None:
        is_past = _TO_COME.search(text[phrase.start : phrase.end]) is None
        return _Said(*phrase, is_date=is_past, lacks_year=False, is_past=is_past)
    for pattern, read in RULES:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            days = read(match.groupdict(), today)
        except (ValueError, OverflowError):  # the 31st of June, a year before 1
            continue
        is_past = read in RELATIVE and not AHEAD.match(match.group(0))
        found = match.groupdict()
        is_day = days[1] - days[0] == dt.timedelta(days=1)
        lacks_year = is_day and bool(found.get("month")) and not found.get("year")
        has_year = bool(found.get("iso") or (is_day and found.get("year")))
        is_date = _is_plain(text, match) if lacks_year else has_year
        return _Said(days, *match.span(), is_date, lacks_year, is_past)
    return None


def _is_plain(text: str, match: re.Match[str]) -> bool:
    """Return whether a day and a month without a year are a date, and no part of something else.

    "Apartment 12 may need", "3 to 8 May" and "4 May 26" are not.
    """
    before, after = text[: match.start()], text[match.end() :]
    if _GOES_ON_BEFORE.search(before) or _GOES_ON.match(after):
        return False
    return match["month"] not in _WORDS_TOO or _SAYS_DATE.search(before + match[0]) is not None


def _range(days: Days, words: str, zone: dt.tzinfo, spellings: Spellings = UNSPELLED) -> TimeRange:
    start, end = (
        (dt.datetime.combine(day, dt.time(), tzinfo=zone) - _EPOCH) // _MICROSECOND for day in days
    )
    return TimeRange(start, end, words, spellings)
