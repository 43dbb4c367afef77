"""Secrets at their bounds: prefixes, lengths and check digits."""

import base64
import re

import pytest
from stdnum import luhn

from ashd.access.secrets import (
    account_numbers,
    commands,
    credential_shapes,
    disguised,
    find_secret,
    generated_values,
    named_values,
    password_values,
    spoken_passwords,
)
from ashd.access.secrets.normalisation import Reading


def card(prefix: str, size: int) -> str:
    """A number with this prefix and length and the right check digit."""
    digits = (prefix + "3571" * 5)[: size - 1]
    return digits + luhn.calc_check_digit(digits)


@pytest.mark.parametrize(
    ("prefixes", "alone", "named"),
    [
        (("4",), {16}, {13, 16, 19}),
        (("34", "37"), {15}, {15}),
        (("51", "55", "2221", "2720", "3528", "3589"), {16}, {16}),
        (("36", "38", "39", "300", "305"), {14}, {14}),
        (("6011", "65", "644", "649", "2200", "2204"), {16}, {16, 19}),
        (("62",), {16, 17, 18, 19}, {16, 17, 18, 19}),
        (
            ("50", "56", "57", "58", "60", "6010", "63", "67", "81", "82"),
            set(),
            {13, 14, 15, 16, 17, 18, 19},
        ),
        (("3527", "3590", "2205", "2220", "2721", "2199", "306", "33", "31"), set(), set()),
        (("59", "61", "643", "66", "68", "80", "83", "10", "90", "70"), set(), set()),
    ],
)
def test_an_issuer_gives_out_numbers_of_its_own(
    prefixes: tuple[str, ...], alone: set[int], named: set[int]
) -> None:
    """More of them count where the text speaks of a card; without its check digit none does."""
    sizes = range(12, 21)
    for prefix in prefixes:
        numbers = {size: card(prefix, size) for size in sizes}
        for is_named, expected in ((False, alone), (True, named)):
            found = {
                size
                for size, number in numbers.items()
                if account_numbers._is_card(number, named=is_named)
            }
            assert found == expected, (prefix, is_named)
        for number in numbers.values():
            off = number[:-1] + str((int(number[-1]) + 1) % 10)
            assert not account_numbers._is_card(off, named=True)
    assert not account_numbers._is_card("0" * 16, named=True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("My IBAN: NO93 8601 1117 947", "iban"),
        ("My IBAN: NO93 8601 1117 948", None),
        ("219-09-9999", "us_ssn"),
        ("899-09-9999", "us_ssn"),
        ("000-12-3456", None),
        ("666-12-3456", None),
        ("900-12-3456", None),
        ("219-00-9999", None),
        ("219-09-0000", None),
        ("order no. 219-09-9999", None),
    ],
)
def test_a_number_is_one_that_can_be(text: str, kind: str | None) -> None:
    """The shortest account number has 15 characters; some social security numbers were never."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(
    ("value", "made", "alone"),
    [
        ("123", False, False),
        ("1234", True, False),
        ("a1", True, False),
        ("ab", False, False),
        ("a-b", False, False),
        ("a-b-c", True, False),
        ("a_b", True, False),
        ("ab12c", True, False),
        ("ab12cd", True, True),
        ("abcdef", False, False),
    ],
)
def test_a_password_mixes_what_words_do_not(value: str, made: bool, alone: bool) -> None:
    """An unlabelled password has at least six characters."""
    assert (password_values.looks_made(value), password_values.looks_made_alone(value)) == (
        made,
        alone,
    )


@pytest.mark.parametrize(
    ("value", "generated", "bearer"),
    [
        ("aB3dE6gH9jK2mN5", False, False),
        ("aB3dE6gH9jK2mN5p", True, True),
        ("abcdefghijklmnop1A", False, True),
        ("aB3dE6gH9jK2mN5-", False, True),
    ],
)
def test_a_token_is_long_and_random(value: str, generated: bool, bearer: bool) -> None:
    """From 16 characters on; generated ones mix three kinds all over."""
    assert generated_values.is_changing(value, 16) is generated
    assert named_values._is_authorization("bearer", value) is bearer
    for said, is_login in ((b"me:password", True), (b"hello there", False)):
        encoded = base64.b64encode(said).decode()
        assert named_values._is_authorization("basic", encoded) is is_login
    assert not named_values._is_authorization("basic", "%%")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # After a sign three digits are enough; in a list without one there must be four.
        ("recovery codes: ab12 cdef", None),
        ("recovery codes: ab12 cd3f", "recovery_codes"),
        ("recovery codes ab1c de2f gh3i", None),
        ("recovery codes ab1c de2f gh3i jk4l", "recovery_codes"),
    ],
)
def test_recovery_codes_have_enough_digits(text: str, kind: str | None) -> None:
    """Three digits after a sign, four in a list that nothing introduces."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(
    ("word", "strength"),
    [
        ("Harbour+Kite9", credential_shapes.CERTAIN),
        ("Gurken#Salat4", credential_shapes.CERTAIN),
        ("web-tool#12", credential_shapes.NONE),
        ("Ctrl+Shift+F5", credential_shapes.NONE),
        ("sn0wPlough88", credential_shapes.SURE),
        ("Zuckerruebe_21", credential_shapes.SURE),
        ("release_21", credential_shapes.NONE),
        ("copper-lantern-19", credential_shapes.SURE),
        ("node-18-alpine", credential_shapes.NONE),
        ("Seepferd-1908-Blau", credential_shapes.SURE),
        ("walrus-cardigan-pepper-moth", credential_shapes.SURE),
        ("walrus-cardigan-pepper", credential_shapes.NONE),
        ("walrus-cardigan-pepper-mo", credential_shapes.NONE),
        ("copper-19-lantern", credential_shapes.NONE),
        ("copper-191-lantern", credential_shapes.SURE),
        ("copper-19-lantern-moth", credential_shapes.SURE),
        ("strict-origin-when-cross-origin", credential_shapes.NONE),
        ("9kLw27vQ", credential_shapes.SURE),
        ("kestrel2011", credential_shapes.LIKELY),
        ("user7", credential_shapes.NONE),
        ("TP-Link-AX55", credential_shapes.NONE),
        ("react-router@6", credential_shapes.NONE),
        ("lena77@kessler.de", credential_shapes.NONE),
        ("pandas-2.1", credential_shapes.NONE),
        ("250mbit", credential_shapes.NONE),
        ("HOME_2.4G", credential_shapes.NONE),
    ],
)
def test_a_credential_is_known_by_its_shape(word: str, strength: int) -> None:
    """Signs, digits inside and chains of words count; versions, models and addresses do not."""
    assert credential_shapes.of_word(word) == strength


