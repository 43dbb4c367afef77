"""Notes about invented persons, and questions that they answer, to tune recall by.

`questions/*.tsv` were written for this purpose by authors who had not seen the code, and stand
under this repository's licence. A line has the person, a note, and questions that this note of the
person's answers and no other, with tabs between. Nothing of the lives that recall is tested on is
among them. `questions/languages/*.tsv` are like them in other languages, by three hands: two
persons in most languages, with the third question of each note in English, and one whose notes are
in English and whose questions are not.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

QUESTIONS = Path(__file__).with_name("questions")
OTHER_LANGUAGES = QUESTIONS / "languages"


class Question(NamedTuple):
    """A question, the place of the note that answers it, and of others that do so, or once did."""

    text: str
    answer: int
    beside: tuple[int, ...] = ()


class Life(NamedTuple):
    """A person's notes, and questions to them."""

    notes: list[str]
    questions: list[Question]


def lives(folder: Path = QUESTIONS) -> list[Life]:
    """Return the persons and all that is asked of them."""
    found = []
    for path in sorted(folder.glob("*.tsv")):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        for _, group in itertools.groupby(rows, key=lambda row: row[0]):
            own = list(group)
            asked = [Question(text, at) for at, row in enumerate(own) for text in row[2:] if text]
            found.append(Life([row[1] for row in own], asked))
    return found
