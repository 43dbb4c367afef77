"""What is read of a clause: its subject, its verb, its slots; and the one form of a word.

The speaker is nobody (an empty subject), so that "I live in …", "User lives in …" and a fact
without a subject agree. A slot is a preposition with what follows it, or `OBJECT`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias

from ashd.memory.conflict import lexicon as lex
from ashd.memory.conflict.wording import KEPT_WORDS, MARKS, Word

Content: TypeAlias = frozenset[str]
Phrase: TypeAlias = tuple[Word, ...]

OBJECT: Final = ""
"""The slot of what follows the verb without a preposition."""
LEAD: Final = "lead"
"""The slot of what stands before the subject: "after the move, …"."""
TAIL: Final = "tail"
"""The slot of what follows "because", "which" and the like."""

_VERB_ENDINGS: Final = (
    ("ies", "y", "s"),
    ("es", "", "s"),
    ("es", "e", "s"),
    ("s", "", "s"),
    ("ied", "y", "past"),
    ("ed", "", "past"),
    ("ed", "e", "past"),
    ("ing", "", "ing"),
    ("ing", "e", "ing"),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a clause is about: "my sister Lena's car" is {sister}, {lena}, {car}.

    `head` is the noun that the others describe; `owned` says that an owner was named.
    """

    person: Content = frozenset()
    names: Content = frozenset()
    topic: Content = frozenset()
    head: str = ""
    owned: bool = False

    @property
    def all(self) -> Content:
        """Every word of it but the name that follows a relation."""
        return self.person | self.topic


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause as it was read.

    `past` and `perfect` are tenses, `former` is "once" or "used to", `wish` what one means to
    do, `able` what one can; `cued` says that a word tells of a change, `changed` that a word or
    the verb does; `also` that it stands beside others. `written` is the subject as written.
    """

    subject: Subject
    verb: str
    slots: Mapping[str, Phrase] = field(default_factory=dict)
    participle: str = ""
    negative: bool = False
    past: bool = False
    perfect: bool = False
    passive: bool = False
    former: bool = False
    wish: bool = False
    able: bool = False
    cued: bool = False
    changed: bool = False
    also: bool = False
    written: Phrase = ()

    def phrase(self, slot: str = OBJECT) -> Content:
        """The words that carry meaning in a slot; empty if there is no such slot."""
        return content(self.slots.get(slot, ()))

    @property
    def content(self) -> Content:
        """The words that carry meaning in all slots together."""
        return content(word for phrase in self.slots.values() for word in phrase)


def content(found: Iterable[Word]) -> Content:
    """The words that carry meaning, each in one form."""
    return frozenset(
        word.text if word.raw.isupper() else singular(word.text)
        for word in found
        if word.text not in lex.EMPTY and word.text not in MARKS
    )


@lru_cache(maxsize=KEPT_WORDS)
def singular(word: str) -> str:
    """A noun's one form, and one word for those with several: "bosses" is "manager"."""
    if len(word) > 3:
        if word.endswith("ies"):
            word = word[:-3] + "y"
        elif word.endswith(("ches", "shes", "sses", "xes")):
            word = word[:-2]
        elif word.endswith("s") and not word.endswith(("ss", "us", "is", "as")):
            word = word[:-1]
    return lex.SAME_NOUNS.get(word, word)


@lru_cache(maxsize=KEPT_WORDS)
def verb_form(word: str) -> tuple[str, str] | None:
    """A verb's lemma and form ("base", "s", "past", "ing"), or None if it is no known verb."""
    if word in lex.IRREGULAR:
        if word.endswith("ing"):
            return lex.IRREGULAR[word], "ing"
        third = word.endswith("s") and word != "was"
        return lex.IRREGULAR[word], "s" if third else "past"
    if word in lex.VERBS:
        return word, "base"
    for ending, restored, form in _VERB_ENDINGS:
        if not word.endswith(ending):
            continue
        stem = word.removesuffix(ending) + restored
        if stem in lex.VERBS:
            return stem, form
        doubled = form != "s" and not restored and len(stem) > 3 and stem[-1] == stem[-2]
        if doubled and stem[:-1] in lex.VERBS:
            return stem[:-1], form
    return None


def lemma(word: str) -> str | None:
    """A verb's lemma, or None if it is no known verb."""
    form = verb_form(word)
    return form[0] if form else None