@pytest.mark.parametrize(
    ("digits", "strength"),
    [
        ("4471", credential_shapes.LIKELY),
        ("1830", credential_shapes.POSSIBLE),
        ("1977", credential_shapes.POSSIBLE),
        ("2359", credential_shapes.POSSIBLE),
        ("2360", credential_shapes.LIKELY),
        ("2400", credential_shapes.LIKELY),
        ("2060", credential_shapes.POSSIBLE),
        ("2160", credential_shapes.LIKELY),
        ("1860", credential_shapes.LIKELY),
        ("183015", credential_shapes.LIKELY),
        ("0615#", credential_shapes.SURE),
        ("*1830", credential_shapes.SURE),
        ("3-9-4-1", credential_shapes.SURE),
        ("14-02-1962", credential_shapes.POSSIBLE),
        ("17-80-9102", credential_shapes.LIKELY),
    ],
)
def test_a_time_or_a_year_is_hardly_a_code(digits: str, strength: int) -> None:
    """A sign of the keypad makes any digits a code."""
    assert credential_shapes.of_code(digits) == strength


def test_a_made_up_word_has_three_letters() -> None:
    """Beside a digit and a sign between them; two letters may be a unit."""
    assert commands._is_made_up("ab4#c7")
    assert not commands._is_made_up("4#c7b2")


