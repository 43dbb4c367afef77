"""English phrases that name a span of time by another one (row D6).

"Between 3 and 9 November", "since Tuesday", "around Christmas", "late in October", "the first
Monday of May". Pure functions of the text and of today's date.
"""

import datetime as dt
import math
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ashd.language import date_spans
from ashd.language.date_spans import WEEKDAYS, Days
from ashd.language.english_date_rules import CLOSED, COUNT, MONTH, TERM, count_of, read_term
from ashd.language.lazy_pattern import pattern_of

_ONE_DAY: Final = dt.timedelta(days=1)
_AROUND: Final = dt.timedelta(days=3)
_LENGTHS: Final = {"day": 1, "week": 7, "fortnight": 14, "month": 31}
_SOME: Final = 5
"""The number of "the days before Easter"."""
_EARLIEST: Final = dt.date(1, 1, 2)
"""The first day that has a time in every zone."""
_PART: Final = 0.4
"""The share of a span that its beginning or its end is; the middle begins and ends .3 within."""
_LONGEST_TERM: Final = 60
"""The characters that the words for a span have at most."""
_NUMBER: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_OF_YEAR: Final = r"(?:,? (?:19|20)\d{2})?"
_TO: Final = r" ?(?:to|till|until|through|and|[-\u2013]) ?"
_ORDINALS: Final = {
    "first": 1,
    "1st": 1,
    "second": 2,
    "2nd": 2,
    "third": 3,
    "3rd": 3,
    "fourth": 4,
    "4th": 4,
    "fifth": 5,
    "5th": 5,
    "last": -1,
}
_PARTS: Final = {
    **dict.fromkeys(("early", "beginning", "start"), "early"),
    **dict.fromkeys(("mid", "middle"), "mid"),
    **dict.fromkeys(("late", "end"), "late"),
}
_MONTHS: Final = (
    MONTH.replace("?P<month>", "?:") + r"(?:,?(?: of)? (?:19|20)\d{2})?|(?:this|last|next) month"
)
_PART_NAME: Final = (
    r"(?:the )?(?:very )?(?P<part>early|mid|late|(?:beginning|start|middle|end)(?= of\b))"
    r"(?: in| on| of|-)?(?: the)? ?"
)
_PART_OF: Final = rf"{_PART_NAME}(?P<whole>{TERM})"

