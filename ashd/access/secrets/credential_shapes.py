"""Words that are shaped like a credential, with the certainty that the shape alone gives.

Owns the difference between "Tr0mbone-sky", "mango-tulip-44" or "Zimtstern5" and the names of
models, versions, packages and measures, which have letters and digits too. Pure functions of the
word; a shape alone is no secret, see `entry_acts`.
"""

import re
from itertools import pairwise
from typing import Final

from ashd.access.secrets import password_values, vocabulary
from ashd.access.secrets.normalisation import is_public
from ashd.language.lazy_pattern import pattern_of

CERTAIN: Final = 4
"""Letters and digits with a sign inside, as in no name."""
SURE: Final = 3
"""Made up: a digit in the middle of a word, several words joined by dashes."""
LIKELY: Final = 2
"""A word and a number: a password, or a name of a thing ("kestrel2011", "ResNet-50")."""
POSSIBLE: Final = 1
NONE: Final = 0

WORD: Final = pattern_of(
    r"(?<![^\s\"'`(,/:])(?!(?<=[\"'`])[\"'`])"
    r"(?=[!-~\u00c0-\u024f]{0,63}[\d!$#%^*~-])[!-~\u00c0-\u024f]{6,64}(?!\S)"
)
"""Words that may have such a shape: with a digit, a sign or a dash. None begins inside a run of
quotes, at each of which the rest would be read again."""
CODE: Final = pattern_of(
    r"""[*\d](?<![\w.,:/#*+-][*\d])(?<!\d\ [*\d])
    (?:(?<=\*)\d{4,8}|\d{3,7}[#*A-D]?|(?:-\d){3,7}[#*]?|\d(?:([ -])\d\d){2,3}|\d\d\ \d{3}
    |(?:,\ \d){3,7}|\d-\d\d-\d{4})(?![\w%€$£°]|[.,:/-]\d|\ \d)""",
    re.VERBOSE,
)
"""Digits as one types them on a keypad."""

