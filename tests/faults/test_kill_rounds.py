"""Kills under merges, unlinks, extraction, relations and erasures. Budget: 60 s.

`make kill-rounds` runs 1,000 rounds.
"""

import kill_rounds


def test_kills_lose_and_double_nothing() -> None:
    """Interrupted calls are repeated with their keys: everything is there once, with receipts."""
    tally = kill_rounds.run(rounds=8, seed=27)

    assert (tally.lost, tally.doubled, tally.others) == ([], [], [])
    assert sum(tally.repeated.values()) >= 8, "hardly anything was interrupted"
    wanted = {"person.merge", "person.link_account", "memory.erase", "memory.forget_person"}
    assert {*wanted, "graph.relate", "jobs.flush"} <= tally.acknowledged.keys()
