"""Statements of a text about who is who: "Lena, our orthodontist", "X and Y are the same person".

Pure; the same must hold as in `references`. A clause counts only where the text asserts it:
no question, condition, guess, report or quotation says who anybody is. Where a pronoun could mean
two people, its clause says nothing.
"""

import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ashd.language.assertion import asserted, is_asserted, is_own_sentence
from ashd.language.folding import clean, spelling
from ashd.language.lazy_pattern import pattern_of
from ashd.language.people import clauses, pronouns, vocabulary
from ashd.language.people.clauses import Kind
from ashd.language.people.phrases import Form, Phrase, stated_phrases
from ashd.language.people.references import NOBODY, Reference
from ashd.language.text_caches import cached_by_text
from ashd.language.words import normalise

_MAX_CHARS: Final = 8_000
# The cost is quadratic: each pronoun is compared with all the people before it.
_MAX_PHRASES_OF_SENTENCE: Final = 60
# A text may not bring marks of its own.
_MARKS: Final = pattern_of("[\ue000-\uf8ff]")
_SENTENCE: Final = pattern_of(r"[^.!?;\n]+(?:[.!?;]+(?!\s|$)[^.!?;\n]*)*[.!?;]*")
_ABBREVIATIONS: Final = pattern_of(r"\b(?:a\.k\.a|i\.e|e\.g)\.?", re.IGNORECASE)
_QUOTED: Final = pattern_of(r'"[^"]{0,200}"')
_DENIED: Final = pattern_of(r"(?:n't|\bnot|\bno longer|\bnever) \Z")
_ELIDED: Final = pattern_of(
    r"(?<=[^,]),? (?:and|but) (?=(?:now |also |then )*(?:is|was|has|goes|took|takes|changed|became"
    r"|answers|uses|signs|writes|kept|calls|reverted)\b)"
)
# "Anna, who is from Rome, is my wife"
_ASIDE: Final = pattern_of(
    r" ?\([^()]*\)|, (?:[\uf000-\uf3ff]|n[ée]e|born|known|called) [^,]*,"
    r"|, [\ue800-\uebff][^,]*,(?= [a-z])"
    r"|(?<=^[\ue000-\ue3ff\ue800-\uebff]) (?:in|at|from|of|on)(?: (?:\w+|[\ue000-\uefff])){1,3}?"
    r"(?= (?:is|was|has|goes|prefers|likes|wants|calls|uses|signs|answers|changed|got|took)\b)"
)
# "My coach isn't Bo any more. It's Tariq." "Bo used to be my coach; now it's Tariq." "…; Tariq is."
_SUCCEEDED: Final = pattern_of(
    r"((?:more|nger|used to be [^.;!?]{1,60}|no longer [^.;!?]{1,60}))[.;] "
    r"(?=(?:now |today |these days )?it's |[\ue000-\ue3ff] (?:now )?is(?: now)?(?:[.!]|$))"
)
_PROMISED: Final = {Kind.MARRIED: "spouse", Kind.ENGAGED: "fianc\u00e9"}
_CAPITAL: Final = pattern_of(r"(?!I\b)[A-Z]")
_ADDS: Final = pattern_of(r"\b(?:also|too|as well|now|again)\b")
# "We call my grandmother Nana Betty" is one phrase.
_CALLED: Final = pattern_of(r"(?:call|nickname)s?$")
_MAX_AFTER: Final = len(" as well")


@dataclass(frozen=True, slots=True)
class Statement:
    """Two references and what the text says of them.

    `kind` is SAME, DIFFERENT, ENDED or KNOWN: of one person, of two people, `one` holds the role
    `other` no longer, or `one` is somebody known before.
    """

    kind: Kind
    one: Reference
    other: Reference
    in_passing: bool = False
    """Said beside something else ("my wife Sarah"), not for its own sake."""
    expressly: bool = False
    """Said of two in so many words: "are the same person"."""
    adds: bool = False
    """Said of somebody who is known: "Anna is also my boss", "Ravi took over as coach"."""
    takes_over: bool = False
    """The role was another's: "Ravi took over as coach"."""
    besides: bool = False
    """Another name than the one by which the person is known: "we call my aunt Bee"."""


class Said(NamedTuple):
    """The statements of a text about who is who, and the people it names, both in order."""

    statements: tuple[Statement, ...]
    people: tuple[Reference, ...]


