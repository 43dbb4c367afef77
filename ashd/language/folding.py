"""Foldings: one form for texts that differ in case, accents, width or typography alone.

One module for all of them, because they build on one another. They differ in what counts:

- `fold`: like the full-text index, which drops the accents of every script.

- `fold_for_tables`: like the word tables, which write Hangul in syllables and "l" for "ł".

- `fold_name`: names and references. Only accents of Latin letters are dropped: in other scripts a
mark makes another letter, and another person.

- `fold_entity`: the names of entities, whose keys are stored.

- `spelling`: content. Case stays, because a capital tells a name from a word.

- `typography`: as `spelling`, but superscripts, fractions and ligatures stay: 5² is not 52.

Pure and total: any string in any script.
"""

import re
import unicodedata
from typing import Final

from ashd.language import normal_forms

_APOSTROPHES: Final = "\u2018\u2019\u201b\u02bc`\u00b4"
_DOUBLE_QUOTES: Final = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"
_HYPHENS: Final = (*range(0x2010, 0x2016), 0x2212)
_IN_NAMES: Final = str.maketrans(
    {
        **dict.fromkeys(f"{_APOSTROPHES}\uff07", "'"),
        **dict.fromkeys(_HYPHENS, "-"),
        # Invisible: soft hyphen, zero width space, direction marks. Joiners stay: scripts use them.
        **dict.fromkeys((0xAD, 0x200B, 0x200E, 0x200F, 0xFEFF)),
        **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2060, 0x206A))),
    }
)
_IN_CONTENT: Final = str.maketrans(
    {
        **dict.fromkeys(f"{_APOSTROPHES}\u201a\u2032", "'"),
        **dict.fromkeys(_DOUBLE_QUOTES, '"'),
        **dict.fromkeys(_HYPHENS, "-"),
    }
)
# The keys of entities are stored in this form, so its shorter list of quotes must not change.
_IN_ENTITIES: Final = str.maketrans("\u2018\u2019\u02bc\u201c\u201d", "'''\"\"")
_WIDE: Final = re.compile(r"[\u3000\uff00-\uffef]+")
_JOINERS: Final = "\u200c\u200d"
_LATIN_MARKS: Final = re.compile(r"([a-z])[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Return lower case without accents, as the full-text index folds words."""
    if text.isascii():
        return text.lower()
    bare = normal_forms.nfd(text.lower())
    if bare.isalnum():  # without any marks
        return bare
    return "".join(char for char in bare if not unicodedata.combining(char))


def fold_for_tables(text: str) -> str:
    """Fold a text as the tables of words are written: composed letters, one apostrophe."""
    if text.isascii():
        return text.lower()
    bare = normal_forms.nfc(fold(text))
    return bare.replace("ł", "l").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def clean(text: str) -> str:
    """Unify apostrophes, hyphens and compatibility characters; drop invisible characters."""
    if text.isascii():
        return text.replace("`", "'")
    return normal_forms.nfkc(text.translate(_IN_NAMES)).translate(_IN_NAMES)


def fold_name(text: str) -> str:
    """Fold a word of a name: case, width, typography and Latin accents do not count."""
    if text.isascii():
        return text.lower().replace("`", "'")
    return clean(_without_latin_marks(clean(text).casefold()))


def fold_entity(name: str) -> str:
    """Fold the name of an entity: as a name, but invisible characters and hyphens count."""
    text = normal_forms.nfkc(name).translate(_IN_ENTITIES).casefold()
    return text if text.isascii() else normal_forms.nfc(_without_latin_marks(text))


def spelling(text: str) -> str:
    """Return `text` with one form of quotes, dashes, width and spacing; case is unchanged."""
    if text.isascii():  # the usual case: nothing to fold and nothing invisible
        return " ".join(text.replace("`", "'").split())
    folded = normal_forms.nfkc(text.translate(_IN_CONTENT)).translate(_IN_CONTENT)
    spaced = " ".join(folded.split())
    if spaced.isprintable():  # nothing invisible
        return spaced
    visible = (" " if c.isspace() else c for c in folded if unicodedata.category(c) != "Cf")
    return " ".join("".join(visible).split())


def typography(text: str) -> str:
    """Return `text` with one form of quotes, dashes, width and spacing, and all of its signs."""
    if not text.isascii():
        narrow = _WIDE.sub(lambda wide: normal_forms.nfkc(wide[0]), text)
        composed = normal_forms.nfc(narrow)
        text = "".join(c for c in composed if c in _JOINERS or unicodedata.category(c) != "Cf")
    return " ".join(text.translate(_IN_CONTENT).split())


def _without_latin_marks(text: str) -> str:
    return _LATIN_MARKS.sub(r"\1", normal_forms.nfd(text))
