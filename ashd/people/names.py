"""Names and references to people: pure functions of text, no store, no model.

Owns how a reference ("my wife Sarah", "@bob", "Alice's boss") is read, when two names are the
same, and how a name or a relationship is found inside a sentence. What must hold: every function
is total (any string, any script, never an error), reads whole words only, and where the text
leaves a doubt it answers "none" rather than a guess. Whose people are searched with the answer
is `resolve`'s business.
"""

import enum
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from ashd.people import relationship_words as vocabulary
from ashd.people.relationship_words import relationship_at

# --- Words -------------------------------------------------------------------------------------

_TYPOGRAPHY: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201b\u02bc\uff07\u00b4`", "'"),
        **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
        # Invisible: soft hyphen, zero width space, direction marks. Joiners stay: scripts use them.
        **dict.fromkeys((0xAD, 0x200B, 0x200E, 0x200F, 0xFEFF)),
        **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2060, 0x206A))),
    }
)
_LATIN_MARKS: Final = re.compile(r"([a-z])[\u0300-\u036f]+")
# Scripts written without spaces, or with particles glued to the name: a character is a word.
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Word characters are named by what they are not: `\w` would break off the vowel signs of Hindi.
_BREAKS: Final = (
    r"\s\x00-\x2c./:-@\[-^`{-~\x80-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u060c\u061b\u061f\u06d4"
    r"\u0964\u0965\u2000-\u200b\u200e-\u2bff\u2e00-\u303f\ufe00-\ufe6f\uff00-\uff0f"
    r"\U0001f000-\U0001faff"
)
_WORD: Final = re.compile(
    rf"[{_UNSPACED}]|(?:[^{_BREAKS}{_UNSPACED}'-]+(?:['-](?=[^{_BREAKS}{_UNSPACED}'-]))?)+"
)
_CHARACTER_WORD: Final = re.compile(rf"[{_UNSPACED}]")


class _Word(NamedTuple):
    text: str  # as written, without a possessive ending
    key: str  # folded
    start: int
    end: int
    gap: str  # what stands between the word before and this one
    owns: bool  # it ended in 's, or in the apostrophe after an s

    @property
    def capital(self) -> bool:
        """Whether it may begin a name by its letters: a capital, or a script without case."""
        first = self.text[0]
        return first.isupper() or (first.isalpha() and first.lower() == first.upper())


def _clean(text: str) -> str:
    return unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHY)).translate(_TYPOGRAPHY)


def _fold(text: str) -> str:
    """For comparison: case, width, typography and the accents of Latin letters do not count."""
    if text.isascii():
        return text.lower().replace("`", "'")
    text = unicodedata.normalize("NFD", _clean(text).casefold())
    return _clean(_LATIN_MARKS.sub(r"\1", text))


def _split(text: str) -> list[_Word]:
    """The words of a cleaned `text`."""
    words: list[_Word] = []
    done = 0
    for found in _WORD.finditer(text):
        word, start, end = found[0], found.start(), found.end()
        owns = len(word) > 2 and word[-2:] in {"'s", "'S"}
        if owns:
            word = word[:-2]
        elif word[-1] in "sS" and text[end : end + 1] == "'":
            owns, end = True, end + 1
        words.append(_Word(word, _fold(word), start, end, text[done:start], owns))
        done = end
    return words


def _is_sentence_end(gap: str) -> bool:
    return any(mark in gap for mark in ".!?\n;:\u3002")


_LEADING: Final = re.compile(r"^(?:(?:my|our|the|user's) )+(?=.)")
_POSSESSIVE: Final = re.compile(r"(?:(?<!^)'s)+$")
_INNER_DOT: Final = re.compile(r"\.(?=\s)")


def _is_edge(character: str) -> bool:
    return character != "_" and (
        character.isspace() or unicodedata.category(character).startswith("P")
    )


def _bare(key: str) -> str:
    start, end = 0, len(key)
    while start < end and _is_edge(key[start]):
        start += 1
    possessive = key.endswith("s'")
    while end > start and _is_edge(key[end - 1]):
        end -= 1
    key = _INNER_DOT.sub("", key[start:end])
    return _LEADING.sub("", key if possessive else _POSSESSIVE.sub("", key))