@cached_by_text(256)
def read(text: str) -> Said:
    """Return the statements of a text about who is who, and the people it names."""
    found: list[Statement] = []
    people: list[Reference] = []
    previous: list[Reference] = []
    goes_on = False
    read_chars = clean(asserted(text[:_MAX_CHARS]))[:_MAX_CHARS]  # one may have become eighteen
    lines = [*filter(str.strip, _MARKS.sub(" ", read_chars).splitlines())]
    for at, line in enumerate(lines, 1):
        spelt = _ABBREVIATIONS.sub(lambda hit: hit[0].replace(".", ""), spelling(line))
        phrases = stated_phrases(spelt)[: clauses.MAX_PHRASES]
        is_lower = not _CAPITAL.search(spelt, 1)
        for hit in _SENTENCE.finditer(_SUCCEEDED.sub(r"\1, ", _marked(spelt, phrases))):
            part = hit[0].strip()
            is_open = not part.endswith((".", "!", "?"))
            is_last = at == len(lines) and hit.end() == len(hit.string)
            is_part = goes_on or (is_open and not is_last)
            sentence = _Sentence(part, phrases, previous, is_part=is_part, is_lower=is_lower)
            goes_on = is_open
            if sentence.is_too_long:
                continue
            found += sentence.statements()
            people += sentence.people
            previous = sentence.spoken_of or previous
    return Said(tuple(dict.fromkeys(found)), tuple(dict.fromkeys(people)))


def _marked(text: str, phrases: Sequence[Phrase]) -> str:
    """The text in lower case with a character for each phrase, and one for longer quotations."""
    parts, done = [], 0
    for number, phrase in enumerate(phrases):
        parts += [text[done : phrase.start].lower(), clauses.mark_of(phrase, number)]
        done = phrase.end
    parts.append(text[done:].lower())
    return _QUOTED.sub(_quotation, "".join(parts))


def _quotation(hit: re.Match[str]) -> str:
    inner: str = hit[0].strip('" ')
    if " " in inner:
        return clauses.QUOTATION
    return inner if clauses.number_of(inner) is not None else f'"{inner}"'


