"""Passwords that are described piece by piece: "capital T, then ulpen, then a dollar sign".

Owns how pieces are joined; `vocabulary` has the names of signs and capitals. Such a row is a
password beside a word for what it opens. Requirements for passwords ("a capital letter, a digit and
a sign") name no piece.
"""

import re
from typing import Final

from ashd.access.secrets import vocabulary
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_NAMED_PIECE: Final = rf"""(?:(?:an?|the|ein|een|une?|das|die|el|la|il)\s)?
    (?:(?:{vocabulary.CAPITAL})\s[^\W\d_](?![\w'])(?:,?\s(?:then\s)?(?-i:[a-z]{{2,15}})(?=,))?|(?:{vocabulary.SIGN_NAMES})\b)"""
_PIECE: Final = rf"""(?:{_NAMED_PIECE}|["'`][^"'`\n]{{2,20}}["'`]
    |(?:the\s(?:year|number)\s)?\d{{2,6}}(?![\w%])
    |(?:(?<=\bthen\s)|(?<=\bdann\s)|(?<=\bdan\s)|(?<=\bpuis\s)|(?<=\bpoi\s))\w{{2,15}})"""
_JOINED: Final = r"""(?:,\s|\s\+\s|,?\s(?:and\sthen|and|then|plus|followed\sby|with|und|dann|en|dan
    |et|puis|y|luego|e|poi)\s)"""
_ROW: Final = pattern_of(rf"{_PIECE}(?:{_JOINED}{_PIECE}){{2,7}}", _FLAGS)
_NAMED: Final = pattern_of(_NAMED_PIECE, _FLAGS)
_OPENS: Final = pattern_of(
    rf"""\b(?:{vocabulary.NAME}|{vocabulary.GETS_IN}|{vocabulary.OPENING}
    |{vocabulary.SERVICES})\b""",
    _FLAGS,
)
_NEAR: Final = 90
"""Characters around the pieces in which the word for what they open stands."""


def find_described(reading: Reading) -> str | None:
    """Return "password" for three pieces in a row, one of them a capital or a sign by name."""
    if not reading.has(vocabulary.DESCRIBED_STEMS):
        return None
    for row in _ROW.finditer(reading.text):
        before = reading.before(row.start(), _NEAR).rpartition("\n")[2]
        after = reading.text[row.end() : row.end() + _NEAR].partition("\n")[0]
        if _NAMED.search(row[0]) and _OPENS.search(f"{before} {after}"):
            return "password"
    return None