def normalise(reference: str) -> str:
    """The key by which names and references compare: equal keys, same word.

    Case, Latin accents, typography, a leading "my", "our", "the" or "@", a closing possessive and
    punctuation around it do not count. Other scripts stay as they are. Only a text that is
    nothing else keeps such a word ("my" → "my").
    """
    key = " ".join(_fold(reference).split())
    while (bare := " ".join(_bare(key).split())) and bare != key:
        key = bare
    return key


# --- References --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reference:
    """What a reference says of whom it means; all fields unset: it names nobody ("she")."""

    name: str | None = None
    """As to be shown ("Sarah Jane", "Dr. Müller")."""
    relationship: str | None = None
    """Canonical word ("wife"), set apart where the reference does ("older sister")."""
    handle: str | None = None
    """Without its "@"."""
    of: "Reference | None" = None
    """Whose relationship it is; None is the speaker's own, an empty one a person not named."""
    is_self: bool = False
    """The speaker ("me", "the user")."""

    @property
    def is_empty(self) -> bool:
        """Whether it names nobody."""
        return not (self.name or self.relationship or self.handle or self.is_self)


_NOBODY: Final = Reference()
_HANDLE: Final = re.compile(r"(?<![\w.])@([\w.-]*\w)")
_APPOSITION: Final = re.compile(r"(.+?)\s*(?:\((.+)\)|(?:,|\s-)\s+(.+))")
_OUTER: Final = " \"'*.,;:!?\u00ab\u00bb\u201c\u201d\u201e\u2039\u203a"
_MAX_REFERENCE_CHARS: Final = 200
_MAX_OWNERS: Final = 4


def parse_reference(reference: str) -> Reference:
    """Read what a caller wrote for a person; see `Reference`. Never fails."""
    text = " ".join(_clean(reference)[:_MAX_REFERENCE_CHARS].split())
    return _parse(text, _MAX_OWNERS)


def _parse(text: str, owners: int) -> Reference:
    text = text.strip(_OUTER)
    words = _split(text)
    if not words:
        return _NOBODY
    if normalise(text) in vocabulary.SELF_WORDS:
        return Reference(is_self=True)
    if len(words) == 1 and words[0].key in vocabulary.PRONOUNS:
        return _NOBODY
    handle = _HANDLE.search(text)
    if handle:
        rest = _parse(
            text[: handle.start()].rstrip(" (") + text[handle.end() :].lstrip(")"), owners
        )
        return replace(rest, handle=handle[1])
    if joined := _parse_apposition(text, owners):
        return joined
    if owners and (related := _parse_owned(text, words, owners)):
        return related
    return _parse_plain(text, words, owners)


def _parse_apposition(text: str, owners: int) -> Reference | None:
    """Read "Sarah (my wife)", "my wife, Sarah", "Bob, Alice's boss"."""
    halves = _APPOSITION.fullmatch(text)
    if not halves or not owners:
        return None
    one, other = _parse(halves[1], owners - 1), _parse(halves[2] or halves[3], owners - 1)
    named, related = (one, other) if one.name else (other, one)
    if named.relationship or not named.name or related.name or not related.relationship:
        return None
    return replace(related, name=named.name)


def _parse_owned(text: str, words: list[_Word], owners: int) -> Reference | None:
    """Read "Alice's boss", "the boss of Alice"; of "Sarah's birthday" it is Sarah."""
    keys = [word.key for word in words]
    start = 1 if keys[0] in {"the", "a", "an"} else 0
    found = relationship_at(keys, start) if start < len(keys) else None
    if found and keys[start + found[1] : start + found[1] + 1] == ["of"]:
        at = start + found[1] + 1
        if at < len(words) and keys[at] not in {"mine", "ours"}:
            owner = _parse(text[words[at].start :], owners - 1)
            return Reference(relationship=found[0], of=None if owner.is_self else owner)
        return Reference(relationship=found[0])
    for i in range(len(words) - 2, -1, -1):
        if not words[i].owns or words[i].key in vocabulary.PRONOUNS:
            continue
        owner_text = text[: words[i].start] + words[i].text
        thing = _parse_plain(text, words[i + 1 :], 0)
        if thing.relationship:
            owner = _parse(owner_text, owners - 1)
            return replace(thing, of=None if owner.is_self else owner)
        if not any(word.capital for word in words[i + 1 :]):
            return _parse(owner_text, owners - 1)
    return None


