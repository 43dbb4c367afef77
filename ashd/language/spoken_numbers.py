"""Numbers and times of day that English writes in words, as figures.

"Eight hundred and forty-five" and "845", "half past eight" and "8:30" are the same to whoever
compares two texts. Single words are left to the reader of words. Pure.
"""

import re
from typing import Final

from ashd.language.english_words import CARDINALS, TENS
from ashd.language.lazy_pattern import pattern_of

_VALUES: Final = {
    "a": 1.0,
    **{word: float(value) for value, word in enumerate(CARDINALS)},
    **{word: 10.0 * value for value, word in enumerate(TENS, 2)},
}
_SCALES: Final = {"thousand": 1_000, "grand": 1_000, "million": 1_000_000}
_PARTS: Final = {"quarter": 15, "half": 30}

_SMALL: Final = (
    f"(?:(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(CARDINALS[1:10])}))?|{'|'.join(CARDINALS)})"
)
_HUNDREDS: Final = rf"(?:(?:a|{_SMALL}) hundred(?:(?: and)? {_SMALL})?|{_SMALL})"
_SCALED: Final = (
    rf"(?:(?:a (?=[tm])|(?:{_HUNDREDS}|\d+(?:\.\d+)?) )(?:{'|'.join(_SCALES)})"
    rf"(?:,?(?: and)? {_HUNDREDS})?)"
)
_NUMBER: Final = pattern_of(
    rf"(?<![\w.,-])(?:{_SCALED}|{_HUNDREDS})(?P<half> and a half)?(?!-?\w)", re.IGNORECASE
)
_CLOCK: Final = pattern_of(
    rf"(?<![\w.,:-])(?:a )?(?P<minutes>quarter|half|{_SMALL}|[1-5]?\d)(?: minutes)?"
    rf" (?P<side>past|to) (?P<hour>{'|'.join(CARDINALS[1:13])}|1?\d)(?=(?:am|pm)?\b)(?!-\w)",
    re.IGNORECASE,
)
_WORD: Final = pattern_of(r"[a-z]+|[\d.]+")
_SPOKEN: Final = frozenset(_VALUES) - {"a", "one"} | _SCALES.keys() | {"hundred", *_PARTS}


def in_figures(text: str) -> str:
    """Return `text` with its spoken numbers and times of day in figures."""
    if _SPOKEN.isdisjoint(_WORD.findall(text.lower())):
        return text
    return _NUMBER.sub(_number, _CLOCK.sub(_clock, text))


def _number(found: re.Match[str]) -> str:
    phrase = found.group()
    if " " not in phrase and "-" not in phrase:
        return phrase
    whole = phrase.removesuffix(found["half"] or "")
    value = round(_value(whole) + (0.5 if found["half"] else 0), 6)
    return str(int(value)) if value.is_integer() else str(value)


def _clock(found: re.Match[str]) -> str:
    minutes = _PARTS.get(found["minutes"].lower()) or int(_value(found["minutes"]))
    hour = int(_value(found["hour"]))
    if found["side"].lower() == "past":
        return f"{hour}:{minutes:02}"
    # "Ten to nine" is a time; "five to ten", "9 to 5" and "nine to five" are ranges more often.
    is_exact = minutes % 5 != 0 and " minutes " not in found.group().lower()
    if found["minutes"].isdigit() or minutes <= hour or is_exact:
        return found.group()
    return f"{(hour - 2) % 12 + 1}:{60 - minutes:02}"


def _value(phrase: str) -> float:
    total = group = 0.0
    for word in _WORD.findall(phrase.lower()):
        if word == "hundred":
            group *= 100
        elif word in _SCALES:
            total, group = total + group * _SCALES[word], 0.0
        elif word != "and":
            group += _VALUES[word] if word in _VALUES else float(word)
    return total + group
