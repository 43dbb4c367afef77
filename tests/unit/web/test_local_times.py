"""Times as the page shows them."""

import time
from collections.abc import Iterator

import pytest

from ashd.web.rendering import local_time


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A test in a time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_zone")
@pytest.mark.parametrize(
    ("in_zone", "text", "shown"),
    [
        ("Europe/Berlin", "2026-02-09T10:00:00Z", "2026-02-09 11:00"),
        ("Europe/Berlin", "9999-12-31T23:59:59.999999Z", "9999-12-31 23:59"),
        ("America/New_York", "0001-01-01T00:00:00Z", "1-01-01 00:00"),
    ],
    indirect=["in_zone"],
)
def test_a_time_is_shown_in_every_zone(text: str, shown: str) -> None:
    """The ends of time ("for ever") are in no calendar of the zone; they cost no page."""
    assert local_time(text).lstrip("0") == shown
