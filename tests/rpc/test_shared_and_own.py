"""Facts that a group shares beside those that its members keep as their own. Budget: 10 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add, found, refusal
from daemons import Daemon

Scope = dict[str, Any]
Says = Callable[[str], Scope]


@pytest.fixture
def says(scope: Callable[..., Scope]) -> Says:
    """The scope in which a member of one group speaks."""
    tag = scope()["user_id"]
    here = {
        "chat_id": f"group-{tag}",
        "chat_type": "group",
        "participants": [f"{tag}-{name}" for name in ("Ann", "Bob", "Cleo")],
    }
    return lambda name: scope(f"{tag}-{name}", **here)


def tell(daemon: Daemon, content: str, **fields: Any) -> tuple[str, list[str]]:
    """Store one fact; its id, and the contents that it may replace. It replaces none."""
    entry = daemon.call("memory.add", content=content, **fields)["memories"][0]
    assert (entry["outcome"], entry["superseded"]) == ("added", [])
    return entry["memory"]["id"], [one["content"] for one in entry["may_replace"]]


@pytest.mark.parametrize("member", ["Ann", "Bob"])
def test_a_members_own_correction_of_a_shared_fact_is_offered(
    any_daemon: Daemon, says: Says, member: str
) -> None:
    """It is offered, not replaced, and the offer can be confirmed; its end undoes it (A11, A12)."""
    old, new = "The favourite colour is red", "The favourite colour is blue"
    shared = add(any_daemon, old, scope=says("Ann"), shared=True)["id"]

    own, offered = tell(any_daemon, new, scope=says(member))

    assert offered == [old]
    assert found(any_daemon, "favourite colour", scope=says("Cleo"))[:2] == [new, old]
    any_daemon.call("memory.supersede", scope=says(member), id=own, superseded_id=shared)
    assert found(any_daemon, "favourite colour", scope=says("Cleo")) == [new]
    any_daemon.call("memory.delete", scope=says(member), id=own)
    assert found(any_daemon, "favourite colour", scope=says("Cleo")) == [old]


def test_a_shared_correction_of_ones_own_fact_is_offered(any_daemon: Daemon, says: Says) -> None:
    """Another member's own fact is neither offered nor for others to replace."""
    old, new = "The favourite colour is red", "The favourite colour is blue"
    own = add(any_daemon, old, scope=says("Ann"))["id"]
    other = add(any_daemon, new, scope=says("Bob"), shared=True)["id"]

    denied = refusal(
        *(any_daemon, "memory.supersede"), scope=says("Bob"), id=other, superseded_id=own
    )
    shared, offered = tell(
        any_daemon, "The favourite colour is green", scope=says("Ann"), shared=True
    )

    assert denied.kind in {"denied", "invalid_params"}
    assert len(offered) <= 1
    any_daemon.call("memory.supersede", scope=says("Ann"), id=shared, superseded_id=own)


def test_a_statement_about_the_whole_group_may_be_a_correction(
    with_embedder: Callable[[str], Daemon], says: Says
) -> None:
    """ "Our" may mean the group; what somebody said of "us" is for nobody else to replace (B8)."""
    any_daemon = with_embedder("minilm")
    old, new = "The favourite colour is red", "Our favourite colour is blue now"
    shared = add(any_daemon, old, scope=says("Ann"), shared=True)["id"]

    second, offered = tell(any_daemon, new, scope=says("Bob"), shared=True)
    assert offered == [old]
    any_daemon.call("memory.supersede", scope=says("Bob"), id=second, superseded_id=shared)
    assert found(any_daemon, "favourite colour", scope=says("Cleo")) == [new]

    third, offered = tell(
        any_daemon, "Our favourite colour is green now", scope=says("Ann"), shared=True
    )
    assert offered == []
    for method, told in (
        ("memory.supersede", {"id": third, "superseded_id": second}),
        ("memory.delete", {"id": second}),
        ("memory.add", {"content": old, "shared": True, "supersedes": second}),
    ):
        assert refusal(any_daemon, method, scope=says("Ann"), **told).kind == "denied"


def test_ones_own_words_for_the_group_are_compared(
    with_embedder: Callable[[str], Daemon], says: Says
) -> None:
    """ "Our" and "the" are told of the same thing by one member."""
    any_daemon = with_embedder("minilm")
    old = add(any_daemon, "Our favourite colour is red", scope=says("Ann"), shared=True)
    new = any_daemon.call(
        "memory.add", scope=says("Ann"), content="The favourite colour is blue", shared=True
    )["memories"][0]
    assert [one["id"] for one in new["memory"]["conflicts"]] == [old["id"]]


