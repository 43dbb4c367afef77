"""What is noted of changes, and what of it is forgotten."""

import pytest

from ashd.store import change_tracker
from ashd.store.change_tracker import Changes


def test_what_is_noted_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever read since a change is told of none; who read before it hears of it, or of more."""
    monkeypatch.setattr(change_tracker, "KEYS_NOTED", 8)
    noted = Changes()

    for now in range(1, 101):
        noted.note(now, {("chat", now)}, {("account", now)})

        assert len(noted) <= 8
        assert "same" == noted.since({("chat", now), ("account", now)}, now)
        assert "changed" == noted.since({("chat", now)}, now - 1)
        assert "grown" == noted.since({("account", now)}, now - 1)
        assert "same" == noted.since({("chat", 0)}, now - 1)
        for before in range(1, now):
            assert "changed" == noted.since({("chat", before)}, before - 1)
            assert "same" != noted.since({("account", before)}, before - 1)


def test_what_all_may_see_stays_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much older is forgotten after it."""
    monkeypatch.setattr(change_tracker, "KEYS_NOTED", 1)
    noted = Changes()
    noted.note(1, {("chat", 1)}, set())
    noted.note_all(3)
    noted.note(2, {("chat", 2)}, set())

    assert "changed" == noted.since({("chat", 9)}, 2)
    assert "same" == noted.since({("chat", 9)}, 3)
