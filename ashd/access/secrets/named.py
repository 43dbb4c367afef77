"""Values that are given a secret's name: PINs and codes, API keys, bearer tokens.

Owns the names under which digits are a code and generated text is a key. The same digits or the
same text under another name ("order", "commit") are harmless.
"""

import base64
import binascii
import re

from ashd.access.secrets import words
from ashd.access.secrets.reading import Reading, is_placeholder, is_random

_FLAGS = re.IGNORECASE | re.VERBOSE
_GIVES = rf"""["'`*_)\]]{{0,3}}(?:{words.SIGN}|{words.DASH}|{words.VERB})["'`*_(\[]{{0,3}}"""
_DIGITS = r"(?P<digits>\d(?:[ -]?\d){2,11})(?![\w]|[.,]\d|[ -]?(?:char|digit|letter|step|day|attempt|people))"

_LOCK = (
    "alarm|door|gate|garage|safe|lock|locker|entry|unlock|keypad|vault|luggage|voicemail|lockbox|padlock"
    "|security|access|elevator|building|house|front|entrance|shed|bike"
)
_PIN = re.compile(
    rf"""(?:
      (?:(?-i:\bPIN)(?:-?\ ?(?:code|number|nummer|код))? | \bpin-?\ ?code | пин-?\ ?код | \bGeheimzahl
        | code\ PIN | c[oó]digo\ PIN | codice\ PIN | kod\ PIN
        | \b(?:my|his|her|our|their|card|sim|phone|bank|debit|atm|alarm|'s)\ pin(?:\ number)?
        | \bpin(?=\s?[:=]|\ (?:is|was)\b)
        | \bcv[vc]2?(?:\ code)? | card\ verification(?:\ code|\ number)?
        | \b(?:{_LOCK})(?:\ (?:keypad|door|box|lock))?\ (?:code|combination|combo|pin))s?\b
      {words.OF}(?:{_GIVES}|\s+)
      | \bpin\ (?:for|to|of|on)\ [^\n.;:=]{{1,40}}?{_GIVES}
      | \b(?:code|combination|combo)\ (?:for|to|of|on)\ [^\n.;:=]{{0,30}}?\b(?:{_LOCK})\b[^\n.;:=]{{0,20}}?{_GIVES}
    ){_DIGITS}""",
    _FLAGS,
)
_POSTAL = re.compile(r"pin-?\ ?code\W+[1-8]\d{2}\ ?\d{3}\Z", _FLAGS)
_OWNED = re.compile(r"card|phone|bank|sim\b|atm|door|lock|\bmy\b|\bhis\b|\bher\b|'s\b", _FLAGS)
_BOARD = re.compile(r"gpio|arduino|raspberry|header", _FLAGS)

_KEY_NAME = r"""
    (?:api|app(?:lication)?|access|auth(?:entication|orization)?|secret|client|private|encryption|signing|master
      |session|bearer|refresh|webhook|deploy(?:ment)?|bot|service|account|consumer|jwt|oauth|personal[ ]access
      |storage|admin|developer|subscription|license|security|id)[ _-]?(?:api[ _-]?)?(?:keys?|tokens?|secrets?)
    | (?<![a-z])tokens? | (?<![a-z])secrets? | credentials? | apikeys?
    | cl[eé][ ](?:d')?(?:api|secr[eè]te) | api-?[ ]?schl[uü]ssel | (?:clave|chave)[ ](?:de[ ])?(?:la[ ]|da[ ])?api
    | chiave[ ]api | api-?sleutel | api[ -]?ключ | ключ[ ]api | токен | api\s?密钥 | 密钥 | apiキー | api[ ]?키"""
_KEY = re.compile(
    rf"(?P<name>{_KEY_NAME}){words.OF}(?:{_GIVES}|是|は|(?P<bare>\s+(?=[A-Za-z0-9_+/=.~-]{{20}})))(?:[A-Za-z]{{3,10}}\s)?(?P<value>[A-Za-z0-9_+/=.~:-]{{8,512}})",
    _FLAGS,
)
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])")
_AUTHORIZATION = re.compile(
    r"\b(?P<scheme>Bearer|Basic)\s+(?P<value>[A-Za-z0-9_.~+/-]{8,2000}={0,2})"
)
_COOKIE = re.compile(
    r"cookie[^\n]{0,40}?\b[\w-]*(?:sess|sid|auth|token)[\w-]*=(?P<value>[\w%.+/-]{16,})", _FLAGS
)
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", _FLAGS)


def find_pin(reading: Reading) -> str | None:
    """ "pin" for digits that open a card, a phone, a door or a safe."""
    for match in _PIN.finditer(reading.text):
        around = reading.text[max(0, match.start() - 40) : match.end() + 40]
        if _BOARD.search(around):
            continue
        if _POSTAL.search(match[0]) and not _OWNED.search(around):
            continue
        return "pin"
    return None


def find_key(reading: Reading) -> str | None:
    """ "aws_secret_key" or "api_key" for generated text under the name of a key or a token."""
    text = reading.text
    if re.search(r"aws|amazon|secret", text, re.IGNORECASE):
        for match in _AWS_SECRET.finditer(text):
            mixed = any(c.isupper() for c in match[0]) and any(c.islower() for c in match[0])
            near = text[max(0, match.start() - 60) : match.start()].lower()
            if mixed and is_random(match[0], distinct=16) and ("aws" in near or "amazon" in near):
                return "aws_secret_key"
    for match in _KEY.finditer(text):
        least = _least_length(match["name"].lower(), bare=match["bare"] is not None)
        if _is_key(match["value"].rstrip(".:-"), least):
            return "api_key"
    for match in _AUTHORIZATION.finditer(text):
        if _is_authorization(match["scheme"], match["value"]):
            return "api_key"
    for match in _COOKIE.finditer(text):
        if is_random(match["value"]):
            return "api_key"
    return None


def _least_length(name: str, *, bare: bool) -> int:
    """How long a value must be: the vaguer the name, the longer; `bare`: no verb, no sign."""
    vague = len(re.split("[ _-]", name)) == 1 and "api" not in name
    return (32 if vague else 20) if bare else (16 if vague else 8)


def _is_key(value: str, least: int) -> bool:
    """Whether `value` is generated, and no place where keys are kept."""
    if len(value) < least or value.lower().split("-")[0] in words.MANAGERS:
        return False
    return is_random(value, distinct=6) and "://" not in value


def _is_authorization(scheme: str, value: str) -> bool:
    """Whether the value of an Authorization header is a token or a name with a password."""
    if scheme == "Bearer":
        return len(value) >= 16 and is_random(value)
    try:
        return b":" in base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
