"""Texts that cost a reader of texts more than prose does, by kind; each as long as is asked for."""

import random
import string
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Final

PROSE: Final = (
    "My sister Judit lives in Lisbon and works as a nurse; on weekends we go sailing with her"
    " friends, and on 4 May she moved to a flat near the harbour. "
)
_LETTERS: Final = string.ascii_lowercase
_MARKS: Final = "\u0301\u0316\u0327\u0323\u0308\u0345\u0334"
_NAMES: Final = ("Anna", "Ben", "Clara", "Dario", "Elif", "Fritz", "Greta", "Hugo")


@cache
def _compatible() -> tuple[str, ...]:
    """Return the characters whose compatibility forms are longest."""
    every = map(chr, range(0xA0, 0x2FA20))
    return tuple(char for char in every if len(unicodedata.normalize("NFKC", char)) > 3)


def _of(first: int, last: int) -> Callable[[random.Random], str]:
    return lambda source: chr(source.randint(first, last))


def _word(length: int) -> Callable[[random.Random], str]:
    return lambda source: "".join(source.choices(_LETTERS, k=length)) + " "


def _date(source: random.Random) -> str:
    month = source.choice(("May", "June", "March"))
    return f"{source.randint(1, 28)} {month} {source.randint(1900, 2099)}, two days ago, "


def _name(source: random.Random) -> str:
    return f"{source.choice(_NAMES)} {_word(6)(source).title()}"


_KINDS: Final[dict[str, Callable[[random.Random], str]]] = {
    "prose": lambda _: PROSE,
    "long ligatures": lambda _: "\ufdfa",
    "compatibility characters": lambda source: source.choice(_compatible()),
    "full width": lambda source: chr(ord(source.choice(string.ascii_letters)) + 0xFEE0),
    "combining marks": lambda source: source.choice(_MARKS),
    "letters with marks": lambda source: (
        source.choice(_LETTERS) + "".join(source.choices(_MARKS, k=source.randint(2, 60)))
    ),
    "Chinese": _of(0x4E00, 0x9FFF),
    "Thai": _of(0xE01, 0xE2E),
    "Hangul": _of(0xAC00, 0xD7A3),
    "one long word": lambda source: source.choice(_LETTERS),
    "one long word in capitals": lambda source: source.choice(_LETTERS).upper(),
    "one letter": lambda _: "a",
    "digits": lambda source: source.choice(string.digits),
    "numbers": lambda source: f"{source.randint(0, 9_999)} ",
    "quotes": lambda source: source.choice("\"'\u201c\u201d`"),
    "words of two letters": _word(2),
    "words of five letters": _word(5),
    "capitalised words": lambda source: _word(5)(source).title(),
    "words in capitals": lambda source: _word(4)(source).upper(),
    "dates": _date,
    "names": _name,
    "relationships": lambda source: f"my sister's {source.choice(('boss', 'friend'))}'s ",
    "statements": lambda source: f"My name is {source.choice(_NAMES)}, I am called Ben. ",
    "emoji": _of(0x1F300, 0x1F5FF),
    "joined emoji": lambda _: "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flags": _of(0x1F1E6, 0x1F1FF),
    "right to left": _of(0x5D0, 0x5EA),
    "Arabic": _of(0x621, 0x64A),
    "mathematical letters": _of(0x1D400, 0x1D7FF),
    "addresses": lambda source: f"{_word(4)(source).strip()}:pw@{_word(3)(source)}",
    "keys": lambda source: f"{source.choice(('key', 'password', 'pin'))}={_word(3)(source)}",
    "base64": lambda source: source.choice(string.ascii_letters + string.digits + "+/"),
    "spaces": lambda _: " ",
    "lines": lambda source: f"{source.choice(_LETTERS)}\n",
    "signs": lambda source: source.choice(string.punctuation),
    "joiners": lambda source: source.choice("\u0928\u200d\u200c\ufe0f\u263a"),
}
KINDS: Final = tuple(_KINDS)


def text(kind: str, length: int, *, seed: int = 0) -> str:
    """Return a text of a kind; another for another seed, where the kind has more than one."""
    source, parts, size = random.Random(f"{kind} {seed}"), [f"a{seed} "], len(f"a{seed} ")
    make = _KINDS[kind]
    while size < length:
        parts.append(make(source))
        size += len(parts[-1])
    return "".join(parts)[: length - 1] + "a"
