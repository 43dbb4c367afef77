"""The circuit breaker: five failures, a pause, one probe."""

import pytest

from ashd.providers.breaker import Breaker


class Time:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def breaker(time: Time) -> Breaker:
    return Breaker(failures=5, pause_seconds=60, now=time)


def fail(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed()


def test_four_failures_change_nothing(breaker: Breaker) -> None:
    """Below the count everything is admitted."""
    fail(breaker, 4)
    assert breaker.admits()
    assert breaker.admits()


def test_the_fifth_failure_closes_the_way_for_the_pause(breaker: Breaker, time: Time) -> None:
    """A fifth failure in a row blocks all calls for sixty seconds."""
    fail(breaker, 5)
    assert not breaker.admits()
    time.seconds += 59.9
    assert not breaker.admits()


def test_after_the_pause_one_probe_is_admitted(breaker: Breaker, time: Time) -> None:
    """The second caller waits for what the probe finds."""
    fail(breaker, 5)
    time.seconds += 60
    assert breaker.admits()
    assert not breaker.admits()


def test_a_good_probe_opens_the_way(breaker: Breaker, time: Time) -> None:
    """A successful probe admits everybody, and the count starts again."""
    fail(breaker, 5)
    time.seconds += 60
    assert breaker.admits()
    breaker.succeeded()
    fail(breaker, 4)
    assert breaker.admits()


def test_a_bad_probe_closes_it_for_another_pause(breaker: Breaker, time: Time) -> None:
    """A single failed probe starts another pause."""
    fail(breaker, 5)
    time.seconds += 60
    assert breaker.admits()
    breaker.failed()
    time.seconds += 59
    assert not breaker.admits()
    time.seconds += 1
    assert breaker.admits()


def test_a_success_between_failures_starts_the_count_again(breaker: Breaker) -> None:
    """Only failures in a row count."""
    fail(breaker, 4)
    breaker.succeeded()
    fail(breaker, 4)
    assert breaker.admits()


def test_a_probe_that_never_reports_does_not_block_for_ever(breaker: Breaker, time: Time) -> None:
    """The next caller may try after another pause."""
    fail(breaker, 5)
    time.seconds += 60
    assert breaker.admits()
    time.seconds += 60
    assert breaker.admits()
