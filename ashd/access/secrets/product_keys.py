"""Keys that somebody paid for: of software, of games, of gift cards, and licences as files.

Owns the difference between such a key and a serial number, a fingerprint, a product's name or an
id, which stand in groups, too: a word says what the key is for, or its groups are those of Windows.
"""

import re
from typing import Final

from ashd.access.secrets import vocabulary
from ashd.access.secrets.normalisation import Reading, is_random
from ashd.language.lazy_pattern import pattern_of

_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_GROUPS: Final = pattern_of(
    r"""(?<![\w:-])(?:[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,12}|[A-Z0-9]{4,5}(?:\ [A-Z0-9]{4,5}){2,12})
    (?![\w-])""",
    re.VERBOSE,
)
_NAMED: Final = pattern_of(rf"(?<![^\W_])(?:{vocabulary.PRODUCT_KEYS})(?![^\W_])", _FLAGS)
_OTHERS: Final = pattern_of(
    r"""\b(?:finger-?prints?|fingerabdruck|empreinte|serial\s(?:n\w+\b|no\b)|s/n|uuid|guid|plates?|driv\w+|fishing
    |tracking|orders?|isbn|ean|imei|mac|model)\b""",
    _FLAGS,
)
_BEFORE: Final = 90
_AFTER: Final = 50
"""Characters around a key in which the word for it stands."""
_CLAUSE: Final = pattern_of(r"\n|[.!?;]\s")
_FEWEST_OF_DIGITS: Final = 4
"""Groups of a key without letters."""
_GROUPS_OF_WINDOWS: Final = [5] * 5
_FILE: Final = pattern_of(
    r"(?:(?<=--)|(?<=--\s))BEGIN\s(?:[A-Z]{1,12}\s){0,3}(?:LICEN[CS]E|ACTIVATION|REGISTRATION)(?:\s[A-Z]{1,12}){0,2}\s?-{2,5}"
    r"[^\0]{0,300}?(?P<body>[A-Za-z0-9+/]{24,}|(?:[0-9A-F]{8}\s){2}[0-9A-F]{8})"
)


def find_product_key(reading: Reading) -> str | None:
    """Return "product_key" for a key in groups that a word says to be one, or a licence file."""
    text = reading.text
    for start, _ in reading.at(("begin ",)):
        file = _FILE.match(text, start)
        if file and is_random(file["body"]):
            return "product_key"
    for groups in _GROUPS.finditer(text):
        if _is_product_key(reading, groups):
            return "product_key"
    return None


def _is_product_key(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether letters and digits change in the groups, beside a word for a key."""
    groups = re.split("[ -]", match[0])
    mixed = sum(not (group.isalpha() or group.isdigit()) for group in groups)
    if list(map(len, groups)) == _GROUPS_OF_WINDOWS and mixed >= len(groups) - 2:
        return True
    of_digits = "-" in match[0] and match[0].replace("-", "").isdigit()
    if 2 * mixed < len(groups) and not (of_digits and len(groups) >= _FEWEST_OF_DIGITS):
        return False
    before = _CLAUSE.split(reading.before(match.start(), _BEFORE))[-1]
    after = _CLAUSE.split(reading.text[match.end() : match.end() + _AFTER], maxsplit=1)[0]
    if _OTHERS.search(f"{before} {after}"):
        return False
    return _NAMED.search(before) is not None or _NAMED.search(after) is not None
