"""Values that are given a secret's name: PINs and codes, API keys, bearer tokens.

Owns the names under which digits are a code and generated text is a key. The same digits or the
same text under another name ("order", "commit") are harmless.
"""

import base64
import binascii
import re
from itertools import pairwise

from ashd.access.secrets import vocabulary
from ashd.access.secrets.normalisation import Reading, is_random
from ashd.language.lazy_pattern import pattern_of

_FLAGS = re.IGNORECASE | re.VERBOSE

_CODES = (
    "pin",
    "code",
    "combination",
    "combo",
    "cvv",
    "cvc",
    "cv2",
    "verification",
    "puk",
    "geheimzahl",
    "código",
    "codigo",
    "codice",
    "пин",
)
_LOCK = (
    r"\b(?:alarm|door|gate|garage|safe|locker|lock|entry|unlock|keypad|vault|luggage|voicemail"
    r"|lockbox|padlock|security|access|elevator|building|house|front|entrance|shed|bike"
    r"|porte|portail|immeuble|coffre|carte|puerta|portal|tarjeta|porta|portone|cancello|cofre"
    r"|(?:haus|wohnungs|garagen|keller)?tür|haus|tor|tresor|karte|deur)\b"
)
_LOCK_JOINED = pattern_of(r"(?:tür|tor|haus|garagen|tresor|alarm|zugangs)\Z", re.IGNORECASE)
_LOCK_BEFORE = pattern_of(rf"{_LOCK}(?:\ (?:keypad|door|box|lock))?\ \Z", _FLAGS)
_LOCK_WITHIN = pattern_of(_LOCK, _FLAGS)
_PIN_BEFORE = pattern_of(
    r"(?:\b(?:my|his|her|our|their|card|sim|phone|bank|debit|atm|alarm)|'s"
    r"|\b(?:code|c[oó]digo|codice|kod))\ \Z",
    _FLAGS,
)
_DIGITS = pattern_of(
    rf"""(?P<more>[12]?(?:[ -]?(?:code|number|nummer|no\.?|код))?s?)(?P<of>{vocabulary.OF})
    (?:(?P<gives>{vocabulary.GIVES})|\s+)(?P<digits>\d(?:[ -]?\d){{2,11}})
    (?![\w]|[.,]\d|[ -]?(?:char|digit|letter|step|day|attempt|people))""",
    _FLAGS,
)
_OWNED = pattern_of(r"card|phone|bank|sim\b|atm|door|lock|\bmy\b|\bhis\b|\bher\b|'s\b", _FLAGS)
_BOARD = pattern_of(r"gpio|arduino|raspberry|header", _FLAGS)

_WIFI_BEFORE = pattern_of(r"\b(?:wi-?fi|wlan|network|ssid|hotspot)\b[^\n.!?]{0,40}\Z", _FLAGS)
_TOKENS_OF = pattern_of(
    r"\b(?:pat|personal\ access\ token)\b\W{0,3}(?:is\s)?(?P<value>[a-z0-9]{40,}"
    r")\b",
    _FLAGS,
)
_KEYS = ("key", "token", "secret", "credential", "schlüssel", "schluessel", "sleutel", "api")
_KEYS_OTHER = ("ключ", "токен", "密钥", "密鑰", "キー", "키")
_KEY_BEFORE = pattern_of(
    r"""(?:api|app(?:lication)?|access|auth(?:entication|orization)?|secret|client|private|encryption
      |signing|master|session|bearer|refresh|webhook|deploy(?:ment)?|bot|service|account|consumer|jwt
      |oauth|storage|admin|developer|subscription|license|security|id)[ _-]?(?:api[ _-]?)?\Z""",
    _FLAGS,
)
# "The key: …", without a word that says what it is the key of.
_KEY_ALONE = pattern_of(
    r"""(?:\A|[\n.!?,;(]\s*
    |\b(?:the|my|our|his|her|their|your|this|a|new|it's|here\ is|here's)\s+)\Z""",
    _FLAGS,
)
_API_BEFORE = pattern_of(
    r"(?:cl[eé]|clave|chave|chiave|ключ)\ (?:d')?(?:(?:de|da|di|la)\ ){0,2}\Z", _FLAGS
)
_KEY = pattern_of(
    rf"""s?{vocabulary.OF}(?:{vocabulary.GIVES}|是|は|(?P<bare>\s+(?=[A-Za-z0-9_+/=.~-]{{20}})))
    (?:[A-Za-z]{{3,10}}\s)?(?P<value>[A-Za-z0-9_+/=.~:-]{{8,512}})""",
    _FLAGS,
)
# "SECRET_KEY=…": after a sign the value may have any signs, too.
_ASSIGNED = pattern_of(
    r"""["']?(?:\s+value)?\s?(?:[:=]=?|=>)\s?(?P<quote>["'`]?)(?P<value>[!-~]{8,200}?)
    (?:(?P=quote)(?=[\s,;})/>]|\Z))""",
    _FLAGS,
)
# Names in code: words and small numbers, joined.
_IDENTIFIER = pattern_of(
    r"(?:[a-z]+\d{0,2}|\d{1,2})(?:[._](?:[a-z]+\d{0,2}|\d{1,2}))+", re.IGNORECASE
)
_AWS_SECRET = pattern_of(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])")
_AUTHORIZATION = pattern_of(
    r"(?P<scheme>bearer|basic)\s+(?P<value>[a-z0-9_.~+/-]{8,2000}={0,2})", _FLAGS
)
_COOKIE = pattern_of(
    r"cookie[^\n]{0,40}?\b[\w-]{0,20}(?:sess|sid|auth|token)\w{0,20}=(?P<value>[\w%.+/-]{16,})",
    _FLAGS,
)


