"""The cleaning of text: what acts or hides goes, every script stays."""

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ashd.access.text_cleaning import clean, clean_deep, one_line
from ashd.errors import InvalidParams

# Code points that the rules speak of, beside any other: random text alone rarely meets them.
INTERESTING = st.sampled_from(
    "ae1# \n\r\t\x1b[];m\x07\x9b\x9c\x00\x85\u2028\u0301\u034f\u00ad\u061c\u200b\u200c"
    "\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\u20e3\ufe00\ufe0e\ufe0f\ufeff\ufff9"
    "\u0627\u06cc\u0915\u094d\u0e01\u05d0\u180e\u1820\u1100\u1160\u1161\u3164\u845b\u2764"
    "\U0001f3f4\U0001f3fd\U0001f468\U0001f469\U000e0067\U000e007f\U000e0100\ud800"
)
TEXTS = st.one_of(st.text(), st.text(INTERESTING), st.text(st.one_of(INTERESTING, st.characters())))

# Texts of many scripts that hide nothing; what cannot be seen in them is escaped.
HARMLESS = json.loads(Path(__file__).with_name("scripts.json").read_text(encoding="utf-8"))

CLEANED = [
    ("red\x1b[31m blue\x1b[0m", "red blue"),
    ("a\x1b]0;owned\x07b", "ab"),
    ("a\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
    ("a\x1bP1$q\x1b\\b", "ab"),
    ("a\x9b2Jb", "ab"),
    ("a\x1bcb\x1b(Bc", "abc"),
    ("unfinished \x1b]0;text stays", "unfinished 0;text stays"),
    ("\x1b\x1b[0m[31mnested", "[31mnested"),
    ("a\x00b\x07c\x7fd\x9fe", "abcde"),
    (
        "one\r\ntwo\rthree\u2028four\u2029five\x85six\x0bseven",
        "one\ntwo\nthree\nfour\nfive\nsix\nseven",
    ),
    ("\ttab\tstays\t", "tab\tstays"),
    ("10\u206f\u2070 stays a power of ten", "10\u2070 stays a power of ten"),
    ("file\u202egnp.exe", "filegnp.exe"),
    ("\u2066isolated\u2069 \u202aembedded\u202c", "isolated embedded"),
    ("igno\u200bre\u2060 th\ufeffis", "ignore this"),
    ("pay\u200cpal\u200d", "paypal"),
    ("soft\u00adhyphen", "softhyphen"),
    ("left\u200eto\u200fright", "lefttoright"),
    ("tags\U000e0068\U000e0069\U000e007f", "tags"),
    ("\U0001f3f4\U000e0068\U000e0069\U000e007f", "\U0001f3f4"),
    ("smile\U0001f600\U000e0101\U000e0120", "smile\U0001f600"),
    ("❤️\ufe0f\ufe01", "❤️"),
    ("a\ufe0fb\ufe00", "ab"),
    ("1\ufe0f", "1"),
    ("cafe\u0301", "café"),
    ("surrogate\ud800", "surrogate"),
    ("ㅤfiller\u3164", "filler"),
    ("Khmer\u17b4 vowel\u17b5", "Khmer vowel"),
    ("mu\U0001d173s\U0001d17aic", "music"),
    ("A\u2800nna", "Anna"),
    ("\u2813\u2811\u2800\u2813", "\u2813\u2811\u2800\u2813"),
    ("An\U00016fe4na", "Anna"),
    ("\U00018b00\U00016fe4\U00018b01", "\U00018b00\U00016fe4\U00018b01"),
    ("An\U0001d159na", "Anna"),
    ("\U0001d159\U0001d165", "\U0001d159\U0001d165"),
    ("An\U00013430na\U0001343f", "Anna"),
    ("\U00013000\U00013430\U00013001", "\U00013000\U00013430\U00013001"),
    ("  \u3000spaces around \n", "spaces around"),
    ("שלום\u200f\u200e\u200f\u200e!", "שלום\u200f!"),
]


@pytest.mark.parametrize("text", HARMLESS)
def test_every_script_and_emoji_stays(text: str) -> None:
    """Text that hides nothing comes back as it was, but for canonical composition."""
    assert clean(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(("text", "expected"), CLEANED)
def test_what_acts_or_hides_goes(text: str, expected: str) -> None:
    """Escape sequences, controls, overrides and invisible characters are gone."""
    assert clean(text) == expected


@given(TEXTS)
def test_clean_twice_is_clean_once(text: str) -> None:
    """Cleaning is idempotent, whatever the text."""
    assert clean(clean(text)) == clean(text)


@given(TEXTS)
def test_clean_text_cannot_act(text: str) -> None:
    """No control character, override or lone surrogate is left; the text is NFC and UTF-8."""
    result = clean(text)
    assert not [c for c in result if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert not set(result) & set(
        "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2060\ufeff"
    )
    assert unicodedata.is_normalized("NFC", result)
    assert result == result.strip()
    result.encode()


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_nothing_visible_is_lost(text: str) -> None:
    """Letters, marks, digits, punctuation and symbols of any script are all still there."""
    ignorable = (
        "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u180b\u180c\u180d\u180f\u2800\U00016fe4"
        "\U0001d159"
    )
    selectors = [(0xFE00, 0xFE0F), (0xE0100, 0xE01EF)]
    visible = "".join(
        c for c in text if c not in ignorable and not any(a <= ord(c) <= b for a, b in selectors)
    )
    assert clean(visible) == unicodedata.normalize("NFC", visible).strip()


@given(TEXTS)
def test_one_line_is_one_line(text: str) -> None:
    """No content can start a line of its own where one line is shown."""
    result = one_line(text)
    assert len(result.splitlines()) <= 1
    assert "\t" not in result
    assert "  " not in result
    assert one_line(result) == result


def test_one_line_joins_with_single_spaces() -> None:
    """Line ends, tabs and runs of spaces become one space each."""
    assert one_line(" a\r\n\r\nb\t\tc   d ") == "a b c d"


def test_clean_deep_reaches_keys_and_values() -> None:
    """Every string of a JSON value is cleaned; what is no string stays."""
    dirty = {"ke\u200by": ["a\x1b[1mb", {"n": 1, "f": 2.5, "t": True, "z": None}], "x": "\u202ey"}
    assert clean_deep(dirty) == {
        "key": ["ab", {"n": 1, "f": 2.5, "t": True, "z": None}],
        "x": "y",
    }


def test_clean_deep_loses_no_key() -> None:
    """Two keys that are the same once clean are refused, not merged."""
    with pytest.raises(InvalidParams, match="two keys"):
        clean_deep({"a": 1, "a\u200b": 2})
