"""One round of each fault of a PostgreSQL server, under load. Budget: 30 s.

`make postgres-kills` runs 500 rounds.
"""

import pytest
from kill_writers import Tally

pytest.importorskip("psycopg")

import postgres_kills


@pytest.mark.parametrize(
    ("daemons", "faults"),
    [
        (1, ("kill_a_daemon", "cut_after_commit", "kill_a_backend")),
        (2, ("cut_before_commit", "crash_the_server", "end_connections", "partition", "fail_over")),
    ],
)
def test_faults_lose_and_double_nothing(daemons: int, faults: tuple[str, ...]) -> None:
    """Interrupted calls are repeated with their keys; revoked grants are served nowhere."""
    tally = Tally()
    chosen = [getattr(postgres_kills, name) for name in faults]
    met = postgres_kills.run(chosen, seed=32, daemons=daemons, tally=tally, calls=2)

    assert (tally.lost, tally.doubled, tally.others) == ([], [], [])
    assert sum(tally.repeated.values()) >= 2, "hardly anything was interrupted"
    assert met["calls of revoked grants"] > 0
