"""Partitions of passages by kind and chat, as they stand in the rows of databases."""

import pytest

from ashd.store import passages
from ashd.store.passages import MEMORY, MESSAGE, SUMMARY


@pytest.mark.parametrize(
    ("kind", "number", "token"),
    [(MEMORY, 10, "p10"), (MESSAGE, 11, "p11"), (SUMMARY, -5, "s5")],
)
def test_a_partition_keeps_the_number_that_stored_rows_have(
    kind: int, number: int, token: str
) -> None:
    """Another number would find nothing that was indexed before."""
    assert passages.partition(kind, 5) == number
    assert passages.scope_token(kind, 5) == token


def test_no_two_kinds_or_chats_share_a_partition() -> None:
    every = [(kind, chat) for kind in (MEMORY, MESSAGE, SUMMARY) for chat in range(1, 50)]

    assert len({passages.partition(*one) for one in every}) == len(every)
    assert len({passages.scope_token(*one) for one in every}) == len(every)
