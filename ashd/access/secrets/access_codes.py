"""Codes that give access: codes that unlock a thing, and one-time codes that a service sends."""

import re

from ashd.access.secrets import vocabulary
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_FLAGS = re.IGNORECASE | re.VERBOSE
_CODE = rf"""(?P<digits>\d{{4,8}}|\d(?:-\d){{2,7}}|\d{{3}}[ -]\d{{3}}
    |\d{{2}}[ -]\d{{2}}(?:[ -]\d{{2}})?)(?![\w%€$£°]|[.,:/-]\d|{vocabulary.COUNTS})"""
_THING = vocabulary.THING
_UNLOCKS = pattern_of(
    rf"""\b{_THING}(?:'s)?\s+(?:(?:is|gets|can\ be)\s+)?(?:un(?:lock(?:s|ed)?)|opens|opened)
    \s+(?:with|by|using|to|on)\s+(?:(?:the|a)\s+)?(?:(?:code|pin|number|digits|passcode)\s+)?{_CODE}
    |\bunlock(?:s|ing)?\s+(?:the|my|his|her|our|their|your|\w{{2,15}}'s)\s+(?:[\w']{{1,15}}\s+){{0,2}}?{_THING}
    (?:\s+(?:with|by|using|type|enter|press)\s+|\s?[:=]\s?)(?:(?:the|code|pin)\s+){{0,2}}
    {_CODE.replace("digits", "other")}
    |\b(?:unlock(?:s|ed)?|disarm(?:s|ed)?|open(?:s|ed)?)\s(?:(?:it|them|that)\s)?with\s
    (?:(?:the|code|pin)\s){{0,2}}{_CODE.replace("digits", "fourth")}
    |\b(?:enter|press|type|punch(?:\sin)?|dial|key\sin)\s{_CODE.replace("digits", "fifth")}\s?\#?\s
    (?:at|on|into|in|to\s(?:open|unlock)|for)\s(?:the|a|our|my)\s{_THING}
    |\b(?:keypad|key[ ]?(?:safe|box)|{_THING})\s(?:code\s)?(?:takes|wants|needs|accepts|uses|is)\s
    {_CODE.replace("digits", "sixth")}
    |\b(?:combination|combo)(?:\s(?:for|of|to)\s[^\n.!?:;\d]{{2,30}}?)?(?:{vocabulary.GIVES}|\s)
    (?P<eighth>\d{{1,2}}(?P<by>[ -])\d{{2}}(?P=by)\d{{1,2}})(?![\w-]|\sof\b)
    |\bset\s(?:\w+\s)?(?!alarms?\sto\s(?:[01]\d|2[0-3])[0-5]\d\b)(?:{_THING}(?:'s)?\s)?(?:code|pin|lock|combination|passcode|{_THING})\sto\s
    {_CODE.replace("digits", "ninth")}
    |\b{_THING}\s?:\s{_CODE.replace("digits", "tenth")}\#
    |\b{_THING}\s\w{{2,12}}\scode\s{_CODE.replace("digits", "eleventh")}
    |\b(?:keypad|lockbox|key[ ]?(?:safe|box))\s?:?\s{_CODE.replace("digits", "seventh")}
    |\b(?:keypad|lockbox|key[ ]?(?:safe|box))\s(?:{vocabulary.PLACED})\s[^\n.!?;:\d]{{2,40}}?
    {vocabulary.GIVES}{_CODE.replace("digits", "thirteenth")}
    |\b{_THING}\s?lock{vocabulary.GIVES}{_CODE.replace("digits", "third")}
    |{vocabulary.LOCK}[^\n.!?;:]{{0,20}}?\s{vocabulary.OPENS_WITH}\s
    (?:(?:le|la|el|il|o|den?|dem|der|het|code|kode|c[oó]digo|codice|pin)\s){{0,3}}
    {_CODE.replace("digits", "twelfth")}""",
    _FLAGS,
)
# The numbers to which one turns the rings of a lock: "the padlock is 31-07-22".
_DIALLED = pattern_of(
    r"""\b(?:padlock|lockbox|safe|keypad|combination\slock)\s(?:[\w']{1,12}\s){0,3}is\s
    (?:\d(?:-\d){2,7}|\d\d(?:[ -]\d\d){2,3})(?![\w-])""",
    _FLAGS,
)
# Which way to turn the dial, and how far: "34 left, 12 right, 57 left", "L45-R09-L63".
_TURN = rf"""(?:(?:\d\s?(?:x|times|turns?)?\s)?\b(?:{vocabulary.TURNED})\s?
    (?:(?:past\s(?:it|\d{{1,2}})|turns?|to|auf|bis|à|a)\s){{0,3}}\d{{1,2}}\b
    |\d{{1,2}}\s?(?:to\s)?(?:the\s)?(?:{vocabulary.TURNED})\b)"""