def _parse_plain(text: str, words: list[_Word], owners: int) -> Reference:
    """Read "my older sister Anna", "the boss", "Sarah my wife", "Dr. Müller"."""
    keys = [word.key for word in words]
    whose: Reference | None = None
    start = 0
    if keys[0] in vocabulary.OTHERS_WORDS and len(words) > 1:
        whose, start = _NOBODY, 1
    while keys[start] in vocabulary.ARTICLES and start + 1 < len(words):
        start += 1
    if (
        keys[0] in vocabulary.FOREIGN_ARTICLES
        and len(words) > 2
        and keys[1] in vocabulary.SPEAKER_WORDS
    ):
        start = 1
    found = relationship_at(keys, start) or vocabulary.foreign_relationship_at(keys, start)
    bare = start == 0 and found is not None and found[1] == 1
    if found and bare and keys[0] in vocabulary.TITLE_LIKE and _is_titled(words):
        found = None
    if not found and start and (opened := _open_relationship(words, start)):
        found = opened
    if found:
        relationship, after = found[0], start + found[1]
        if keys[after : after + 1] == ["from"] and not any(w.capital for w in words[after:]):
            return Reference(relationship=" ".join([relationship, *keys[after:]]), of=whose)
        owned = words[after - 1].owns
        return Reference(
            name=None if owned else _display(text, words[after:]),
            relationship=relationship,
            of=whose,
        )
    if whose is not None:
        return _NOBODY
    for i in range(start + 1, len(words) - 1):
        if owners and keys[i] in vocabulary.SPEAKER_WORDS:
            related = _parse_plain(text, words[i:], 0)
            if related.relationship and not related.name:
                return replace(related, name=_display(text, words[start:i]))
    return Reference(name=_display(text, words[start:], whole=True))


def _is_titled(words: list[_Word]) -> bool:
    return len(words) > 1 and words[0].capital and words[1].capital


def _open_relationship(words: list[_Word], start: int) -> tuple[str, int] | None:
    """Read lower case words that the table does not have: "math teacher", "sommelier" Joe."""
    keys = [word.key for word in words]
    for i in range(start, len(words)):
        if words[i].capital:
            named = start < i <= start + 2
            return (" ".join(keys[start:i]), i - start) if named else None
        if start < i <= start + 2 and (found := relationship_at(keys, i)):
            return " ".join([*keys[start:i], found[0]]), i - start + found[1]
    return None


def _display(text: str, words: list[_Word], *, whole: bool = False) -> str | None:
    """The name as written; all lower case is taken for haste and gets its capitals."""
    end = len(words) if whole else 0
    while end < len(words) and (words[end].key not in vocabulary.AFTER_NAME or words[end].capital):
        end += 1
    if not end:
        return None
    name = text[words[0].start : words[end - 1].end]
    if words[end - 1].owns:
        name = text[words[0].start : words[end - 1].start] + words[end - 1].text
    if name.islower() and all(word.text.isalpha() for word in words[:end]):
        return " ".join(
            part if i and part in vocabulary.NAME_PARTICLES else part[0].upper() + part[1:]
            for i, part in enumerate(name.split())
        )
    return name


def display_name(reference: Reference) -> str:
    """What to call a person of whom no more is known: the name, else the relationship word."""
    if reference.name:
        return reference.name
    if reference.relationship:
        if reference.of is None:
            return reference.relationship
        if reference.of.is_empty:
            return f"someone's {reference.relationship}"
        return f"{display_name(reference.of)}'s {reference.relationship}"
    if reference.handle:
        return f"@{reference.handle}"
    return "user" if reference.is_self else "someone"


# --- Equal names -------------------------------------------------------------------------------


class MatchKind(enum.IntEnum):
    """How a name in a reference fits a known one; the least is the best."""

    EXACT = 1
    SHORTER = 2
    """The reference has the first name(s) of the known one: "Sarah" for "Sarah Jane"."""
    LONGER = 3
    """The known one has the first name(s) of the reference: "Sarah Jane" for "Sarah"."""


def matches(name: str, candidate: str) -> MatchKind | None:
    """Whether `name` may mean the person called `candidate`; None where it may not.

    Words are whole (Alex is not Alexandra, Anne is not Anne-Marie), one letter is no first name.
    A title counts only against another title (Mr. Miller is not Mrs. Miller).
    """
    title, words = _untitled(name)
    other_title, other_words = _untitled(candidate)
    if not words or not other_words or (title and other_title and title != other_title):
        return None
    if _key_words(words) == _key_words(other_words):
        return MatchKind.EXACT
    short, long = sorted((words, other_words), key=len)
    titled_surname = len(short) == 1 and (title if short is words else other_title)
    if titled_surname or short != long[: len(short)] or (len(short) == 1 and len(short[0]) == 1):
        return None
    return MatchKind.SHORTER if short is words else MatchKind.LONGER


