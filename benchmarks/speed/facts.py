"""Made-up facts and questions, as many as are asked for, the same for the same seed."""

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path


def word_lists(file: Path) -> dict[str, list[str]]:
    """Return the lists of a file of words, by name."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        name, _, words = line.partition(": ")
        if words and not line.startswith("#"):
            found[name] += words.split(" | ")
    return found


_WORDS = word_lists(Path(__file__).with_name("words.txt"))


def facts(seed: int) -> Iterator[str]:
    """Facts without end; hardly ever one twice."""
    pick = _Draw(seed)
    while True:
        yield (
            f"On {pick.day()} {pick('months')} {pick.who()} {pick('did')} {pick.what()}"
            f" {pick('where')} {pick('why')}, and {pick.who()} {pick('did')} {pick.what()}."
        )


def statements(seed: int) -> Iterator[str]:
    """Short facts without end; hardly ever one twice."""
    pick = _Draw(seed)
    while True:
        yield (
            f"On {pick.day()} {pick('months')} {pick.who()} {pick('did')} {pick.what()}"
            f" {pick('where')} {pick('why')}."
        )


def questions(seed: int) -> Iterator[str]:
    """Questions without end about such facts."""
    pick = _Draw(seed)
    forms = (
        lambda: f"When was {pick.who()} {pick('where')}?",
        lambda: f"What happened to {pick.what()}?",
        lambda: f"Who {pick('did')} {pick.what()} {pick('where')}?",
        lambda: f"What did {pick.who()} do {pick('why')}?",
    )
    while True:
        for form in forms:
            yield form()


class _Draw:
    """Picks words by their list's name."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def __call__(self, name: str) -> str:
        return self._random.choice(_WORDS[name])

    def who(self) -> str:
        return f"{self('who')} {self('family')}"

    def what(self) -> str:
        return f"the {self('kind')} {self('thing')}"

    def day(self) -> int:
        return self._random.randint(1, 28)
