"""Time words in Chinese, Japanese and Korean, whose dates have the same structure.

One list of patterns serves all three: a number and 年, 月, 日 or their Hangul, and words such as
去年, 先週, 지난주 that no other language writes. On folded text.
"""

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from ashd.language import date_spans
from ashd.language.date_spans import Days, Rule, Unit
from ashd.language.lazy_pattern import pattern_of

T = TypeVar("T")

LANGUAGES: Final = frozenset({"zh", "ja", "ko"})

_DIGITS: Final = dict(zip("〇一二三四五六七八九", range(10), strict=True)) | {"两": 2, "兩": 2}
_COUNTED: Final = ("한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열")
_DAYS: Final = {
    "大前天": -3,
    "(?<![以之])前天|一昨日|おととい|그저께|그제": -2,
    "昨天|昨日|昨晚|昨夜|きのう|어제|어젯밤": -1,
    "今天|今日|今晚|今夜|きょう|오늘": 0,
}
_WEEKS: Final = {
    "上上[个個]?(?:周|週|星期|礼拜|禮拜)|先々週|지지난 ?주": -2,
    "上一?[个個]?(?:周|週|星期|礼拜|禮拜)|先週|지난 ?주": -1,
    "[这這][个個]?(?:周|週|星期|礼拜|禮拜)|本[周週]|今週|이번 ?주": 0,
}
_MONTHS: Final = {
    "上上[个個]?月|先々月|지지난 ?달": -2,
    "上[个個]?月|先月|지난 ?달": -1,
    "[这這][个個]月|本月|今月|이번 ?달": 0,
}
_YEARS: Final = {
    "前年|一昨年|おととし|재작년": -2,
    "去年|昨年|작년|지난 ?해": -1,
    "今年|올해": 0,
}
_WEEKDAYS: Final = (
    "[一月월]",
    "[二火화]",
    "[三水수]",
    "[四木목]",
    "[五金금]",
    "[六土토]",
    "[日天일]",
)
_SEASONS: Final = {"春|봄": 3, "夏|여름": 6, "秋|가을": 9, "冬|겨울": 12}
_UNITS: Final[dict[str, Unit]] = {
    "天|日|일": "day",
    "[个個]?(?:星期|礼拜|禮拜)|周|週間?|주일?": "week",
    "[个個ヶかカケ]月|개월|달": "month",
    "年|년": "year",
}


def _either(words: Iterable[str]) -> str:
    return "|".join(words)


def _value(table: Mapping[str, T], said: str) -> T:
    return next(value for word, value in table.items() if re.fullmatch(word, said))


def _number(said: str) -> int:
    """Return a number up to 99 in digits, in Han, or in Korean counting words.

    "Two, three" is none.
    """
    if said.isdecimal():
        return int(said)
    if said in _COUNTED:
        return _COUNTED.index(said) + 1
    tens, ten, ones = said.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        raise ValueError("not one number")
    return 10 * (_DIGITS.get(tens, 1) if ten else 0) + _DIGITS.get(ones, 0)


def _year(match: re.Match[str], today: dt.date) -> int | None:
    """Return the year of a month or season: written in digits, or by its distance."""
    said = match.groupdict()
    if said.get("year"):
        return int(said["year"])
    return today.year + _value(_YEARS, said["last"]) if said.get("last") else None


def _read_date(match: re.Match[str], today: dt.date) -> Days:
    month, day = _number(match["month"]), _number(match["day"])
    return date_spans.of_date(today, month, day, _year(match, today))


def _read_month(match: re.Match[str], today: dt.date) -> Days:
    return date_spans.of_month(today, _number(match["month"]), _year(match, today))


def _read_season(match: re.Match[str], today: dt.date) -> Days:
    return date_spans.of_season(today, _value(_SEASONS, match["season"]), _year(match, today))


def _read_week(match: re.Match[str], today: dt.date) -> Days:
    """A week, or the weekday or weekend in it."""
    unit: Unit = "weekend" if match["weekend"] else "week"
    first, after = date_spans.span(today, unit, _value(_WEEKS, match["week"]))
    if match["weekday"]:
        return date_spans.span(first, "day", _weekday(match))
    return first, after


