"""Secrets never enter the store (row A9): what is refused, what is not, and at what cost."""

import json
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from stdnum import iban, luhn

from ashd.access.secrets import find_secret, require_no_secret
from ashd.access.secrets.token_formats import _SHAPES
from ashd.access.secrets.vocabulary import STEMS
from ashd.errors import ContentRefused

# One JSON array a line: the kind (null for a harmless text) and the text. "{}" only keeps the
# scanners of repositories from taking a made-up secret for a real one.
CORPUS = [
    (kind, text.replace("{}", ""))
    for kind, text in map(
        json.loads,
        Path(__file__).with_name("secrets_corpus.jsonl").read_text(encoding="utf-8").splitlines(),
    )
]
SECRETS = [(kind, text) for kind, text in CORPUS if kind]
HARMLESS = [text for kind, text in CORPUS if not kind]


def test_corpus_is_large_enough() -> None:
    """Hundreds of made-up secrets of dozens of kinds, and as many harmless look-alikes."""
    assert len(SECRETS) >= 150
    assert len({kind for kind, _ in SECRETS}) >= 25
    assert len(HARMLESS) >= 150
    assert len({text for _, text in CORPUS}) == len(CORPUS)


def test_recall_and_precision(capsys: pytest.CaptureFixture[str]) -> None:
    """At least 98 of 100 secrets are found, and at least 98 of 100 findings are secrets."""
    missed = [text for _, text in SECRETS if find_secret(text) is None]
    false = [text for text in HARMLESS if find_secret(text) is not None]
    found = len(SECRETS) - len(missed)
    recall, precision = found / len(SECRETS), found / (found + len(false))
    with capsys.disabled():
        sys.stdout.write(
            f"\nsecrets: recall {recall:.3f} ({found} of {len(SECRETS)}), precision {precision:.3f}"
            f" ({len(false)} of {len(HARMLESS)} harmless texts refused)\n"
        )
    assert recall >= 0.98, missed
    assert precision >= 0.98, false


def test_no_more_texts_are_told_wrongly_than_before() -> None:
    """Whatever a rule newly misses, refuses or calls by another kind shows in the sum."""
    wrong = [(kind, text) for kind, text in CORPUS if find_secret(text) != kind]
    assert len(wrong) <= 38, wrong


def test_each_kind_is_found_and_called_by_its_name() -> None:
    """No kind hides behind the others: nine of ten of each are found, and named rightly."""
    named: dict[str, list[bool]] = defaultdict(list)
    for kind, text in SECRETS:
        named[kind].append(find_secret(text) == kind)
    rates = {kind: sum(hits) / len(hits) for kind, hits in named.items()}
    assert {kind: rate for kind, rate in rates.items() if rate < 0.9} == {}


@pytest.mark.parametrize(
    "text",
    [
        "The password is in 1Password",
        "Order number 4539148803436468 has shipped",
        "the password policy requires 12 characters",
        "forgot my password yesterday",
        "api keys live in Vault",
    ],
)
def test_what_only_speaks_of_secrets_is_stored(text: str) -> None:
    """The place of a secret, or a number without the right check digit, is no secret."""
    assert find_secret(text) is None


def _hidden(join: str) -> Callable[[str, int], str]:
    """Puts `join` into a text at a position."""
    return lambda text, at: text[:at] + join + text[at:]


# Tokens that are one word: what hides them must stand inside.
WORDS = [
    (kind, match[0])
    for kind, text in SECRETS
    if kind.endswith(("_token", "_api_key")) and kind != "discord_token"
    for match in [re.search(r"[A-Za-z0-9_.:-]{30,}", text)]
    if match and "\n" not in text and find_secret(match[0]) == kind
]


