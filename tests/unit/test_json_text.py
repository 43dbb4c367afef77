"""JSON from others: what is refused, and that nothing within the limits is expensive to decode."""

import time
from contextlib import suppress
from itertools import chain

import pytest

from ashd import errors, json_text, limits

SIZE = limits.SANDBOX.request_bytes - 100
MOST = limits.SANDBOX.values
TIMES_A_TEXT = 6
"""How much longer a frame may take than one that holds a single text of the same size."""


def _listed(value: bytes) -> bytes:
    return b"[" + b",".join([value] * (SIZE // (len(value) + 1))) + b"]"


def _few(value: bytes) -> bytes:
    return b"[" + b",".join([value] * min(MOST - 10, SIZE // (len(value) + 1))) + b"]"


HOSTILE = {
    "slow floats": _listed(b"1.23456789012345678901234567890123e-300"),
    "as many slow floats as there may be": _few(b"1.2345678901234567e-300"),
    "halfway floats": _few(b"9007199254740993.0"),
    "long integers": _listed(b"9" * 4_000),
    "long fractions": _listed(b"1." + b"9" * 400 + b"e-300"),
    "keys": b"{" + b",".join(b'"k%d":0' % n for n in range(49_000)) + b"}",
    "as many keys as there may be": b"{"
    + b",".join(b'"k%d":0' % n for n in range(MOST // 2 - 10))
    + b"}",
    "escaped commas": b'["' + b"\\," * (SIZE // 2) + b'"]',
    "escaped quotes": b'["' + b'\\",' * (SIZE // 3) + b'"]',
    "backslashes": b'["' + b"\\\\" * (SIZE // 2) + b'"]',
    "texts of commas": _listed(b'"' + b"," * 60 + b'"'),
}


def _cpu(text: bytes) -> float:
    """The least CPU time that decoding takes, whether it is refused or not."""
    spent = []
    for _ in range(3):
        began = time.thread_time()
        with suppress(errors.AshError):
            json_text.decode(text, MOST)
        spent.append(time.thread_time() - began)
    return min(spent)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_decoding_costs_no_more_than_a_text_of_the_largest_size(text: bytes) -> None:
    """Numbers, keys and escapes are bounded by what they cost, not only by their bytes."""
    assert _cpu(text) < TIMES_A_TEXT * _cpu(b'["' + b"\xc3\xa4" * (SIZE // 2) + b'"]')


@pytest.mark.parametrize("number", [b"1" * 65, b"1." + b"0" * 63, b"1e" + b"0" * 63, b"-" * 65])
def test_a_number_has_a_longest_form(number: bytes) -> None:
    """A number with more digits than a double needs is refused."""
    with pytest.raises(errors.TooLarge):
        json_text.decode(b'{"a":[' + number + b"]}")


def test_numbers_are_read_to_the_last_digit() -> None:
    """Numbers equal those of `float` and `int`; in a text, digits are only characters."""
    texts = [b"1.2345678901234567e-300", b"0.1", b"-2.5E+10", b"5e-324", b"1.7976931348623157e308"]
    whole = [b"18446744073709551616", b"-1", b"0", b"1" * limits.NUMBER_CHARS]

    found = json_text.decode(b"[" + b",".join(chain(texts, whole)) + b"]")

    assert found == [*map(float, texts), *map(int, whole)]
    assert json_text.decode(b'["' + b"7" * 1_000 + b'"]') == ["7" * 1_000]
    assert json_text.decode(b'["\\"' + b"7" * 1_000 + b'\\\\"]') == ['"' + "7" * 1_000 + "\\"]


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"01", b"1.", b"NaN", b"Infinity"])
def test_what_is_no_number_is_refused(number: bytes) -> None:
    """No infinity comes in by a number that is too large."""
    with pytest.raises(errors.ParseError):
        json_text.decode(b"[" + number + b"]")


def test_values_are_counted_outside_of_texts() -> None:
    """A bound of the caller's own counts, and what stands in a text does not."""
    assert json_text.decode(b'["a,b:[{", "\\",,,,,,"]', 3) == ["a,b:[{", '",,,,,,']
    with pytest.raises(errors.TooLarge):
        json_text.decode(b"[1,2,3,4]", 3)
