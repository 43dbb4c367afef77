"""`ash summary` against a daemon with the scripted endpoint. Budget: 10 s."""

from collections.abc import Iterator

import pytest
from ash_runner import Ash
from daemons import Daemon

from tests.endpoint import Endpoint

ANSWER = {
    "overall": "Alice planned the voyage.",
    "topics": ["voyage"],
    "decisions": [],
    "key_dates": [{"date": "2026-05-04", "what": "departure"}],
    "action_items": ["Alice books the sleeper."],
}


@pytest.fixture(scope="module")
def ash() -> Iterator[Ash]:
    endpoint, daemon = Endpoint(), Daemon()
    daemon.config(f'[embedding]\nprovider = "none"\n{endpoint.llm_config}')
    daemon.start(wait_for="daemon_ready")
    endpoint.script("summarise", ANSWER)
    daemon.call(
        "conversation.ingest",
        scope={"provider": "test", "user_id": "alice"},
        conversation_id="trip",
        messages=[{"content": "We go to Lisbon", "at": "2026-05-01T10:00:00Z"}],
    )
    daemon.call("jobs.flush")
    yield Ash(daemon.socket, "test:alice")
    assert daemon.unexpected() == []
    daemon.remove()
    endpoint.end()


def test_summaries_are_listed_found_and_shown(ash: Ash) -> None:
    """Summaries are listed in tables, and one is shown in full."""
    listed = ash("summary", "list")
    identifier = ash("summary", "list", "--json").json["summaries"][0]["id"]
    shown = ash("summary", "show", identifier[:8])

    assert "Alice planned the voyage." in listed.out
    assert "1 summary." in listed.err + listed.out
    assert "0.9" not in listed.out
    for text in ("voyage", "2026-05-04: departure", "Alice books the sleeper.", "1 message of"):
        assert text in shown.out + shown.err
    found = ash("summary", "search", "sleeper", "--json").json["summaries"]
    assert [one["id"] for one in found] == [identifier]
    assert "SCORE" in ash("summary", "search", "sleeper").out
    assert "summary" in ash("recall", "who books the sleeper").out
    assert "0 summaries" in ash("--as", "test:bob", "summary", "list").err
