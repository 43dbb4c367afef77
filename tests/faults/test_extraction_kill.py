"""A daemon that is killed while it reads a conversation loses no fact and doubles none.

Budget: 60 s.
"""

import extraction_kills


def test_kills_lose_and_double_no_fact() -> None:
    """A kill may hit before or in the request, or in the transaction that stores the answer."""
    counts = extraction_kills.run(turns=60, rounds=6, seed=7)

    assert (0, 0, 0) == (counts.lost, counts.doubled, counts.set_aside)
    assert counts.interrupted > 0
