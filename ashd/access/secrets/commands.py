"""Passwords on a command line, and made-up strings beside the name of an access.

Owns two ways to know a password without its name: the option of a program that takes a password,
and a value made of letters, digits and signs in the sentence of a network, a login or a server.
Such a value must be made up, so paths, addresses, expressions and names of things are no values.
"""

import re
from itertools import pairwise
from typing import Final

from ashd.access.secrets import credential_shapes, password_values
from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_ANY: Final = r"[^\n;|]{0,160}?\s"
_VALUE: Final = r"""["']?(?P<value>[!-~]{4,128})"""
_OPTION: Final = {
    "mysql": "-p",
    "mariadb": "-p",
    "redis-cli": r"(?:-a|--pass)\s+",
    "login ": r"-p\s+",
    "openssl": r"(?:-k|-pass(?:in|out)?)\s+(?:pass:)?",
    "htpasswd": r"-\w*b\w*\s+\S+\s+\S+\s+",
    "net use": r"/user:\S+\s+",
    "sshpass": r"-p\s?",
    "smbclient": r"(?:-U\s?|--user[= ])[^\s%]+%",
    "ldap": r"-w\s+",
    "mongo": r"-p\s+",
    "zip ": r"-P\s+",
    "twine": r"-p\s+",
    "snmp": r"-[AX]\s+",
    "7z ": "-p",
    "rar ": "-h?p",
    "nuget": r"(?:-k|--api-key|-apikey)\s+",
    "curl": r"(?:-u|--user)[ =]?[\w.@'\"-]{1,40}:",
}
"""The option after which each program takes a password; some take it without a space."""
_COMMANDS: Final = {
    name: pattern_of(rf"{re.escape(name)}{_ANY}{option}{_VALUE}", _FLAGS)
    for name, option in _OPTION.items()
}
_CASED: Final = {"mysql": " -P", "mariadb": " -P"}
"""Options that differ from the password's by their case alone."""
_LONG: Final = pattern_of(
    rf"(?<!\S)--?[\w-]*(?:pass|pwd|secret|token|password|passphrase)(?:[ ]|=)\s?{_VALUE}", _FLAGS
)
# A user's name and a password, or a password alone, as the arguments of a call.
_BASIC: Final = pattern_of(
    r"""(?:auth\w{0,12}|credentials?|login)\s?[=(:]\s?[(\[]?["'](?:(?!://)[^"'\n]){1,64}["']\s?,\s?
    ["'](?P<value>[!-~]{4,64}?)["']""",
    _FLAGS,
)
_LITERAL: Final = pattern_of(
    r"""(?:securestring\s(?:-string\s)?|set_?pass(?:word|wd|phrase)\(\s?)["'](?P<value>[!-~]{4,64}?)["']""",
    _FLAGS,
)
_CONNECTION: Final = pattern_of(
    r"""(?:connect(?:ion)?|mysqli|pdo)\s?\((?P<values>\s?(?:["'][^"'\n]{0,80}["']\s?,\s?){1,3}["'][^"'\n]{4,64}["'])""",
    _FLAGS,
)
_PIPED: Final = pattern_of(
    r"""\becho\s+["']?(?:[\w.-]{1,32}:)?(?P<value>[!-~]{4,128}?)["']?\s*\|\s*
    (?:sudo\s+(?:-\w+\s+)*?-\w*S|(?:sudo\s+)?(?:chpasswd|passwd\s+--stdin))""",
    re.VERBOSE,
)
# Lines that configure a switch, a router or a monitor.
_GEAR: Final = pattern_of(
    r"""\b(?:(?:snmp-server|set\ssnmp|snmp)\scommunity|r[ow]community6?|enable\s(?:secret|password)
    |username\s\S{1,40}(?:\s(?:privilege|role|class)\s\S{1,20})?\s(?:secret|password)
    |(?:tacacs|radius|aaa)-server\b[^\n]{0,80}?(?:\n\s{1,4}|\s)key|isakmp\skey|pre-shared-key|key-string
    |neighbor\s\S{1,40}\spassword|message-digest-key\s\d{1,3}|(?:chap|pap)\s(?:\S{1,40}\s)?password
    |wpa-psk|set\s(?:pass(?:word|wd)|psksecret))
    (?:\s(?:level\s\d{1,2}|(?P<typed>[05789])|enc|ascii(?:-text)?|hexadecimal|local|remote|md5|hmac-\S{1,12}|sha\S{0,8})){0,3}
    \s["']?(?P<value>[!-~]{4,128})(?P<rights>\s(?:ro|rw)\b)?""",
    _FLAGS,
)
_STEMS_OF_GEAR: Final = (
    *("community", "enable ", "username ", "-server", "isakmp", "pre-shared", "key-string"),
    *("neighbor", "message-digest", "chap ", "pap ", "wpa-psk", "set pass", "set psk"),
)
_DEFAULT_COMMUNITIES: Final = frozenset({"public", "private", "strings", "string"})
_MARKUP: Final = pattern_of(r"<pass(?:word)?>(?P<value>[^<\s]{4,64})</pass", _FLAGS)