def _untitled(name: str) -> tuple[str, list[str]]:
    words = normalise(name).split(" ")
    if len(words) > 1 and words[0] in vocabulary.TITLES:
        return words[0], words[1:]
    return "", [word for word in words if word]


def _key_words(words: list[str]) -> list[str]:
    return " ".join(words).replace("-", " ").split()


# --- Relationships in a sentence ---------------------------------------------------------------


class _Mention(NamedTuple):
    reference: Reference
    begin: int  # first word, the possessive included
    after: int  # the word after it, and after the "of" that belongs to it


def _mentions(words: list[_Word], wanted: Sequence[str] = ()) -> list[_Mention]:
    """The relationship words of a text and whose they are, left to right.

    `wanted`: relationships from outside the table to look for ("math teacher").
    """
    keys = [word.key for word in words]
    extra = [tuple(relationship.split(" ")) for relationship in wanted]
    found: list[_Mention] = []
    at = 0
    while at < len(words):
        hit = next(
            ((" ".join(e), len(e)) for e in extra if tuple(keys[at : at + len(e)]) == e), None
        )
        hit = hit or relationship_at(keys, at) or vocabulary.foreign_relationship_at(keys, at)
        if hit is None or any(words[i].owns for i in range(at, at + hit[1] - 1)):
            at += 1
            continue
        relationship, after = hit[0], at + hit[1]
        begin, owner = _owner(words, at, relationship, found)
        at, speaks = after, keys[at] in vocabulary.SPEAKER_WORDS
        if of_somebody := _owner_after(words, after):
            owner, after = of_somebody
        if speaks or (owner and owner.is_self):
            owner = None
        found.append(_Mention(Reference(relationship=relationship, of=owner), begin, after))
    return found


def _owner(
    words: list[_Word], at: int, relationship: str, before: list[_Mention]
) -> tuple[int, Reference | None]:
    """Whose the relationship word at `at` is, by what stands before it."""
    if at == 0 or _is_sentence_end(words[at].gap):
        return at, None
    word = words[at - 1]
    if word.key in vocabulary.DETERMINERS:
        return at - 1, None
    if word.owns and word.key not in vocabulary.PRONOUNS:
        if before and before[-1].after == at:
            return before[-1].begin, before[-1].reference
        if word.key == "user":
            return at - (2 if at > 1 and words[at - 2].key == "the" else 1), None
        begin = at - 1
        while (
            begin
            and at - begin < 4
            and _continues_name(words[begin])
            and (_is_name_word(words, begin - 1))
        ):
            begin -= 1
        return begin, Reference(name=_joined(words[begin:at]))
    if word.key == "and" and before:
        return at, before[-1].reference.of
    if word.key in vocabulary.INDEFINITE:
        return at - 1, _NOBODY
    if relationship in vocabulary.CALLED_BARE:
        return at, None  # "I asked Mom"
    return at, _NOBODY


def _owner_after(words: list[_Word], after: int) -> tuple[Reference, int] | None:
    """Whose it is by "of" ("the boss of Alice", "a friend of mine"), and the word after that."""
    if after + 1 >= len(words) or words[after].key != "of" or words[after - 1].owns:
        return None
    word = words[after + 1]
    if word.key in {"mine", "ours"}:
        return Reference(is_self=True), after + 2
    if name := _name_at(words, after + 1):
        return Reference(name=name[0]), name[1]
    if word.key in vocabulary.SPEAKER_WORDS and after + 2 < len(words):
        found = relationship_at([w.key for w in words[after + 2 : after + 10]], 0)
        return (Reference(relationship=found[0]), after + 2 + found[1]) if found else None
    return None


def relationships_in(text: str) -> list[Reference]:
    """The people that `text` names by relationship, with whose they are, in order."""
    return [mention.reference for mention in _mentions(_split(_clean(text)))]


# --- Names in a sentence -----------------------------------------------------------------------

_MAX_NAME_WORDS: Final = 4
_JOINS: Final = frozenset((" ", ". ", ""))


