"""`ash override`, `ash profile` and `ash graph` against a daemon. Budget: 5 s."""

from pathlib import Path
from typing import Any

import pytest
from ash_runner import Ash


@pytest.fixture
def ash(daemon: Any, scope: Any) -> Ash:
    return Ash(daemon.socket, f"test:{scope()['user_id']}")


def test_a_fact_is_pinned_and_taken_off(ash: Ash) -> None:
    """The first characters of an id remove the fact."""
    added = ash("override", "add", "I", "prefer", "tabs", "--for-groups")
    assert added.out.startswith("Pinned ")
    assert "I prefer tabs" in added.out
    assert ash("override", "add", "i prefer Tabs!").out.startswith("Pinned already ")

    listed = ash("override", "list")
    assert "I prefer tabs" in listed.out
    assert listed.err == "1 pinned fact.\n"
    pinned = ash("override", "list", "--json").json["overrides"][0]
    assert pinned["for_groups"] is True
    assert ash("override", "remove", pinned["id"][:8]).out.startswith("Removed ")
    assert ash("override", "list").err == "0 pinned facts.\n"


def test_a_profile_is_written_shown_and_compared(ash: Ash, tmp_path: Path) -> None:
    """A profile comes from the command line, a file or standard input; notes are separate."""
    assert ash("profile", "show").err.endswith("Nothing is written yet.\n")
    assert ash("profile", "set", "Alice", "is", "a", "nurse.").out.startswith("Version 1, ")
    path = tmp_path / "profile.txt"
    path.write_text("Alice is a doctor.\n")
    assert ash("profile", "set", "--file", str(path)).out.startswith("Version 2, ")
    assert ash("profile", "set", "--notes", "Call me Al.").out.startswith("Version 3, ")

    shown = ash("profile", "show")
    assert shown.out == "Alice is a doctor.\nNotes\nCall me Al.\n"
    assert shown.err.startswith("Version 3 of ")
    history = ash("profile", "history", "--diff")
    assert "-Alice is a nurse.\n+Alice is a doctor." in history.out
    assert history.err == "3 versions.\n"
    listed = ash("profile", "history")
    assert "nurse" not in listed.out
    assert listed.err.startswith("3 versions; ")
    ash("profile", "set", "--learned", "Alice rides a bicycle.")
    assert "Learned from conversations\nAlice rides a bicycle." in ash("profile", "show").out
    ash("profile", "set", "--learned", "")
    assert ash("profile", "show").out == shown.out
    assert "[llm]" in ash("profile", "rebuild", fails=6).err
    assert ash("profile", "set", "-", stdin="Nothing.\n").out.startswith("Version 6, ")
    ash("profile", "set", fails=2)


def test_a_group_has_no_profile(ash: Ash) -> None:
    """The error says why a group has no profile."""
    shown = ash("--chat", "g", "profile", "show")

    assert "private chats only" in shown.err


def test_relations_are_told_found_ended_and_removed(ash: Ash) -> None:
    """Relations are printed in words, with an id for the next command."""
    assert ash("graph", "add", "Acme", "--type", "company", "--alias", "Anvils").out.startswith(
        "Added "
    )
    told = ash("graph", "relate", "Sarah", "works at", "Acme", "--from", "2024-01-05")
    assert told.out.startswith("Added ")
    assert told.out.endswith(": Sarah works at Acme\n")

    found = ash("graph", "search", "anvils")
    assert "company Acme (Anvils)" in found.out
    assert "Sarah works at Acme" in found.out
    assert found.err == "1 relation.\n"
    moved = ash("graph", "relate", "Sarah", "works at", "Initech")
    assert "ended 1 former one" in moved.out
    relation = ash("graph", "list", "--json").json["relations"][0]
    assert relation["target"]["name"] == "Initech"
    assert ash("graph", "end", relation["id"][:8]).out.startswith("Ended ")
    assert ash("graph", "list").err == "0 relations.\n"
    assert "Sarah works at Initech" in ash("graph", "list", "--include-ended").out
    again = ash("graph", "relate", "Sarah", "works at", "Initech")
    assert again.out.startswith("Holds again ")
    removed = ash("graph", "remove", relation["source"]["id"][:8])
    assert removed.out.startswith("Removed the entity ")
    assert ash("graph", "list", "--include-ended").err == "0 relations.\n"


def test_what_is_not_in_the_graph_is_said(ash: Ash) -> None:
    """A remark on standard error; standard output is empty."""
    done = ash("graph", "search", "Nobody")

    assert done.out == ""
    assert "Nothing of this name is in the graph." in done.err