_PAIR: Final = pattern_of(
    r"""["'][\w.-]*(?:pass(?:word|phrase)?|pwd|secret|_key|token|_salt)["']\s?,\s?
    ["'](?P<value>[^"'\s]{6,128})["']""",
    _FLAGS,
)
_WIFI: Final = pattern_of(
    r"""\b(?:wi-?fi|wlan|network|hotspot|ssid)\b[^\n.!?]{0,40}?\b(?:code|key|pass|pw)\s?(?:is\s|[:=])?\s?
    (?P<named>[!-.0-9;-~]{6,64})|\b(?:wi-?fi|wlan)(?:\s(?:one|code|key|login|pass))?\s?(?:\bis\b|[:=/])\s?
    (?:[\w-]{2,32}\s?/\s?)?(?P<value>[!-.0-9;-~]{6,64})""",
    _FLAGS,
)
_ACCESS: Final = pattern_of(
    r"""\b(?:wi-?fi|wlan|ssid|hotspot|log(?:ged|ging)?[ -]?in(?:to)?|logins?
    |sign(?:ed|ing)?[ ]in(?:to)?
    |cred(?:ential)?s?|pass(?:w(?:or)?d|code|phrase)?|sudo|root|admin|username|user|account|vpn|ssh
    |router|reset|unlock\w*)\b|[\w.+-]@[\w-]+\.\w{2,}[ ]?[:/|]""",
    _FLAGS,
)
_OPTION_BEFORE: Final = pattern_of(
    r"(?:\s-[pPkwAX]|/p:|<<<|\sobscure|\secho)\s{0,2}[\"']?(?:[\w-]{1,16}:)?\Z"
)
_OPTION_CHARS: Final = 24
_NEAR: Final = 60
"""Characters around a value in which the name of an access may stand."""
_WORD: Final = pattern_of(
    # Not from inside a run of quotes, at each of which the rest would be read again.
    r"(?<![^\s/(\[\"'`:,])(?!(?<=[\"'`])[\"'`])[!-.0-9;-~]{7,64}(?![^\s/])"
)
_INNER_SIGN: Final = pattern_of(r"[A-Za-z0-9][!$#*^?&%~+@][A-Za-z0-9]")
_EXPRESSION: Final = pattern_of(
    r"[=<>{}()\[\]|\\;,]|\+\+|&&|\$\w*[A-Z_]{2}|%[0-9A-F]{2}.*%[0-9A-F]{2}|\A[^A-Za-z0-9]"
    r"|@[\w-]+\.\w|\Ahttps?:|\d\+|\A[a-z-]+#\d+\Z|\A(?:US|A|C|HK)\$"
)
_DIGEST_BEFORE: Final = pattern_of(r"\b(?:sha-?\d{1,3}|md5)[:-]\S{0,60}\Z", re.IGNORECASE)
_USER: Final = pattern_of(
    # Not a folder in a path, such as /root/notes-2.
    r"""(?<![\w/.~-])(?:admin|root|pi|guest|administrator|operator)(?:\s?[/:]\s?|\s+(?:and|with)\s+)
    (?P<value>[!-.0-9;-~]{6,64})""",
    _FLAGS,
)
_NETWORK: Final = pattern_of(
    r"\b(?:wi-?fi|wlan|ssid|hotspot|(?:guest[ ])?network|router)\b", _FLAGS
)
_LINE: Final = pattern_of(r"(?<![\w./@-])[a-z0-9]{8,20}(?![\w./@-])")