def _joined(words: Sequence[_Word]) -> str:
    return "".join((word.gap if i else "") + word.text for i, word in enumerate(words))


def _continues_name(word: _Word) -> bool:
    return word.gap in _JOINS


def _is_name_word(words: list[_Word], at: int) -> bool:
    word = words[at]
    if not word.capital or word.key in vocabulary.NOT_NAMES or any(c.isdigit() for c in word.text):
        return False
    if len(word.text) > 2 and word.text.isupper() and word.text.lower() != word.text.upper():
        return False  # an acronym
    if word.key in vocabulary.MONTH_NAMES and at + 1 < len(words):
        return not words[at + 1].text[0].isdigit()
    return True


def _name_at(words: list[_Word], at: int) -> tuple[str, int] | None:
    """The name that begins at `at`, and the word after it."""
    end = at
    while end < len(words):
        if end > at and (not _continues_name(words[end]) or words[end - 1].owns):
            break
        if end > at and words[end].gap == ". " and not _takes_dot(words[end - 1]):
            break
        glued = bool(_CHARACTER_WORD.match(words[end].text))
        if end - at >= _MAX_NAME_WORDS * (2 if glued else 1):
            break
        if _is_name_word(words, end):
            end += 1
        elif (
            end > at
            and words[end].key in vocabulary.NAME_PARTICLES
            and any(_is_name_word(words, i) for i in range(end + 1, min(end + 2, len(words))))
        ):
            end += 2
        else:
            break
    if end == at or (end - at == 1 and words[at].key in vocabulary.TITLES):
        return None
    return _joined(words[at:end]), end


def _takes_dot(word: _Word) -> bool:
    return word.key in vocabulary.TITLES or len(word.text) == 1


def _name_before(words: list[_Word], end: int) -> tuple[str, int] | None:
    """The name that ends before the word `end`, and where it begins."""
    begin = end
    while (
        begin
        and end - begin < _MAX_NAME_WORDS
        and _is_name_word(words, begin - 1)
        and (begin == end or _continues_name(words[begin]))
    ):
        begin -= 1
    if begin == end:
        return None
    before = words[begin - 1].key if begin else ""
    if before in vocabulary.PLACE_PREPOSITIONS or before in {"hi", "hello", "hey", "dear"}:
        return None
    return _joined(words[begin:end]), begin


def _is_closed(words: list[_Word], at: int) -> bool:
    """Whether the phrase before the word `at` ends there."""
    return at >= len(words) or (
        words[at].gap.strip(" '\"") != "" or words[at].key in vocabulary.CLOSING_WORDS
    )


def name_from_hint(reference: Reference, hint: str) -> str | None:
    """The name that `hint` tells for the person of `reference`, or None.

    "My wife Sarah Jane loves …", "my wife's name is Sarah", "Sarah, my wife, …" tell the name of
    "my wife"; "Bob's wife Sarah" and "my wife is German" do not.
    """
    return reference.name or _name_in(reference, hint, stated_only=False)


def stated_name(reference: Reference, text: str) -> str | None:
    """As `name_from_hint`, by a sentence made to say it ("my wife is called Sarah").

    In passing ("my friend Bob") may mean another friend than the one who has no name yet.
    """
    return _name_in(reference, text, stated_only=True)


def _name_in(reference: Reference, text: str, *, stated_only: bool) -> str | None:
    relationship = reference.relationship
    if relationship is None or relationship in vocabulary.GROUPS:
        return None
    words = _split(_clean(text))
    cased = [word.text for word in words if word.text[0].lower() != word.text[0].upper()]
    # In a Title Or ALL CAPS the capitals say nothing.
    headline = len(cased) > 3 and sum(word[0].isupper() for word in cased) > 0.8 * len(cased)
    lower = not any(word[0].isupper() and word != "I" for word in cased[1:])
    for mention in _mentions(words, (relationship,)):
        told = mention.reference
        fits = relationship in {
            told.relationship,
            vocabulary.base_relationship(told.relationship or ""),
        }
        if not fits or not _same_person(told.of, reference.of):
            continue
        name = _stated(words, mention, lower=lower)
        if name is None and not stated_only and not headline:
            name = _in_passing(words, mention)
        if name:
            return name
    return None


def _same_person(one: Reference | None, other: Reference | None) -> bool:
    if one is None or other is None:
        return one is other
    if one.is_empty or one.relationship != other.relationship:
        return False
    if one.relationship:
        return _same_person(one.of, other.of)
    return normalise(one.name or "") == normalise(other.name or "")


