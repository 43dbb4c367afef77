"""Key material by its format: private keys, JSON web tokens, URLs, one-time-password seeds.

Owns the formats that mark a secret of any issuer, and the checks that tell a secret from a
description of one: a header that decodes, a password that is not a variable, words of the BIP-39
list.
"""

import base64
import binascii
import functools
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ashd.access.secrets.normalisation import Reading, is_placeholder, is_random
from ashd.access.secrets.vocabulary import GIVES, GRAMMAR, OF, RECOVERY_CODES
from ashd.language.lazy_pattern import pattern_of

if TYPE_CHECKING:
    from mnemonic import Mnemonic

_PRIVATE_KEY = pattern_of(
    r"-{2,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{2,5}"
    r"|PuTTY-User-Key-File-\d"
    r"|b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]"
    r"|\bPrivate[ _]?Key ?(?:[=:]|is) ?[A-Za-z0-9+/]{43}="
    r"|(?:private|secret|signing)[ _-]?key\b[^\n]{0,30}?\b(?:0x)?[0-9a-f]{64}\b",
    re.IGNORECASE,
)
_END = pattern_of(r"-{2,5} ?END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_BASE64_END = pattern_of(r"[A-Za-z0-9+/]{16}[A-Za-z0-9+/=]{0,12}\Z")
# DER of a private key: a sequence that begins with the number 0 of its version, or EC's 1.
_DER = pattern_of(
    r"(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA[A-P]|MHcCAQEEI|MI[GH][A-Za-z0-9]AgEA)"
)
_KEY_FILE = pattern_of(
    r"(?:id_(?:rsa|dsa|ecdsa|ed25519)(?!\.pub)|\.(?:pem|key|ppk)|private key)\b[^\n]{0,60}\n"
    r"(?:\s{0,4}[A-Za-z0-9+/]{60,76}\n){1,99}\s{0,4}[A-Za-z0-9+/]{60,76}(?![A-Za-z0-9+/])",
    re.IGNORECASE,
)
_PUBLIC = ("cert", "public", "csr", "chain")
# The members of a JSON web key, and of .NET's keys in XML, that only its owner has.
_PRIVATE_MEMBER = pattern_of(
    r"""(?:["']|(?<![\w"'.-]))(?:d|k|p|q|dp|dq|qi)["']?\s?:\s?["']?(?P<value>[A-Za-z0-9_-]{20,2000})"""
    r"|<(?:D|P|Q|DP|DQ|InverseQ)>(?P<element>[A-Za-z0-9+/=]{20,2000})<"
)
_WALLET_KEY = pattern_of(r"(?:5[HJK]|[KL])[1-9A-HJ-NP-Za-km-z]{49,51}(?![A-Za-z0-9])")
_JWT = pattern_of(r"(eyJ[\w-]{8,1000})\.[\w-]{8,}\.[\w-]*")
_CREDENTIALS = pattern_of(r"[\w.~%!$&'()*+,;=-]{0,100}:([^\s/@\"'<>]{1,200})@[\w.\[-]")
# "postgres://user:password@localhost/db": nothing in it is of anybody.
_FORM_OF_URL = pattern_of(
    r"(?:user|usr|username|me|login):(?:pass|password|passwd|pwd|pw|secret)@"
    r"(?:localhost|127\.0\.0\.1|\[::1\]|host|hostname|server|db|database|(?:[\w-]+\.)*example(?:\.\w+)?)"
    r"(?![\w.-])",
    re.IGNORECASE,
)
_JDBC = pattern_of(r"jdbc:\w{1,20}:\w{1,20}:[\w.$#-]{1,40}/([^\s/@]{1,64})@", re.IGNORECASE)
_OTPAUTH = pattern_of(r"otpauth(?:-migration)?://[^\s]{0,300}?(?:secret|data)=(\w+)", re.IGNORECASE)
_OTP_SEED = pattern_of(
    r"(?:2fa|mfa|t?otp|authenticator|two[ -]factor|setup(?=\ key))\b"
    rf"[^\n]{{0,30}}?(?:secret|key|seed|code)s?\b{OF}(?:{GIVES}|\W{{1,4}})"
    r"((?:[A-Z2-7]{4}[ -]?){4,16}|(?:[a-z2-7]{4}[ -]?){4,16})",
    re.IGNORECASE | re.VERBOSE,
)
# A group of a code that no sign introduces has a digit, so no words are groups.
_CODE_GROUP = r"(?=[a-z]{0,11}\d)[a-z0-9]{4,12}"
_RECOVERY_CODES = pattern_of(
    rf"""{RECOVERY_CODES}(?![^\W_])(?:
    [^\n:=]{{0,40}}(?:[:=]|\b(?:are|is|sind|sont|son|sono|são|zijn)\b)\s*\W?
    (?P<given>(?:[a-z0-9]{{4,12}}[- ]?){{1,4}})
    |{OF}\s(?P<listed>{_CODE_GROUP}(?:\s?[ ,/;-]\s?{_CODE_GROUP}){{1,3}})(?![^\W_]))""",
    re.IGNORECASE | re.VERBOSE,
)
_RECOVERY_KEY = pattern_of(
    r"(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])"
    r"|(?:recovery|rescue|emergency|backup)[ _-](?:key|number|code)\b"
    r"(?:[^\n:]{0,30}:|\W{0,3}(?:is\s)?)\s?"
    r"(?:[A-Z0-9]{4,8}-){3,7}[A-Z0-9]{4,8}\b"
)
_HASH = pattern_of(
    r"\$(?:2[abxy]?|[1567y]|gy|sha1|apr1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d+)?)\$[^\s:]{20,}"
    # Of Django, and of web servers and directories.
    r"|\b(?:pbkdf2_sha\d+|scrypt|bcrypt_sha256|argon2)\$[^\s:]{30,}"
    r"|\{(?:SHA|SSHA|SMD5|MD5|CRYPT|PBKDF2)(?:[-_]?SHA)?\d*\}[A-Za-z0-9+/$.]{22,}={0,2}"
)
_FEWEST_SIGNS_OF_HASH = 14
"""Different characters in a hash; a template that is filled with "x" has fewer."""
_SEED_NAME = pattern_of(
    r"(?:(?:seed|recovery|backup|mnemonic|wallet|\d\d)[ -](?:phrase|words|seed)|\bmnemonic\b)"
    r"(?: is| are| was|:|=| -)",
    re.IGNORECASE,
)
_WORD = pattern_of("[a-z]+")
_SEED_SIZES = (12, 15, 18, 21, 24)
_MOST_RUNS = 16  # checking a checksum takes 0.2 ms
_WALLET = pattern_of(
    r"wallet|crypto|bitcoin|ethereum|ledger|trezor|metamask|mnemonic|bip-?39"
    r"|(?:seed|recovery) (?:phrase|words)",
    re.IGNORECASE,
)


def find_private_key(reading: Reading) -> str | None:
    """Return "private_key" for PEM, OpenSSH, PGP, PuTTY, WireGuard, JSON web and wallet keys."""
    if reading.has(("key", "b3blbnnzac1rzxktdje")) and _PRIVATE_KEY.search(reading.text):
        return "private_key"
    if reading.has(("private key", "mii", "mhc", "mig", "mih", "id_", ".pem", ".key", ".ppk")) and (
        _DER.search(reading.text)
        or any(_follows_base64(reading, end.start()) for end in _END.finditer(reading.text))
        or any(_is_of_key(match) for match in _KEY_FILE.finditer(reading.text))
    ):
        return "private_key"
    if reading.has(("kty", "<modulus>")) and any(
        is_random(member["value"] or member["element"], distinct=12)
        for member in _PRIVATE_MEMBER.finditer(reading.text)
    ):
        return "private_key"
    for match in _WALLET_KEY.finditer(reading.text):
        if reading.begins_at(match.start()) and is_random(match[0], distinct=20):
            return "private_key"
    return None


def _follows_base64(reading: Reading, start: int) -> bool:
    """Return whether lines of a key stand before its last line, though its first is missing."""
    return _BASE64_END.search("".join(reading.before(start, 160).splitlines())) is not None


def _is_of_key(match: re.Match[str]) -> bool:
    """Return whether whole lines of base64 after a file's name are of a private key."""
    named, _, lines = match[0].partition("\n")
    return not any(word in named.lower() for word in _PUBLIC) and is_random(lines, distinct=20)


def _is_jwt_header(part: str) -> bool:
    """Return whether the first part of a token decodes to a JOSE header."""
    try:
        header = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError):
        return False
    return isinstance(header, dict) and ("alg" in header or "enc" in header or "typ" in header)