_COMES_AGAIN: Final = pattern_of(
    rf"(?:{'|'.join(WEEKDAYS)})|\D*(?:christmas|easter|weekend|new year).*"
    rf"|(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)|spring|summer|autumn|fall|winter)",
    re.IGNORECASE,
)
_NUMBER_ALONE: Final = pattern_of(_NUMBER, re.IGNORECASE)
_ORDINAL: Final = pattern_of(r"(?:the )?\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)
_IN_WEEK: Final = pattern_of(rf"(?:\w+ )?(?:{'|'.join(WEEKDAYS)})", re.IGNORECASE)
_IN_YEAR: Final = pattern_of(rf"(?!.*\d{{4}}).*\b{MONTH}\b.*", re.IGNORECASE)
_LONGEST_MONTH: Final = dt.timedelta(days=31)
_Found = dict[str, str | None]


class Phrase(NamedTuple):
    """A span, and where the text names it."""

    days: Days
    start: int
    end: int


def find(text: str, today: dt.date) -> Phrase | None:
    """Return the first phrase of the first rule that can be read."""
    for rule in _RULES:
        for match in rule.matches(text):
            try:
                days = rule.read(match.groupdict(), today)
            except (ValueError, OverflowError):
                continue
            if days is not None and days[0] < days[1]:
                return Phrase(days, *match.span())
    return None


def _read_range(found: _Found, today: dt.date) -> Days | None:
    """Return the span from the first day of one to the last day of the other.

    Of "3 to 9 November" and "November 3 to 9" one has its month from the other.
    """
    one, other = str(found["one"]), str(found["other"])
    if re.fullmatch(_NUMBER, one) and re.match(_NUMBER, other):
        one = re.sub(rf"\A{_NUMBER}", one, other)
    elif (number := re.fullmatch(rf"({_NUMBER})({_OF_YEAR})", other)) is not None:
        other = re.sub(rf"{_NUMBER}\Z", number[1], one) + number[2]
        one += number[2]
    first, last = read_term(one, today), read_term(other, today)
    if first is None or last is None:
        return None
    begin, end = first[0], last[1]
    is_of_year = _IN_YEAR.fullmatch(one) is not None
    if end <= begin:
        if _IN_WEEK.fullmatch(one):  # "from Friday to Monday"
            begin -= dt.timedelta(weeks=(begin - end).days // 7 + 1)
        elif _ORDINAL.fullmatch(one):  # "from the 28th to the 3rd"
            begin = date_spans.of_day(begin - _ONE_DAY, begin.day)[0]
        elif is_of_year:  # "28 December to 3 January"
            begin = begin.replace(year=begin.year - 1)
        elif other.lower().endswith(" ago"):  # "5 to 10 days ago"
            begin, end = last[0], first[1]
    is_of_one_month = is_of_year and _NUMBER_ALONE.fullmatch(str(found["one"])) is not None
    return None if is_of_one_month and end - begin > _LONGEST_MONTH else (begin, end)


def _read_since(found: _Found, today: dt.date) -> Days | None:
    days = _whole(found, today)
    return days and (days[0], today + _ONE_DAY)


def _read_after(found: _Found, today: dt.date) -> Days | None:
    """Return what was after; after the beginning of something is the rest of it, too."""
    days = _whole(found, today)
    if days is None:
        return None
    start = days[0] if _part_named(found) == "early" else days[1]
    return start, max(today + _ONE_DAY, date_spans.months_on(start, 12))


def _read_before(found: _Found, today: dt.date) -> Days | None:
    """Return what was before; before a weekday or a holiday is rather what is ahead.

    Before the end of something is all of it.
    """
    days = None if _COMES_AGAIN.fullmatch(str(found["whole"])) else _whole(found, today)
    return days and (_EARLIEST, days[1] if _part_named(found) == "late" else days[0])


def _read_beside(found: _Found, today: dt.date) -> Days | None:
    """Return the days, weeks or months next to a span: "the two weeks before Halloween"."""
    days = _whole(found, today)
    if days is None:
        return None
    unit = str(found["unit"]).lower()
    some = _SOME if found["several"] and not found["count"] else 1
    count = count_of(found) if found["count"] else some
    length = count * _LENGTHS[unit] * _ONE_DAY
    side = str(found["side"]).lower()
    if side in ("after", "following"):
        return days[1], days[1] + length
    end = days[0] if side == "before" else days[1]
    return end - length, end


def _read_weekday_of(found: _Found, today: dt.date) -> Days | None:
    """Return a day of a week: "Thursday last week", "last week on Thursday"."""
    days = read_term(str(found["whole"]), today)
    weekday = WEEKDAYS.index(str(found["weekday"]).lower())
    return days and date_spans.span(days[0], "day", weekday)


def _read_unit_of(found: _Found, today: dt.date) -> Days | None:
    """Return the week or weekend of a day: "the week of 9 November"."""
    days = read_term(str(found["whole"]), today)
    if days is None or days[1] - days[0] != _ONE_DAY:
        return None
    return date_spans.span(
        days[0], "weekend" if str(found["unit"]).lower() == "weekend" else "week"
    )


def _read_around(found: _Found, today: dt.date) -> Days | None:
    days = _whole(found, today)
    return days and (days[0] - _AROUND, days[1] + _AROUND)


def _read_part(found: _Found, today: dt.date) -> Days | None:
    days = read_term(str(found["whole"]), today)
    return days and _part(days, _PARTS[str(found["part"]).lower()])


def _part(days: Days, which: str) -> Days:
    first, after = days
    count = (after - first).days
    part = math.ceil(_PART * count)
    start = {"early": 0, "mid": (count - part) // 2, "late": count - part}[which]
    return first + dt.timedelta(days=start), first + dt.timedelta(days=start + part)


def _read_nth(found: _Found, today: dt.date) -> Days | None:
    """Return a day, a week, a weekend, a day of the week or a half of a month."""
    days = read_term(str(found["month"]), today)
    if days is None:
        return None
    first, after = days
    nth, unit = _ORDINALS[str(found["nth"]).lower()], str(found["unit"]).lower()
    if unit == "half":
        middle = first + (after - first) / 2
        return {1: (first, middle), 2: (middle, after), -1: (middle, after)}.get(nth)
    length = dt.timedelta(days=3 if unit == "weekend" else 7 if unit == "week" else 1)
    if unit in ("day", "week"):
        start = after - length if nth == -1 else first + (nth - 1) * length
        return start, min(start + length, after)
    # The first Friday of a month is that of its first weekend.
    weekday = WEEKDAYS.index("saturday" if unit == "weekend" else unit)
    earliest = first + dt.timedelta(days=(weekday - first.weekday()) % 7)
    start = earliest + dt.timedelta(weeks=nth - 1)
    if nth == -1:
        start = earliest + dt.timedelta(weeks=(after - _ONE_DAY - earliest).days // 7)
    if start >= after:
        return None
    return (
        (start - _ONE_DAY, start + 2 * _ONE_DAY) if unit == "weekend" else (start, start + length)
    )


def _whole(found: _Found, today: dt.date) -> Days | None:
    """Return the span of the words after "since" and the like, which may be a part of one."""
    words = str(found["whole"])
    part = _PART_OF_PATTERN.fullmatch(words)
    return _read_part(part.groupdict(), today) if part else read_term(words, today)


def _part_named(found: _Found) -> str | None:
    """Return the part of a span that the words after "since" and the like name."""
    part = _PART_OF_PATTERN.fullmatch(str(found["whole"]))
    return _PARTS[part["part"].lower()] if part else None


_UP_TO: Final = r"(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bhe )(?<!\bshe )(?<!\bthey )up to"
"""But not of "What was I up to on Friday?"."""
_WHOLE: Final = rf"(?P<whole>(?:{_PART_NAME.replace('?P<part>', '?:')})?{TERM})"
_PART_OF_PATTERN: Final = pattern_of(_PART_OF, re.IGNORECASE)


class _Rule(NamedTuple):
    """A pattern of phrases, and what reads the span that such a phrase names."""

    pattern: re.Pattern[str]
    read: Callable[[_Found, dt.date], Days | None]
    end: re.Pattern[str] | None
    """The end of every phrase, if it is faster to look for that first; else None."""

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the phrases in a text, from left to right."""
        if self.end is None:
            yield from self.pattern.finditer(text)
            return
        for start, stop in self._near_ends(text):
            yield from self.pattern.finditer(text, start, stop)

    def _near_ends(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the stretches around the ends in which a phrase may lie; they do not overlap."""
        assert self.end is not None
        start, stop = 0, 0
        for end in self.end.finditer(text):
            first = max(end.start() - _LONGEST_TERM, 0)
            if first > stop:
                yield start, stop
                start = first
            stop = end.end()
        yield start, stop


def _rule(
    pattern: str, read: Callable[[_Found, dt.date], Days | None], *, end: str | None = None
) -> _Rule:
    ending = None if end is None else pattern_of(rf"{end}(?!\w)", re.IGNORECASE)
    return _Rule(pattern_of(rf"\b{pattern}(?!\w)", re.IGNORECASE), read, ending)


_WEEK: Final = (
    rf"(?P<whole>(?:last|this|next|past|previous) week|week before last"
    rf"|{COUNT.replace('?P<count>', '?:')} weeks? ago)"
)
_WEEKDAY: Final = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_DAY_NAME: Final = rf"(?:the )?(?:(?:{'|'.join(WEEKDAYS)}),? (?:the )?(?=\d|[a-z]+\.? \d))?"
_RULES: Final = (
    _rule(
        rf"(?:{COUNT} )?(?P<unit>day|week|fortnight|month)(?P<several>s)?"
        rf" (?P<side>before|after|following|(?:leading )?up to)(?! (?:yesterday|tomorrow)\b)"
        rf"(?: the)? {_WHOLE}"
        rf"(?:(?<!\d(?:st|nd|rd|th))|{CLOSED})",
        _read_beside,
    ),
    _rule(rf"{_WEEKDAY}(?: of| in)?,?(?: the)? {_WEEK}", _read_weekday_of),
    _rule(rf"{_WEEK}(?:,? on (?:the )?|'s ){_WEEKDAY}", _read_weekday_of),
    _rule(
        rf"(?:between|from) {_DAY_NAME}(?P<one>{TERM}|{_NUMBER})"
        rf"{_TO}{_DAY_NAME}(?P<other>{TERM}|{_NUMBER}{_OF_YEAR})",
        _read_range,
    ),
    _rule(
        rf"(?P<one>{TERM}|{_NUMBER}){_TO}{_DAY_NAME}(?P<other>{TERM})",
        _read_range,
        end=rf"{_TO}{_DAY_NAME}{TERM}",
    ),
    _rule(
        r"(?P<unit>week|weekend) (?:of|from|beginning|starting|commencing)(?: the)?"
        rf" (?P<whole>{TERM})",
        _read_unit_of,
    ),
    _rule(
        rf"(?P<one>{TERM})(?: to | ?[-\u2013] ?)(?P<other>{_NUMBER}{_OF_YEAR})",
        _read_range,
        end=rf"(?: to | ?[-\u2013] ?){_NUMBER}{_OF_YEAR}",
    ),
    _rule(rf"(?:since|starting)(?: the)? {_WHOLE}", _read_since),
    _rule(rf"from(?: the)? {_WHOLE} on(?:wards?)?", _read_since),
    _rule(rf"from(?: the)? {_WHOLE}", _whole),
    _rule(rf"(?<!\bday )after(?: the)? {_WHOLE}", _read_after),
    _rule(
        rf"(?<!day )(?<!night )(?<!week )(?<!month )(?:before|until|till|{_UP_TO})(?: the)?"
        rf" {_WHOLE}",
        _read_before,
    ),
    _rule(rf"(?:around|round|near)(?: the)? {_WHOLE}", _read_around),
    _rule(rf"about (?=[^?.!,]*(?:\d|\bago\b))(?:the )?{_WHOLE}", _read_around),
    _rule(
        rf"(?P<nth>{'|'.join(_ORDINALS)}) (?P<unit>half|day|week|weekend|{'|'.join(WEEKDAYS)})"
        rf" (?:of|in) (?P<month>{_MONTHS})",
        _read_nth,
    ),
    _rule(_PART_OF, _read_part),
    _rule(
        rf"on (?P<whole>the \d{{1,2}}(?:st|nd|rd|th)(?: of (?:this|last) month)?){CLOSED}", _whole
    ),
)
