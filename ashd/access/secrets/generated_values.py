"""Generated text under a name that contains a key's word: "RAILS_MASTER_KEY=…", "mistral key …".

Owns the mechanism for issuers whose tokens have no shape of their own: a name that has a word such
as "token" in it, and a value that nobody would make up. After a sign a short value is enough; in
prose it must be long, and the word before the name must not make it one of a program ("cache key").
"""

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

from ashd.access.secrets.normalisation import Reading, is_placeholder, is_public
from ashd.language.lazy_pattern import pattern_of

_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_STEMS: Final = (
    "key",
    "token",
    "secret",
    "cred",
    "auth",
    "psk",
    "_pat",
    "api",
    "_pw",
    "sessid",
    "sessionid",
    "session",
    "session_id",
    "_salt",
    " sid",
)
_ASSIGNED: Final = pattern_of(
    r"""(?P<rest>[\w.-]{0,40})["'`\])]{0,2}\s{0,3}(?:[:=]=?|=>|,(?=\s?["'])|\s+value=)>?\s{0,3}
    (?:(?:new|b|r|f)?(?P<quote>["'`]))?(?P<value>[!-~]{8,300})""",
    _FLAGS,
)
# What makes a name that begins with a key's word one of something else ("KEY_PATTERN").
_REST_OF_OTHERS: Final = pattern_of(
    r"id\Z|name|path|file|url|hash|ring|length|size|type|count|limit|public|pattern|regex|format|templ"
)
_WORDS: Final = ("key", "token", "secret", "pat", "credential", "apikey", "psk", "-p ", "bearer")
# Names of a session, whose value logs in whoever has it; and the commands that take a token.
_SESSIONS: Final = (
    "sessid",
    "session",
    ".sid",
    "_sid",
    "li_at",
    "login",
    "signin",
    "authtoken",
    "deploy -t",
    "wandb login",
)
_OF_SESSION: Final = pattern_of(
    r"""(?P<rest>(?:[_ ]?(?:id|cookie|key))?)\b["'`]?
    (?:\s(?:on|for|of)(?:\s\w{1,12}){1,2}(?=\sis\s))?
    (?:\s?[:=]\s?|\s+(?:is|to|with|now|then|needed|wants|paste|on\s\S{1,20})){0,3}\s{0,2}
    ["'`]?(?P<value>[A-Za-z0-9_+/=.~:%-]{16,300})""",
    _FLAGS,
)
_HEXADECIMAL: Final = pattern_of(r"[0-9a-f]{16,}", re.IGNORECASE)
_LINKS: Final = {"is", "as", "for", "was"}
_MOST_BETWEEN: Final = 4
"""Words between "… is" and the name of a key that follows: "my new api"."""
_SPOKEN: Final = pattern_of(
    r"""(?P<rest>s?)(?:\s+(?:for|of|to|from)\s+(?:\w+\s+){1,3}?(?:is|was)|(?:\s+file)?\s+(?:is|was|here|now|contains|holds|has|says|reads|consists\sof|there\sis))?
    ["'`:,(]{0,2}\s+["'`(]?(?P<value>[A-Za-z0-9_+/=.~:-]{12,300})""",
    _FLAGS,
)
_OF_A_PROGRAM: Final = pattern_of(
    r"""(?:public|primary|foreign|cache|sort|partition|object|idempotency|host|row|map|lookup|shard
    |unique|composite|surrogate|websocket|natural|hash|registry|translation|config|dictionary|page|next|cursor|sync
    |continuation|fencing|storage|event|resource|publish\w*|site|pub|anon|ssh|pgp|gpg|known|s3|file
    |metric|message|routing|group|dedup\w*|etag|nonce|request|order|product|licen[cs]e\ plate)
    [\s_.-]?(?:api[\s_-]?)?\Z
    |\b(?:md5|sha-?\d{1,3}|checksum|digest|hash|fingerprint)(?:sum)?\s(?:of|for)\s[^\s:]{0,40}\Z""",
    _FLAGS,
)
_UUID: Final = pattern_of(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_CODE: Final = pattern_of(
    r"""[A-Za-z_][\w.]*[(\[{]|(?:\./|\.\./|/|~/|\w+/\w+/\w+/)|\$|<|%\(|\{|https?:|\w+://
    |(?:[A-Za-z]+\d{0,4})(?:[._:/-](?:[A-Za-z]+\d{0,4}|\d{1,4}))*\Z|v?\d+(?:[.:-]\d+)*\Z
    |\d{4}-\d\d-\d\d|sha\d*[:-]|arn:|AAAA[BCE]""",
    _FLAGS,
)
# Shapes of any issuer: a prefix before a long body of capitals, small letters and digits, or a word
# for a key before a UUID.
_PREFIXED = pattern_of(
    r"(?<![\w./=+-])[A-Za-z]{2,10}[_-](?:[A-Za-z]{1,12}[_-])?"
    r"(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])(?=[A-Za-z]*\d)[A-Za-z0-9]{30,}(?![\w./+-])"
)
_KEYED_UUID = pattern_of(
    r"(?<![\w/])(?:access|pat|sdk|key|token|secret|sk)-(?:[a-z0-9]{2,12}-){0,2}"
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"
)
_SHORT: Final = 12
"""The least length of a value in prose that has capitals, small letters and digits all over."""
_LEAST_OF_SIGNS: Final = 20
_FEWEST_SIGNS: Final = 4
_LEAST_BITS_OF_SIGNS: Final = 3.9
# Templates, patterns, variables, addresses.
_FILLED_IN: Final = pattern_of(
    r"\{\w*\}|%\(\w+\)|\$\{|\$\(\w{3}|\\[dswb]|\[[a-zA-Z0-9]-[a-zA-Z0-9]|://|\?\w+=\w+&"
    r"|\A<.*>\Z|your[-_]|placeholder|replace[-_]|redacted|change-?me|insert[-_]",
    re.IGNORECASE,
)
_EXPRESSION: Final = pattern_of(r"[\[\]{};,\"']|[A-Za-z_]{3}\(|\A[\w.]+\(")
_LEAST_JUMBLED: Final = 24
_JOINED_WORD: Final = pattern_of(r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{3,}(?![a-z])")
_LEAST_BITS: Final = 2.9
"""Shannon entropy of the characters; of generated text of 16 signs it is 3.2 and more."""


def find_generated(reading: Reading) -> str | None:
    """Return "api_key" for generated text that is given a key's name, or follows it."""
    text = reading.text
    for start, name in reading.at(_STEMS):
        match = _ASSIGNED.match(text, start + len(name))
        alone = name in {"key", "api"} and not text[start - 1 : start].strip()
        least = 16 if alone else 8
        if match and name == "_pat" and match["rest"][:1].isalpha():
            continue  # "_PATTERN", "_path"
        if match and not is_of_a_program(reading, start) and _is_assigned(match, least):
            return "api_key"
    for start, name in reading.at(_WORDS):
        if text[start - 1 : start].isalnum() and name != "apikey":
            continue
        match = _SPOKEN.match(text, start + len(name))
        if is_of_a_program(reading, start):
            continue
        if (match and _is_spoken(match["value"])) or _is_spoken(_value_before(reading, start)):
            return "api_key"
    for start, name in reading.at(_SESSIONS):
        match = _OF_SESSION.match(text, start + len(name))
        joined = text[start - 1 : start] == "_"
        if match and _is_of_session(match, name, joined=joined):
            return "api_key"
    for pattern in (_PREFIXED, _KEYED_UUID):
        if any(
            not (is_placeholder(match[0]) or is_public(match[0]))
            for match in pattern.finditer(text)
        ):
            return "api_key"
    return None


def is_of_a_program(reading: Reading, start: int) -> bool:
    """Return whether the words before the name make it one of a program ("cache key")."""
    return _OF_A_PROGRAM.search(reading.before(start, 60)) is not None


def _value_before(reading: Reading, start: int) -> str:
    """Return the word before "is my", "for the" and the name of a key; empty without one."""
    words = reading.before(start, 360).split()
    for between in range(1, _MOST_BETWEEN + 1):
        if words[-between - 1 : -between] and words[-between - 1].lower() in _LINKS:
            return words[-between - 2] if len(words) > between + 1 else ""
    return ""


def _is_assigned(match: re.Match[str], least: int) -> bool:
    """Return whether the value after a sign is generated."""
    value = match["value"]
    if match["quote"]:
        value = value.partition(match["quote"])[0]
    rest = match["rest"].lower()
    if _REST_OF_OTHERS.search(rest):
        return False
    if _is_of_signs(value, quoted=bool(match["quote"])):
        return True
    value = re.split(r"[\s,;)}\]]", value.strip("\"'`"), maxsplit=1)[0].rstrip(".:")
    return len(value) >= least and is_generated(value)


def _is_of_signs(value: str, *, quoted: bool) -> bool:
    """Return whether signs stand all over between letters and digits, as frameworks make keys.

    Without quotes an expression has them, too; there it must be long and must not call anything.
    """
    if len(value) < (_LEAST_OF_SIGNS if quoted else 2 * _LEAST_OF_SIGNS):
        return False
    if _FILLED_IN.search(value) or (not quoted and _EXPRESSION.search(value)):
        return False
    kinds = ["d" if c.isdigit() else "a" if c.isalpha() else "s" for c in value]
    changes = sum(a != b for a, b in pairwise(kinds))
    signs = {c for c in value if not c.isalnum()}
    return (
        len(set(kinds)) == 3
        and len(signs) >= _FEWEST_SIGNS
        and 3 * changes > len(value)
        and _bits(value) >= _LEAST_BITS_OF_SIGNS
    )


def _is_of_session(match: re.Match[str], name: str, *, joined: bool) -> bool:
    """Return whether the word after a session's name, or a command, is generated; no UUID."""
    value = match["value"].strip("\"'`.:,()")
    bare_name = name == "session" and not (match["rest"] or joined)
    if len(value) < 16 or _UUID.fullmatch(value) or bare_name:
        return False
    if name in {"login", "signin"} and _HEXADECIMAL.fullmatch(value):
        return False
    digits = sum(map(str.isdigit, value))
    return digits >= 3 and is_generated(value)


def _is_spoken(value: str) -> bool:
    """Return whether the word after a name in prose is generated."""
    value = value.strip("\"'`.:,()")
    if not value.isascii() or not is_generated(value):
        return False
    return len(value) >= 20 or is_changing(value, _SHORT)


def is_generated(value: str) -> bool:
    """Return whether letters and digits are mixed as chance does, in no form of a program's."""
    if is_placeholder(value) or is_public(value) or (_CODE.match(value) and not _is_jumbled(value)):
        return False
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    if not letters or not digits:
        return False
    return _UUID.fullmatch(value) is not None or _bits(value) >= _LEAST_BITS


def _is_jumbled(value: str) -> bool:
    """Return whether capitals and small letters stand in no words, as those of a name do."""
    plain = re.sub(r"[_-]", "", value)
    if not (value[:1].isalnum() and plain.isalnum() and len(plain) >= _LEAST_JUMBLED):
        return False
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in plain]
    in_words = sum(map(len, _JOINED_WORD.findall(plain)))
    return len(set(kinds)) == 3 and 3 * in_words < 2 * len(plain)


def is_changing(value: str, least: int) -> bool:
    """Return whether capitals, small letters and digits change all over, in `least` characters."""
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in value if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    return (
        len(value) >= least
        and value.isalnum()
        and len(set(kinds)) == 3
        and 3 * changes > len(value)
    )


def _bits(value: str) -> float:
    """Return the entropy of the characters, in bits a character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
