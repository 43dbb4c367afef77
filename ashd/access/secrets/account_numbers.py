"""Numbers that open an account: payment cards, IBANs, US social security numbers.

Owns the difference between such a number and an order, a phone, a tracking number: the check
digits (python-stdnum), the issuers' prefixes and lengths, the way the digits are grouped.
"""

import re
from collections.abc import Iterator

from ashd.access.secrets.normalisation import Reading
from ashd.language.lazy_pattern import pattern_of

_CARD_WORD = pattern_of(
    r"\bcards?\b|visa|master ?card|\bamex\b|american express|discover|diners|\bjcb\b|unionpay"
    r"|\bcv[vc]2?\b|kreditkarte|carte|tarjeta|carta|cart[aã]o|карт|卡|カード|카드",
    re.IGNORECASE,
)
_DIGITS = pattern_of(r"\d{4}[ .\n-]{0,3}\d{4}")
_RUN = pattern_of(r"\d{13,19}")
# The digits as printed on a card: 4-4-4-4; for three issuers 4-6-5, or 4-6-4 and up to three more.
_GROUPED = pattern_of(
    r"\d{4}([ .\n-]|- | - )(?:\d{4}\1\d{4}\1(?:\d{4}(?:\1\d{3})?|\d\d(?!\d))|\d{6}\1\d{4,5})"
)
_PART_OF_WORD = pattern_of(r"(?<=\w)|(?<=\w-)|(?<=\d[.,])")
_WORD_GOES_ON = pattern_of(r"-?\w")
_MORE_BEFORE = pattern_of(r"(?<=\d[ .])")
_MORE_AFTER = pattern_of(r"[ .]\d{3,}|[ .]\d{1,2}(?![\d/])")

_IBAN = pattern_of(r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{1,4}){3,8}")
_PIECE = pattern_of(r"[A-Za-z0-9]+")
_SSN = pattern_of(r"(\d{3})(?<![\d-]\d{3})-(\d{2})-(\d{4})(?![\d-])")
_SSN_LOOSE = pattern_of(r"(\d{3})(?<!\d\d{3})[ -]?(\d{2})[ -]?(\d{4})(?!\d)")
_OTHER_NUMBER = pattern_of(
    r"(?:order|invoice|ticket|part|case|model|sku|serial|phone|tel|fax|account|ref(?:erence)?)"
    r"\.?(?: no\.?| number| id)?[ :#]*\Z",
    re.IGNORECASE,
)


def _is_card(digits: str, *, named: bool) -> bool:
    """Return whether an issuer gives out such card numbers; `named`: the text mentions a card."""
    first2, first3, first4 = int(digits[:2]), int(digits[:3]), int(digits[:4])
    size = len(digits)
    lengths: tuple[int, ...] = ()
    if digits[0] == "4":
        lengths = (13, 16, 19) if named else (16,)
    elif first2 in {34, 37}:
        lengths = (15,)
    elif 51 <= first2 <= 55 or 2221 <= first4 <= 2720 or 3528 <= first4 <= 3589:
        lengths = (16,)
    elif first2 in {36, 38, 39} or 300 <= first3 <= 305:
        lengths = (14,)
    elif first4 == 6011 or first2 == 65 or 644 <= first3 <= 649 or 2200 <= first4 <= 2204:
        lengths = (16, 19) if named else (16,)
    elif first2 == 62:
        lengths = (16, 17, 18, 19)
    elif named and first2 in {50, 56, 57, 58, 60, 63, 67, 81, 82}:
        lengths = (13, 14, 15, 16, 17, 18, 19)
    if size not in lengths or len(set(digits)) == 1:
        return False
    from stdnum import luhn  # noqa: PLC0415  few texts need it

    valid: bool = luhn.is_valid(digits)
    return valid


def _card_candidates(text: str, *, named: bool) -> Iterator[str]:
    """Yield the runs and printed groups of digits that are not part of a word."""
    for match in _RUN.finditer(text):
        start, end = match.span()
        if not (_PART_OF_WORD.match(text, start) or _WORD_GOES_ON.match(text, end)):
            yield match[0]
    position = 0
    while group := _GROUPED.search(text, position):
        start, end = group.span()
        position = start + 4  # These groups may be the middle of a longer number.
        if _PART_OF_WORD.match(text, start) or _WORD_GOES_ON.match(text, end):
            continue
        before = _MORE_BEFORE.match(text, start)
        if named or not (before or _MORE_AFTER.match(text, end)):
            digits = "".join(filter(str.isdigit, group[0]))
            yield digits
            yield digits[:16]


def find_card(reading: Reading) -> str | None:
    """Return "credit_card" for a number with an issuer's prefix and length that passes Luhn."""
    if not _DIGITS.search(reading.text):
        return None
    named = _CARD_WORD.search(reading.text) is not None
    for digits in _card_candidates(reading.text, named=named):
        if _is_card(digits, named=named):
            return "credit_card"
    return None


def find_iban(reading: Reading) -> str | None:
    """Return "iban" for a number that has its country's structure and passes modulo 97."""
    text = reading.text
    for match in _IBAN.finditer(text):
        if not reading.begins_at(match.start()):
            continue
        compact = ""
        for piece in _PIECE.finditer(text, *match.span()):  # The text after it is not part of it.
            compact += piece[0].upper()
            cut = text[piece.end() : piece.end() + 1].isalnum()
            if len(compact) >= 15 and not cut and _is_iban(compact):
                return "iban"
    return None


def _is_iban(compact: str) -> bool:
    from stdnum import iban  # noqa: PLC0415  few texts need it

    valid: bool = iban.is_valid(compact, check_country=False)
    return valid


def find_ssn(reading: Reading) -> str | None:
    """Return "us_ssn" for nine digits that are grouped, or named, as such a number."""
    text = reading.text
    pattern = _SSN_LOOSE if reading.has(("ssn", "social")) else _SSN
    for match in pattern.finditer(text):
        area, group, serial = match.groups()
        possible = (
            area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"
        )
        if possible and not _OTHER_NUMBER.search(text, max(0, match.start() - 30), match.start()):
            return "us_ssn"
    return None
