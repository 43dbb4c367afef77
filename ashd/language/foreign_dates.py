"""Time words in languages other than English, and the spans they name (rows D6, D11).

The patterns in which every language combines its words (`foreign_date_words`): "letzten Montag",
"la semaine dernière", "hace dos semanas". Chinese, Japanese and Korean, which need no spaces, have
patterns of their own in `east_asian_dates`. Use a language's patterns only for a text in that
language (`detection.spoken`): many of these words mean something else in English.
"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from ashd.language import date_spans, east_asian_dates
from ashd.language.date_spans import MONTHS, WEEKDAYS, Days, Reader, Rule, Unit
from ashd.language.folding import fold_for_tables
from ashd.language.foreign_date_words import CALENDARS

_UNITS: Final[tuple[Unit, ...]] = ("day", "week", "weekend", "month", "year")
_SEASONS: Final = (3, 6, 9, 12)
_NOT_EVERY: Final = "".join(
    f"(?<!{word} )"
    for word in ("le", "les", "chaque", "il", "la", "ogni", "tutti i", "cada", "كل", "كل يوم")
)
"""After one of these a weekday names no day of the past."""


def span_of(language: str, folded: str, today: dt.date) -> tuple[Days, str] | None:
    """Return the span that a folded text names in a language, and its words; or None.

    A text that names a time to come names no other: "am Montag nächster Woche".
    """
    if _ahead(language).search(folded) is not None:
        return None
    for pattern, read in _rules(language):
        match = pattern.search(folded)
        if match is not None:
            try:
                return read(match, today), match.group(0).strip()
            except (ValueError, OverflowError):  # the 31st of June, a year before 1
                continue
    return None


def asks_when(language: str, folded: str) -> bool:
    """Return whether a folded question begins like one for a time in a language."""
    if language in east_asian_dates.LANGUAGES:
        return east_asian_dates.ASKS_WHEN.search(folded) is not None
    return _asking(language).match(folded) is not None


def speaks_of_time(language: str, folded: str) -> bool:
    """Return whether a folded text in a language has time words, even without a span."""
    later = east_asian_dates.LATER if language in east_asian_dates.LANGUAGES else _later(language)
    return later.search(folded) is not None or any(
        pattern.search(folded) for pattern, _ in _rules(language)
    )


def date_word(language: str, word: str) -> str | None:
    """Return the English month or weekday for a folded word, as `english_dates` writes it."""
    if language not in CALENDARS:
        return None
    for entries, names in zip(_dates(language), (MONTHS, WEEKDAYS), strict=True):
        for entry, name in zip(entries, names, strict=True):
            if re.fullmatch(entry, fold_for_tables(word)):
                return name
    return None


@cache
def _dates(language: str) -> tuple[list[str], list[str]]:
    calendar = CALENDARS[language]
    return _entries(calendar.months), _entries(calendar.weekdays)


def _entries(text: str) -> list[str]:
    return [entry.replace("_", " ") for entry in fold_for_tables(text).split()]


def _either(entries: Iterable[str]) -> str:
    return "|".join(entries)


def _place(entries: Sequence[str], matched: str) -> int:
    """Return the index of the entry that matches a text."""
    return next(at for at, entry in enumerate(entries) if re.fullmatch(entry, matched))


def _number(match: re.Match[str], group: str) -> int | None:
    return int(match[group]) if match[group] else None


@cache
def _rules(language: str) -> tuple[Rule, ...]:
    """Return the patterns of a language; the more exact ones come first."""
    if language in east_asian_dates.LANGUAGES:
        return east_asian_dates.RULES
    calendar = CALENDARS[language]
    months, weekdays = _dates(language)
    seasons, units = _entries(calendar.seasons), _entries(calendar.units)
    numbers = _entries(calendar.numbers)
    days = {fold_for_tables(word): shift for word, shift in calendar.days.items()}
    shifts = {fold_for_tables(word): shift for word, shift in calendar.shifts.items()}
    month, weekday = rf"(?P<month>{_either(months)})", rf"(?P<weekday>{_either(weekdays)})"
    season, year = rf"(?P<season>{_either(seasons)})", r"(?P<year>(?:19|20)\d{2})"
    unit, longer = (rf"(?P<unit>{_either(some)})" for some in (units, units[1:]))
    ends = "".join(f"(?<!{word} )" for word in _entries(calendar.tens))
    count = rf"{ends}(?P<n>(?<!\d[.,])\d{{1,3}}|{_either(numbers)})"
    shift, within, of = (
        rf"(?P<shift>{_either(shifts)})",
        fold_for_tables(calendar.within),
        calendar.of,
    )
    ago = fold_for_tables(calendar.ago)
    ago_of_one = ago.replace("{n} ", ends) if calendar.one else ""
    one = rf"(?P<unit>{_either(_entries(calendar.one))})"
    lately = fold_for_tables(calendar.lately)

    def unit_of(match: re.Match[str]) -> Unit:
        return _UNITS[_place(units, match["unit"])]

    def month_of(match: re.Match[str]) -> int:
        return _place(months, match["month"]) + 1

    def count_of(match: re.Match[str]) -> int:
        said = match.groupdict().get("n")
        if not said:  # one; or two, by the ending of the Arabic dual
            return 2 if match["unit"].endswith("ين") else 1
        return int(said) if said.isdecimal() else _place(numbers, said) + 1

    def shift_of(match: re.Match[str]) -> int:
        return next(away for word, away in shifts.items() if re.fullmatch(word, match["shift"]))

    def read_date(match: re.Match[str], today: dt.date) -> Days:
        number = int(match["number"]) if "number" in match.re.groupindex else month_of(match)
        return date_spans.of_date(today, number, int(match["day"]), _number(match, "year"))

    def read_shifted_month(match: re.Match[str], today: dt.date) -> Days:
        shift = shift_of(match)
        year = None if shift else today.year
        return date_spans.of_month(today, month_of(match), year, shift)

    def read_shifted(match: re.Match[str], today: dt.date) -> Days:
        return date_spans.span(today, unit_of(match), shift_of(match))

    def read_season(match: re.Match[str], today: dt.date) -> Days:
        first_month = _SEASONS[_place(seasons, match["season"])]
        said = match.groupdict()
        if said.get("year"):
            return date_spans.of_season(today, first_month, int(said["year"]))
        if not (shift := shift_of(match)):
            return date_spans.this_year(
                lambda year: date_spans.of_season(today, first_month, year), today
            )
        return date_spans.of_season(today, first_month, None, shift)

    def read_weekday(match: re.Match[str], today: dt.date) -> Days:
        return date_spans.of_weekday(today, _place(weekdays, match["weekday"]))

    def read_shifted_weekday(match: re.Match[str], today: dt.date) -> Days:
        shift, weekday = shift_of(match), _place(weekdays, match["weekday"])
        if not shift:
            return date_spans.span(today, "day", weekday - today.weekday())
        return date_spans.of_weekday(today, weekday, shift)

    shapes: list[tuple[str, Reader]] = [
        (rf"(?P<day>\d{{1,2}})\.(?P<number>\d{{1,2}})\.{year}", read_date),
        (rf"(?P<day>\d{{1,2}})(?:\.|er|[oº°])? (?:{of})?{month}(?:,? (?:{of})?{year})?", read_date),
        (
            rf"{month},? (?:{of})?{year}",
            lambda match, today: date_spans.of_month(today, month_of(match), int(match["year"])),
        ),
        *((shape, read_shifted_month) for shape in (f"{shift} {month}", f"{month} {shift}")),
        (
            f"(?:{within}) {month}",
            lambda match, today: date_spans.of_month(today, month_of(match), None),
        ),
        (
            f"(?P<named>{_either(days)})",
            lambda match, today: date_spans.span(
                today,
                "day",
                next(away for word, away in days.items() if re.fullmatch(word, match["named"])),
            ),
        ),
        *(
            (
                way,
                lambda match, today: date_spans.span(today, unit_of(match), -count_of(match)),
            )
            for way in (
                *(way.replace("{n}", count).replace("{unit}", unit) for way in _ways(ago)),
                *(way.replace("{unit}", one) for way in _ways(ago_of_one) if way),
            )
        ),
        *(
            (
                way.replace("{n}", count).replace("{unit}", unit),
                lambda match, today: date_spans.lately(today, unit_of(match), count_of(match)),
            )
            for way in _ways(lately)
        ),
        *((shape, read_shifted) for shape in (f"{shift} {longer}", f"{longer} {shift}")),
        (f"{season},? (?:{of}|(?:{within}) )?{year}", read_season),
        *((shape, read_season) for shape in (f"{shift} {season}", f"{season} {shift}")),
        *((shape, read_shifted_weekday) for shape in (f"{shift} {weekday}", f"{weekday} {shift}")),
        (f"{_NOT_EVERY}(?:{_before(fold_for_tables(calendar.on))}){weekday}", read_weekday),
        (
            f"(?:{within}) {year}",
            lambda match, _: date_spans.span(dt.date(int(match["year"]), 1, 1), "year"),
        ),
    ]
    return tuple((re.compile(rf"(?<!\w)(?:{shape})(?!\w)"), read) for shape, read in shapes)


def _ways(ways: str) -> list[str]:
    """Split a pattern into its outermost alternatives, since a group's name may occur only once."""
    parts, depth = [""], 0
    for char in ways:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _before(words: str) -> str:
    """Return words followed by a space; an optional word brings its own."""
    return words if words.endswith(")?") else f"(?:{words}) "


@cache
def _ahead(language: str) -> re.Pattern[str]:
    """Return a pattern of words for a time to come."""
    if language in east_asian_dates.LANGUAGES:
        return east_asian_dates.AHEAD
    calendar = CALENDARS[language]
    texts = (calendar.units, calendar.weekdays, calendar.months, calendar.seasons)
    it = f"(?:{_either(entry for text in texts for entry in _entries(text))})"
    count = rf"(?:\d{{1,3}}|{_either(_entries(calendar.numbers))})"
    ahead = fold_for_tables(calendar.ahead).replace("{n}", count).replace("{it}", it)
    return re.compile(rf"(?<!\w)(?:{ahead})(?!\w)")


@cache
def _asking(language: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{fold_for_tables(CALENDARS[language].asks)})(?!\w)")


@cache
def _later(language: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?:{fold_for_tables(CALENDARS[language].later)})(?!\w)|\d{{1,2}}[:.]\d{{2}}"
    )