def _stated(words: list[_Word], mention: _Mention, *, lower: bool) -> str | None:
    """Read "…'s name is X", "… is called X", "… is X", "X is …"."""
    at = mention.after
    owned = words[at - 1].owns
    if owned:
        while _key(words, at) in vocabulary.NAME_KINDS:
            at += 1
        if _key(words, at) == "name":
            colon = at + 1 < len(words) and ":" in words[at + 1].gap
            is_copula = colon or words[at].owns
            after = at + 1 if is_copula else _after(words, at + 1, vocabulary.COPULAS)
            after = after and (_after(words, after, vocabulary.CALLED) or after)
            return _told(words, after, lower=lower) if after else None
    if after := _named_after(words, at, is_copula=owned):
        return _told(words, after, lower=lower)
    if owned:
        return None
    if after := _after(words, at, vocabulary.COPULAS):
        name = _name_at(words, after)
        return name[0] if name and _is_closed(words, name[1]) else None
    before = mention.begin
    if before and _key(words, before - 1) in vocabulary.COPULAS and words[before].gap == " ":
        before -= 1
    elif not (before and words[before - 1].owns):
        return None
    found = _name_before(words, before)
    return found[0] if found else None


def _key(words: list[_Word], at: int) -> str:
    return words[at].key if at < len(words) else ""


def _after(words: list[_Word], at: int, expected: frozenset[str]) -> int | None:
    """The place after an expected word and fillers."""
    if _key(words, at) not in expected:
        return None
    at += 1
    while _key(words, at) in vocabulary.FILLERS:
        at += 1
    return at


def _named_after(words: list[_Word], at: int, *, is_copula: bool) -> int | None:
    """The place after "(is) called", "goes by", "s'appelle"."""
    if not is_copula:
        at = _after(words, at, vocabulary.BEFORE_CALLED) or at
    if _key(words, at) == "goes" and _key(words, at + 1) == "by":
        return at + 2
    return _after(words, at, vocabulary.CALLED)


def _told(words: list[_Word], at: int, *, lower: bool) -> str | None:
    """The name where one must stand; in an all lower case text it may be lower case."""
    if found := _name_at(words, at):
        return found[0]
    if not lower or at >= len(words) or not _is_closed(words, at + 1):
        return None
    word = words[at]
    if word.key in vocabulary.NO_LOWER_NAMES or not word.text.isalpha():
        return None
    return word.text.capitalize()


def _in_passing(words: list[_Word], mention: _Mention) -> str | None:
    """Read "my wife Sarah …", "my wife, Sarah, …", "Sarah, my wife, …", "Sarah (my wife)"."""
    at, begin = mention.after, mention.begin
    if at < len(words) and not words[at - 1].owns:
        found = _name_at(words, at)
        gap = words[at].gap
        if found and gap in {" ", ""}:
            return found[0]
        if found and gap in {", ", " (", " - ", ": "} and _ends_apposition(words, found[1]):
            return found[0]
    if begin and words[begin].gap in {", ", " (", " - "} and not words[at - 1].owns:
        before = _name_before(words, begin)
        if before and _ends_apposition(words, at) and not _in_list(words, before[1]):
            return before[0]
    return None


def _ends_apposition(words: list[_Word], at: int) -> bool:
    """Whether a mark closes it; ", and" is a list's."""
    if at >= len(words):
        return True
    return words[at].gap.strip() != "" and words[at].key not in {"and", "or"}


def _in_list(words: list[_Word], begin: int) -> bool:
    return begin > 0 and "," in words[begin].gap


# --- Known names in a question -----------------------------------------------------------------


class _Entry(NamedTuple):
    keys: tuple[str, ...]
    number: int
    is_whole: bool  # the whole name, not its first word


