"""Text is data: what is stored and shown holds nothing that acts or hides.

Owns the cleaning of every text that enters the store or leaves for a screen. What must always hold:
`clean` is pure and idempotent; its result has no control character but newline and tab, no escape
sequence, no bidi override or isolate, and no invisible character, unless a script or an emoji needs
it in that place; a text in any script reads as before.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from ashd.errors import InvalidParams
from ashd.language import normal_forms
from ashd.language.lazy_pattern import pattern_of

_LINE_ENDS = pattern_of("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")

# Escape sequences of terminals: finished control strings (titles, links, device strings), CSI
# sequences, the short ones. If a string is unfinished, only its introducer is removed.
_ESCAPES = pattern_of(
    "\x1b[\\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x9c|\x1b\\\\)"
    "|\x9d[^\x07\x1b\x9c\x9d]*(?:\x07|\x9c|\x1b\\\\)"
    "|\x1b\\[[0-?]*[ -/]*[@-~]?"
    "|\x9b[0-?]+[ -/]*[@-~]"
    "|\x1b[ -/]*[0-~]?"
)


def _class_of(ranges: Iterable[tuple[int, int]]) -> str:
    """Return the inside of a regex character class."""
    return "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges)


# Always removed: they steer a terminal, turn the reading direction or are invisible.
_REMOVED = (
    (0x00, 0x08),
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),  # soft hyphen
    (0x17B4, 0x17B5),  # Khmer vowels that nothing shows
    (0x202A, 0x202E),  # bidi embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, bidi isolates, deprecated controls
    (0x3164, 0x3164),  # Hangul fillers outside the old syllables
    (0xD800, 0xDFFF),  # lone surrogates: no UTF-8 can carry them
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),  # unassigned ignorables, interlinear annotation
    (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # beginnings and ends in music
    (0xE0000, 0xE00FF),  # tags
    (0xE01F0, 0xE0FFF),
)
_REMOVED_CHARS = pattern_of(f"[{_class_of(_REMOVED)}]")

# Kept only where a script or an emoji needs them; `_is_needed` decides.
_CONDITIONAL = (
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers of old syllables
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),  # zero-width space, joiners, direction marks
    (0x2800, 0x2800),  # the blank of Braille
    (0xFE00, 0xFE0F),  # variation selectors
    (0x13430, 0x1343F),  # hieroglyph joiners and brackets
    (0x16FE4, 0x16FE4),  # filler of the Khitan script
    (0x1D159, 0x1D159),  # a note without a head
    (0xE0100, 0xE01EF),  # ideographic variation selectors
)
_CONDITIONAL_CHARS = pattern_of(f"[{_class_of(_CONDITIONAL)}]")

# The flags of England, Scotland and Wales are the only legitimate use of tag characters.
_TAGS = {n: chr(0xE0000 + n) for n in range(0x20, 0x80)}
_FLAGS = tuple(
    "\U0001f3f4" + region.translate(_TAGS) + "\U000e007f" for region in ("gbeng", "gbsct", "gbwls")
)
_FLAG = pattern_of("|".join(_FLAGS))

# Scripts whose letters change their form with a joiner: Arabic and its neighbours, the Indic
# ones, Myanmar, Khmer, Mongolian, and those of the supplementary plane.
_JOINING = pattern_of(
    "[\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u180a\u1810-\u18af\u1900-\u1cff\ua840-\ua87f\ua8e0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff\U0001e900-\U0001e95f]"
)
_WITHOUT_SPACES = pattern_of("[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u1950-\u1aaf\ua9e0-\uaa7f]")
_RIGHT_TO_LEFT = pattern_of(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]"
)
_IDEOGRAPH = pattern_of("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_MONGOLIAN = pattern_of("[\u1800-\u180a\u1810-\u18af]")
_JAMO = pattern_of("[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]")
# Characters that only their own script needs, beside one of its visible ones.
_OWN_SCRIPT = {
    **dict.fromkeys("\u115f\u1160", _JAMO),
    "\u2800": pattern_of("[\u2801-\u28ff]"),
    **dict.fromkeys(
        map(chr, range(0x13430, 0x13440)),
        pattern_of("[\U00013000-\U0001342f\U00013440-\U00013455]"),
    ),
    "\U00016fe4": pattern_of("[\U00018b00-\U00018cff]"),
    "\U0001d159": pattern_of("[\U0001d165-\U0001d172]"),
}
_KEYCAP = "\u20e3"


def _is_emoji(char: str) -> bool:
    """Return whether the character can be a part of a joined emoji."""
    return (
        char == "\ufe0f"
        or unicodedata.category(char) == "So"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def _is_needed(char: str, before: str, after: str, *, right_to_left: bool) -> bool:
    """Return whether a script or an emoji needs this character between these two ("" at an end)."""
    if char in "\u200c\u200d":
        if (before and _JOINING.match(before)) or (after and _JOINING.match(after)):
            return True
        joins_emoji = before and after and _is_emoji(before) and _is_emoji(after)
        return char == "\u200d" and bool(joins_emoji)
    if char == "\u200b":
        return bool(_WITHOUT_SPACES.match(before) and _WITHOUT_SPACES.match(after))
    if char in "\u200e\u200f\u061c":
        return right_to_left
    if char == "\u034f":
        return bool(before and after) and unicodedata.category(after) == "Mn"
    if script := _OWN_SCRIPT.get(char):
        return bool(script.match(before) or script.match(after))
    if "\u180b" <= char <= "\u180f":
        return bool(_MONGOLIAN.match(before))
    if char >= "\U000e0100":
        return bool(_IDEOGRAPH.match(before))
    if before.isascii():  # of the ASCII characters, only keycaps take a variation selector
        return before in "#*0123456789" and before != "" and char == "\ufe0f" and after == _KEYCAP
    category = unicodedata.category(before)
    if char >= "\ufe0e":  # text or emoji style of a symbol
        return category in {"So", "Sm", "Po", "Pd", "Sk"}
    return category in {"Sm", "Lo", "So", "Po"}


def _keep_needed(text: str) -> str:
    """Return `text` without the conditional characters that nothing around them needs."""
    right_to_left = _RIGHT_TO_LEFT.search(text) is not None
    parts: list[str] = []
    before = ""  # the last character that was not removed
    end = 0
    for match in _CONDITIONAL_CHARS.finditer(text):
        start = match.start()
        if start > end:
            parts.append(text[end:start])
            before = text[start - 1].strip()  # white space needs none of them
        end = match.end()
        char = match[0]
        after = text[end : end + 1]
        if _CONDITIONAL_CHARS.match(after):  # may be removed itself, so it protects no neighbour
            after = ""
        invisible = _CONDITIONAL_CHARS.match(before) and before != "\ufe0f"
        if not invisible and _is_needed(char, before, after, right_to_left=right_to_left):
            parts.append(char)
            before = char
    parts.append(text[end:])
    return "".join(parts)


def _strip_hidden(text: str) -> str:
    """Return `text` in NFC without escape sequences, controls and invisible characters."""
    text = _ESCAPES.sub("", _LINE_ENDS.sub("\n", text))
    flags = _FLAG.findall(text)
    pieces = [_REMOVED_CHARS.sub("", piece) for piece in _FLAG.split(text)]
    return "".join(_settled(piece) + flag for piece, flag in zip(pieces, [*flags, ""], strict=True))


def _settled(text: str) -> str:
    """Return `text` in NFC without the conditional characters that nothing needs.

    Removing one can let its neighbours compose, which can make another one needless, so this
    repeats until nothing changes. Each round but the last shortens the text.
    """
    while True:
        text = normal_forms.nfc(text)
        kept = _keep_needed(text)
        if kept == text:
            return text
        text = kept


def clean(text: str) -> str:
    """Return `text` without what acts or hides, in NFC, trimmed, with newlines as line ends.

    Escape sequences, control characters (but newline and tab), bidi overrides and isolates, tags
    and other invisible characters are removed; joiners, direction marks and variation selectors
    stay if a script or an emoji needs them.
    """
    if not (text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()):
        text = _strip_hidden(text)
    return text.strip()


def one_line(text: str) -> str:
    """Return `clean(text)` on one line: each run of white space becomes one space."""
    return " ".join(clean(text).split())


def clean_deep(value: Any) -> Any:
    """Return `value`, JSON as Python has it, with every string in it cleaned, keys included.

    Raises:
        InvalidParams: two keys of one object are the same once they are clean.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        cleaned = {clean_deep(key): clean_deep(item) for key, item in value.items()}
        if len(cleaned) != len(value):
            raise InvalidParams(
                "two keys of one object differ only in characters that are not stored",
                "Give each key a name of its own that differs in visible characters.",
            )
        return cleaned
    if isinstance(value, list | tuple):
        return [clean_deep(item) for item in value]
    return value