@pytest.mark.parametrize(
    "hide",
    [
        _hidden("\u200b"),
        _hidden("\u2060\u00ad"),
        _hidden("\U000e0061"),
        _hidden("\u202e"),
        _hidden("\x1b[0m"),
        _hidden("\n    "),
        _hidden("\\\n"),
        _hidden('" + "'),
        lambda text, _: "".join(chr(ord(c) + 0xFEE0) for c in text),
    ],
    ids=["zero-width", "joiner", "tag", "bidi", "ansi", "break", "backslash", "plus", "wide"],
)
def test_hiding_a_token_does_not_help(hide: Callable[[str, int], str]) -> None:
    """Invisible characters, full-width letters or a line break inside hide no token."""
    chance = random.Random(7)
    assert len(WORDS) >= 60
    for kind, word in WORDS:
        for at in (1, len(word) // 2, chance.randrange(1, len(word))):
            assert find_secret(f"the key is {hide(word, at)}") == kind


@given(st.uuids())
def test_a_uuid_is_no_secret(value: object) -> None:
    """Ids of every kind are harmless."""
    assert find_secret(f"order {value} of Sarah") is None
    assert find_secret(str(value)) is None


@given(st.binary(min_size=20, max_size=32))
def test_a_digest_is_no_secret(value: bytes) -> None:
    """Commits and checksums are harmless."""
    assert find_secret(f"commit {value.hex()}") is None
    assert find_secret(f"sha256:{value.hex()}") is None


@given(st.from_regex(r"(4[0-9]{3}|5[1-5][0-9]{2})[0-9]{11}", fullmatch=True), st.sampled_from(" -"))
def test_a_card_is_known_by_its_check_digit(digits: str, separator: str) -> None:
    """A number with an issuer's prefix is refused with the right check digit only."""
    right = luhn.calc_check_digit(digits)
    assume(len(set(digits + right)) > 1)
    for last in "0123456789":
        number = digits + last
        grouped = separator.join(number[i : i + 4] for i in range(0, 16, 4))
        expected = "credit_card" if last == right else None
        assert find_secret(f"number {number}, please") == expected
        assert find_secret(grouped) == expected


@given(st.from_regex(r"[1-9][0-9]{17}", fullmatch=True), st.integers(1, 96))
def test_an_iban_is_known_by_its_check_digits(account: str, off: int) -> None:
    """A German account number is refused with the right check digits only."""
    right = iban.calc_check_digits(f"DE00{account}")
    wrong = f"{(int(right) - 2 + off) % 97 + 2:02d}"
    assert find_secret(f"send it to DE{right}{account}") == "iban"
    assert find_secret(f"send it to DE{wrong}{account}") is None


@given(st.text())
def test_any_text_gets_an_answer(text: str) -> None:
    """No text makes it fail; the answer is a kind and never a piece of the text."""
    kind = find_secret(text)
    assert kind is None or re.fullmatch("[a-z_0-9]+", kind)


@pytest.mark.parametrize(
    "value",
    [
        "my password is hunter2",
        ["red", "pwd: hunter2"],
        {"note": {"deep": ["x", "password=hunter2"]}},
        {"my password is hunter2": 1},
        {"password": "hunter2"},
        {"dbPassword": "hunter2"},
        {"passwords": ["hunter2"]},
        ("password: hunter2",),
    ],
)
def test_a_secret_is_refused_wherever_it_stands(value: Any) -> None:
    """Texts, lists, keys and values are searched; the error has the kind, never the value."""
    with pytest.raises(ContentRefused) as caught:
        require_no_secret(value, "metadata")
    error = caught.value
    assert error.data == {"secret_kind": "password", "field": "metadata"}
    assert "metadata" in error.message
    assert "password" in error.message
    assert "hunter2" not in json.dumps([str(error), error.to_data()])


@pytest.mark.parametrize(
    "value", [{"pin": 4821}, {"api_key": "9f8e7d6c5b4a39281706"}, {"card": 4111111111111111}]
)
def test_the_key_tells_what_a_value_is(value: Any) -> None:
    """A number or a text that says nothing is a secret under a name that does."""
    with pytest.raises(ContentRefused):
        require_no_secret(value, "metadata")


@pytest.mark.parametrize(
    "value",
    [
        "Sarah likes Italian food",
        None,
        True,
        42,
        ["password", "policy"],
        {"password_manager": "1Password", "token_count": 512, "pin": True, "ratio": 0.5},
        {"order": 4539148803436468, "commit": "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"id": "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "tags": [], "note": {}},
    ],
)
def test_what_holds_no_secret_passes(value: Any) -> None:
    """Ordinary metadata, tags and aliases are accepted."""
    require_no_secret(value, "metadata")


REPEATED = [
    *(
        "a",
        "A",
        "0",
        " ",
        "\n",
        "-",
        "=",
        "'",
        "\u200b",
        "é",
        "٤",
        "密码是",
        "пароль для ",
        "is is ",
    ),
    *("password ", "password for a ", "password is now ", "password: ", "my password", "pass:"),
    *("set my password to ", "x is my password ", "password. it is ", "login a:", "creds: a/"),
    *("a/b as login ", "curl -u ", "<password>", "user a and pass ", "PIN ", "code for the door "),
    *("api key for ", "secret ", "key=a", "bearer aaaa", "basic a", "cookie sess=", "aws a+"),
    *("4111 ", "4111-", "123-45-", "DE89", "gb29 nwbk ", "-----BEGIN A ", "private key 0x", "5H"),
    *("eyJ", "eyJaaaaaaaa.", "eyJ\n", "://", "x://a:b", "otpauth://", "2fa secret ABCD "),
    *("backup codes: a ", "$2b$", "abandon ", "abandon zoo ", "seed phrase is aaa ", "MT.a", "a\n"),
    *("ab12 ", "a-", "a b ", "phone unlocks with ", "unlock the ", "one-time code ", "otp is "),
    *("log in with a / ", "1234 is my ", "bXkgcGFzc3dvcmQgaXMg ", "the key: aB1"),
    *("user a password ",),
    *("backup codes 1a2b ", "security question ", "security question maiden name ", "answer "),
    *(
        "tür: code 1A1 ",
        "code of a door ",
        "clave de la ",
        "1234 is the door code ",
        "door code 1A",
    ),
    *("with the passphrase ", "password, it's now ", "passwords: security, ", "key 1 of ", "bot1:"),
    *("door opens mit ", "tür öffnet mit ", "error code door is 1234 "),
    *(
        "log in as a with ",
        "log in as ab with aB1-",
        "type a1cdef ",
        "the network is a and a1#bcdef ",
    ),
    *("PHPSESSID is ", "session id now ", "login aA1", "-----END PRIVATE KEY-----", "id_rsa\n"),
    *(
        "code texted to verify 1",
        "tan for a ",
        "use 1234 to ",
        "first pet at the bank: ",
        "born is ",
    ),
    *(
        "opens with a1bcdef ",
        "disk unlocks with the sentence ",
        "a1bcd-",
        "1-2-",
        "12 34 ",
        "1, 2, ",
    ),
    *("jdbc:a:b:c/", "wifi key ", "wifi sticker 1234 ", "your Abc code is ", "enter 4471# door "),
    *("WIFI:S:a;", "WIFI:P:aaaa", "a:5432:b:c:", "*:*:*:a:b1!cde ", "KEY='a1!b2@", "KEY=a1!b2@ "),
    *("{SHA}aaaa", "$apr1$aB1", "pbkdf2_sha256$aB1 ", "aB1#x2 (the ", "# the auth token "),
    *("'aB1cD2eF3gH4iJ5k' # my key ", "the my our token ", "password as a: ", "password a -> "),
    *("safe 12 left, 3 right ", "12 left, ", "left to 1, ", "l1r2", "combo for a ", "combo 1-22-"),
    *("unlocks the a, she is with 1234 points ", "opens with 1234 points ", "disarm code 1"),
    *(
        "four-",
        "double one ",
        "code one two three four ",
        "door code?\n4471\n",
        "a: pin?\nb: 4471\n",
    ),
    *(
        "a: \n",
        "pin? ",
        "?!. ",
        '"kty":"d":"aB1',
        "k: aB1",
        "<D>aB1",
        "AB1C-",
        "AB1C ",
        "key AB1C-2D3E-",
    ),
    *(
        "-----BEGIN LICENSE-----\n",
        "capital A, ",
        "capital A, then a, ",
        '"ab" plus ',
        "12, hash sign, ",
    ),
    *(
        "enable secret 0 ",
        "username a secret ",
        "radius-server a ",
        "chap a password ",
        "snmp community ",
    ),
    *(
        "securestring 'a",
        "set_password('",
        "connect('a', ",
        "login('a",
        "login = ",
        "a@b.c / ",
        "phone: ",
    ),
    *(
        "laptop = aB1!",
        "password spells ",
        "password? it's ",
        "G-",
        "@a.b #",
        "your Abc-code ",
        "TAN-",
    ),
    *(
        "key file holds ",
        "md5 of a.key is ",
        "door, ",
        "door, code ",
        "apple teacher i a most ",
        "ww ",
    ),
    *(stem + " " for stem in STEMS),
    *(shape.literal for shape in _SHAPES),
    *(shape.literal + "aA0_" for shape in _SHAPES),
]


def _growth(unit: str) -> float:
    """Return the ratio of processor time for 8,000 characters to that for 2,000."""
    seconds = []
    for size in (2_000, 8_000):
        text = (unit * size)[:size]
        start = time.process_time()
        find_secret(text)
        seconds.append(time.process_time() - start)
    return seconds[1] / max(seconds[0], 0.001)


def test_time_grows_with_length_only() -> None:
    """Four times the text takes about four times as long, whatever is repeated in it.

    A pattern that backtracks takes sixteen times as long or more.
    """
    find_secret("abandon")  # the words of BIP-39 are read once
    suspects = [unit for unit in REPEATED if _growth(unit) > 8]
    slow = {unit: ratio for unit in suspects if (ratio := min(map(_growth, [unit] * 5))) > 8}
    assert slow == {}
