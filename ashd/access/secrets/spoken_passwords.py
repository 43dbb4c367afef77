"""Passwords that are said in words: "my password is …", "mot de passe : …", "密码是…".

Owns the grammar of such sentences in the languages of `vocabulary`: a name, what it is for, a verb
or a sign, a value; or the value first; or a user's name beside it. A name alone is no secret: a
value must follow that could be one. After a sign a plain word is enough; after a verb only if its
clause ends; without either the value must look generated.
"""

import re

from ashd.access.secrets import credential_shapes, password_values, vocabulary
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_FLAGS = re.IGNORECASE | re.VERBOSE
_CLOSE = r"""["'`*_)\]]{0,3}"""
OPEN = r"[*_)\]\s]{0,4}[*_]{0,3}"
VALUE = r"""(?:(?P<quote>["'`])(?P<quoted>[^"'`\n]{1,64})(?P=quote)
    |(?P<value>["'`]?[!-~\u00c0-\u024f]{1,128}|[^\s!-~]\S{0,64}))"""

_UNSIGNED = r"(?P<sign>(?!))?"  # a group that never matches: no sign introduces the value

_NAME = pattern_of(rf"(?:{vocabulary.NAME})(?![a-z]|[-_][a-z])", _FLAGS)
_NAME_UNSPACED = pattern_of(vocabulary.NAME_UNSPACED)
_SHORT = pattern_of(r"""(?<![a-z])pass(?=["'`*_]{0,3}\s?[:=])""", _FLAGS)
_SHORT_BESIDE = pattern_of(r"(?:[,;/|(]|\band|\bwith)\s?\Z", _FLAGS)
_EXPANSION = pattern_of(r"\$\{\w*\Z")
_PARAMETER = pattern_of(r"\w\([^()\n]{0,90}\Z")
_SHORT_AFTER_USER = pattern_of(r"\buser(?:name)?\s+\S{1,40}\s+(?:and\s+)?\Z", _FLAGS)
_SAID, SAID_OTHER = (
    pattern_of(
        rf"{vocabulary.OF}{_CLOSE}(?:(?P<sign>{vocabulary.SIGN})|{vocabulary.DASH}|\s*{verb}){OPEN}{VALUE}",
        _FLAGS,
    )
    for verb in (vocabulary.VERB, vocabulary.VERB_OTHER)
)
_SAID_UNSPACED = pattern_of(
    rf"""[^\n.!?:=。]{{0,20}}?(?:(?P<sign>\s?[:=]\s*)|\s?(?:{vocabulary.COPULA_UNSPACED})\s?|\s+)
    (?=["'`*_]{{0,3}}[!-~]){OPEN}{VALUE}""",
    _FLAGS,
)
_NEXT = pattern_of(rf"{_UNSIGNED}(?:'s)?\s+{OPEN}{VALUE}", _FLAGS)
_FOLLOWING = pattern_of(r"[ -]([a-z-]+)", re.IGNORECASE)
_CHANGED = pattern_of(
    r"\b(?:set|chang\w+|reset\w*|updat\w+|ma[dk]e|switch\w*|rotat\w+)\b[^.\n]{0,50}\Z", _FLAGS
)
_TO = pattern_of(rf"{_UNSIGNED}{vocabulary.OF}\s+to\s+{OPEN}{VALUE}", _FLAGS)
_LATER = pattern_of(
    rf"{_UNSIGNED}[^\n:]{{0,40}}?[.,;:?-]\s+(?:now\s+|so\s+)?{vocabulary.RESUMED}\s+{OPEN}{VALUE}",
    _FLAGS,
)
# "The passphrase spells …": after these verbs most words speak of a password.
_SPELLED = pattern_of(
    rf"{_UNSIGNED}\s(?:contains?|holds?|spells?|says?|goes|runs|consists\sof|enthält)\s(?:exactly\s)?{OPEN}{VALUE}",
    _FLAGS,
)
_FURTHER = pattern_of(rf"{_UNSIGNED}[^\n:.!?;]{{1,40}}?{vocabulary.VERB}{OPEN}{VALUE}", _FLAGS)
# "password as noted in the blue folder: …": what stands between is no purpose of the password.
_FURTHER_SIGNED = pattern_of(
    rf"{_UNSIGNED}[^\n:.!;=]{{1,100}}?(?:\s?:|\s(?:->|=>|\u2192))\s{OPEN}{VALUE}", _FLAGS
)
_ASKED = pattern_of(rf"{_UNSIGNED}\?\s{OPEN}{VALUE}", _FLAGS)
_BEFORE = pattern_of(
    rf"""(?:["'`](?P<quoted>[^"'`\n]{{3,40}})["'`]|(?<![^\s"'`(])(?P<value>[!-~]{{4,64}}))
    {vocabulary.LINKED}(?P<kind>(?:[\w']{{1,15}}\s){{0,3}})\Z""",
    _FLAGS,
)
# "log in as lena with the passphrase …": no verb or sign stands between the name and the value.
_INTRODUCED = pattern_of(
    r"\b(?:with|using|by|mit|avec|con|com|met)\s(?:(?:the|my|his|her|our|their|your|this|de[mr]|"
    r"meine[mr]|le|mon|la|ma|el|mi|het)\s)?(?:\w{2,12}\s)?\Z",
    re.IGNORECASE,
)
_PASSPHRASE = pattern_of(r"\s(?=[a-z])")
# A user's name with a password beside it.
_LOGIN = pattern_of(
    rf"""\b(?:cred(?:ential)?s?|(?:log-?in|access|account)[ ](?:details|data|info)|logins?
      |user(?:name)?\s?/\s?pass(?:word)?|(?:{vocabulary.LOGIN_DATA})(?:\s\w{{2,15}})??)\b{vocabulary.OF}(?:\s?[:=]\s?|\s+(?:is|are)\s+|\s+(?=\S+:\S+\d))
      [\w.@+-]{{1,40}}\s?[:/]\s?(?P<value>[!-~]{{4,64}})""",
    _FLAGS,
)
_STEMS_OF_LOGIN = ("cred", "login", "log-in", "access", "account", "user")
_LOGIN_BEFORE = pattern_of(
    r"[\w.@+-]{1,40}\s?[:/]\s?(?P<value>[!-~]{4,64})\s+(?:as|for)\s+(?:the\s+)?\Z", _FLAGS
)
_LOGIN_WITH = pattern_of(
    r"""\b(?:log|sign)(?:ged|ging|ed|ing)?[ -]?in(?:to\s\S{1,30})?\s+(?:with|as|using)\s+
    [\w.@+-]{1,40}(?:\s?[/:,]\s?|\s+and\s+)(?P<value>[!-~]{6,64})""",
    _FLAGS,
)
# "pass for the zip file is …": the pass of a locked thing, not of a journey.
_SHORT_OF_LOCKED = pattern_of(
    rf"""(?<![a-z])pass\s(?:for|to|of|on)\s(?:[\w'.-]{{1,15}}\s){{0,3}}?
    (?!app\b)(?:{vocabulary.LOCKED})(?:\sfiles?)?
    (?:(?P<sign>{vocabulary.SIGN})|{vocabulary.DASH}|\s*{vocabulary.VERB}){OPEN}{VALUE}""",
    _FLAGS,
)
# The form in which Apple gives them out.
_APP_SPECIFIC = pattern_of(
    rf"""\bapp-?(?:[ ]?specific|spezifisch\w*)\b[^\n.!?]{{0,40}}?(?:{vocabulary.GIVES}|,\s)
    [a-z]{{4}}(?:-[a-z]{{4}}){{3}}(?![\w-])""",
    _FLAGS,
)
_SHORT_IS = pattern_of(r"(?<![a-z])pass\ (?:is|was)\s+(?P<value>[!-~]{6,64})", _FLAGS)