def test_text_of_signs_has_four_different_ones() -> None:
    assert generated_values._is_of_signs("a1!b2@c3#d4$e5f6g7h8", quoted=True)
    assert not generated_values._is_of_signs("a1!b2@c3#d4e5f6g7h8i", quoted=True)


def test_text_of_signs_changes_more_than_every_third_character() -> None:
    """Seven changes in 21 characters are what words with signs between them have; eight are not."""
    assert not generated_values._is_of_signs("abcdef!12345@ghi#jk$%", quoted=True)
    assert generated_values._is_of_signs("abcde!12345@ghi#jk$%2", quoted=True)


@pytest.mark.parametrize(("spaces", "kind"), [(86, "password"), (87, None)])
def test_a_described_password_stands_near_what_it_opens(spaces: int, kind: str | None) -> None:
    """The pieces and the word "mail" belong together within ninety characters."""
    pieces = 'capital T, then "ulpen", then 1941 and a dollar sign'
    assert find_secret(f"{pieces}{' ' * spaces}mail") == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [("api_token = a8f3k2x9", "api_key"), ("api_token = a8f3k2x", None)],
)
def test_a_value_with_a_name_has_eight_characters(text: str, kind: str | None) -> None:
    assert find_secret(text) == kind


@pytest.mark.parametrize("by", [" ", "-"])
def test_spelled_letters_are_read_without_what_is_between_them(by: str) -> None:
    reading = disguised._reading(f"it is {by.join('skey4abc')}.")
    unspelled = disguised.unspelled(reading)
    assert unspelled is not None
    assert unspelled.text == "it is skey4abc."


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("purple lantern", True), ("Purple lantern", False), ("lantern expired", False)],
)
def test_two_words_after_a_sign_are_a_passphrase(text: str, is_one: bool) -> None:
    """Unless they begin with a capital, or say the state of a password."""
    assert password_values.is_passphrase(text, 0, signed=True) is is_one
    assert not password_values.is_passphrase(text, 0, signed=False)


@pytest.mark.parametrize(("states", "sign", "verb"), [(1, True, True), (2, True, False)])
def test_a_passphrase_has_few_words_that_say_a_state(states: int, sign: bool, verb: bool) -> None:
    """Two are possible after a sign; after a verb they say what became of the password."""
    words = ["purple", "lantern", "harbour", "bicycle"][states:] + ["expired", "broken"][:states]
    text = " ".join(words)
    assert password_values.is_passphrase(text, 0, signed=True) is sign
    assert password_values.is_passphrase(text, 0, signed=False) is verb


def test_an_address_within_an_address_is_read() -> None:
    assert find_secret("See http://://ann:pa55word@host.example/") == "url_with_credentials"


@pytest.mark.parametrize(("value", "is_one"), [("x7k9", True), ("x7k", False)])
def test_a_password_beside_a_users_name_has_four_characters(value: str, is_one: bool) -> None:
    match = re.fullmatch("(?P<value>.*)", value)
    assert spoken_passwords._is_password(match) is is_one


@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        ("ABCD EFGH ABCD EFGH", "totp_secret"),
        ("abcd efgh ab2d efgh", "totp_secret"),
        ("ABCD EFGA BCDE FGAB", None),
        ("abcd efga b2de fgab", "totp_secret"),
        ("that have goes with", None),
    ],
)
def test_a_seed_has_eight_different_characters_and_is_not_of_plain_words(
    seed: str, kind: str | None
) -> None:
    """Groups of four small letters are words."""
    assert find_secret(f"authenticator secret: {seed}") == kind


@pytest.mark.parametrize(("spaces", "kind"), [(56, "aws_secret_key"), (57, None)])
def test_an_aws_key_stands_within_sixty_characters_of_the_word(
    spaces: int, kind: str | None
) -> None:
    key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzq9Tn4LkV2"
    assert find_secret(f"aws:{' ' * spaces}{key}") == kind


