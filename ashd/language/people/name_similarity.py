"""Names that may be variants of one: spellings ("Müller", "Mueller") and short forms. Pure.

Similarity suggests and asks, it never decides alone: Sara and Sarah may be two people (B7).
"""

import re
from itertools import zip_longest
from typing import Final, Literal

from ashd.language.people import vocabulary
from ashd.language.text_caches import cached_by_text
from ashd.language.words import normalise

Variant = Literal["same", "spelling", "short form"]

_SOUNDS: Final = (
    (re.compile("ph|v"), "f"),
    (re.compile("ck|ch|c|q"), "k"),
    (re.compile("x"), "ks"),
    (re.compile("z"), "s"),
    (re.compile("[jy]"), "i"),
    (re.compile("(?<=[aou])e"), ""),
    (re.compile("(?<=.)h"), ""),
    (re.compile(r"(.)\1+"), r"\1"),
)
_ENDING: Final = re.compile("(?<=...)(?:ie|i|e|a|o)$")
_VOWELS: Final = re.compile("(?<=.)[aeiou]")
_SHORTEST_STEM: Final = 3
_LONGEST_STEM: Final = 6
_SHORTEST_OUTLINE: Final = 4
# Short forms that share no part with the full name.
_IRREGULAR: Final[dict[str, frozenset[str]]] = {
    short: frozenset(names.split())
    for short, names in {
        "bess": "elizabeth",
        "bill": "william",
        "bob": "robert",
        "bobby": "robert",
        "billy": "william",
        "chuck": "charles",
        "dick": "richard",
        "fritz": "friedrich",
        "gus": "august gustav",
        "hank": "henry",
        "hans": "johannes",
        "harry": "henry harold",
        "jack": "john",
        "jim": "james",
        "jimmy": "james",
        "joe": "joseph",
        "kitty": "katherine catherine",
        "larry": "laurence lawrence",
        "maggie": "margaret",
        "meg": "margaret",
        "molly": "mary",
        "ned": "edward",
        "nell": "eleanor helen",
        "nora": "eleanor",
        "peggy": "margaret",
        "pepe": "jose",
        "polly": "mary",
        "sally": "sarah",
        "sasha": "alexander alexandra aleksandra",
        "sepp": "josef",
        "ted": "edward theodore",
    }.items()
}


@cached_by_text(16_384)
def sound(word: str) -> str:
    """Return an approximation of a folded word's sound: equal for spellings of one name."""
    for pattern, by in _SOUNDS:
        word = pattern.sub(by, word)
    return word


@cached_by_text(16_384)
def _stem(word: str) -> str:
    return _ENDING.sub("", sound(word))


@cached_by_text(16_384)
def outline(word: str) -> str:
    """Return the consonants of a long word ("Mohamed", "Muhammad"); the sound of a short one."""
    heard = sound(word)
    consonants = _VOWELS.sub("", heard)
    if len(consonants) < _SHORTEST_OUTLINE:
        return heard
    # Martin is not Martina.
    return consonants + ("a" if heard[-1] in "aeiou" else "")


def word_variant(one: str, other: str) -> Variant | None:
    """Classify how two folded words of a name differ; None if they are two names."""
    if one == other:
        return "same"
    if sound(one) == sound(other) or outline(one) == outline(other):
        return "spelling"
    return "short form" if _is_short(one, other) or _is_short(other, one) else None


def _is_short(short: str, name: str) -> bool:
    if name in _IRREGULAR.get(short, ()):
        return True
    stem, whole = _stem(short), sound(name)
    # "Lizzie" and "Beth" of Elizabeth, "Tom" of Thomas, "Fitz" of Fitzgerald.
    return _SHORTEST_STEM <= len(stem) < len(whole) - 1 and stem in whole


def variant(one: str, other: str) -> Variant | None:
    """Classify how two whole names differ, word by word; a first name may match a longer name."""
    ones, others = name_words(one), name_words(other)
    if not ones or not others:
        return None
    found: Variant = "same"
    for place, (mine, theirs) in enumerate(zip_longest(ones, others)):
        if mine is None or theirs is None:
            return found
        kind = word_variant(mine, theirs)
        # Surnames have spellings, but no short forms.
        if kind is None or (place and kind == "short form"):
            return None
        found = found if kind == "same" else kind if found == "same" else "short form"
    return found


@cached_by_text(16_384)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name, without its title."""
    words = tuple(normalise(name).replace("-", " ").split())
    return words[1:] if len(words) > 1 and words[0] in vocabulary.TITLES else words


def is_whole(name: str) -> bool:
    """Return whether a name has more than one word, titles not counted: it is enough by itself."""
    return len(name_words(name)) > 1


def is_surname(one: str, other: str) -> bool:
    """Return whether either name is the surname of the other; titles are ignored."""
    short, long = sorted((name_words(one), name_words(other)), key=len)
    return len(short) == 1 and len(long) > 1 and short[0] == long[-1]


def openings(name: str) -> set[str]:
    """Return keys: the first words of a name and of each of its variants share one."""
    words = name_words(name)
    return set(_openings(words[0])) if words else set()


@cached_by_text(512)
def _openings(word: str) -> frozenset[str]:
    heard = sound(word)
    parts = {
        heard[start:end]
        for start in range(len(heard))
        for end in range(start + _SHORTEST_STEM, len(heard) + 1)
    }
    return frozenset({word, heard, outline(word), _stem(word), *_IRREGULAR.get(word, ()), *parts})


def marks(name: str) -> set[str]:
    """Return keys: a name and most of its variants share one."""
    found = set[str]()
    for word in name_words(name):
        heard = sound(word)
        found |= {word, heard, outline(word), _ENDING.sub("", heard), *_IRREGULAR.get(word, ())}
        found |= {
            heard[start : start + size]
            for size in range(_SHORTEST_STEM, _LONGEST_STEM + 1)
            for start in range(len(heard) - size + 1)
        }
    return found


def is_pet_form(one: str, other: str) -> bool:
    """Return whether one first name is commonly used for the other: "Bob", "Lizzie", "Max"."""
    ones, others = name_words(one), name_words(other)
    if len(ones) != 1 or len(others) != 1:
        return False
    short, name = sorted((ones[0], others[0]), key=len)
    if short in _IRREGULAR.get(name, ()) or name in _IRREGULAR.get(short, ()):
        return True
    is_diminutive = short.endswith(("ie", "y", "i"))
    return _is_short(short, name) and (is_diminutive or sound(name).startswith(_stem(short)))