_TURNS = pattern_of(
    rf"(?<![\w-]){_TURN}(?:\s?[,;/-]?\s?(?:(?:then|and|dann|puis|luego)\s)?{_TURN}){{2,4}}", _FLAGS
)
_TURNED = pattern_of(
    r"""\b(?:\w*safe|\w*tresor|coffre(?:-fort)?|caja\sfuerte|cassaforte|vault|(?:pad|combination\s)?lock
    |locker|dial(?!\s(?:it|up|down|back))|strongbox|gun\scabinet|combination|combo|combinaison|combinaci[oó]n
    |kombination|vorhängeschloss|cadenas)\b(?!\s(?:the|a|your|his|her)\s)""",
    _FLAGS,
)
_STEMS_OF_TURNED = (
    *("safe", "tresor", "coffre", "caja", "cassaforte", "vault", "lock", "dial", "strongbox"),
    *("cabinet", "comb", "kombi", "schloss", "cadenas"),
)
_CLAUSE = pattern_of(r"\n|[.!?;]\s")
_TURNED_NEAR = 60
"""Characters before the turns in which the lock stands."""
_DIGIT = pattern_of(r"\d")
_ONCE = rf"(?:{vocabulary.SENT_CODES})"
_SERVICE = r"(?-i:[A-Z][A-Za-z]{2,14})"
_ONE_TIME = pattern_of(
    rf"""\b{_ONCE}s?(?:{vocabulary.OF}{vocabulary.GIVES}|\s(?:(?:for|from|von|van|de|di)\s\w{{2,15}}\s)?){_CODE}
    |\b(?:otp|totp)(?:\ code)?(?:{vocabulary.GIVES}|\s+(?=\d{{6}}\b))
    {_CODE.replace("digits", "other")}
    |(?<![\w.,-])(?:[A-Z]-)?{_CODE.replace("digits", "third")}{vocabulary.LINKED}
    (?:(?:\w{{2,20}}\s+)?(?:{_ONCE}|otp)|{_SERVICE}[ -]code)\b""",
    _FLAGS,
)
# A number of the bank or the telephone, told with what it is for: "Sparkasse sent 771 204 for
# verification", "your Uber code is 4417".
_CONFIRMS = r"""(?:for\s(?:the\s)?(?:verification|log-?in|sign-?in|confirmation|registration)
    |to\s(?:verify|confirm|log\s?in|sign\s?in|register|authenticate))\b"""
