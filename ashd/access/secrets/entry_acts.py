"""Credentials that are told in the sentence of an act of getting in.

Owns one rule for all of them: the word is shaped like a credential, something hands it over ("with
…", "then type …"), and the sentence tells of getting in ("log in as …", "at the prompt", "the
network is …", "the stick opens") or labels the word with a device ("laptop = …"). Each of the three
counts, and the weaker one is, the stronger the others must be. A name that nobody hands over, or an
act without such a word, is no secret.
"""

import re
from typing import Final

from ashd.access.secrets import credential_shapes, password_values, vocabulary
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_BEFORE: Final = 90
_AFTER: Final = 60
"""Characters around a value in which its act may stand."""
_ENOUGH: Final = 5
_SENTENCE: Final = pattern_of(r"\n|[.!?;]\s")

_TYPED: Final = pattern_of(
    rf"""(?<![\w'-])(?:{vocabulary.TYPES})(?:\s(?:the|das|den|die|le|la)\s\w{{3,12}})?\s?:?
    \s["'`(]?\Z""",
    _FLAGS,
)
_HANDED, _SAID = (
    pattern_of(
        rf"""(?:(?<![\w'-])(?:{words})(?:\s(?:the|a|das|den|die|le|la|el)\s\w{{3,12}})?\s?:?{signs})
        \s["'`(]?\Z""",
        _FLAGS,
    )
    for words, signs in ((vocabulary.HANDS_OVER, ""), (vocabulary.SAYS, r"|:|->|\u2192"))
)
_CALLED: Final = pattern_of(
    rf"""(?<![\w'-])(?:{vocabulary.NAMES})(?:\s(?:on|for|at|in|auf|bei|für)(?:\s\w{{1,12}}){{1,2}})?(?:\s(?:is|ist|est|es))?
    \s?:?\s["'`(]?\Z|\b(?:sha-?\d{{1,3}}|md5)[:-]\Z""",
    _FLAGS,
)
_BESIDE: Final = pattern_of(r"\s?[,/|:+]\s?[\"'`(]?\Z")
_PAIR: Final = pattern_of(r"[\w.+-]\s?[/|]\s?\Z|@[\w-]+(?:\.[\w-]+)+\s\Z")
_BESIDE_MAIL: Final = pattern_of(r"@[\w-]+(?:\.[\w-]+)+\)?\s?[,/|:+]\s?[\"'`(]?\Z")
_HANDED_BACK: Final = pattern_of(rf"[\"'`)]?\s(?:{vocabulary.HANDS_BACK})\b", _FLAGS)
_KEYED: Final = pattern_of(
    rf"""\s?,?\s(?:(?:and\s)?then|and|followed\sby|(?:und\s)?dann|puis|luego)\s
    (?:(?:press|hit|the)\s){{0,2}}(?:{vocabulary.KEYED_AFTER})\b""",
    _FLAGS,
)
_HANDING: Final = 40
"""Characters in which the words that hand a value over stand."""


def _words(alternatives: str) -> "re.Pattern[str]":
    return pattern_of(rf"(?<![\w'-])(?:{alternatives})(?![\w'-])", _FLAGS)


_IDENTITY: Final = pattern_of(
    rf"(?<!\w)(?:{vocabulary.IDENTITY})\s[\"'`]?[\w.@\\+-]{{2}}|[\w.+-]@[\w-]+\.\w{{2}}", _FLAGS
)
_LOGIN: Final = _words(vocabulary.GETS_IN)
_SERVICE: Final = _words(vocabulary.SERVICES)
_LABEL: Final = pattern_of(
    rf"(?<![\w'-])(?:{vocabulary.SERVICES})\s?(?:=>?|:|->|\u2192)\s?[\"'`(]?\Z", _FLAGS
)
_OPENING: Final = _words(vocabulary.OPENING)
_LOCKED: Final = _words(rf"(?:[\w-]+[._-])?(?:{vocabulary.LOCKED})")
_PROMPT: Final = _words(vocabulary.PROMPT)
_NET: Final = _words(vocabulary.NET)
_NET_CALLED: Final = pattern_of(
    rf"""(?:{vocabulary.NET_CALLED})\s?["'`]?[\w-]{{3}}
    |(?<![\w'-])(?:{vocabulary.NET})\s["'`][\w-]{{3}}""",
    _FLAGS,
)
_RESET: Final = pattern_of(
    rf"(?<!\w)(?:{vocabulary.RESETS})\b[^\n]{{0,40}}?\s(?:to|auf|à|a|now)\s?:?\s\Z", _FLAGS
)
# "the disk unlocks with the sentence …".
_PHRASED: Final = pattern_of(
    rf"""\b(?:unlock(?:s|ed)?|decrypt(?:s|ed)?|mount(?:s|ed)?|entsperrt?|öffne[tn]?(?:\ssich)?|s'ouvre|se\sabre)\s
    (?:(?:it|them)\s)?(?:with|using|by|mit|avec|con)\s(?P<called>(?:{vocabulary.PHRASED})\s(?=\S+\s\S+\s\S))?""",
    _FLAGS,
)
_STEMS_OF_PHRASED: Final = (
    *("unlock", "decrypt", "mount", "entsperr", "öffne", "s'ouvre", "se abre"),
)
_REUSE: Final = _words(vocabulary.REUSES)
_KEYPAD: Final = pattern_of(
    rf"(?<![\w'-])(?:{vocabulary.KEYPAD}|{vocabulary.THING})(?![\w'-])|{vocabulary.LOCK}", _FLAGS
)

