"""The search for costly texts finds what it is for, and what it found stays mended. Budget: 20 s.

`make check-costs` searches longer.
"""

import re

import pytest
from costly_texts import READERS, Reader, fault, prose, search, seconds, text_of

_READERS_OF_CONTENT = ("secrets.find_secret", "text_cleaning.clean", "indexing.read")
_FOUND = {
    "spaces": (" ",),
    "marks": ("\u0301", "\u0316", "\u0327\u0323", "\u0345"),
    "ligatures": ("\ufdfa",),
    "marks by decomposition": ("\u0f73", "\uff9e\u0334"),
}


@pytest.mark.parametrize("units", _FOUND.values(), ids=_FOUND)
@pytest.mark.parametrize("name", _READERS_OF_CONTENT)
def test_a_text_that_was_costly_is_so_no_more(name: str, units: tuple[str, ...]) -> None:
    """No reader's time grows like a square of these."""
    reader = READERS[name]
    reader.read(prose(reader.length))
    everything = sum(seconds(READERS[one].read, prose(10_000), 3) for one in _READERS_OF_CONTENT)

    def make(length: int) -> str:
        return "a" + text_of(units, length - 2, in_stretches=False, kind=None) + "a"

    assert fault(reader, make, 20 * everything) is None


def test_a_reader_whose_time_grows_like_a_square_is_noticed() -> None:
    """An expression that begins anew at each space."""
    slow = Reader(re.compile(r"[ \t]*\n").split, 10_000)

    assert "four times the text" in str(fault(slow, lambda length: "a" + " " * length, 1e9))


def test_a_reader_that_takes_longer_than_all_for_prose_is_noticed() -> None:
    """However its time grows."""
    assert "of prose" in str(fault(Reader(sorted, 10_000), prose, 1e-9))


def test_the_search_finds_nothing_at_its_first_look() -> None:
    """A few texts for one reader: does it run."""
    assert search("words.split", 5, 1)[1] == []


@pytest.mark.parametrize("unit", ["A's ", "\u2019s  A", "A's B ", "A's, ", "my A's ", "of A's "])
def test_a_chain_of_owners_is_read_in_little_time(unit: str) -> None:
    """A name of 200 characters took seconds: each owner was read with each of the others."""
    reader = READERS["references.parse_reference"]
    chain = seconds(reader.read, (unit * 200)[: reader.length], 3)

    assert chain < 20 * seconds(READERS["secrets.find_secret"].read, prose(10_000), 3)