class NameIndex:
    """Finds known names in questions; built once for many questions.

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
        keys = [word.key for word in _split(_clean(name))]
        if len(keys) > 1 and keys[0] in vocabulary.TITLES:
            del keys[0]
        if not keys or (len(keys) == 1 and _CHARACTER_WORD.match(keys[0])):
            return
        self._by_first.setdefault(keys[0], []).append(_Entry(tuple(keys), index, is_whole=True))
        if len(keys) > 1 and len(keys[0]) > 1:
            self._by_first[keys[0]].append(_Entry((keys[0],), index, is_whole=False))

    def mentioned(self, text: str) -> list[int]:
        """The indices of the names that occur in `text` as whole words, in order, each once.

        At a place the longest name wins; a first name stands for its person unless another
        surname follows it. A name that is a common word too ("Will") must be capitalised.
        """
        words = _split(_clean(text))
        found: dict[int, None] = {}
        at = 0
        while at < len(words):
            best = self._best_at(words, at)
            found.update((entry.number, None) for entry in best)
            at += len(best[0].keys) if best else 1
        if self._by_relationship:
            found.update((index, None) for index in self._related_in(words))
        return list(found)

    def _best_at(self, words: list[_Word], at: int) -> list[_Entry]:
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

    def _counts_alone(self, words: list[_Word], at: int, *, is_whole: bool) -> bool:
        word = words[at]
        following = words[at + 1] if at + 1 < len(words) else None
        if word.key in vocabulary.COMMON_WORD_NAMES or (word.text.isascii() and len(word.key) < 3):
            if not word.text[0].isupper() or (word.text.isupper() and len(word.text) > 2):
                return False
            starts = at == 0 or _is_sentence_end(word.gap)
            if starts and not word.owns and not _is_verb_after_name(following):
                return False
        if is_whole or following is None or following.gap != " " or word.owns:
            return True
        known = following.key in self._by_first
        return (
            known
            or word.text.isupper()
            or not (following.text[0].isupper() and _is_name_word(words, at + 1))
        )

    def _related_in(self, words: list[_Word]) -> Iterator[int]:
        for mention in _mentions(words, self._wanted):
            told = mention.reference
            for reference, index in self._by_relationship.get(told.relationship or "", ()):
                if _same_person(told.of, reference.of):
                    yield index


def _is_verb_after_name(word: _Word | None) -> bool:
    """Whether a word speaks of the one before it: "Mark likes …", "Rose and …"."""
    return word is not None and (
        word.key in {"and", "said", "had"}
        or (word.key.endswith("s") and word.text.islower() and word.key not in {"this", "us"})
    )


# --- Who speaks of whom ------------------------------------------------------------------------


def first_person(text: str) -> bool:
    """Whether a statement is about its speaker: "I love jazz", "wife gave me a watch".

    By the first clause's subject, for where no account says it. "My wife loves jazz", "I think
    Bob is ill" and "Bob told me that …" are about others; what has no subject counts as that too.
    """
    words = _split(_clean(text))
    begins = {mention.begin: mention for mention in _mentions(words)}
    at = 0
    while at < len(words):
        word = words[at]
        mention = begins.get(at)
        if mention:
            return _concerns_speaker(words, mention.after)
        if word.key in vocabulary.FIRST_PERSON or (word.key == "user" and not word.owns):
            opinion = _opinion_end(words, at, begins)
            if opinion is None:
                return True
            at = opinion
            continue
        if word.key in vocabulary.OWN_WORDS or word.key == "user":
            return True
        if word.key in vocabulary.THIRD_PERSON or (
            _is_name_word(words, at) and not (at == 0 and word.key in vocabulary.COMMON_WORD_NAMES)
        ):
            return _concerns_speaker(words, at + 1)
        at += 1
    return False


def _opinion_end(words: list[_Word], at: int, begins: dict[int, _Mention]) -> int | None:
    """Where the clause begins that "I think (that)" introduces, if one follows about another."""
    if at + 2 >= len(words) or words[at + 1].key not in vocabulary.OPINION_VERBS:
        return None
    that = words[at + 2].key == "that"
    start = at + 3 if that else at + 2
    if start >= len(words):
        return None
    if that or start in begins or words[start].key in vocabulary.THIRD_PERSON:
        return start
    # "I know Bob" is mine, "I know Bob likes jazz" is his.
    name = _name_at(words, start)
    return start if name and name[1] < len(words) and words[name[1]].gap == " " else None


def _concerns_speaker(words: list[_Word], at: int) -> bool:
    """Whether after another's name the speaker joins in or is acted upon, not merely told."""
    if at + 1 < len(words) and words[at].key == "and" and words[at + 1].key in {"i", "me"}:
        return True
    for i in range(at, len(words)):
        if i > at and _is_sentence_end(words[i].gap):
            return False
        if words[i].key in vocabulary.FIRST_PERSON_OBJECTS:
            return words[i - 1].key not in vocabulary.TELLING_WORDS
    return False
