"""Measure what keeps words from becoming people.

    python -m benchmarks.people.words_as_names FILE...

A line of a FILE is a fact as JSON: `content`, and the `subjects` that its author named. The nouns
of the contents ("the marathon") stand for what a weak model names as subjects, as "Marathon".
Counted is how many of them are taken for words, by the list or by their lower case in the content;
and how many of the authors' own names, which must not be.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ashd.language.english_words import word_set
from ashd.language.people import roles
from ashd.language.people.references import parse_reference
from ashd.language.words import split

_BEFORE: Final = word_set("the a an my our his her their this that your")
_AFTER: Final = word_set(
    "is was are were has had in on at of for from with to by as and or but that who which when"
    " while because if so after before until than then there"
)
_MAX_WORDS: Final = 4
WAYS: Final[dict[str, Callable[[str, str], bool]]] = {
    "the list": lambda name, _: roles.is_mere_word(name),
    "lower case": lambda name, content: roles.is_written_as_word(name, [content]),
    "either": lambda name, content: (
        roles.is_mere_word(name) or roles.is_written_as_word(name, [content])
    ),
}


def nouns(content: str) -> Iterator[str]:
    """Yield the last words of noun phrases, as a model would write them as names."""
    words = split(content)
    for at, word in enumerate(words):
        if word.key not in _BEFORE:
            continue
        end = at + 1
        while end < min(at + _MAX_WORDS, len(words)) and _goes_on(words[end].text, words[end].gap):
            end += 1
        closes = end == len(words) or words[end].gap.strip() or words[end].key in _AFTER
        if end > at + 1 and closes and not parse_reference(words[end - 1].text).relationship:
            yield words[end - 1].text.title()


def _goes_on(text: str, gap: str) -> bool:
    return gap == " " and text.islower() and text not in _AFTER | _BEFORE


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    lines = [
        line
        for path in parser.parse_args().files
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("{")
    ]
    facts = [json.loads(line) for line in lines]
    found = [(noun, one["content"]) for one in facts for noun in set(nouns(one["content"]))]
    names = [
        (name, one["content"])
        for one in facts
        for name in one.get("subjects") or ()
        if len(split(name)) == 1
    ]
    for way, is_word in WAYS.items():
        taken = [sum(is_word(*one) for one in some) for some in (found, names)]
        print(f"{way}: {taken[0]} of {len(found)} nouns, {taken[1]} of {len(names)} names")


if __name__ == "__main__":
    main()
