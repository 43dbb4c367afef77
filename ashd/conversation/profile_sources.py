"""The statements that each sentence of a profile was written from, found by their words. Pure.

A language model joins and rewords statements, and says nothing of where its sentences come from.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from ashd.conversation import profile_text
from ashd.language.word_stems import stems
from ashd.store.profile_statements import ProfileStatement

_LEAST_SHARE: Final = 0.5
"""The part of a statement's words that a sentence written from it has."""
_LEAST_CHARS: Final = 3


class Sourced(NamedTuple):
    """A sentence, and the statements that it says again."""

    sentence: str
    statements: list[ProfileStatement]


def of(text: str, statements: Sequence[ProfileStatement]) -> list[Sourced]:
    """Return each sentence of a text with its statements, oldest first."""
    counts = Counter(word for one in statements for word in stems(one.statement, _LEAST_CHARS))
    # The person's name is in most of them and tells nothing.
    common = {word for word, count in counts.items() if count > max(len(statements) / 2, 1)}
    known = [(one, stems(one.statement, _LEAST_CHARS) - common) for one in statements]
    found = []
    for sentence in profile_text.sentences(text):
        words = stems(sentence, _LEAST_CHARS)
        says = [
            one
            for one, stated in known
            if stated and len(words & stated) >= _LEAST_SHARE * len(stated)
        ]
        found.append(Sourced(sentence, says))
    return found
