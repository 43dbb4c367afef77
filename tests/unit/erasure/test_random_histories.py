"""Whatever happened before, an erasure leaves no trace, and its receipt is true. Budget: 30 s.

ASH_FAULT_ROUNDS of 1,000 and more look at as many histories (`make faults`).
"""

import os
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from histories import Caller, History, SeededClock, daemon_app, dump, erasures, told
from rows import opened_tx
from scanning import left_in
from services import NOON

ROUNDS: Final = int(os.environ.get("ASH_FAULT_ROUNDS", "50"))
HISTORIES: Final = ROUNDS if ROUNDS >= 1_000 else 8
CLEARED: Final = {"profile_versions", "replies"}
"""Tables of which an erasure also clears rows that stay."""
UNCOUNTED: Final = {
    *("passage_fts", "passage_vectors", "embedding_queue"),  # parts of passages
    *("withdrawn_memories", "given_lines"),  # row numbers and digests alone
}


@pytest.mark.parametrize("seed", range(HISTORIES))
async def test_an_erasure_after_a_random_history_leaves_no_trace(tmp_path: Path, seed: int) -> None:
    """No word that only erased rows had is in a file; the receipt counts what went, by table."""
    path = tmp_path / "ash.db"
    clock = SeededClock(f"history {seed}", NOON)
    async with daemon_app(tmp_path, clock) as app:
        call = Caller(app, clock)
        history = History(f"history {seed}", call)
        await history.happen(30)
        await history.learn()
        before = dump(path)
        for method, params in erasures(history, 4):
            answer = await call(method, **params)
            after = dump(path)
            archives = method == "memory.forget_person" and "erase" not in params
            receipt = answer.get("result", {}).get("receipt")
            if receipt is not None and not archives:
                _is_true(Counter(receipt["rows"]), before, after, parts="owner" in params)
                gone = told(before, history.words) - told(after, history.words)
                if method != "db.compact":
                    assert left_in(tmp_path, gone) == set(), (method, params)
            before = after
    with opened_tx(path, read_only=True) as tx:
        assert tx.dialect.catalog.broken_references(tx.connection) == {}


def _is_true(
    counted: Counter[str],
    before: dict[str, list[Any]],
    after: dict[str, list[Any]],
    *,
    parts: bool,
) -> None:
    went = Counter({name: len(rows) - len(after[name]) for name, rows in before.items()})
    for table in before.keys() - CLEARED - UNCOUNTED - {"audit", "idempotency"}:
        if parts and table == "person_aliases":  # some were made by joining the account
            assert went[table] >= counted[table]
        else:
            assert max(went[table], 0) == counted[table], table
    for table in CLEARED:
        assert went[table] <= counted[table], table
