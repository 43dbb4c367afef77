"""Statements that speak of their speaker, for statements whose speaker has no account. Pure."""

from typing import Final

from ashd.language import detection
from ashd.language.folding import clean
from ashd.language.people import vocabulary
from ashd.language.people.names import is_name_word, name_at
from ashd.language.people.phrases import Form, stated_phrases
from ashd.language.word_patterns import LETTERS
from ashd.language.words import Word, is_sentence_end, split

_OF_SPEAKERS: Final = {"user"} | {
    word.partition("'")[0]
    for words in (vocabulary.FIRST_PERSON, vocabulary.OWN_WORDS, vocabulary.FIRST_PERSON_OBJECTS)
    for word in words
}
"""The beginnings, up to an apostrophe, of words: each text about its speaker has one of them."""
_OF_LANGUAGES: Final = vocabulary.FIRST_PERSON_OF | vocabulary.POSSESSIVES
"""Words for the speaker, or for what is theirs, that count in a text of their language alone."""
_SINGULAR: Final = _OF_SPEAKERS - vocabulary.FIRST_PERSON_PLURAL | {"mine", "myself", "meines"}


def first_person(text: str) -> bool:
    """Return whether a statement is about its speaker: "I love jazz", "wife gave me a watch".

    The first clause's subject decides. "My wife loves jazz", "I think Bob is ill" and "Bob told me
    that …" are about others; so is a statement without a subject.
    """
    text = clean(text)
    # Most texts are about others, and end here: splitting them takes nine times as long.
    letters = set(LETTERS.findall(text.lower())) if text.isascii() else None
    if letters and letters.isdisjoint(_OF_SPEAKERS) and letters.isdisjoint(_OF_LANGUAGES):
        return False
    words = split(text)
    own = vocabulary.OWN_WORDS | _own_words(text, words)
    relatives = _relatives(text, words)
    at = 0
    while at < len(words):
        word = words[at]
        if at in relatives:
            return _concerns_speaker(words, relatives[at])
        if word.key in vocabulary.FIRST_PERSON or (word.key == "user" and not word.owns):
            opinion = _opinion_end(words, at, relatives)
            if opinion is None:
                return True
            at = opinion
            continue
        if word.key in own or word.key == "user":
            return True
        if word.key in vocabulary.THIRD_PERSON or (
            is_name_word(words, at) and not (at == 0 and word.key in vocabulary.COMMON_WORD_NAMES)
        ):
            return _concerns_speaker(words, at + 1)
        at += 1
    return False


def _own_words(text: str, words: list[Word]) -> set[str]:
    """Return the words of a text that mean its speaker in its language, which is not English.

    One Latin word alone tells no language: Mia is a name.
    """
    keys = {word.key for word in words}
    found = keys & _OF_LANGUAGES.keys()
    spoken = detection.spoken(text) if found else ()
    return {
        word
        for word in found
        for language in [_OF_LANGUAGES[word]]
        if language in spoken
        and (
            not word.isascii() or sum(detection.is_function_word(key, language) for key in keys) > 1
        )
    }


def _relatives(text: str, words: list[Word]) -> dict[int, int]:
    """Map the first word of each phrase with a known relationship to the word after it."""
    keys = [word.key for word in words]
    found = {
        at: at + hit[1]
        for at, key in enumerate(keys)
        if vocabulary.may_begin(key) and (hit := vocabulary.relationship_at(keys, at))
    }
    places = {word.start: at for at, word in enumerate(words)}
    for phrase in stated_phrases(text):
        role = phrase.reference.relationship
        if phrase.form is Form.GROUP or (role and vocabulary.is_known(role)):
            begin = places[phrase.start]
            inside = range(begin, len(words))
            found[begin] = next((at for at in inside if words[at].start >= phrase.end), len(words))
    return found


def speaks_for_several(text: str) -> bool:
    """Return whether a text speaks of "we" and never of "I", as one does of a whole group."""
    words = set(LETTERS.findall(clean(text).lower()))
    return not words.isdisjoint(vocabulary.FIRST_PERSON_PLURAL) and words.isdisjoint(_SINGULAR)


def mentions_speaker(text: str) -> bool:
    """Return whether a text has a word for its speaker: "I", "our", "mich", "minha"."""
    words = set(LETTERS.findall(clean(text).lower()))
    spoken = _SINGULAR | vocabulary.FIRST_PERSON_PLURAL | vocabulary.POSSESSIVES.keys()
    return not words.isdisjoint(spoken)


def _opinion_end(words: list[Word], at: int, relatives: dict[int, int]) -> int | None:
    """Return where the clause after "I think (that)" begins, if it is about somebody else."""
    if at + 2 >= len(words) or words[at + 1].key not in vocabulary.OPINION_VERBS:
        return None
    that = words[at + 2].key == "that"
    start = at + 3 if that else at + 2
    if start >= len(words):
        return None
    if that or start in relatives or words[start].key in vocabulary.THIRD_PERSON:
        return start
    # "I know Bob" is about the speaker, "I know Bob likes jazz" about Bob.
    name = name_at(words, start)
    return start if name and name[1] < len(words) and words[name[1]].gap == " " else None


def _concerns_speaker(words: list[Word], at: int) -> bool:
    """Return whether the speaker takes part or is affected, after another person was named."""
    if at + 1 < len(words) and words[at].key == "and" and words[at + 1].key in {"i", "me"}:
        return True
    for i in range(at, len(words)):
        if i > at and is_sentence_end(words[i].gap):
            return False
        if words[i].key in vocabulary.FIRST_PERSON_OBJECTS:
            return words[i - 1].key not in vocabulary.TELLING_WORDS
    return False
