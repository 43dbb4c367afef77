"""A steady mixed load makes nothing grow (an hour: `make soak`). Budget: 60 s."""

from benchmarks.speed.soak import OWNERS_KEPT, running

WARM_ROUNDS = OWNERS_KEPT + 5
ROUNDS = 20
"""Each is some forty calls."""
MOST_BYTES_A_CALL = 7 * 1024
"""Filling caches takes half of that; a tokenizer that keeps every text and vectors of erased owners
took 12 KiB."""
MOST_WAL_MIB = 8


def test_nothing_grows_under_a_mixed_load() -> None:
    """Memory, descriptors, threads and the write-ahead log, after as many calls as ever."""
    with running("wordllama", None) as soak:
        for _ in range(WARM_ROUNDS):
            soak.round()
        warm = soak.sample()
        for _ in range(ROUNDS):
            soak.round()
        end = soak.sample()

    calls = end.calls - warm.calls
    assert calls > 30 * ROUNDS
    assert end.descriptors <= warm.descriptors + 1
    assert end.threads <= warm.threads + 1
    assert end.wal_mib <= MOST_WAL_MIB
    assert (end.private_mib - warm.private_mib) * 2**20 / calls <= MOST_BYTES_A_CALL
