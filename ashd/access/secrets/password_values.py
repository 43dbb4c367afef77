"""Values that may follow the name of a password: could this be one?

Owns the judgement of a value: made up or a word, a state ("expired"), a place ("1Password"), a
variable, a measure ("12 characters"). Pure functions of the value and of what follows it.
"""

import re

from ashd.access.secrets import vocabulary
from ashd.access.secrets.normalisation import is_placeholder
from ashd.language.lazy_pattern import pattern_of

_FLAGS = re.IGNORECASE | re.VERBOSE
_DATE = pattern_of(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_MEASURE = pattern_of(
    r"\d+(?:st|nd|rd|th)?-?(?:char\w*|digits?|letters?|words?|bits?|days?|years?|months?|steps?"
    r"|factor|fa|x|\+)?",
    _FLAGS,
)
_CODE = pattern_of(
    r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]+(?:\.[A-Za-z_]+)+$|https?://|[\w.]+@[\w.]+\.\w+$"
    r"|[A-Z]+(?:_[A-Z]+)+$|[a-z]+(?:_[a-z]+)+$"
    r"|v\d+(?:\.\d+)+$"
    r"|[\w.-]+\.(?:csv|txt|md|pdf|docx?|xlsx?|json|ya?ml|toml|zip|kdbx|log|png|jpe?g|html?|sql)$"
)
_TECHNICAL = pattern_of(
    r"(?:sha|md|utf|base|o?auth|argon|pbkdf|ipv?|v|aes|rsa|iso|tls|http|windows|office)-?\d+\w*",
    _FLAGS,
)
_CLAUSE_END = pattern_of(
    r"""["'`)\]*]*\s*(?:\Z|[\n.,;!?)|/]|[-\u2013\u2014]\s
    |(?:and|but|for|on|at|so|since|because|please|which|und|et|y|e|en)\b)""",
    _FLAGS,
)
_TRAILING = ".,;:?)]}>\"'`*|"
_QUOTES = "\"'`"


def bare(value: str) -> str:
    """Return `value` without quotes and the sentence's punctuation around it."""
    return value.lstrip(_QUOTES).rstrip(_TRAILING)


def looks_made(value: str) -> bool:
    """Return whether a value is mixed as words are not: with digits, signs or hyphens."""
    if any(c.isdigit() for c in value):
        return any(c.isalpha() for c in value) or len(value) >= 4
    if not any(c.isalpha() for c in value):
        return False
    return re.search(r"[!@#$%^&*+=~?|\\{}_]", value) is not None or value.count("-") >= 2


def looks_made_alone(value: str) -> bool:
    """Return the same for a value that neither a verb nor a sign introduces."""
    long_enough = len(value) >= 6 and not value.isalpha()
    return long_enough and looks_made(value) and _TECHNICAL.fullmatch(value) is None


def is_harmless(value: str) -> bool:
    """Return whether a value only describes a password, says where it is, or is a variable."""
    lower = value.lower()
    is_code = value.isdigit() and len(value) >= 4
    return (
        is_placeholder(value)
        or lower in vocabulary.STATES
        or re.split("['/-]", lower, maxsplit=1)[0] in vocabulary.MANAGERS
        or _DATE.fullmatch(value) is not None
        or (_MEASURE.fullmatch(value) is not None and not is_code)
        or _CODE.match(value) is not None
    )


def is_said_word(text: str, start: int, end: int, *, signed: bool) -> bool:
    """Return whether the plain word text[start:end] may be a password.

    `signed`: a sign ("=", ":") introduces it; otherwise a verb does, and words that usually follow
    verbs ("expired", "easily guessed") are no password. In both cases its clause ends, or it begins
    a passphrase.
    """
    lower = text[start:end].lower()
    parts = re.split("[-/]", lower)
    if len(lower) < 3 or not all(part.isalpha() for part in parts if part):
        return False
    if any(part in vocabulary.GRAMMAR for part in parts):
        return False
    if len(lower) > 4 and lower.endswith(("ed",) if signed else vocabulary.STATE_ENDINGS):
        return False
    if signed and _is_list_of_topics(text, start):
        return False
    ends = _CLAUSE_END.match(text, end) is not None
    return ends or is_passphrase(text, start, signed=signed)


def _is_list_of_topics(text: str, start: int) -> bool:
    """Return whether a list of abstract nouns begins at `start`, as in a book's title."""
    clause = re.split(r"[.;!?\n(:]", text[start : start + 100], maxsplit=1)[0].lower()
    listed = [item.split()[0] for item in re.split(r",|&|\band\b", clause) if item.strip()]
    abstract = sum(word.endswith(vocabulary.ABSTRACT_ENDINGS) for word in listed)
    return len(listed) >= 2 and 2 * abstract > len(listed)


def is_passphrase(text: str, start: int, *, signed: bool) -> bool:
    """Return whether a passphrase begins at `start`: 4 to 8 plain words, 2 after a sign.

    A number may follow four words or more.
    """
    clause = re.split(r"[.,;!?\n(]", text[start : start + 100], maxsplit=1)[0].split()
    if len(clause) > 4 and clause[-1].isdigit():
        clause.pop()
    if not (2 if signed else 4) <= len(clause) <= 8:
        return False
    lower: list[str] = [word.lower() for word in clause]
    if not all(word.isalpha() and len(word) > 2 for word in lower):
        return False
    if any(word in vocabulary.GRAMMAR for word in lower):
        return False
    said = sum(
        word in vocabulary.STATES or word.endswith(vocabulary.STATE_ENDINGS) for word in lower
    )
    if len(clause) < 4:
        return said == 0 and clause == lower
    return said <= (2 if signed else 1)