def find_jwt(reading: Reading) -> str | None:
    """Return "jwt" for the joined parts of a token whose header decodes."""
    for match in _JWT.finditer(reading.text):
        if reading.begins_at(match.start()) and _is_jwt_header(match[1]):
            return "jwt"
    return None


def find_url(reading: Reading) -> str | None:
    """Return "url_with_credentials" for a URL with a password that is not a placeholder."""
    text = reading.text
    if reading.has(("jdbc:",)) and any(
        not _is_variable(match[1]) for match in _JDBC.finditer(text)
    ):
        return "url_with_credentials"
    start = text.find("://")
    while start >= 0:
        match = _CREDENTIALS.match(text, start + 3)
        form = match and _FORM_OF_URL.match(text, start + 3)
        if match and not form and not _is_variable(match[1]):
            return "url_with_credentials"
        start = text.find("://", start + 3)
    return None


def _is_variable(value: str) -> bool:
    """Return whether the password of a URL is a placeholder: a mask or the name of a variable."""
    return value[0] in "$<[{(%*" or set(value) <= set("x*.•-_X") or "redacted" in value.lower()


def find_one_time_seed(reading: Reading) -> str | None:
    """Return "totp_secret" or "recovery_codes" for the secrets behind a second factor."""
    text = reading.text
    if not reading.has(
        (
            "otp",
            "2fa",
            "mfa",
            "authenticator",
            "factor",
            "code",
            "codic",
            "código",
            "recovery",
            "bitlocker",
            "setup key",
            "rescue",
            "backup key",
        )
    ):
        return None
    for match in _OTPAUTH.finditer(text):
        if not is_placeholder(match[1]):
            return "totp_secret"
    for match in _OTP_SEED.finditer(text):
        seed = re.sub("[ -]", "", match[1])
        if len(set(seed)) >= 8 and (seed.isupper() or any(c.isdigit() for c in seed)):
            return "totp_secret"
    if _RECOVERY_KEY.search(text):
        return "recovery_codes"
    for match in _RECOVERY_CODES.finditer(text):
        digits = sum(map(str.isdigit, match["given"] or match["listed"]))
        if digits >= (3 if match["given"] else 4):
            return "recovery_codes"
    return None


