"""Find known names in questions, with an index that is built once. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ashd.language import relationship_words as vocabulary
from ashd.language.folding import clean
from ashd.language.mentions import mentions, same_person
from ashd.language.name_boundaries import is_name_word
from ashd.language.person_references import Reference, parse_reference
from ashd.language.word_patterns import CHARACTER_WORD
from ashd.language.words import Word, is_sentence_end, split


class _Entry(NamedTuple):
    keys: tuple[str, ...]
    number: int
    is_whole: bool  # the whole name, not only its first word


class NameIndex:
    """Finds known names in questions.

    `names` may be names, aliases, handles and references ("my wife", "Alice's boss"). Immutable.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._by_first: dict[str, list[_Entry]] = {}
        self._by_relationship: dict[str, list[tuple[Reference, int]]] = {}
        wanted: list[str] = []
        for index, name in enumerate(names):
            reference = parse_reference(name)
            if reference.name or reference.handle:
                self._add(reference.name or reference.handle or "", index)
            elif reference.relationship:
                wanted.append(reference.relationship)
                base = vocabulary.base_relationship(reference.relationship)
                for word in {reference.relationship, base or reference.relationship}:
                    self._by_relationship.setdefault(word, []).append((reference, index))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: len(entry.keys), reverse=True)
        self._wanted = tuple(dict.fromkeys(wanted))

    def _add(self, name: str, index: int) -> None:
        keys = [word.key for word in split(clean(name))]
        if len(keys) > 1 and keys[0] in vocabulary.TITLES:
            del keys[0]
        if not keys or (len(keys) == 1 and CHARACTER_WORD.match(keys[0])):
            return
        self._by_first.setdefault(keys[0], []).append(_Entry(tuple(keys), index, is_whole=True))
        if len(keys) > 1 and len(keys[0]) > 1:
            self._by_first[keys[0]].append(_Entry((keys[0],), index, is_whole=False))

    def mentioned(self, text: str) -> list[int]:
        """Return the indices of the names that occur in `text` as whole words, in order, each once.

        The longest name at a position wins; a first name means its person unless another surname
        follows it. A name that is a common word too ("Will") must be capitalised.
        """
        words = split(clean(text))
        found: dict[int, None] = {}
        at = 0
        while at < len(words):
            best = self._best_at(words, at)
            found.update((entry.number, None) for entry in best)
            at += len(best[0].keys) if best else 1
        if self._by_relationship:
            found.update((index, None) for index in self._related_in(words))
        return list(found)

    def _best_at(self, words: list[Word], at: int) -> list[_Entry]:
        best: list[_Entry] = []
        for entry in self._by_first.get(words[at].key, ()):
            width = len(entry.keys)
            if best and width < len(best[0].keys):
                break
            if width > 1:
                here = tuple(word.key for word in words[at : at + width])
                if here == entry.keys:
                    best.append(entry)
            elif self._counts_alone(words, at, is_whole=entry.is_whole):
                best.append(entry)
        return best

    def _counts_alone(self, words: list[Word], at: int, *, is_whole: bool) -> bool:
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else None
        if word.key in vocabulary.COMMON_WORD_NAMES or (word.text.isascii() and len(word.key) < 3):
            if not word.text[0].isupper() or (word.text.isupper() and len(word.text) > 2):
                return False
            starts = at == 0 or is_sentence_end(word.gap)
            if starts and not word.owns and not _is_verb_after_name(following):
                return False
        if is_whole or following is None or following.gap != " " or word.owns:
            return True
        known = following.key in self._by_first
        return (
            known
            or word.text.isupper()
            or not (following.text[0].isupper() and is_name_word(words, at + 1))
        )

    def _related_in(self, words: list[Word]) -> Iterator[int]:
        for mention in mentions(words, self._wanted):
            known = mention.reference
            for reference, index in self._by_relationship.get(known.relationship or "", ()):
                if same_person(known.of, reference.of):
                    yield index


def _is_verb_after_name(word: Word | None) -> bool:
    """Return whether a word goes with the name before it: "Mark likes …", "Rose and …"."""
    return word is not None and (
        word.key in {"and", "said", "had"}
        or (word.key.endswith("s") and word.text.islower() and word.key not in {"this", "us"})
    )
