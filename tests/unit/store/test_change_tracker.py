"""Changes that are tracked, and those that are forgotten."""

import pytest

from ashd.store import change_tracker
from ashd.store.change_tracker import EVERYTHING, Changes


def test_what_is_noted_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader from before the bound gets all changes or more, a later one none."""
    monkeypatch.setattr(change_tracker, "NOTES_KEPT", 12)
    noted = Changes()

    for now in range(1, 101):
        noted.note(now, {("chat", now)}, {("account", now)}, {("person", now): {now}})

        assert len(noted) <= 12
        assert "same" == noted.since({("chat", now), ("account", now)}, now)
        assert "changed" == noted.since({("chat", now)}, now - 1)
        assert "grown" == noted.since({("account", now)}, now - 1)
        assert "revised" == noted.since({("person", now)}, now - 1)
        assert "same" == noted.since({("chat", 0)}, now - 1)
        for before in range(1, now):
            assert "changed" == noted.since({("chat", before)}, before - 1)
            assert "same" != noted.since({("account", before)}, before - 1)
            assert noted.since({("person", before)}, before - 1) in ("revised", "changed")


def test_what_all_may_see_stays_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Public changes stay, however many older ones are forgotten."""
    monkeypatch.setattr(change_tracker, "NOTES_KEPT", 1)
    noted = Changes()
    noted.note(1, {("chat", 1)}, set(), {})
    noted.note_all(3)
    noted.note(2, {("chat", 2)}, set(), {})

    assert "changed" == noted.since({("chat", 9)}, 2)
    assert "same" == noted.since({("chat", 9)}, 3)


def test_memories_that_were_changed_are_named_to_who_may_see_them() -> None:
    """The changes since a generation, each once; any other change comes before."""
    noted, own = Changes(), {("chat", 1), ("account", 1)}
    noted.note(1, set(), set(), {("chat", 1): {10}, ("account", 1): {10}})
    noted.note(2, set(), {("chat", 1)}, {("chat", 1): {11}, ("account", 1): {11, 12}})
    noted.note(3, set(), set(), {("chat", 2): {20}})

    assert {10, 11, 12} == noted.revised(own, 0)
    assert {11, 12} == noted.revised(own, 1)
    assert ["revised", "revised", "same"] == [noted.since(own, at) for at in range(3)]
    noted.note(4, {("account", 1)}, set(), {("account", 1): {13}})
    assert "changed" == noted.since(own, 3)


def test_whoever_sees_everything_is_told_of_all() -> None:
    """Every kind of change counts, whoever made it."""
    noted, all_of_it = Changes(), {EVERYTHING}
    assert "same" == noted.since(all_of_it, 0)
    noted.note(1, set(), set(), {})
    assert "grown" == noted.since(all_of_it, 0), "an account of whom nobody has told yet"
    noted.note(2, set(), {("chat", 1)}, {})
    assert "grown" == noted.since(all_of_it, 1)
    noted.note(3, set(), set(), {("chat", 1): {10}, ("person", 2): {10, 11}})
    assert "revised" == noted.since(all_of_it, 2)
    assert {10, 11} == noted.revised(all_of_it, 2)
    noted.note(4, {("person", 3)}, set(), {})
    assert "changed" == noted.since(all_of_it, 3)
