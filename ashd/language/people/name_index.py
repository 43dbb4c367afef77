"""Find known names in questions, with an index that is built once. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from ashd.language import detection
from ashd.language.folding import clean
from ashd.language.people import vocabulary
from ashd.language.people.names import (
    continues_name,
    is_inside,
    is_month_after,
    is_name_word,
    split_at_hyphens,
)
from ashd.language.people.phrases import related_in
from ashd.language.people.references import Reference, is_same, parse_reference
from ashd.language.word_patterns import CHARACTER_WORD
from ashd.language.words import Word, is_sentence_end, split

_GENITIVE: Final = frozenset({"de", "nl"})
"""The languages that write "Timos Rad", without an apostrophe."""


class _Entry(NamedTuple):
    keys: tuple[str, ...]
    number: int
    part: Literal["whole", "given", "family"]
    initial: str = ""  # of the name's next word, for a given name


class NameIndex:
    """Finds known names in questions.

    `names` may be names, aliases, handles and references ("my wife", "Alice's boss"). With
    ``families`` a family name alone means its people too. Immutable.
    """

    def __init__(self, names: Sequence[str], *, families: bool = False) -> None:
        self._families = families
        self._by_first: dict[str, list[_Entry]] = {}
        self._by_relationship: dict[str, list[tuple[Reference, int]]] = {}
        for index, name in enumerate(names):
            reference = parse_reference(name)
            if reference.name or reference.handle:
                self._add(reference.name or reference.handle or "", index)
            elif reference.relationship:
                base = vocabulary.base_relationship(reference.relationship)
                for word in {reference.relationship, base or reference.relationship}:
                    self._by_relationship.setdefault(word, []).append((reference, index))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: len(entry.keys), reverse=True)

    def _add(self, name: str, index: int) -> None:
        names = [word.key for word in split(clean(name))]
        if len(names) > 1 and names[0] in vocabulary.TITLES:
            del names[0]
        if not names or (len(names) == 1 and CHARACTER_WORD.match(names[0])):
            return
        self._put(names, index, "whole")
        if len(names) > 1 and len(names[0]) > 1:
            self._put(names[:1], index, "given", names[1][0])
        if self._families and len(names) > 1 and len(names[-1]) > 1:
            self._put(names[-1:], index, "family")

    def _put(
        self,
        names: Sequence[str],
        index: int,
        part: Literal["whole", "given", "family"],
        initial: str = "",
    ) -> None:
        keys = tuple(part for name in names for part in name.split("-"))
        self._by_first.setdefault(keys[0], []).append(_Entry(keys, index, part, initial))

    def mentioned(self, text: str) -> list[int]:
        """Return the indices of the names that occur in `text` as whole words, in order, each once.

        The longest name at a position wins; a first name means its person unless another surname
        follows it, a family name unless another first name comes before it. A name that is a common
        word too ("Will"), and a family name, must be capitalised, or be all that is asked. It does
        not matter if names are joined by a hyphen.
        """
        text = clean(text)
        words = split_at_hyphens(text)
        has_genitives = any(word.key.endswith("s") and word.capital for word in words)
        if has_genitives and not _GENITIVE.isdisjoint(detection.spoken(text)):
            words = [self._uninflected(word) for word in words]
        found: dict[int, None] = {}
        at = 0
        while at < len(words):
            best = self._best_at(words, at)
            found.update((entry.number, None) for entry in best)
            at += len(best[0].keys) if best else 1
        if self._by_relationship:
            found.update((index, None) for index in self._related_in(text))
        return list(found)

    def _uninflected(self, word: Word) -> Word:
        """Return "Timo", which owns what follows, for "Timos"."""
        known = self._by_first
        if word.owns or word.key in known or not word.capital or word.key[-1:] != "s":
            return word
        is_name = word.key[:-1] in known
        return word._replace(text=word.text[:-1], key=word.key[:-1], owns=True) if is_name else word

    def _best_at(self, words: list[Word], at: int) -> list[_Entry]:
        best: list[_Entry] = []
        for entry in self._by_first.get(words[at].key, ()):
            width = len(entry.keys)
            if best and width < len(best[0].keys):
                break
            if tuple(word.key for word in words[at : at + width]) != entry.keys:
                continue
            if is_inside(words, at, at + width):
                continue
            if width > 1 or self._counts_alone(words, at, entry):
                best.append(entry)
        return best

    def _counts_alone(self, words: list[Word], at: int, entry: _Entry) -> bool:
        word = words[at]
        if word.key in vocabulary.MONTH_NAMES and not word.owns and is_month_after(words, at):
            return False
        following = words[at + 1] if at + 1 < len(words) else None
        if len(words) == 1 or (following and following.text == entry.initial.upper() != ""):
            return True
        if entry.part == "family" and _has_given_name(words, at):
            return False
        if (
            entry.part == "family"
            or word.key in vocabulary.COMMON_WORD_NAMES
            or (word.text.isascii() and len(word.key) < 3)
        ):
            if not word.text[0].isupper() or (word.text.isupper() and len(word.text) > 2):
                return False
            starts = at == 0 or is_sentence_end(word.gap)
            if starts and not word.owns and not _is_verb_after_name(following):
                return False
        if entry.part == "whole" or following is None or following.gap != " " or word.owns:
            return True
        known = following.key in self._by_first
        return (
            known
            or word.text.isupper()
            or not (following.text[0].isupper() and is_name_word(words, at + 1))
        )

    def _related_in(self, text: str) -> Iterator[int]:
        for named in related_in(text):
            for reference, index in self._by_relationship.get(named.relationship or "", ()):
                if is_same(named.of, reference.of):
                    yield index


def _has_given_name(words: list[Word], at: int) -> bool:
    """Return whether a name that is no title is before the word: "Anna Petersen"."""
    if at == 0 or not continues_name(words, at) or words[at - 1].key in vocabulary.TITLES:
        return False
    return is_name_word(words, at - 1)


def _is_verb_after_name(word: Word | None) -> bool:
    """Return whether a word goes with the name before it: "Mark likes …", "Rose and …"."""
    return word is not None and (
        word.key in {"and", "said", "had"}
        or (word.key.endswith("s") and word.text.islower() and word.key not in {"this", "us"})
    )
