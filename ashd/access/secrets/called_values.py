"""Values that the following words call a secret: "'3789…' # the auth token", "9b2f… (my password)".

Owns the order value, sign, name: a made-up word, then a comment or an aside that consists of
nothing but a name for a secret and words that point back. Any other aside ("commit that removed the
token", "id of the password policy") says something else.
"""

import re
from typing import Final

from ashd.access.secrets import credential_shapes, password_values, vocabulary
from ashd.access.secrets.generated_values import is_generated, is_of_a_program
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_KEYS: Final = ("token", "secret", "key", "pat", "credential", "psk")
_PASSWORDS: Final = ("password", "passphrase", "passwd", "pwd", "passwort", "kennwort")
_BEFORE: Final = 300
"""Characters in which the value, the sign and the words that point back stand."""
_MOST_WORDS: Final = 8
_MOST_QUALIFIERS: Final = 2
"""Words for the thing that the secret opens: "twilio auth"."""
_LEAST_KEY: Final = 16
_SIGN: Final = pattern_of(r"#+|//+|--+|/\*+|<!--|<[-=]+|\u2190|->|=>|\u2192|\(|[-\u2013\u2014]")
_ENDS: Final = pattern_of(
    r"""(?:\s?(?:\Z|[\n.,;:!?)\]*-])|\s(?:for|from|of|and|but|on|in|that|which|to|we|i|you|he|she
    |they|at|used|hard-?coded|with|don't|do|never|keep|rotate|für|von|pour|de|para)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED: Final = pattern_of(r"[\"'`]([^\"'`]{1,200})[\"'`][)\]};,]*\Z")
# A file, an image, a version of an action.
_PLACE: Final = pattern_of(r"\w[:@]\w|\w\.\w+/|\A[\w-]+/[\w-]+/")
_DIGEST_OF: Final = frozenset(
    {"commit", "sha", "sha1", "sha256", "md5", "digest", "checksum", "hash", "rev", "revision"}
)


def find_called(reading: Reading) -> str | None:
    """Return "api_key" or "password" for a value that the words after it call one."""
    for kind, names in (("api_key", _KEYS), ("password", _PASSWORDS)):
        for start, name in reading.at(names):
            if reading.text[start - 1 : start].isalnum() or is_of_a_program(reading, start):
                continue
            if _ENDS.match(reading.text, start + len(name)) and _is_secret(
                *_called(reading.before(start, _BEFORE)), named=name
            ):
                return kind
    return None


def _called(before: str) -> tuple[str, str]:
    """Return the word to which the words at the end of `before` point back, and the one before."""
    words = before.rpartition("\n")[2].split()
    qualifiers, points_back = 0, False
    for _ in range(min(_MOST_WORDS, len(words))):
        word = words.pop()
        sign = _SIGN.match(word)
        plain = word[sign.end() :].lower() if sign else word.lower()
        if plain in vocabulary.POINTS_BACK:
            points_back = True
        elif plain:
            qualifiers += 1
            if points_back or not plain.replace("-", "").isalpha() or plain in vocabulary.FAULTS:
                break
        if qualifiers > _MOST_QUALIFIERS:
            break
        if sign or (words and words[-1].endswith(",")):
            label, value = ["", "", *words][-2:]
            return value, label
    return "", ""


def _is_secret(word: str, label: str, *, named: str) -> bool:
    """Return whether a word is so made up that it must be a secret of this name."""
    quoted = _QUOTED.search(word)
    value = quoted[1] if quoted else password_values.bare(word.strip("()[]{};,"))
    if label.lower().strip(":(") in _DIGEST_OF or (not quoted and _PLACE.search(value)):
        return False
    if len(value) >= _LEAST_KEY and is_generated(value):
        return True
    if named in _KEYS:
        return False
    shape = credential_shapes.of_word(value)
    return shape >= (credential_shapes.LIKELY if quoted else credential_shapes.SURE)
