"""Secrets in another form: in groups, letter by letter, in base64, in words, as an answer.

Owns the readings of a text in which such a secret is plain. The same rules then apply to each
reading as to any text; the form alone makes nothing a secret.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from itertools import pairwise

from ashd.access.secrets import password_values, vocabulary
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_GROUP = pattern_of(r"[A-Za-z0-9]{3,6}[.,;]?")
_BEGINNING = pattern_of(r"[A-Za-z0-9][\w.-]*[_-][\w-]*")
_FEWEST_GROUPS = 4
_LETTERS = pattern_of(r"(?<!\S)[!-~](?P<by>[ -])[!-~](?:(?P=by)[!-~]){2,60}(?![^\s.,;])")
_DIGIT_WORD = rf"(?:{vocabulary.DIGIT})"
_DIGIT_WORDS = pattern_of(
    # Most places begin no word: the lookahead saves the rest of the pattern there.
    rf"(?<![\w-])(?=[^\W\d_])(?:{vocabulary.TWICE})?{_DIGIT_WORD}"
    rf"(?:(?:,?\s|,|-){{1,2}}(?:{vocabulary.TWICE})?{_DIGIT_WORD}){{2,11}}(?![\w-])",
    re.IGNORECASE,
)
_COUNTING = frozenset({"123", "1234", "12345", "321", "54321"})
"""Rows of digits with which one counts."""
# "Lena: ", "[10:02] jo: ", "> ", "- ": who says a line.
_SPEAKER = pattern_of(r"\s*(?:[>\u2022-]\s?)?(?:\[[^\]\n]{1,20}\]\s?)?(?:[^\W\d][^:\n?]{0,20}:\s)?")
_ONCE_MORE = pattern_of(rf"\s(?:{vocabulary.ONCE_MORE})\Z", re.IGNORECASE)
_LONGEST_ONCE_MORE = 16
_REPLY = pattern_of(
    rf"(?:(?:{vocabulary.RESUMED})\s)?[\"'`]?(?P<value>[!-~\u00c0-\u024f]{{3,64}}?)[\"'`]?[.,]?\s*\Z",
    re.IGNORECASE | re.VERBOSE,
)
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


def in_digits(reading: Reading) -> Reading | None:
    """Return the reading with digits that are said in words as digits ("four-four-seven-one")."""
    text = _DIGIT_WORDS.sub(_digits, reading.text)
    return None if text == reading.text else _reading(text)


def _digits(words: re.Match[str]) -> str:
    """Return the digits of a row of words, unless one counts with them."""
    said = re.findall(r"[^\W\d_]+", words[0].lower())
    digits, times = "", 1
    for word in said:
        if word in vocabulary.DIGITS:
            digits += vocabulary.DIGITS[word] * times
            times = 1
        else:
            times = 3 if word == "triple" else 2
    return words[0] if digits in _COUNTING else digits


def answered(reading: Reading) -> Reading | None:
    """Return the questions of a dialogue with their replies of one word ("door code: 4471")."""
    lines = reading.text.split("\n")
    said = [
        f"{_asked(question)}: {reply['value']}"
        for question, line in pairwise(lines)
        if (reply := _REPLY.match(line, _said_from(line)))
        and password_values.looks_made(reply["value"])
        and (question.rstrip().endswith("?") or (_said_from(question) and _said_from(line)))
    ]
    return _reading("\n".join(said)) if said else None


def _asked(question: str) -> str:
    """Return a question without its sign and without "again"."""
    plain = question.rstrip("?!. \t")
    again = _ONCE_MORE.search(plain, max(0, len(plain) - _LONGEST_ONCE_MORE))
    return plain[: again.start()] if again else plain


def _said_from(line: str) -> int:
    """Return the position after the name or the sign of who says a line; 0 without one."""
    speaker = _SPEAKER.match(line)
    return speaker.end() if speaker else 0


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
