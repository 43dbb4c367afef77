"""Values that are given a secret's name: PINs and codes, API keys, bearer tokens.

Owns the names under which digits are a code and generated text is a key. The same digits or the
same text under another name ("order", "commit") are harmless.
"""

import base64
import binascii
import re

from ashd.access.secrets import vocabulary
from ashd.access.secrets.generated_values import is_changing
from ashd.access.secrets.normalisation import Reading, is_random
from ashd.language.lazy_pattern import pattern_of

_FLAGS = re.IGNORECASE | re.VERBOSE

_CODES = (
    *vocabulary.CODE_NAMES,
    *("pin", "cvv", "cvc", "cv2", "verification", "puk", "geheimzahl", "digicode", "пин"),
)
_CODE_JOINED = pattern_of(rf"{vocabulary.CODE_JOINED}\Z", re.IGNORECASE)
_LOCK_BEFORE = pattern_of(rf"{vocabulary.LOCK}(?:\ (?:keypad|door|box|lock|manual))?\ \Z", _FLAGS)
# "Kellertür: Code 8812": the thing is named before its code.
_LOCK_EARLIER = pattern_of(
    rf"""{vocabulary.LOCK}(?:[^\n.!?;]{{0,80}}?[:,]\s?|[^\n.!?;:,]{{0,30}}?\s{vocabulary.HAS_CODE}\s)
    (?:(?:the|an?|der|die|den|le|la|un|el|il|o|de|het)\s)?\Z""",
    _FLAGS,
)
_MEANS = pattern_of(r"[^\n.!?;]{0,20}\b(?:means?|bedeutet|signifie|significa|is\ an?)\b", _FLAGS)
_LOCK_WITHIN = pattern_of(vocabulary.LOCK, _FLAGS)
_LOCK_LAST = pattern_of(rf"{vocabulary.LOCK}\Z", _FLAGS)
_WORD = pattern_of(r"[^\W\d_]+")
_ENDS = pattern_of(r"\s?(?:\Z|[\n.,;!?)])")
_PIN_BEFORE = pattern_of(
    r"(?:\b(?:my|his|her|our|their|card|sim|phone|bank|debit|atm|alarm)|'s"
    r"|\b(?:code|c[oó]digo|codice|kod))\ \Z",
    _FLAGS,
)
_DIGITS = pattern_of(
    rf"""(?P<more>[12]?(?:[ -]?(?:code|number|nummer|no\.?|код|secret|secreto|segreto))?s?)
    (?P<of>{vocabulary.OF}|\s[^\W\d_]{{3,15}})
    (?:(?P<gives>{vocabulary.GIVES})|\s+)
    (?P<digits>\d(?:[ -]?\d){{2,11}}(?!\w)|(?P<keys>(?-i:(?:[A-Z]?\d){{3,9}}[A-Zab]?)(?!\w)))
    (?![.,]\d|[ -]?(?:char|digit|letter|step|day|attempt|people|lines?\b|words?\b|zeichen
    |zeilen|stellen|ziffern|caract|chiffres|cifras|d[ií]gitos|pixel|px\b|bytes?\b|euros?\b|%))""",
    _FLAGS,
)
# "2580 is the door code": the digits come first.
_DIGITS_FIRST = pattern_of(
    rf"""(?<![\w.,:/-])(?P<digits>\d{{4,8}}){vocabulary.LINKED}(?:(?!the\s)[\w'-]{{1,15}}\s){{0,3}}\w{{0,20}}\Z""",
    _FLAGS,
)
_OWNED = pattern_of(
    r"card|phone|bank|sim\b|atm|door|lock|\b(?:my|his|her|meine?|mon|mi|mio|meu)\b|'s\b", _FLAGS
)
_BOARD = pattern_of(r"gpio|arduino|raspberry|header", _FLAGS)

