"""The sentences of a text that answer a question, for a prompt with little room. Pure."""

from ashd.language.tagged_words import read
from ashd.search.indexing import sentences
from ashd.search.query import STOP_WORDS


def around(text: str, question: str) -> list[str]:
    """Return the sentence with the most words of the question, first with its neighbours.

    Empty if no sentence has any, or if the text is a single one.
    """
    asked = _words(question)
    parts = sentences(text)
    held = [len(asked & _words(part)) for part in parts]
    if len(parts) < 2 or not any(held):
        return []
    best = held.index(max(held))
    return list(dict.fromkeys((" ".join(parts[max(best - 1, 0) : best + 2]), parts[best])))


def _words(text: str) -> set[str]:
    words = read(text)
    pairs = zip(words.stems, words.bare, strict=True)
    return {stem for stem, word in pairs if word not in STOP_WORDS}
