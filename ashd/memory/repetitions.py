"""Repetitions that are beyond doubt: a paraphrase must not fold two different facts into one (A10).

A small model cannot tell which of "the chef praised the waiter" and "the waiter praised the chef" a
third text repeats. Two texts with the same words in another order are different facts, unless one
was found to repeat the other.
"""

from collections.abc import Sequence

from ashd.language import tagged_words
from ashd.language.tagged_words import Words
from ashd.store import memories, memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record


def undoubted(
    tx: Tx, newer: str, repeats: Sequence[tuple[Record, str]]
) -> list[tuple[Record, str]]:
    """Return the memories that a text repeats and that may be folded with it.

    Returns none if that would fold two texts that differ in the order of their words.
    """
    groups = {record.id: memory_links.repetitions_of(tx, record.id) for record, _ in repeats}
    texts = memories.texts(tx, set().union(*groups.values()))
    words = {number: tagged_words.read(text) for number, text in texts.items()}
    own = tagged_words.read(newer)

    def is_doubtful(number: int) -> bool:
        group = groups[number]
        others = words.keys() - group
        return any(_is_reordered(words[one], own) for one in group - groups.keys()) or any(
            _is_reordered(words[one], words[other]) for one in group for other in others
        )

    return [(record, reason) for record, reason in repeats if not is_doubtful(record.id)]


def _is_reordered(one: Words, other: Words) -> bool:
    return one.stems != other.stems and sorted(one.stems) == sorted(other.stems)