def gives_value(match: re.Match[str] | None, *, alone: bool = False) -> bool:
    """Return whether a match is a secret; `alone`: no sign or verb introduces the value."""
    if match is None:
        return False
    if match["quoted"] is not None:
        return len(match["quoted"]) >= 3 and not password_values.is_harmless(match["quoted"])
    text, start, signed = match.string, match.start("value"), match["sign"] is not None
    value = password_values.bare(match["value"])
    start += match["value"].index(value)
    if (
        signed
        and value.lower() in vocabulary.WEAK_PASSWORDS
        and not text[start + len(value) :].strip()
    ):
        return True
    if value and not password_values.is_harmless(value):
        if alone:
            return password_values.looks_made_alone(value)
        if password_values.looks_made(value):
            return True
        if password_values.is_said_word(text, start, start + len(value), signed=signed):
            return True
    return not alone and password_values.is_passphrase(text, start, signed=signed)


def _is_compound(text: str, end: int) -> bool:
    """Return whether a noun follows that makes it a compound, such as "password policy"."""
    following = _FOLLOWING.match(text, end)
    return following is not None and following[1].lower() in vocabulary.COMPOUNDS


def _is_given_before(before: str) -> bool:
    """Return whether the value comes first, as in "hunter2 is my …"."""
    match = _BEFORE.search(before)
    if match is None:
        return False
    if not vocabulary.FAULTS.isdisjoint(match["kind"].lower().split()):
        return False  # "ORA-01017 is a wrong password" speaks of an error
    if match["quoted"] is not None:
        return not password_values.is_harmless(match["quoted"])
    value = password_values.bare(match["value"])
    return password_values.looks_made(value) and not password_values.is_harmless(value)