def find_command_password(reading: Reading) -> str | None:
    """Return "password" for a password that a program gets on its command line."""
    for start, name in reading.at(_COMMANDS):
        match = _COMMANDS[name].match(reading.text, start)
        if match and not _is_other_option(name, match) and _could_be(match["value"]):
            return "password"
    for pattern, literal in (
        *((_PIPED, "echo"), (_MARKUP, "<pass"), (_LONG, "-"), (_LITERAL, "pass")),
        *((_LITERAL, "secures"), (_BASIC, "auth"), (_BASIC, "credential"), (_BASIC, "login")),
        *((_PAIR, "',"), (_PAIR, '",'), (_WIFI, "wi"), (_WIFI, "wlan"), (_WIFI, "network")),
    ):
        if literal in reading.lower:
            for found in pattern.finditer(reading.text):
                value = next(one for one in found.groups() if one)
                made = password_values.looks_made_alone(password_values.bare(value))
                if made and any(map(str.isdigit, value)) and _could_be(value):
                    return "password"
    if reading.has(("connect", "mysqli", "pdo(")) and any(
        credential_shapes.of_word(value.strip("\"' ")) >= credential_shapes.SURE
        for call in _CONNECTION.finditer(reading.text)
        for value in call["values"].split(",")[1:]
    ):
        return "password"
    if reading.has(_STEMS_OF_GEAR) and any(map(_is_of_gear, _GEAR.finditer(reading.text))):
        return "password"
    return None


def _is_of_gear(line: re.Match[str]) -> bool:
    """Return whether the word in a line of configuration is a password or a made-up community."""
    value = password_values.bare(line["value"])
    if line["typed"] and value.startswith("$"):
        return True  # the hash of a password
    if value.lower() in _DEFAULT_COMMUNITIES or not _could_be(value):
        return False
    return password_values.looks_made(value) or bool(line["typed"] or line["rights"])


def _is_other_option(name: str, match: re.Match[str]) -> bool:
    return (
        match[0][: match.start("value") - match.start()]
        .rstrip("\"'")
        .endswith(_CASED.get(name, "\0"))
    )


def _could_be(value: str) -> bool:
    """Return whether the value of an option may be a password, not another option or a variable."""
    plain = password_values.bare(value)
    named = plain.lower() in {"password", "assword", "passwd", "pass", "secret"}
    return (
        len(plain) >= 4
        and not plain.startswith(("-", "$", "<", "/", "%"))
        and not named
        and (not password_values.is_harmless(plain))
    )


def find_near_password(reading: Reading) -> str | None:
    """Return "password" for a made-up value in the sentence of a network, a login or a server."""
    text = reading.text
    for match in _WORD.finditer(text):
        if _DIGEST_BEFORE.search(reading.before(match.start(), _NEAR)):
            continue
        if _is_made_up(match[0]) and (
            _ACCESS.search(_around(text, match))
            or _OPTION_BEFORE.search(reading.before(match.start(), _OPTION_CHARS))
        ):
            return "password"
    for start, _ in reading.at(("admin", "root", "pi", "guest", "operator")):
        user = _USER.match(text, start)
        if user and not text[start - 1 : start].isalnum() and _is_mixed(user["value"]):
            return "password"
    if reading.has(("wifi", "wi-fi", "wlan", "ssid", "hotspot", "network", "router")):
        for match in _LINE.finditer(text):
            if _changes(match[0]) >= _FEWEST_CHANGES and _NETWORK.search(_around(text, match)):
                return "password"
    return None


def _around(text: str, match: re.Match[str]) -> str:
    """Return what stands beside a value in its sentence."""
    before = re.split(r"\n|[.!?;]\s", text[max(0, match.start() - _NEAR) : match.start()])[-1]
    after = re.split(r"\n|[.!?;]\s", text[match.end() : match.end() + _NEAR], maxsplit=1)[0]
    return f"{before} {after}"


_FEWEST_CHANGES: Final = 3
"""Changes between letters and digits in text that is generated."""


def _changes(value: str) -> int:
    return sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))


def _is_mixed(value: str) -> bool:
    """Return whether the word after a user's name and a sign has letters and digits."""
    plain = password_values.bare(value)
    return password_values.looks_made_alone(plain) and (
        not password_values.is_harmless(plain) and _EXPRESSION.search(plain) is None
    )


def _is_made_up(word: str) -> bool:
    """Return whether a word has letters, digits and, between them, a sign, as no name has."""
    value = password_values.bare(word.strip("()[]{}")).rstrip("!")
    letters = sum(map(str.isalpha, value))
    return (
        letters >= 3
        and any(map(str.isdigit, value))
        and _INNER_SIGN.search(value) is not None
        and _EXPRESSION.search(value) is None
        and not credential_shapes.is_network_name(value)
        and not password_values.is_harmless(value)
    )
