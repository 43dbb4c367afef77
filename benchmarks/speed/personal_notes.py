"""Notes that resemble each other as those of one person do, and questions about them.

Made of the patterns and words in `notes/`: the same people, places, things and days come up again
and again. The same for the same seed.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.speed.facts import word_lists

_FOLDER = Path(__file__).with_name("notes")
_WORDS = word_lists(_FOLDER / "words.txt")
_NUMBERS: Final = {
    "day": range(1, 29),
    "number": range(2, 10),
    "age": range(11, 70),
    "price": range(5, 400),
}
_PATTERNS = [
    line
    for line in (_FOLDER / "patterns.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def notes(seed: int = 1) -> Iterator[str]:
    """Notes of one person without end, none of them twice."""
    given: set[str] = set()
    for text in _filled([one for one in _PATTERNS if not one.endswith("?")], seed):
        if text not in given:
            given.add(text)
            yield text


def questions(seed: int) -> Iterator[str]:
    """Questions without end about such notes."""
    return _filled([one for one in _PATTERNS if one.endswith("?")], seed)


def _filled(patterns: list[str], seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    while True:
        text = chance.choice(patterns)
        for name in re.findall(r"{(\w+)}", text):
            text = text.replace(f"{{{name}}}", _word(name.rstrip("2"), text, chance), 1)
        yield text[0].upper() + text[1:]


def _word(name: str, text: str, chance: random.Random) -> str:
    """Return a word of a list that the text does not have yet, or a number."""
    if name in _NUMBERS:
        return str(chance.choice(_NUMBERS[name]))
    return chance.choice([one for one in _WORDS[name] if one not in text])
