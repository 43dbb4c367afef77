"""Words around a spoken secret: names for it, and what may follow without being one.

Owns the vocabulary (`vocabulary.toml`) and the fragments of patterns made from it; the rules are
elsewhere. The fragments are for patterns compiled with VERBOSE and IGNORECASE.
"""

import tomllib
from importlib.resources import files
from typing import Any

_WORDS: dict[str, Any] = tomllib.loads(
    files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8")
)


def _any_of(*lists: str) -> str:
    """Return the alternatives of these lists, as a pattern."""
    return "|".join(word for name in lists for word in _WORDS[name])


def _set(name: str) -> frozenset[str]:
    """Return a block of words as a set."""
    return frozenset(_WORDS[name].split())


STEMS: tuple[str, ...] = tuple(_WORDS["password_stems"])
NAME = f"(?:(?P<english>{_any_of('password_english')})|{_any_of('password_other')})"
NAME_UNSPACED = _any_of("password_unspaced")
COPULA_UNSPACED = _any_of("copula_unspaced")

COMPOUNDS = _set("compounds")
MANAGERS = _set("managers")
STATES: frozenset[str] = frozenset(" ".join(_WORDS["states"].values()).split())
STATE_ENDINGS: tuple[str, ...] = tuple(_WORDS["state_endings"])
WEAK_PASSWORDS = _set("weak_passwords")
GRAMMAR = _set("grammar")

POINTS_BACK = _set("points_back")
FAULTS = _set("faults")
ABSTRACT_ENDINGS: tuple[str, ...] = tuple(_WORDS["abstract_endings"])
OTHER_CODES = _set("other_codes")
CODE_NAMES: tuple[str, ...] = tuple(_WORDS["code_names"])
CODE_JOINED = rf"(?:{_any_of('codes_joined')})"
_JOINED = rf"\w{{0,20}}(?:{_any_of('locks_joined')})"
LOCK = (
    rf"\b(?:{_any_of('things', 'locks', 'lock_adjectives')}|{_JOINED})\b"
    r"(?!\s(?:files?|modules?|manager|repo|parser|class|package|service|library|function)\b)"
)
THING = rf"(?:{_any_of('devices', 'things')})"
HAS_CODE = rf"(?:{_any_of('has_code')})"
PLACED = _any_of("placed")
OPENS_WITH = rf"(?:{_any_of('opens_with')})"
RECOVERY_CODES = rf"(?:{_any_of('recovery_codes')})"
SECURITY_QUESTION = rf"\b(?:{_any_of('security_question')})\b"
ANSWERS: tuple[str, ...] = tuple(_WORDS["answers"])
ASKED_STEMS: tuple[str, ...] = tuple(_WORDS["asked_stems"])
WHO_ASKS = _any_of("who_asks")
ASKED = rf"\b(?:{_any_of('asked')})"
RESUMED = rf"(?:{_any_of('resumed')})(?:\s+(?:{_any_of('copula_filler')})){{0,2}}"
LINKED = rf"\s+(?:{_any_of('links')})\s+(?:{_any_of('owners')})\s+"

PRODUCT_KEYS = _any_of("product_keys")
CAPITAL = _any_of("capital")
SIGN_NAMES = _any_of("sign_names")
DESCRIBED_STEMS: tuple[str, ...] = tuple(_WORDS["described_stems"])
LOGIN_DATA = _any_of("login_data")
LOGIN_DATA_STEMS: tuple[str, ...] = tuple(_WORDS["login_data_stems"])
SENT_CODES = _any_of("sent_codes")

# Digits that are said in words, in any of the languages.
DIGITS: dict[str, str] = {
    word: str(value) for words in _WORDS["digits"] for value, word in enumerate(words.split())
} | dict.fromkeys(_WORDS["zeros"], "0")
DIGIT = "|".join(sorted(DIGITS, key=len, reverse=True))
TWICE = _any_of("twice")
ONCE_MORE = _any_of("once_more")

# Patterns of the words around an act of getting in.
GETS_IN = _any_of("gets_in")
IDENTITY = _any_of("identity")
PHRASED = _any_of("phrased")
OPENING = _any_of("opening")
LOCKED = _any_of("locked")
PROMPT = _any_of("prompt")
NET = _any_of("net")
NET_CALLED = _any_of("net_called")
RESETS = _any_of("resets")
REUSES = _any_of("reuses")
TYPES = _any_of("types")
HANDS_OVER = _any_of("hands_over")
SAYS = _any_of("says")
NAMES = _any_of("names")
SERVICES = _any_of("services")
HANDS_BACK = _any_of("hands_back")
KEYED_AFTER = _any_of("keyed_after")
KEYPAD = _any_of("keypad")
TURNED = _any_of("turned")
# What a figure counts, at the end of its clause: "3480 points", "2500 coins in the game".
COUNTS = (
    rf"\s(?!(?:{_any_of('no_counts')})\b)(?-i:[a-z]{{2,20}}s)"
    r"(?=\s?(?:\Z|[\n.,;:!?)])|\s(?:in|at|on|for|to|now|and|from|per|left|each|of|so|but|by|with"
    r"|more|already|yet|today)\b)"
)

# The purpose of a password: "for the router", "to her phone", "(prod)".
OF = (
    rf"(?:'s)?(?:\s+(?:{_any_of('qualifiers')})\b(?:[^\n.!?;:=]|\.(?=\w)){{1,60}}?)?"
    r"(?:\s?\([^()\n]{1,40}\))?"
)
SIGN = r"(?:\s{0,3}(?::=|=>|->|\u2192|[:=])\s{0,40}|\s{1,3}\|\s{1,3})"
DASH = r"\s{1,3}[-\u2013\u2014]{1,2}\s{1,3}"
_VERB_END = rf"(?:\s+(?:{_any_of('copula_filler')}))*(?:\s+(?:to|zu|as))?:?\s+"
VERB = rf",?\s+(?:{_any_of('copula')}){_VERB_END}"
GIVES = rf"""["'`*_)\]]{{0,3}}(?:{SIGN}|{DASH}|{VERB})["'`*_(\[]{{0,3}}"""
VERB_OTHER = rf",?\s+(?:{_any_of('copula', 'copula_other')}){_VERB_END}"