class _Sentence:
    """One sentence with its phrases, and the people of the sentence before.

    `is_part`: the lines or marks around it make it a part of a longer sentence. `is_lower`: names
    may be in lower case, since all is.
    """

    def __init__(
        self,
        text: str,
        phrases: Sequence[Phrase],
        previous: list[Reference],
        *,
        is_part: bool,
        is_lower: bool,
    ) -> None:
        self._is_lower = is_lower
        self._phrases = phrases
        self._previous = previous
        self._numbers = [n for mark in text if (n := clauses.number_of(mark)) is not None]
        self._is_part = is_part
        self._is_question = text.endswith("?")
        self._text = self._with_subjects(text)
        self._found: list[Statement] = []
        self._resolved: dict[tuple[int, int], Reference] = {}

    @property
    def is_too_long(self) -> bool:
        """Return whether it names more people than any sentence about identity."""
        return len(self._numbers) > _MAX_PHRASES_OF_SENTENCE

    @property
    def people(self) -> list[Reference]:
        """The people whom the sentence names."""
        forms = {Form.PRONOUN, Form.GROUP}
        return [self._reference(n) for n in self._numbers if self._phrases[n].form not in forms]

    @property
    def spoken_of(self) -> list[Reference]:
        """The people whom a pronoun of the next sentence may mean."""
        return self._spoken_of(self._numbers)

    def _spoken_of(self, numbers: list[int]) -> list[Reference]:
        forms = {Form.PRONOUN, Form.GROUP}
        return [
            self._reference(n)
            for n in numbers
            if self._phrases[n].form not in forms and not self._is_denied(n)
        ]

    def _is_denied(self, number: int) -> bool:
        """Return whether somebody is said not to be this: "Petra isn't my wife"."""
        phrase = self._phrases[number]
        before = self._text.partition(clauses.mark_of(phrase, number))[0]
        return phrase.form is Form.ROLE and _DENIED.search(before) is not None

    def _with_subjects(self, text: str) -> str:
        """The text with its subject before each verb that follows on "and" without one."""
        first = clauses.number_of(text[:1])
        if first is None or text[1:3] == "'s" or self._phrases[first].form is Form.GROUP:
            return text
        return _ELIDED.sub(f", {text[0]} ", text)

    def statements(self) -> list[Statement]:
        """The statements of the sentence, those made in passing first."""
        for number in self._numbers:
            phrase = self._phrases[number]
            if phrase.form is Form.ROLE and phrase.reference.name:
                role = replace(self._reference(number), name=None)
                name = Reference(name=phrase.reference.name)
                mark = clauses.mark_of(phrase, number)
                besides = _CALLED.search(self._text.partition(mark)[0].rstrip()) is not None
                besides = besides and self._text.rstrip(".!").endswith(mark)
                self._found.append(
                    Statement(Kind.SAME, name, role, in_passing=True, besides=besides)
                )
        if _MARKS.search(self._text) is None:  # nobody of whom something could be stated
            return self._found
        self._match(self._text, is_whole=True)
        if (bare := _ASIDE.sub("", self._text)) != self._text:
            self._match(bare, is_whole=False)
        return self._found

    def _match(self, text: str, *, is_whole: bool) -> None:
        hits = [
            (hit.start(), hit, pattern)
            for pattern in clauses.PATTERNS
            if pattern.is_apposition or not self._is_question
            for hit in pattern.expression.finditer(text)
            if pattern.is_apposition or self._is_asserted(pattern, hit, is_whole=is_whole)
        ]
        # In order, so that a pronoun finds what is said before it.
        for _, hit, pattern in sorted(hits, key=operator.itemgetter(0)):
            adds = _ADDS.search(text, hit.start(), hit.end() + _MAX_AFTER) is not None
            self._found += [
                replace(one, adds=adds or one.adds)
                for one in self._stated(pattern, hit.groupdict())
            ]

    def _is_asserted(self, pattern: clauses.Pattern, hit: re.Match[str], *, is_whole: bool) -> bool:
        before, after = hit.string[: hit.start()], hit.string[hit.end() :]
        if pattern.is_sentence:
            return is_whole and not self._is_part and is_own_sentence(before, after)
        return is_asserted(before, after)

    def _stated(
        self, pattern: clauses.Pattern, parts: dict[str, str | None]
    ) -> Iterator[Statement]:
        kind, passing = pattern.kind, pattern.is_apposition
        if kind is Kind.MEMBERS:
            group = self._reference(_number(parts["b"]))
            for mark in parts["a"] or "":
                if (number := clauses.number_of(mark)) is not None:
                    yield Statement(Kind.SAME, self._reference(number), group, in_passing=True)
            return
        one, other = self._part(parts.get("a")), self._part(parts["b"])
        if kind is Kind.SAME and other.name and other.name == parts["b"]:
            # "my wife's name is sarah", but not "She is named executor"
            other = Reference(name=other.name.title()) if self._is_lower else NOBODY
        if kind is Kind.HELD:
            owner = self._part(parts.get("c")) if parts.get("c") else None
            if not one.is_empty and not (owner and owner.is_empty):
                yield Statement(Kind.SAME, one, replace(other, of=owner))
        elif kind in _PROMISED and "a" not in parts:
            word = Reference(relationship=_PROMISED[kind])
            yield Statement(Kind.SAME, other, word, adds=True)
        elif kind is Kind.PARTED:
            for partner in sorted(vocabulary.PARTNERS):
                yield Statement(Kind.ENDED, other, Reference(relationship=partner))
        elif kind is Kind.SUCCESSION:
            yield from _of_succession(one, self._part(parts.get("c")), other)
        elif not (one.is_empty or other.is_empty):
            yield from _of_pair(kind, one, other, passing=passing)

    def _part(self, text: str | None) -> Reference:
        """The reference of a mark, or of a word in the place of a name."""
        if not text:
            return NOBODY
        number = clauses.number_of(text)
        if number is not None:
            return self._reference(number)
        return NOBODY if text in vocabulary.NO_LOWER_NAMES else Reference(name=text)

    def _reference(self, number: int) -> Reference:
        """The reference of a phrase, with its pronoun resolved."""
        phrase = self._phrases[number]
        if not phrase.pronoun:
            return phrase.reference
        # Each statement found may tell more of whom a pronoun means.
        key = (number, len(self._found))
        if key not in self._resolved:
            meant = self._antecedent(number)
            is_bare = phrase.form is Form.PRONOUN
            self._resolved[key] = meant if is_bare else _with_owner(phrase.reference, meant)
        return self._resolved[key]

    def _antecedent(self, number: int) -> Reference:
        """The one person whom a pronoun may mean, or nobody."""
        pronoun = self._phrases[number].pronoun
        before = [n for n in self._numbers if n < number]
        if pronoun in {"who", "whom", "whose"}:
            return self._reference(before[-1]) if before else NOBODY
        named = self._spoken_of(before)
        fitting = [one for one in named or self._previous if pronouns.may_mean(pronoun, one)]
        surely = [one for one in fitting if pronouns.surely_means(pronoun, one)]
        chosen = self._distinct(surely) or self._distinct(fitting)
        return chosen[0] if len(chosen) == 1 else NOBODY

    def _distinct(self, people: list[Reference]) -> list[Reference]:
        """The people, each once as far as the sentence says who is the same."""
        kept: list[Reference] = []
        for one in people:
            same = {
                said.other if said.one == one else said.one
                for said in self._found
                if said.kind is Kind.SAME and one in {said.one, said.other}
            }
            if one not in kept and same.isdisjoint(kept):
                kept.append(one)
        return kept


