"""A strict label outlasts repetitions and corrections (A10, C5)."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add
from daemons import Daemon

Scope = Callable[..., dict[str, Any]]

NO_LOCK = "Gunnar's cottage has no lock"


def label(daemon: Daemon, scope: dict[str, Any], number: str) -> tuple[str, bool]:
    """The label of a memory, and whether it shows in other chats."""
    memory = daemon.call("memory.get", scope=scope, id=number)["memory"]
    return memory["sensitivity"], memory["portable"]


def test_a_repetition_without_an_expiry_has_the_label(any_daemon: Daemon, scope: Scope) -> None:
    """A fact that now lasts is as protected as it was with an end."""
    mine = scope()
    strict = {"sensitivity": "sensitive", "portable": False, "expires_in_days": 3}
    first = add(any_daemon, NO_LOCK, scope=mine, **strict)

    entry = any_daemon.call("memory.add", scope=mine, content=NO_LOCK)["memories"][0]

    assert entry["superseded"] == [first["id"]]
    assert label(any_daemon, mine, entry["memory"]["id"]) == ("sensitive", False)


def test_a_correction_has_the_label(with_embedder: Callable[[str], Daemon], scope: Scope) -> None:
    """The new value is as private as the old one, before and after somebody decides on it."""
    daemon, mine = with_embedder("minilm"), scope()
    add(daemon, "My cat's name is Pip", scope=mine, sensitivity="personal")
    key = add(daemon, "The key is with Bo", scope=mine, sensitivity="sensitive")

    renamed = "My cat's name is Tilly now"
    new = daemon.call("memory.add", scope=mine, content=renamed)["memories"][0]
    named = add(daemon, "Cy has the spare one", scope=mine, supersedes=key["id"])
    hall = add(daemon, "It lies in the hall", scope=mine)
    daemon.call("memory.supersede", scope=mine, id=hall["id"], superseded_id=named["id"])

    assert len(new["may_replace"]) == 1
    assert new["memory"]["sensitivity"] == "personal"
    assert named["sensitivity"] == "sensitive"
    assert label(daemon, mine, hall["id"])[0] == "sensitive"


@pytest.mark.parametrize(
    ("before", "after"), [({"sensitivity": "sensitive"}, {}), ({}, {"sensitivity": "sensitive"})]
)
def test_a_paraphrase_and_its_original_have_the_stricter_label(
    with_embedder: Callable[[str], Daemon],
    scope: Scope,
    before: dict[str, str],
    after: dict[str, str],
) -> None:
    """The same fact in other words is not shown to more people."""
    daemon, mine = with_embedder("minilm"), scope()
    first = add(daemon, "I have a dog named Rex.", scope=mine, **before)

    second = daemon.call("memory.add", scope=mine, content="My dog is called Rex.", **after)

    entry = second["memories"][0]
    assert entry["repeats"] == [first["id"]]
    assert entry["memory"]["sensitivity"] == "sensitive"
    assert label(daemon, mine, first["id"])[0] == "sensitive"


def test_a_label_says_nothing_of_anothers_words(daemon: Daemon, scope: Scope) -> None:
    """A member's label of a group's fact does not hide another member's own words."""
    chat = "group-of-labels"
    ann, bob = (scope(chat_id=chat, chat_type="group") for _ in range(2))
    add(daemon, "Lunch is at noon", scope=bob, shared=True)  # and so Bob is there
    first = add(daemon, NO_LOCK, scope=ann, shared=True, sensitivity="personal")

    second = add(daemon, "The cottage is open", scope=bob, shared=True)
    daemon.call("memory.supersede", scope=ann, id=second["id"], superseded_id=first["id"])

    assert label(daemon, bob, second["id"])[0] == second["sensitivity"]