def find_pin(reading: Reading) -> str | None:
    """Return "pin" for digits that open a card, a phone, a door or a safe."""
    for start, name in reading.at(_CODES):
        end = start + len(name)
        match = _DIGITS.match(reading.text, end)
        if match and _is_code(reading, start, name, match):
            return "pin"
    return None


def _is_code(reading: Reading, start: int, name: str, match: re.Match[str]) -> bool:
    """Return whether this name with these digits means a code that opens something."""
    before = reading.before(start, 40)
    if before[-1:].isalpha():
        return match["gives"] is not None and _LOCK_JOINED.search(before) is not None
    opens = _LOCK_BEFORE.search(before) is not None
    given = match["gives"] is not None
    if name in {"code", "combination", "combo", "código", "codigo", "codice"}:
        return opens or (given and _LOCK_WITHIN.search(match["of"]) is not None)
    if name == "verification":
        return before.lower().endswith("card ")
    if name != "pin":
        return True
    around = before + match[0] + reading.text[match.end() : match.end() + 40]
    if _BOARD.search(around):
        return False
    # India's postal codes are "PIN codes" of six digits.
    if "code" in match["more"] and len(match["digits"]) == 6 and not _OWNED.search(around):
        return False
    named = reading.text.startswith("PIN", start) or opens or bool(_PIN_BEFORE.search(before))
    named |= len(match["digits"]) >= 4 and _OWNED.search(around) is not None
    return named or given


def find_key(reading: Reading) -> str | None:
    """Return "aws_secret_key" or "api_key" for generated text under the name of a key."""
    text = reading.text
    if reading.has(("aws", "amazon")) and any(
        _is_aws_secret(reading, match) for match in _AWS_SECRET.finditer(text)
    ):
        return "aws_secret_key"
    for start, name in reading.at(_KEYS if text.isascii() else (*_KEYS, *_KEYS_OTHER)):
        if _is_key(reading, start, name):
            return "api_key"
    for start, _ in reading.at(("bearer ", "basic ")):
        header = _AUTHORIZATION.match(text, start)
        if header and _is_authorization(header["scheme"].lower(), header["value"]):
            return "api_key"
    for start, _ in reading.at(("pat", "personal access")):
        named = _TOKENS_OF.match(text, start)
        if named and is_random(named["value"], distinct=12):
            return "api_key"
    for start, _ in reading.at(("cookie",)):
        cookie = _COOKIE.match(text, start)
        if cookie and is_random(cookie["value"]):
            return "api_key"
    return None


def _is_aws_secret(reading: Reading, match: re.Match[str]) -> bool:
    """Return whether forty characters of base64 are introduced as Amazon's."""
    near = reading.before(match.start(), 60).lower()
    mixed = any(c.isupper() for c in match[0]) and any(c.islower() for c in match[0])
    return ("aws" in near or "amazon" in near) and mixed and is_random(match[0], distinct=16)


def _is_key(reading: Reading, start: int, name: str) -> bool:
    """Return whether a generated value fits this name: a vaguer name needs a longer value."""
    before = reading.before(start, 30)
    qualified = (_API_BEFORE if name == "api" else _KEY_BEFORE).search(before) is not None
    if name == "key" and not before[-1:].isalpha():
        qualified |= _WIFI_BEFORE.search(reading.before(start, 60)) is not None
    alone = name == "key" and _KEY_ALONE.search(before) is not None
    vague = name in {"key", "api", "キー", "키"} and not alone
    if not qualified and (vague or before[-1:].isalpha()):
        return False
    if qualified and _is_assigned(_ASSIGNED.match(reading.text, start + len(name))):
        return True
    match = _KEY.match(reading.text, start + len(name))
    if match is None or (alone and not qualified and not _is_generated(match["value"])):
        return False
    value = match["value"].rstrip(".:-")
    least = (20, 32) if match["bare"] else (8, 16)
    if len(value) < least[not qualified] or value.lower().split("-")[0] in vocabulary.MANAGERS:
        return False
    called = reading.text[match.end() : match.end() + 1] in {"(", "["}
    if called or "://" in value or _IDENTIFIER.fullmatch(value):
        return False
    return is_random(value, distinct=6)


def _is_assigned(match: re.Match[str] | None) -> bool:
    """Return whether letters and digits with signs between them are given to a name."""
    value = match["value"] if match else ""
    signs = [c for c in value if not c.isalnum()]
    code = set(signs) & set("()[]{}<>\\\"'`;,/:=") or value[:1] in "$%@" or "://" in value
    return (
        bool(signs)
        and not code
        and _IDENTIFIER.fullmatch(value.replace("-", "_")) is None
        and is_random(value, distinct=6)
    )


def _is_generated(value: str) -> bool:
    """Return whether a value must be generated: capitals, small letters and digits all over."""
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in value if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    return (
        len(value) >= 16 and value.isalnum() and len(set(kinds)) == 3 and 3 * changes > len(value)
    )


def _is_authorization(scheme: str, value: str) -> bool:
    """Return whether the value of an Authorization header is a token, or a name with a password."""
    if scheme == "bearer":
        return len(value) >= 16 and is_random(value)
    try:
        return b":" in base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