@pytest.mark.parametrize(("spaces", "kind"), [(11, "password"), (12, None)])
def test_a_pass_stands_within_sixty_characters_of_its_user(spaces: int, kind: str | None) -> None:
    assert find_secret(f"username {'b' * 40}{' ' * spaces}pass kestrel20xx") == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("4111 1111 1111 1111", "credit_card"),
        ("A4111 1111 1111 1111", None),
        ("4111 1111 1111 1111b", None),
        ("1 4111 1111 1111 1111", None),
        ("-4111111111111111", "credit_card"),
        ("a-4111111111111111", None),
        ("4111111111111111-a", None),
        ("4111111111111111a", None),
        ("1.4111111111111111", None),
    ],
)
def test_grouped_digits_are_a_card_unless_more_is_written_together(
    text: str, kind: str | None
) -> None:
    """A letter at either end makes them a part of a word, a digit a part of a longer number."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(("size", "kind"), [(7, None), (8, "api_key")])
def test_a_key_of_a_service_has_eight_characters(size: int, kind: str | None) -> None:
    """A name that says which key it is makes a short value enough."""
    assert find_secret(f"the api key is {'q7Zk2Xv9'[:size]}") == kind


def reading(text: str) -> Reading:
    """A text as the rules read it."""
    return Reading(text, text.lower())


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("16C7 e42F 292c", None),
        ("16C7 e42F 292c 88aF", "16C7e42F292c88aF"),
        ("16C7 e42F abcd efgh", "16C7e42Fabcdefgh"),
        ("16C7 abcd efgh ijkl", None),
        ("it is tok_ 16C7 e42F 292c 88aF, ok", "it is tok_16C7e42F292c88aF, ok"),
        ("nothing here is in groups", None),
    ],
)
def test_four_groups_of_which_half_have_digits_are_joined(text: str, joined: str | None) -> None:
    """A prefix before them belongs to them."""
    found = disguised.ungrouped(reading(text))

    assert (found.text if found else None) == joined


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("four double two nine", "4229"),
        ("four triple two nine", "42229"),
        ("one two three", None),
        ("one double two three", "1223"),
    ],
)
def test_digits_in_words_are_read_as_often_as_they_are_said(text: str, digits: str | None) -> None:
    """Words with which one counts stay words."""
    found = disguised.in_digits(reading(text))

    assert (found.text if found else None) == digits


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("door code?\n4471", "pin"),
        ("Lena: door code\nJo: 4471", "pin"),
        ("door code\nJo: 4471", None),
        ("what is the door code again?\n4471", "pin"),
    ],
)
def test_a_reply_is_to_a_question_or_to_somebody(text: str, kind: str | None) -> None:
    """A line that nobody says and that asks nothing is answered by no other."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it is key", ""),
        ("it is my key", "it"),
        ("it is my new blue spare key", "it"),
        ("it is my new blue spare metal key", ""),
        ("is my key", ""),
    ],
)
def test_a_key_follows_its_value_within_four_words(text: str, value: str) -> None:
    """At least one word stands between them and one before: "it is my key"."""
    assert generated_values._value_before(reading(text), text.index("key")) == value


def test_entropy_is_in_bits_a_character() -> None:
    assert generated_values._bits("aabb") == pytest.approx(1)
    assert generated_values._bits("aaab") == pytest.approx(0.8113, abs=1e-4)
    assert generated_values._bits("aaaa") == pytest.approx(0)


@pytest.mark.parametrize(
    ("value", "is_jumbled"),
    [
        ("aB3xK9mZ2qW7aB3xK9mZ2qW7", True),
        ("aB3xK9mZ2qW7aB3xK9mZ2qW", False),
        ("-aB3xK9mZ2qW7aB3xK9mZ2qW7", False),
        ("CheckoutPageHeaderTitle22", False),
    ],
)
def test_jumbled_text_has_24_characters_and_few_words(value: str, *, is_jumbled: bool) -> None:
    assert generated_values._is_jumbled(value) is is_jumbled