# A surname begins with one capital.
_TAN = r"(?-i:(?:[A-Za-z]{1,5}-?)?TAN|(?:(?:push|photo|chip|sms|[mi])-?)?tan)(?:-?(?:code|nummer))?"
_SIX = r"(?:\d{6,8}|\d{3}[ -]\d{3})"
_YOUR = r"(?:your|deine?|ihre?|je|uw|jouw|votre|ton|tu|su|il\ tuo|seu|teu)"
_SENT = r"(?:texted|sent|sms)"
_GOOGLE = r"(?<![\w-])G-\d{6}(?![\w-])"
_TEXTED = r"(?:google|text(?:ed|s)?|sms|code|verif\w+)\b"
_TOLD = pattern_of(
    rf"""\b(?:{_SENT}|use|code|number|reads?)(?:\s(?:me|us|is|says))?\s?:?\s{_CODE}
    [^\n.!?]{{0,40}}?{_CONFIRMS}
    |\b(?:{_SENT}|code)\b[^\n.!?]{{0,30}}?{_CONFIRMS}[^\n.!?\d]{{0,20}}?
    {vocabulary.GIVES}{_CODE.replace("digits", "other")}
    |\b(?:code|number|pin)\b[^\n.!?\d]{{0,30}}?\b{_SENT}\b[^\n.!?\d]{{0,12}}?(?:\s(?:is|was)\s|\s?:\s?)
    {_CODE.replace("digits", "fourth")}
    |\b{_TAN}(?:\sfor\s(?:\w+\s){{1,3}}?)?{vocabulary.OF}(?:{vocabulary.GIVES}|\s){_SIX}(?![\w%€$£°])
    |(?<![\w.,-]){_SIX}(?:\s?[-\u2013:]\s?|\s(?:is|ist)\s(?:the|your|my|die|deine|ihre)\s){_TAN}\b
    |\b{_YOUR}\s(?:{_SERVICE}[ -](?:\w{{3,12}}\s)?code
    |(?:code|c[oó]digo|codice)\s(?:d[eio]\s)?{_SERVICE})
    {vocabulary.GIVES}{_CODE.replace("digits", "third")}(?!\s?lines)
    |\b(?:guard|verification|login|confirmation)\scode{vocabulary.GIVES}
    (?-i:(?=[A-Z]*\d)(?=\d*[A-Z])[A-Z0-9]{{5,8}})(?!\w)
    |\bcode\s\d{{3,4}}[ -]\d{{2,4}}\b[^\n.!?]{{0,30}}?{_CONFIRMS}
    # The last line of a text message for a page, and what Google sends.
    |(?<!\S)@[\w-]+(?:\.[\w-]+)+\s\#\d{{4,8}}(?!\w)
    |{_GOOGLE}[^\n]{{0,60}}?\b{_TEXTED}|\b{_TEXTED}[^\n]{{0,60}}?{_GOOGLE}""",
    _FLAGS,
)
_OTHER_CODE = pattern_of(
    rf"\b(?:{'|'.join(sorted(vocabulary.OTHER_CODES))})[ -]?codes?\b[^.!?]*\Z", re.IGNORECASE
)
_STEMS_OF_UNLOCKING = (
    "unlock",
    "opens with",
    "opened with",
    "opens by",
    "screen lock",
    "screenlock",
    "disarm",
    *("combination", "combo", "set ", "gate:", "door:", " code "),
    "open",
    *(
        "enter",
        "press",
        "type",
        "punch",
        "dial",
        "key in",
        "keypad",
        "lockbox",
        "key safe",
        "key box",
    ),
    *(" mit ", " avec ", " con ", " com ", " met "),
    *(" takes ", " wants ", " needs ", " accepts ", " uses "),
)
_STEMS_OF_ONCE = ("code", "otp", "time pass", "time-pass", "einmal", "codice", "digo", "pin")
_STEMS_OF_TOLD = (
    *("verif", "confirm", "log in", "login", "sign in", "regist", "authenticat"),
    *("tan", "code", "codice", "digo", "g-", " #"),
)


def find_code(reading: Reading) -> str | None:
    """Return "pin" for a code that unlocks a thing, "one_time_code" for one from a service."""
    if _DIGIT.search(reading.text) is None:
        return None
    if reading.has(_STEMS_OF_UNLOCKING) and any(
        not _OTHER_CODE.search(reading.before(match.start(), 40))
        for match in _UNLOCKS.finditer(reading.text)
    ):
        return "pin"
    if _DIALLED.search(reading.text) or _is_turned(reading):
        return "pin"
    if reading.has(_STEMS_OF_ONCE) and _ONE_TIME.search(reading.text):
        return "one_time_code"
    if reading.has(_STEMS_OF_TOLD) and any(
        not _OTHER_CODE.search(told[0]) for told in _TOLD.finditer(reading.text)
    ):
        return "one_time_code"
    return None


def _is_turned(reading: Reading) -> bool:
    """Return whether turns of a dial follow the name of a lock, in the same sentence."""
    return reading.has(_STEMS_OF_TURNED) and any(
        _TURNED.search(_CLAUSE.split(reading.before(turns.start(), _TURNED_NEAR))[-1])
        for turns in _TURNS.finditer(reading.text)
    )
