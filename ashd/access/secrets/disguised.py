"""Secrets in another form: in groups, letter by letter, in base64.

Owns the readings of a text in which such a secret is plain. The same rules then apply to each
reading as to any text; the form alone makes nothing a secret.
"""

import base64
import binascii
from collections.abc import Sequence

from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_GROUP = pattern_of(r"[A-Za-z0-9]{3,6}[.,;]?")
_BEGINNING = pattern_of(r"[A-Za-z0-9][\w.-]*[_-][\w-]*")
_FEWEST_GROUPS = 4
_LETTERS = pattern_of(r"(?<!\S)[!-~](?P<by>[ -])[!-~](?:(?P=by)[!-~]){2,60}(?![^\s.,;])")
_BASE64 = pattern_of(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{12,}={0,2}(?![A-Za-z0-9+/_=-])")


def ungrouped(reading: Reading) -> Reading | None:
    """Return the reading with groups of generated text joined ("16C7 e42F 292c …"), or None."""
    parts: list[str] = []
    run: list[str] = []
    found = False
    for word in (*reading.text.split(" "), ""):
        if _GROUP.fullmatch(word):
            run.append(word)
            continue
        found |= _close(parts, run)
        run = []
        parts.append(word)
    return _reading(" ".join(parts[:-1])) if found else None


def _close(parts: list[str], run: list[str]) -> bool:
    """Append the words of a run; as one word if they are groups."""
    if len(run) < _FEWEST_GROUPS or 2 * _with_digits(run) < len(run):
        parts += run
        return False
    whole = "".join(run)
    # The prefix that shows the token's issuer may come before the groups.
    if parts and _BEGINNING.fullmatch(parts[-1]):
        parts[-1] += whole
    else:
        parts.append(whole)
    return True


def _with_digits(words: Sequence[str]) -> int:
    return sum(any(map(str.isdigit, word)) for word in words)


def unspelled(reading: Reading) -> Reading | None:
    """Return the reading with words that are spelled letter by letter put together, or None."""
    text = _LETTERS.sub(lambda match: match[0][:: len(match["by"]) + 1], reading.text)
    return None if text == reading.text else _reading(text)


def decoded(reading: Reading) -> Reading | None:
    """Return the text that the base64 in a reading decodes to; None without any."""
    texts = [text for match in _BASE64.finditer(reading.text) if (text := _plain(match[0]))]
    return _reading("\n\n".join(texts)) if texts else None


def _plain(encoded: str) -> str | None:
    """Return the text that a word encodes in base64, if it does."""
    standard = encoded.rstrip("=").translate(_FROM_URL_SAFE)
    try:
        text = base64.b64decode(standard + "=" * (-len(standard) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if text.isprintable() else None


_FROM_URL_SAFE = str.maketrans("-_", "+/")


def _reading(text: str) -> Reading:
    return Reading(text, text.lower())