@pytest.mark.parametrize(
    ("value", "is_changing"),
    [
        ("aaBB33aaBBcc", True),
        ("aaBB33aaBBc", False),
        ("aaaBB333aabb", False),
        ("aabbccddBB33", False),
        ("aaBB__aaBBcc", False),
    ],
)
def test_changing_text_changes_after_less_than_three_characters(
    value: str, *, is_changing: bool
) -> None:
    """In twelve characters more than four times, between three kinds of them and no others."""
    assert generated_values.is_changing(value, 12) is is_changing


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SERVICE_KEY=q7Zk2Xv9", "api_key"),
        ("KEY=q7Zk2Xv9", None),
        ("KEY=q7Zk2Xv9q7Zk2Xv8", "api_key"),
        ("my monkey is aB3xK9mZ2qW7", None),
        ("myapikey is aB3xK9mZ2qW7", "api_key"),
        ("q7Zk2Xv9w1Lm4Np6  # my token", "api_key"),
        ("q7Zk2Xv9w1Lm4Np  # my token", None),
        ("q7Zk2Xv9w1Lm4Np6  # my new twilio auth token", "api_key"),
        ("q7Zk2Xv9w1Lm4Np6  # new big twilio auth token", None),
        ("q7Zk2Xv9w1Lm4Np6  # my monkey", None),
        ("enable secret 5 $x7kq", "password"),
        ("enable secret $x7kq", None),
        ("snmp-server community public ro", None),
        ("snmp-server community kestrel ro", "password"),
        ("snmp-server community kestrel", None),
        ("snmp-server community pass rw", None),
        ("mysql -u root -pab1", None),
        ("mysql -u root -pab1c", "password"),
    ],
)
def test_a_name_of_a_secret_says_how_made_up_its_value_must_be(text: str, kind: str | None) -> None:
    """A bare name, a word that only ends like one, and a default are told apart from secrets."""
    assert find_secret(text) == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my ssn is 219 09 9999", "us_ssn"),
        ("ssn 219099999", "us_ssn"),
        ("219 09 9999 is her number", None),
        ("call 219099999", None),
        ("AB12C-DE34F-GH56J-KLMNP-34567", "product_key"),
        ("AB12C-DE34F-12345-KLMNP-34567", None),
        ("password 'ab1'", "password"),
        ("password 'ab'", None),
        ("mondigicode 4471", "pin"),
        ("garagencode 4471", "pin"),
        ("Postcode 4471", None),
    ],
)
def test_a_form_is_a_secret_alone_or_beside_its_name(text: str, kind: str | None) -> None:
    """Digits of a social security number, groups of Windows, a word in quotes after its name."""
    assert find_secret(text) == kind


@pytest.mark.parametrize("size", [22, 23, 24, 25])
def test_base64_is_read_without_its_padding(size: int) -> None:
    text = "the door opens at nine today"[:size]
    encoded = base64.b64encode(text.encode()).decode().rstrip("=")

    found = disguised.decoded(reading(f"see {encoded}"))

    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    ("words", "signed", "unsigned"),
    [
        (1, False, False),
        (2, True, False),
        (3, True, False),
        (4, True, True),
        (8, True, True),
        (9, False, False),
    ],
)
def test_a_passphrase_has_four_to_eight_words(words: int, *, signed: bool, unsigned: bool) -> None:
    """After a sign two are enough."""
    every = ("purple", "lantern", "harbour", "bicycle", "maple", "kettle", "wagon", "violin", "tin")
    text = " ".join(every[:words])

    assert password_values.is_passphrase(text, 0, signed=True) is signed
    assert password_values.is_passphrase(text, 0, signed=False) is unsigned


def test_a_token_begins_after_what_is_no_letter_or_digit() -> None:
    """Or where lines were joined."""
    begins = [reading("xkey -key").begins_at(at) for at in range(9)]

    assert begins == [True, False, False, False, False, True, True, False, False]
    assert reading("xkey")._replace(seams=frozenset({1})).begins_at(1)