def test_a_close_correction_of_a_shared_fact_replaces_nothing(
    any_daemon: Daemon, says: Says
) -> None:
    """A fact that fewer members may read is neither offered in its place nor put there."""
    shared = add(any_daemon, "The favourite colour is red", scope=says("Ann"), shared=True)["id"]
    own, offered = tell(
        any_daemon, "The favourite colour is blue", scope=says("Bob"), sensitivity="personal"
    )

    assert offered == []
    denied = refusal(
        *(any_daemon, "memory.supersede"), scope=says("Bob"), id=own, superseded_id=shared
    )
    assert denied.kind == "denied"


def test_a_shared_fact_is_corrected_in_its_own_group_alone(
    any_daemon: Daemon, says: Says, scope: Callable[..., Scope]
) -> None:
    """Nor by whoever shared it, who sees it elsewhere too."""
    ann = says("Ann")
    shared = add(any_daemon, "The favourite colour is red", scope=ann, shared=True)["id"]
    elsewhere = scope(ann["user_id"], chat_id=f"{ann['chat_id']}-2", chat_type="group")
    own = add(any_daemon, "The favourite colour is blue", scope=elsewhere)["id"]

    assert any_daemon.call("memory.get", scope=elsewhere, id=shared)["memory"]["id"] == shared
    refused = refusal(
        *(any_daemon, "memory.supersede"), scope=elsewhere, id=own, superseded_id=shared
    )
    assert refused.kind == "invalid_params"


def test_the_same_words_shared_and_not_are_one_result(any_daemon: Daemon, says: Says) -> None:
    """All are stored, in whatever order they are told, and shown once."""
    content = "The hut is open on Sundays"
    tell(any_daemon, content, scope=says("Ann"))
    tell(any_daemon, content, scope=says("Ann"), shared=True)
    tell(any_daemon, content, scope=says("Bob"))

    for asker in ("Ann", "Cleo"):
        [result] = any_daemon.call(
            "memory.search", scope=says(asker), query="When is the hut open?"
        )["results"]
        assert (result["memory"]["content"], len(result["repeats"])) == (content, 2)
        block = any_daemon.call("context.get", scope=says(asker), message="When is it open?")
        assert block["text"].count(content) == 1


def test_a_bare_name_brings_a_persons_own_word_first(
    any_daemon: Daemon, scope: Callable[..., Scope]
) -> None:
    """A statement by somebody else that names them without a subject comes after it (A13)."""
    tag = scope()["user_id"].rpartition("-")[2]
    members = {name: f"{name}-{tag}" for name in ("otto", "paula", "rita")}

    def says(name: str) -> Scope:
        here = {"chat_id": f"harbour-{tag}", "chat_type": "group"}
        display = name.capitalize()
        roster = [*members.values()]
        return scope(members[name], **here, display_name=display, participants=roster)

    own, other = "I go fishing at dusk", "Otto goes fishing at dawn"
    add(any_daemon, other, scope=says("paula"))
    add(any_daemon, own, scope=says("otto"))

    for question in ("Otto", "When does Otto go fishing?"):
        assert found(any_daemon, question, scope=says("rita"))[:2] == [own, other]


def test_ones_own_word_comes_before_what_another_said_by_name(
    with_embedder: Callable[[str], Daemon], says: Says
) -> None:
    """Hearsay is not hidden, but ranks below the person's own word (A13)."""
    daemon, old, new = (
        with_embedder("minilm"),
        "Bob's favourite colour is red",
        "My favourite colour is blue",
    )
    bob = {**says("Bob"), "display_name": "Bob"}
    add(daemon, "I like rowing", scope=bob, shared=True)
    add(daemon, old, scope=says("Ann"), subjects=["Bob"], shared=True)
    add(daemon, new, scope=bob, shared=True)

    shown = found(daemon, "What is Bob's favourite colour?", scope=says("Cleo"))
    assert shown[:2] == [new, old]


def test_a_question_about_oneself_is_not_answered_by_anothers_word(
    any_daemon: Daemon, says: Says
) -> None:
    """Others' statements about themselves are weak; those about "us" are not."""
    for name, thing in (("Ann", "stove"), ("Bob", "rope"), ("Cleo", "tent")):
        add(any_daemon, f"I bring the {thing} for the hike", scope=says(name))
    add(any_daemon, "We meet at the station for the hike", scope=says("Ann"))

    def shown(name: str, question: str) -> list[tuple[str, bool]]:
        results = any_daemon.call("memory.search", scope=says(name), query=question)["results"]
        return [(one["memory"]["content"], one["weak"]) for one in results]

    for name, thing in (("Ann", "stove"), ("Bob", "rope"), ("Cleo", "tent")):
        own, *others = shown(name, "What do I bring for the hike?")
        assert own == (f"I bring the {thing} for the hike", False)
        assert {(text, weak) for text, weak in others if "bring" in text} <= {
            (f"I bring the {other} for the hike", True) for other in ("stove", "rope", "tent")
        }
    assert shown("Bob", "Where do I meet you for the hike?")[0] == (
        "We meet at the station for the hike",
        False,
    )
    assert ("I bring the stove for the hike", False) in shown("Bob", "Who can bring the stove?")
