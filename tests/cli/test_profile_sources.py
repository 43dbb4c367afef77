"""`ash profile show --sources`, with the scripted endpoint. Budget: 10 s."""

from collections.abc import Iterator

import pytest
from ash_runner import Ash
from daemons import Daemon

from tests.endpoint import Endpoint

SAID = "I am a nurse in Graz."


@pytest.fixture(scope="module")
def ash() -> Iterator[Ash]:
    """`ash` as a person whose profile has a sentence of theirs, and one that nobody said."""
    endpoint, daemon = Endpoint(), Daemon()
    daemon.config(f'[embedding]\nprovider = "none"\n{endpoint.llm_config}')
    daemon.start(wait_for="daemon_ready")
    scope = {"provider": "test", "user_id": "alice"}
    statement = {"statement": "Alice is a nurse in Graz.", "turn": 1, "quote": SAID}
    endpoint.script("extract_facts", {"facts": [], "profile": [statement]})
    endpoint.script(
        "update_profile", {"profile": "Alice is a nurse. Alice sings. Alice adores opera."}
    )
    daemon.call(
        *("conversation.ingest",),
        scope=scope,
        conversation_id="work",
        messages=[{"content": SAID, "at": "2026-05-01T10:00:00Z"}],
    )
    handed = {"statement": "Alice sings.", "turn": 1, "quote": "I sing"}
    endpoint.script("extract_facts", {"facts": [], "profile": [handed]})
    daemon.call("jobs.flush")
    daemon.call("memory.extract", scope=scope, messages=[{"content": "I sing."}], wait=True)
    daemon.call("profile.rebuild", scope=scope)
    daemon.call("jobs.flush")
    yield Ash(daemon.socket, "test:alice")
    assert daemon.unexpected() == []
    daemon.remove()
    endpoint.end()


def test_each_sentence_is_shown_with_what_was_said(ash: Ash) -> None:
    """The model's own words are named as such."""
    run = ash("profile", "show", "--sources")
    shown = [line.strip() for line in run.out.splitlines()]

    nurse, sings, opera = (
        shown.index(f"Alice {does}.") for does in ("is a nurse", "sings", "adores opera")
    )
    assert nurse < sings < opera
    assert [f"2026-05-01 10:00, work: {SAID}"] == shown[nurse + 1 : sings]
    [handed] = shown[sings + 1 : opera]
    assert handed.endswith(", in no stored turn: Alice sings.")
    assert [] == shown[opera + 1 :]
    assert "Of no statement: the language model's own words." in run.err