def _weekday(match: re.Match[str]) -> int:
    return next(at for at, day in enumerate(_WEEKDAYS) if re.fullmatch(day, match["weekday"]))


def _ago(match: re.Match[str], today: dt.date) -> Days:
    return date_spans.span(today, _value(_UNITS, match["unit"]), -_number(match["n"]))


def _lately(match: re.Match[str], today: dt.date) -> Days:
    return date_spans.lately(today, _value(_UNITS, match["unit"]), _number(match["n"]))


def _shifted(unit: Unit, table: Mapping[str, int]) -> Rule:
    return pattern_of(_either(table)), lambda match, today: date_spans.span(
        today, unit, _value(table, match.group(0))
    )


_SPACE: Final = "[的の]? ?"
_N: Final = (
    rf"(?P<n>(?<![\d.,、~〜百千万半{''.join(_DIGITS)}十])(?:\d{{1,3}}|[{''.join(_DIGITS)}十]{{1,3}})"
    rf"|(?<![가-힣])(?:{_either(_COUNTED)}))"
)
"""A number, but not the end of a longer one."""
_YEAR: Final = rf"(?:(?P<year>(?:19|20)\d{{2}}) ?[年년]|(?P<last>{_either(_YEARS)})){_SPACE}"
_MONTH: Final = r"(?<![\d十])(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九]) ?[月월](?!曜)"
_DAY: Final = r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3}) ?[日号號일]"
_UNIT: Final = rf"(?P<unit>{_either(_UNITS)})"
_WEEKDAY: Final = rf"(?P<weekday>{_either(_WEEKDAYS)})"
_IN_WEEK: Final = rf"(?:(?P<weekend>周?末|말)|{_WEEKDAY}(?:曜日?|요일)?)?"
_NOT_EVERY: Final = rf"(?<![每毎매逢\d{''.join(_DIGITS)}十])(?<!每[个個])"
"""Nor "once a week", which in Chinese is "one week one time"."""

RULES: Final[tuple[Rule, ...]] = tuple(
    (pattern_of(shape) if isinstance(shape, str) else shape, read)
    for shape, read in (
        (rf"(?:{_YEAR})?{_MONTH}{_SPACE}{_DAY}", _read_date),
        (rf"(?:{_YEAR})?{_MONTH}", _read_month),
        (rf"{_N} ?{_UNIT} ?(?:以?前|전)", _ago),
        (rf"(?:最近|过去|過去|この|지난|최근)の? ?{_N} ?{_UNIT}", _lately),
        (rf"(?P<week>{_either(_WEEKS)}){_SPACE}{_IN_WEEK}", _read_week),
        _shifted("month", _MONTHS),
        (rf"{_YEAR}(?P<season>{_either(_SEASONS)})", _read_season),
        _shifted("day", _DAYS),
        (
            rf"{_NOT_EVERY}(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天])",
            lambda match, today: date_spans.of_weekday(today, _weekday(match)),
        ),
        (
            rf"(?<!毎週)(?<!毎週の)(?<!매주 ){_WEEKDAY}(?:曜日|요일)(?!마다|こと)",
            lambda match, today: date_spans.of_weekday(today, _weekday(match)),
        ),
        _shifted("year", _YEARS),
        (
            r"(?P<year>(?:19|20)\d{2}) ?[年년]",
            lambda match, _: date_spans.span(dt.date(int(match["year"]), 1, 1), "year"),
        ),
    )
)
AHEAD: Final = pattern_of(
    "下{1,2}[个個]?(?:周|週|星期|礼拜|禮拜|月)|[明后後]年|[来來][年月週]|再来|今度"
    "|다음 ?(?:주|달|해)|내년|오는 "
)
"""Words of a time to come."""
# On folded text, in which a kana has no voiced mark.
ASKS_WHEN: Final = pattern_of(
    "什么时候|甚麼時候|何[时時年月日]|哪[天年一]|几[月号点]|多久|多长时间|いつ|何曜日|とのくらいの期間"
    "|언제|며칠|몇 ?[년월시일]|무슨 ?요일|얼마나 오래"
)
LATER: Final = pattern_of(
    r"最近|[每毎](?:天|日|周|週|年|月|个)|生日|誕生日|매[일주년월]|생일|최근|\d{1,2}[:時시点]"
)