def _is_given(reading: Reading, name: re.Match[str]) -> bool:
    """Return whether a value follows this name of a password."""
    text, end = reading.text, name.end()
    before = reading.before(name.start(), 90)
    if text[end : end + 1] in {")", ","} and _PARAMETER.search(before):
        return False  # "def check(password):" is code
    if text[end : end + 1] == "(" and not text.startswith("(s)", end):
        return False  # "def check_password(given):" is code, too
    if _EXPANSION.search(before):
        return False  # "${PASSWORD:?set it}" is a variable
    said = _SAID if name["english"] else SAID_OTHER
    if gives_value(said.match(text, end)):
        return True
    if _is_compound(text, end):
        return False
    words = _PASSPHRASE.match(text, end)
    if (
        words
        and _INTRODUCED.search(before)
        and password_values.is_passphrase(text, words.end(), signed=False)
    ):
        return True
    following = _NEXT.match(text, end)
    beside_user = _SHORT_AFTER_USER.search(before) is not None
    if gives_value(following, alone=not beside_user):
        return True
    if following and "code" in name[0].lower() and re.match(r"\d{4,}", following["value"] or ""):
        return True
    if _CHANGED.search(before) and gives_value(_TO.match(text, end)):
        return True
    if any(gives_value(later.match(text, end), alone=True) for later in (_LATER, _FURTHER, _ASKED)):
        return True
    apart = (_FURTHER_SIGNED, _SPELLED)
    return any(_is_credential(each.match(text, end)) for each in apart) or _is_given_before(before)


def _is_credential(match: re.Match[str] | None) -> bool:
    """Return whether a value that stands apart from its name is shaped like a credential."""
    value = (match["quoted"] or match["value"]) if match else ""
    return credential_shapes.of_word(value) >= credential_shapes.LIKELY


def _is_password(match: re.Match[str] | None) -> bool:
    """Return whether the value beside a user's name could be a password."""
    value = password_values.bare(match["value"]) if match else ""
    named = len(value) < 4 or _NAME.match(value)
    return not named and not password_values.is_harmless(value)


def _is_mixed(match: re.Match[str] | None) -> bool:
    """Return whether a value mixes what names of people, places and prices never mix."""
    value = password_values.bare(match["value"] or "") if match else ""
    signed = re.search(r"[_!@#$%&*]", value) is not None
    cased = any(map(str.isupper, value)) and any(map(str.islower, value)) and "-" not in value
    made = any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and (signed or cased)
    return made and not password_values.is_harmless(value)


def find_password(reading: Reading) -> str | None:
    """Return "password" for the name of a password with a value that could be it."""
    text = reading.text
    for start, _ in reading.at(vocabulary.STEMS):
        if (name := _NAME.match(text, start)) and _is_given(reading, name):
            return "password"
    for start, _ in reading.at(("pass",)):
        said = _SHORT.match(text, start) and _SAID.match(text, start + 4)
        if not said and _SHORT_AFTER_USER.search(reading.before(start, 60)):
            said = _NEXT.match(text, start + 4)
        if said and gives_value(said, alone=True):
            return "password"
        if gives_value(_SHORT_OF_LOCKED.match(text, start)):
            return "password"
        if _is_mixed(_SHORT_IS.match(text, start)):
            return "password"
        if _SHORT_BESIDE.search(reading.before(start, 8)) and _is_mixed(
            _NEXT.match(text, start + 4)
        ):
            return "password"
    if reading.has(("app",)) and _APP_SPECIFIC.search(text):
        return "password"
    for start, _ in reading.at(("log", "sign")):
        if _is_mixed(_LOGIN_WITH.match(text, start)):
            return "password"
    for name in () if text.isascii() else _NAME_UNSPACED.finditer(text):
        said = _SAID_UNSPACED.match(text, name.end())
        if said and gives_value(said, alone=said["sign"] is None):
            return "password"
    for start, _ in reading.at((*_STEMS_OF_LOGIN, *vocabulary.LOGIN_DATA_STEMS)):
        if _is_password(_LOGIN.match(text, start)):
            return "password"
        if _is_password(_LOGIN_BEFORE.search(reading.before(start, 120))):
            return "password"
    return None