_COUNTS: Final = pattern_of(vocabulary.COUNTS, _FLAGS)
# "Level 12 unlocks the glider, she is …": the value is told in a clause with a subject of its own.
_UNLOCKS_ELSEWHERE: Final = pattern_of(
    r"""\bunlock(?:s|ed)?(?=\s(?:the|an?|new|\w+ing)\s[\w' -]{2,40}[,;]\s(?:and\s|but\s)?
    (?:i|you|he|she|it|we|they)(?:'s|'m|'re|\s(?:is|am|are|was|were|has|have|had))\s)""",
    _FLAGS,
)


def find_entry_act(reading: Reading) -> str | None:
    """Return "password" or "pin" for a credential in the sentence of an act of getting in."""
    text = reading.text
    for word in credential_shapes.WORD.finditer(text):
        made = credential_shapes.of_word(word[0])
        if made and made + _evidence_of_word(*_around(text, word), made) >= _ENOUGH:
            return "password"
    if reading.has(_STEMS_OF_PHRASED) and any(
        _is_phrase(text, said) for said in _PHRASED.finditer(text)
    ):
        return "password"
    for code in credential_shapes.CODE.finditer(text):
        made = credential_shapes.of_code(code[0])
        if made + _evidence_of_code(*_around(text, code), code[0]) >= _ENOUGH:
            return "pin"
    return None


def _is_phrase(text: str, said: re.Match[str]) -> bool:
    """Return whether the words that open a locked thing are a passphrase."""
    around = text[max(0, said.start() - _BEFORE) : said.start()]
    if _LOCKED.search(_SENTENCE.split(around)[-1]) is None:
        return False
    return said["called"] is not None or (
        password_values.is_passphrase(text, said.end(), signed=False)
        and text[said.end() : said.end() + 1].islower()
    )


def _around(text: str, match: re.Match[str]) -> tuple[str, str]:
    """Return what stands before and after a value in its sentence."""
    before = _SENTENCE.split(text[max(0, match.start() - _BEFORE) : match.start()])[-1]
    after = _SENTENCE.split(text[match.end() : match.end() + _AFTER], maxsplit=1)[0]
    return before, after


def _evidence_of_word(before: str, after: str, made: int) -> int:
    """Return how much the sentence says that a word gets somebody in."""
    handing = before[-_HANDING:]
    if _CALLED.search(handing):
        return 0
    identity = _IDENTITY.search(before) is not None
    net = 1 + bool(_NET_CALLED.search(before)) if _NET.search(before) else 0
    labelled = _LABEL.search(handing) is not None
    mailed = identity and _BESIDE_MAIL.search(handing) is not None
    handed = max(2 if mailed else _handed(handing, after), int(labelled))
    if not handed and made == credential_shapes.SURE:
        handed = int(_SAID.search(handing) is not None)
    if not handed and (identity or net > 1):
        handed = int(_BESIDE.search(handing) is not None or _SAID.search(handing) is not None)
    if not handed and made == credential_shapes.SURE:
        handed = int(_PAIR.search(handing) is not None)
    if not handed and made < credential_shapes.CERTAIN:
        return 0
    whole = f"{before} {after}"
    of_service = (mailed or _PAIR.search(handing)) and _SERVICE.search(whole)
    login = identity + bool(labelled or of_service or _LOGIN.search(whole))
    opening = 1 + bool(_LOCKED.search(whole)) if _OPENING.search(whole) else 0
    prompt = 1 if _PROMPT.search(whole) else 0
    reset = 1 if _RESET.search(before) or _REUSE.search(whole) else 0
    act = max(login, opening, prompt, net, reset)
    return handed + act if act else 0


def _evidence_of_code(before: str, after: str, code: str) -> int:
    """Return how much the sentence says that somebody types digits to get in."""
    ended = int(code[-1] in "#*" and _KEYPAD.search(before) is not None)
    handed = _handed(before[-_HANDING:], after) or ended or int(_KEYED.match(after) is not None)
    if not handed or _COUNTS.match(after):
        return 0
    whole = f"{_UNLOCKS_ELSEWHERE.sub('', before)} {after}"
    file = _OPENING.search(whole) and _LOCKED.search(whole)
    return handed + 2 if file or _KEYPAD.search(whole) else 0


def _handed(handing: str, after: str) -> int:
    """Return 2 if a value is to be typed, 1 if something else hands it over, 0 otherwise."""
    if _TYPED.search(handing):
        return 2
    return 1 if _HANDED.search(handing) or _HANDED_BACK.match(after) else 0