def find_password_hash(reading: Reading) -> str | None:
    """Return "password_hash" for the crypt formats, which can be guessed offline."""
    for match in _HASH.finditer(reading.text) if reading.has(("$", "{")) else ():
        if len(set(match[0])) >= _FEWEST_SIGNS_OF_HASH:
            return "password_hash"
    return None


@functools.cache
def _bip39() -> tuple["Mnemonic", frozenset[str]]:
    """Return the BIP-39 checker for English, and its 2,048 words."""
    from mnemonic import Mnemonic  # noqa: PLC0415  few texts need it

    mnemonic = Mnemonic("english")
    return mnemonic, frozenset(mnemonic.wordlist)


def find_seed_phrase(reading: Reading) -> str | None:
    """Return "seed_phrase" for a run of BIP-39 words that is announced, or has a valid checksum.

    Ordinary sentences never have twelve in a row; a shopping list may, but hardly with the
    checksum.
    """
    words = _WORD.findall(reading.lower)
    if len(words) < _SEED_SIZES[0]:
        return None
    for run in islice(_listed_runs(words), _MOST_RUNS):
        if _WALLET.search(reading.text) or _has_checksum(run):
            return "seed_phrase"
    if not reading.has(("phrase", "words", "seed", "mnemonic")):
        return None
    return "seed_phrase" if any(map(_is_list, _SEED_NAME.finditer(reading.text))) else None


def _listed_runs(words: Iterable[str]) -> Iterator[list[str]]:
    """Yield the runs of at least twelve BIP-39 words."""
    listed = _bip39()[1]
    run: list[str] = []
    for word in (*words, ""):
        if word in listed:
            run.append(word)
        elif run:
            if len(run) >= _SEED_SIZES[0]:
                yield run
            run = []


def _has_checksum(run: list[str]) -> bool:
    """Return whether the run is a phrase, but for up to three words around it ("my wallet")."""
    return any(
        _bip39()[0].check(" ".join(run[start : start + size]))
        for size in _SEED_SIZES
        for start in range(len(run) - size + 1)
        if size >= len(run) - 3
    )


def _is_list(name: re.Match[str]) -> bool:
    """Return whether at least twelve words follow this announcement, few of them function words."""
    clause = re.split(r"[.;!?](?!\s?[a-z])", name.string[name.end() : name.end() + 250])[0]
    listed = _WORD.findall(clause.lower())[: _SEED_SIZES[0]]
    if len(listed) < _SEED_SIZES[0] or not all(3 <= len(word) <= 8 for word in listed):
        return False
    return sum(word in GRAMMAR for word in listed) <= 2
