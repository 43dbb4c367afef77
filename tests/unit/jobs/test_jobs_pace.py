"""The pace of background jobs."""

from ashd.jobs.pace import BURST, PER_SECOND, Pace


def test_a_burst_begins_at_once_and_a_long_queue_is_paced() -> None:
    """The limit is a burst, then a rate a second; a pause allows a burst again."""
    pace, now, begun = Pace(0.0), 0.0, 0
    while now < 60:
        now += pace.wait(now)
        pace.take(now)
        begun += 1
        assert pace.wait(now) > 0 or begun < BURST

    assert abs(begun - BURST - 60 * PER_SECOND) <= 2
    assert 0 == pace.wait(now + BURST)