_WIFI_BEFORE = pattern_of(r"\b(?:wi-?fi|wlan|network|ssid|hotspot)\b[^\n.!?]{0,40}\Z", _FLAGS)
_LONG_DIGITS = pattern_of(r"\d(?:[ :-]?[\dA-F]){15}")
# The digits on the sticker of a router, in groups or not.
_NETWORK_DIGITS = pattern_of(
    r"""\b(?:wi-?fi|wlan|wpa\d?|wep|ssid|network|router|fritz!?box|modem|hotspot)\b[^\n.!?]{0,60}?
    (?:key|schlüssel|code|sticker|aufkleber|label|printed|psk|wpa2?|clé|clave|chiave)\b
    [^\n.!?\d]{0,30}?\s(?:\d{16,26}|\d{4,5}(?:[ -]\d{4,5}){3,5}|\d\d(?:[ ]\d\d){7,12}
    |[0-9A-F]{2}(?:[ :-][0-9A-F]{2}){12})(?![ -]?\w)""",
    _FLAGS,
)
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
      |oauth|storage|admin|developer|subscription|license|security|id
      |unseal|recovery|root)[ _-]?(?:api[ _-]?)?\Z""",
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
    rf"""s?(?:\s(?:share|part))?(?:\s\#?\d{{1,2}})?{vocabulary.OF}(?:{vocabulary.GIVES}|是|は|(?P<bare>\s+(?=[A-Za-z0-9_+/=.~-]{{20}})))
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
        if _is_code_given_first(reading, start, name):
            return "pin"
    return None


def _is_code(reading: Reading, start: int, name: str, match: re.Match[str]) -> bool:
    """Return whether this name with these digits means a code that opens something."""
    before = reading.before(start, 40)
    joined = before[-1:].isalpha() or (before[-1:] == "-" and bool(_CODE_JOINED.search(before)))
    opens = (_CODE_JOINED if joined else _LOCK_BEFORE).search(before) is not None
    given, of = match["gives"] is not None, match["of"]
    within = (_LOCK_WITHIN if given else _LOCK_LAST).search(of) is not None
    if of.strip().isalpha() and not within:
        return False  # "fallback since 2021"
    if joined and name != "digicode":
        return opens
    if name in vocabulary.CODE_NAMES:
        ended = len(match["digits"]) >= 4 and _ENDS.match(reading.text, match.end()) is not None
        if not opens and not (within and (given or ended)):
            return _is_code_of_thing_before(reading, start, match)
        return not _is_other_code(before, of)
    if match["keys"]:
        return name == "digicode"
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
    named |= len(match["digits"]) >= 4 and (_OWNED.search(around) is not None or within)
    return named or given


def _is_code_of_thing_before(reading: Reading, start: int, match: re.Match[str]) -> bool:
    """Return whether the thing that this code opens stands before it, in the same clause."""
    before = reading.before(start, 110)
    if not _LOCK_EARLIER.search(before) or _MEANS.match(reading.text, match.end()):
        return False
    return vocabulary.OTHER_CODES.isdisjoint(map(str.lower, _WORD.findall(before)))


def _is_code_given_first(reading: Reading, start: int, name: str) -> bool:
    """Return whether digits are said to be this code of a card, a phone, a door or a safe."""
    before = reading.before(start, 90)
    if name not in {*vocabulary.CODE_NAMES, "pin"} or not _DIGITS_FIRST.search(before):
        return False
    after = reading.text[start + len(name) :][:60]
    if after[:1].isalpha() or _is_other_code(before, after):
        return False
    if before[-1:].isalpha():
        return _CODE_JOINED.search(before) is not None
    if name == "pin":
        return _OWNED.search(before[-40:] + after) is not None
    return (_LOCK_BEFORE.search(before) or _LOCK_WITHIN.search(after)) is not None


def _is_other_code(before: str, purpose: str) -> bool:
    """Return whether the words at a code's name make it one that opens nothing ("error code")."""
    beside = [*_WORD.findall(before)[-1:], *_WORD.findall(purpose)[:3]]
    return any(word.lower() in vocabulary.OTHER_CODES for word in beside)


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
    if _LONG_DIGITS.search(text) and _NETWORK_DIGITS.search(text):
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
    if match is None or (alone and not qualified and not is_changing(match["value"], 16)):
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
    code = set(signs) & set("()[]{}<>\\\"'`;,/:=") or value[:1] in "$%@"
    return (
        bool(signs)
        and not code
        and _IDENTIFIER.fullmatch(value.replace("-", "_")) is None
        and is_random(value, distinct=6)
    )


def _is_authorization(scheme: str, value: str) -> bool:
    """Return whether the value of an Authorization header is a token, or a name with a password."""
    if scheme == "bearer":
        return len(value) >= 16 and is_random(value)
    try:
        return b":" in base64.b64decode(value, validate=True)
    except binascii.Error:
        return False