def _number(mark: str | None) -> int:
    number = clauses.number_of(mark or "")
    assert number is not None
    return number


def _with_owner(reference: Reference, owner: Reference) -> Reference:
    """The reference with its innermost unknown owner replaced."""
    if reference.of is None:
        return reference
    if reference.of.is_empty:
        return replace(reference, of=owner)
    return replace(reference, of=_with_owner(reference.of, owner))


def _of_pair(kind: Kind, one: Reference, other: Reference, *, passing: bool) -> Iterator[Statement]:
    """Yield what a clause of this kind says of its two phrases."""
    if kind is Kind.SURNAME or kind is Kind.GIVEN:
        whole = _with_surname(one, other) if kind is Kind.SURNAME else _with_given(one, other)
        if whole:
            yield Statement(Kind.SAME, one, whole, in_passing=passing, besides=True)
    elif kind is Kind.ALIKE:
        if one.name is None or _shares_word(one.name, other.name or ""):
            yield Statement(Kind.SAME, one, other)
    elif kind is Kind.ALSO:
        yield Statement(Kind.SAME, one, other, in_passing=passing, besides=True)
    elif kind is Kind.MARRIED:
        yield Statement(Kind.SAME, one, Reference(relationship="spouse", of=other), adds=True)
        yield Statement(Kind.SAME, other, Reference(relationship="spouse", of=one), adds=True)
    elif kind is Kind.ONE:
        yield Statement(Kind.SAME, one, other, expressly=True)
    elif kind is Kind.DENIED:
        # "Anna is not my boss" may say that she is no longer.
        if one.name and other.name:
            yield Statement(Kind.DIFFERENT, one, other)
    elif kind is Kind.WAS:
        if one.relationship and one.name is None:
            yield from _of_pair(Kind.FORMER, other, one, passing=passing)
        else:
            yield from _of_pair(Kind.ALIKE, one, other, passing=passing)
    elif kind is Kind.SPLIT:
        first, _, last = (one.name or "").rpartition(" ")
        if first:
            yield Statement(Kind.SAME, Reference(name=first), Reference(name=last), besides=True)
    elif kind is Kind.FORMER:
        word = other.relationship or ""
        yield Statement(Kind.SAME, one, replace(other, relationship=vocabulary.former(word)))
    else:
        yield Statement(kind, one, other, in_passing=passing)


def _of_succession(new: Reference, old: Reference, role: Reference) -> Iterator[Statement]:
    """`new` holds the role of `old`, which may be said with the name of `old` alone."""
    if role.is_empty and old.relationship:
        role = replace(old, name=None)
    if role.is_empty or new.is_empty:
        return
    if new.relationship is None:
        yield Statement(Kind.SAME, new, role, adds=True, takes_over=True)
    if not old.is_empty and (old.name or old.handle):
        yield Statement(Kind.ENDED, old, role)


def _with_surname(one: Reference, other: Reference) -> Reference | None:
    """The name of `one` with another surname."""
    if other.name is None or " " in other.name:
        return other
    if one.name is None:
        return None
    words = one.name.split(" ")
    return Reference(name=" ".join([*(words[:-1] or words), other.name]))


def _with_given(one: Reference, other: Reference) -> Reference | None:
    """The name of `one` with a first name before its surname."""
    words = (one.name or "").split(" ")
    if other.name is None or not words[0]:
        return other
    if words[0].lower().rstrip(".") in vocabulary.TITLES and len(words) > 1:
        words = words[1:]
    return Reference(name=f"{other.name} {words[-1]}") if len(words) == 1 else other


def _shares_word(name: str, other: str) -> bool:
    mine, theirs = set(normalise(name).split(" ")), set(normalise(other).split(" "))
    return bool(mine & theirs) and mine != theirs