_NO_CREDENTIAL: Final = pattern_of(
    r"""[^@\s]+@[\w-]+(?:\.[\w-]+)+\Z|[a-z][\w.-]*@\d|\w+://|www\.|[~.]?/|\w+/\w+/|\$|-|<|\{
    |(?:\d+[.:,/-])*\d+[A-Za-z]{0,5}(?:/[a-z]+)?\Z|[\w-]*?v?\d+\.\d|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}\Z
    |[A-Z\d.:/+-]+\Z|[\w.]+\(|(?:[a-z]+_)+[a-z]*\d*\Z""",
    re.VERBOSE,
)
# Ids, digests, and the public keys of age: whoever hands them over lets nobody in.
_IDENTIFIER: Final = pattern_of(
    r"""[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z|(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}
    |[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_PUBLIC_KEY: Final = pattern_of(r"age1[02-9ac-hj-np-z]{30,}\Z|RW[A-Za-z0-9+/]{54}\Z")
_CODE_SIGNS: Final = frozenset('=<>{}()[]|\\;,:"`')
_SIGN: Final = pattern_of(
    r"[^\W_][!#$%*?^~]+[^\W_]|[!#$%*?^~]_|_[!#$%*?^~]|[^\W\d_]{5}[&+][^\W\d_]{4}"
)
_AT: Final = pattern_of(r"[^\W_]@[^\W_]")
_ISSUE: Final = pattern_of(r"[A-Za-z-]+#\d+\Z")
_UNDERSCORE: Final = pattern_of(r"[^\W\d_]_[^\W_]")
_WITHIN: Final = pattern_of(r"[a-z]\d{1,2}[a-z]{3}|[a-z]{2}\d[a-z]{2}|\A[A-Z]\d[a-z]{4}")
# Words without a digit: joined by a sign, or cased inside with a sign at the end.
_SIGN_OF_WORDS: Final = pattern_of(r"[^\W_]{2}[!$#%^*~][^\W_]{2}")
_CASED: Final = pattern_of(r"[^\W\d_]*[a-z][A-Z][a-z]+[!#$%*]+\Z")
# "MacBook-Pro-14".
_BRAND: Final = pattern_of(r"[A-Z]?[a-z]{2,}[A-Z][a-z]+-")
_NUMBERED: Final = pattern_of(r"[^\W\d_]{5,}[-.!_#&]?\d{1,6}[a-z]?!?\Z|\d[^\W\d_]{6,}!?\Z")
_EXCLAIMED: Final = pattern_of(r"[^\W\d_]{3,}\d{2,6}!\Z")
_MODEL: Final = pattern_of(
    r"(?:\A|[-_+])(?:[A-Z]{1,5}\d+[A-Za-z]{0,3}|(?=[A-Z]*\d)[A-Z0-9]*[A-Z][A-Z0-9]*)(?=[-_+]|\Z)"
)
_NETWORK: Final = pattern_of(r"[_-]\d(?:\.\d)?G(?:Hz)?\Z|FRITZ!Box", re.IGNORECASE)
_DATE: Final = pattern_of(r"(?:[0-2]\d|3[01])-(?:0\d|1[0-2])-(?:19|20)\d\d\Z")
_PART: Final = pattern_of(r"[-._]+")
_FEWEST_CHANGES: Final = 3


def of_word(word: str) -> int:
    """Return the certainty, by its shape alone, that a word is a credential."""
    value = password_values.bare(word.strip("()[]{}"))
    letters = sum(map(str.isalpha, value))
    if len(value) < 6 or letters < 3 or _is_a_name(value):
        return NONE
    parts = _parts(value)
    is_shown = _PUBLIC_KEY.match(value) is not None or is_public(value)
    if any(part in vocabulary.GRAMMAR for part in parts) or is_shown:
        return NONE
    if _IDENTIFIER.match(value):
        return POSSIBLE
    if not any(map(str.isdigit, value)):
        words = sum(len(part) >= 3 and part.isalpha() for part in parts)
        if words == len(parts) >= 4 or _SIGN_OF_WORDS.search(value):
            return SURE
        return POSSIBLE if _CASED.match(value) else NONE
    if _SIGN.search(value) and _ISSUE.match(value) is None:
        return CERTAIN
    if _has_sign(value) or _is_mixed(value) or (_is_chain(parts) and not _BRAND.match(value)):
        return SURE
    return LIKELY if _NUMBERED.match(value) else NONE


def _is_a_name(value: str) -> bool:
    """Return whether a word is an address, path, version, model, measure or expression."""
    return (
        not _CODE_SIGNS.isdisjoint(value)
        or _NO_CREDENTIAL.match(value) is not None
        or is_network_name(value)
        or (_MODEL.search(value) is not None and _SIGN.search(value) is None)
        or password_values.is_harmless(value)
    )


def is_network_name(value: str) -> bool:
    """Return whether a word looks like a router's network name ("FRITZ!Box-7590", "Lena_5G")."""
    return _NETWORK.search(value) is not None


def _parts(value: str) -> list[str]:
    return [part for part in _PART.split(value.lower().rstrip("!")) if part]


def _has_sign(value: str) -> bool:
    """Return whether the word contains a sign that some names have, too."""
    if _AT.search(value) or _EXCLAIMED.match(value):
        return True
    cased = any(map(str.isupper, value)) and any(map(str.islower, value))
    return cased and _UNDERSCORE.search(value) is not None


def _is_mixed(value: str) -> bool:
    """Return whether digits stand inside a word, or change with letters all over."""
    if any(len(part) >= 6 and _WITHIN.search(part) for part in _PART.split(value)):
        return True
    plain = [c for c in value if c.isalnum()]
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(plain))
    cased = any(map(str.isupper, value)) and any(map(str.islower, value))
    return cased and len(plain) >= 8 and changes >= _FEWEST_CHANGES


def _is_chain(parts: list[str]) -> bool:
    """Return whether two words or more and a number are joined, as in "copper-lantern-19"."""
    words = [part for part in parts if part.isalpha() and len(part) >= 3]
    numbers = [part for part in parts if part.isdigit()]
    if len(words) < 2 or len(numbers) != 1 or len(words) + 1 != len(parts):
        return False
    # A small number in the middle is a version: "node-18-alpine".
    outside = parts[-1].isdigit() or parts[0].isdigit()
    return outside or len(words) >= 3 or len(numbers[0]) >= 3


def of_code(digits: str) -> int:
    """Return the certainty that digits are a code; low for a time of day or a year."""
    if _DATE.match(digits):
        return POSSIBLE
    if not digits[-1].isdigit() or not digits[0].isdigit() or digits[1] == "-":
        return SURE
    is_time = digits[:2] < "24" and digits[2:] < "60"
    if len(digits) == 4 and (is_time or digits[:2] in {"19", "20"}):
        return POSSIBLE
    return LIKELY
