"""The rules on who may change a memory and at whose cost, from records alone."""

from types import SimpleNamespace
from typing import Any

import pytest
from records import ANN, BOB, CLEO, GROUP, OTHER_GROUP, PRIVATE, of_group, record, viewer

from ashd import errors
from ashd.access.actor import Actor, Call, Peer
from ashd.access.scope import Scope
from ashd.clock import DAY, FOREVER
from ashd.memory import (
    idempotency,
    model,
    ownership,
    protection,
    supersede,
    update,
    updated_columns,
    validation,
    verdicts,
    wire,
)
from ashd.memory.add_result import refused_with
from ashd.memory.update_params import Changes, UpdateParams, checked, targets_of
from ashd.memory.verdicts import Linked, Verdicts
from ashd.store.memories import Record
from ashd.store.visibility import Viewer

NOW = 1_000 * DAY
OPERATOR = viewer(CLEO, everything=True)


def call(*rights: str) -> Call:
    return Call(
        actor=Actor("sandbox", "g", frozenset(rights), Peer(None, None), "rpc"),
        scope=Scope(provider="p", user_id="u"),
        all_scopes=False,
        turn=None,
        method="memory.update",
        digest=b"",
    )


@pytest.mark.parametrize(
    ("memory", "asker", "changes", "owns"),
    [
        (record(), viewer(ANN), True, True),
        (record(), viewer(BOB), False, False),
        (record(), OPERATOR, True, True),
        (record(owner=BOB), viewer(ANN), True, True),  # who said it
        (record(owner=BOB), viewer(BOB), True, True),
        (of_group(), viewer(BOB, GROUP), True, False),
        (of_group(), viewer(BOB), False, False),
        (of_group(), viewer(BOB, OTHER_GROUP), False, False),
        (of_group(), viewer(ANN), True, True),
        (of_group(ANN * 10), viewer(BOB, GROUP), False, False),  # Ann of herself
        (of_group(BOB * 10), viewer(BOB, GROUP), True, False),
        (of_group(content="I like tea"), viewer(BOB, GROUP), False, False),
        (record(chat=None, owner=CLEO, stated_by=None), viewer(BOB, GROUP), False, False),
    ],
)
def test_a_memory_is_changed_by_its_owner_its_speaker_or_its_group(
    memory: Record, asker: Viewer, changes: bool, owns: bool
) -> None:
    """The group may change a memory only in the group, and not a member's own statement."""
    assert (ownership.may_change(asker, memory), ownership.is_own(asker, memory)) == (changes, owns)


@pytest.mark.parametrize(
    ("memory", "values", "shortens"),
    [
        (record(ends_at=9), {"ends_at": 9}, False),
        (record(ends_at=9), {"ends_at": 8}, True),
        (record(ends_at=9), {"ends_at": 10}, False),
        (record(), {"ends_at": FOREVER, "valid_until": 5}, False),  # one's own
        (of_group(), {"ends_at": FOREVER, "valid_until": 5}, True),
        (of_group(valid_until=5), {"ends_at": FOREVER, "valid_until": 5}, False),
        (of_group(valid_until=5), {"ends_at": FOREVER, "valid_until": 4}, True),
        (of_group(valid_until=5), {"ends_at": FOREVER, "valid_until": None}, False),
        (of_group(), {"ends_at": FOREVER, "valid_from": 5}, True),
        (of_group(valid_from=5), {"ends_at": FOREVER, "valid_from": 5}, False),
        (of_group(valid_from=5), {"ends_at": FOREVER, "valid_from": None}, False),
        (of_group(valid_from=5), {"ends_at": FOREVER, "valid_from": 6}, True),
    ],
)
def test_to_write_is_not_to_forget(memory: Record, values: dict[str, Any], shortens: bool) -> None:
    """Hiding a memory from others' reads needs the right to forget."""
    ownership.require_lasting(call("write", "forget"), memory, values)
    if shortens:
        with pytest.raises(errors.Denied):
            ownership.require_lasting(call("write"), memory, values)
    else:
        ownership.require_lasting(call("write"), memory, values)


@pytest.mark.parametrize(
    ("memory", "active"),
    [
        (record(), True),
        (record(archived_at=1), False),
        (record(superseded_until=NOW), True),
        (record(superseded_until=NOW + 1), False),
        (record(ends_at=NOW), False),
        (record(ends_at=NOW + 1), True),
    ],
)
def test_a_memory_is_active_until_its_end(memory: Record, active: bool) -> None:
    """A memory that outlives the one that superseded it is active again."""
    assert verdicts.is_active(memory, NOW) is active


@pytest.mark.parametrize(
    ("older", "label", "portable", "stricter"),
    [
        ({}, None, True, False),
        ({}, "personal", True, True),
        ({"sensitivity": "personal"}, "personal", True, False),
        ({"sensitivity": "personal"}, "sensitive", True, True),
        ({"sensitivity": "sensitive"}, "public", True, False),
        ({}, None, False, True),
        ({"portable": 0}, None, False, False),
        ({"portable": 0}, None, True, False),
    ],
)
def test_nothing_stricter_takes_a_groups_memory_away(
    older: dict[str, Any], label: str | None, portable: bool, stricter: bool
) -> None:
    """Some who listen would miss the old and not see the new; one's own, and the operator, may."""
    assert protection.is_stricter(record(**older), label, portable=portable) is stricter
    supersede.require_no_stricter(viewer(ANN), record(**older), label, portable=portable)
    supersede.require_no_stricter(OPERATOR, of_group(**older), label, portable=portable)
    if stricter:
        with pytest.raises(errors.Denied):
            supersede.require_no_stricter(
                viewer(ANN, GROUP), of_group(**older), label, portable=portable
            )
    else:
        supersede.require_no_stricter(
            viewer(ANN, GROUP), of_group(**older), label, portable=portable
        )


def test_a_scope_holds_its_owners_memories_or_its_chats() -> None:
    """A scope excludes others' memories, and a group's scope those of its members."""
    ann, group = verdicts.Scope((ANN, BOB), GROUP), verdicts.Scope((), GROUP)
    memories = [record(), record(owner=BOB), record(owner=CLEO), of_group(), of_group(chat=1)]

    assert [ann.holds(one) for one in memories] == [True, True, False, False, False]
    assert [group.holds(one) for one in memories] == [False, False, False, True, False]
    assert not group.holds(record(chat=GROUP))


def test_a_named_memory_is_all_that_is_replaced() -> None:
    """Judged replacements are dropped, and an import keeps every memory."""
    one, two = (record(id=1), "said"), (record(id=2), "said")
    likely = Linked(one[0], "meaning", 0.7)
    found = Verdicts([one, two], [two], [likely], [one, two], [two])

    named = found.only_replacing(one[0])
    assert named == Verdicts([two], [(one[0], "supersedes")], [], [two], [two])
    assert found.replacing_nothing() == Verdicts([one, two], [], [likely], [one, two], [two])


@pytest.mark.parametrize(
    ("memory", "trust", "own"),
    [
        (record(), "fact", False),
        (record(content="I like tea"), "fact", True),
        (record(ANN * 10), "fact", True),
        (record(ANN * 10, BOB * 10), "fact", True),
        (record(BOB * 10), "hearsay", False),
        (record(BOB * 10, content="I like Bob"), "hearsay", False),
        (record(ANN * 10, stater_person=None), "unknown", False),
    ],
)
def test_ones_own_word_is_what_one_says_of_oneself(memory: Record, trust: str, own: bool) -> None:
    """The speaker is named, or speaks in the first person about nobody else."""
    assert (model.trust(memory), model.is_own_word(memory)) == (trust, own)


def test_a_link_is_shown_while_it_holds_to_those_who_see_its_end() -> None:
    """A winner that the reader may not see is not named."""
    memory = record(superseded_at=1, superseded_by_uuid="m-2", superseded_until=NOW + 1)
    seen = model.to_wire(memory, now=NOW, shown=frozenset({"m-2"}))

    assert (seen.superseded_by_id, bool(seen.superseded_at)) == ("m-2", True)
    assert model.to_wire(memory, now=NOW, shown=frozenset()).superseded_by_id is None
    assert model.to_wire(memory, now=NOW).superseded_by_id == "m-2"
    over = model.to_wire(memory, now=NOW + 1)
    assert (over.superseded_by_id, over.superseded_at) == (None, None)


HIDING = {
    "provider": "p",
    "owner_user_id": "ann",
    "source_username": "a",
    "source_display_name": "Ann",
    "source_session_id": "s",
    "source_message_id": "1",
    "chat_id": "c",
}


@pytest.mark.parametrize(
    ("memory", "met", "is_here", "hidden"),
    [
        (record(), {ANN}, True, ()),
        (record(), {ANN}, False, ()),  # a private chat's name says nothing of others
        (record(), {BOB}, True, ("owner_user_id", "provider", "source_username")),
        (record(owner=BOB), {BOB}, True, ("source_username",)),
        (of_group(), {ANN}, True, ()),
        (of_group(), set(), True, ("source_username",)),
        (of_group(), {ANN}, False, ("chat_id", "provider", "source_session_id")),
        (
            record(learned_type="group", learned_in=GROUP),
            {ANN},
            False,
            ("chat_id", "source_session_id"),
        ),
    ],
)
def test_away_from_where_it_was_learned_a_memory_names_less(
    memory: Record, met: set[int], is_here: bool, hidden: tuple[str, ...]
) -> None:
    """Elsewhere the viewer sees neither the chat nor a speaker's account it never met."""
    shown = wire._masked(memory._replace(**HIDING), {}, met, is_here=is_here)

    alike = {"source_username": "source_display_name", "source_session_id": "source_message_id"}
    wanted = {*hidden, *(alike[name] for name in hidden if name in alike)}
    assert {name for name in HIDING if getattr(shown, name) is None} == wanted


def test_people_have_the_ids_that_they_have_here() -> None:
    """A person without an id here has the memory's."""
    shown = wire._masked(record(10, 20), {10: "here"}, {ANN}, is_here=True)

    assert model.subjects(shown) == [(10, "here"), (20, "p-20")]


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        ({}, {"ends_at": FOREVER}),
        ({"type": "fact"}, {"memory_type": "knowledge", "ends_at": FOREVER}),
        ({"type": "observation"}, {"memory_type": "observation", "ends_at": NOW + 3 * DAY}),
        ({"expires_in_days": 2}, {"expires_at": NOW + 2 * DAY, "ends_at": NOW + 2 * DAY}),
        ({"expires_at": None}, {"expires_at": None, "ends_at": FOREVER}),
        ({"sensitivity": None}, {"sensitivity": None, "ends_at": FOREVER}),
        ({"portable": False}, {"portable": False, "ends_at": FOREVER}),
        ({"tags": []}, {"tags": "[]", "ends_at": FOREVER}),
        ({"metadata": None}, {"metadata": None, "ends_at": FOREVER}),
        ({"valid_from": None}, {"valid_from": None, "ends_at": FOREVER}),
    ],
)
def test_only_the_given_fields_change(raw: dict[str, Any], values: dict[str, Any]) -> None:
    """A null clears; what is left out stays."""
    tx: Any = SimpleNamespace(now=NOW)

    assert updated_columns.given(tx, record(), Changes(**raw), raw, NOW) == values


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ({"expires_in_days": 2, "expires_at": "2099-01-01"}, "Give one of"),
        ({"expires_at": "1970-01-02"}, "in the past"),
    ],
)
def test_an_end_that_is_none_is_refused(raw: dict[str, Any], told: str) -> None:
    """Two of them, or one in the past."""
    tx: Any = SimpleNamespace(now=NOW)
    with pytest.raises(errors.InvalidParams, match=told):
        updated_columns.given(tx, record(), Changes(**raw), raw, NOW)


@pytest.mark.parametrize(
    ("given", "targets"),
    [
        ({"id": "m-1"}, [("m-1", None)]),
        ({"id": "m-1", "expected_revision": 3}, [("m-1", 3)]),
        ({"ids": ["m-1", "m-2"]}, [("m-1", None), ("m-2", None)]),
        ({"ids": ["m-1", "m-2"], "expected_revisions": [3, 4]}, [("m-1", 3), ("m-2", 4)]),
        ({}, None),
        ({"id": "m-1", "ids": ["m-1"]}, None),
        ({"id": "m-1", "expected_revisions": [3]}, None),
        ({"ids": ["m-1"], "expected_revision": 3}, None),
        ({"ids": ["m-1"], "expected_revisions": [3, 4]}, None),
        ({"ids": ["m-1"], "changes": {"content": "new"}}, None),
        ({"id": "m-1", "changes": {}}, None),
        ({"id": "m-1", "changes": {"created_at": "2020-01-01"}}, None),
        ({"id": "m-1", "changes": {"tags": 1}}, None),
    ],
)
def test_an_update_names_its_memories(
    given: dict[str, Any], targets: list[tuple[str, int | None]] | None
) -> None:
    """An update may name several memories, each with its expected revision."""
    params = UpdateParams(**{"changes": {"tags": []}, **given})
    if targets is None:
        with pytest.raises(errors.InvalidParams):
            targets_of(params, checked(params.changes))
    else:
        assert targets_of(params, checked(params.changes)) == targets


@pytest.mark.parametrize(
    ("asker", "content", "apart"),
    [
        (viewer(ANN, GROUP), "new", False),
        (viewer(ANN, GROUP), None, False),
        (OPERATOR, "new", False),
        (viewer(ANN), "new", True),
    ],
)
def test_new_words_in_private_leave_the_groups_as_they_are(
    asker: Viewer, content: str | None, apart: bool
) -> None:
    """The new words are a separate memory; no other field of the group's changes."""
    own_in_group = record(learned_in=GROUP, learned_type="group")
    assert update._is_apart(asker, own_in_group, content) is apart
    for memory, elsewhere, words in (
        (own_in_group, viewer(ANN), None),
        (own_in_group, viewer(ANN, OTHER_GROUP), "new"),
        (of_group(), viewer(ANN), "new"),
    ):
        with pytest.raises(errors.Denied):
            update._is_apart(elsewhere, memory, words)
    assert not update._is_apart(viewer(ANN), record(), None)


def test_only_the_owner_changes_who_sees_it() -> None:
    """A member of the group may change the rest."""
    bob = viewer(BOB, GROUP)
    for name in ("sensitivity", "portable", "subjects"):
        with pytest.raises(errors.Denied, match=name):
            update._require_own(bob, of_group(), {name: None, "tags": []})
        update._require_own(viewer(ANN, PRIVATE), of_group(), {name: None})
    update._require_own(bob, of_group(), {"tags": []})


def test_a_fact_refused_for_want_of_time_is_tried_again() -> None:
    """Any other refusal is the answer to a repeated call, too."""
    late = refused_with({"code": errors.TimedOut.code})
    secret = refused_with({"code": errors.ContentRefused.code})

    assert idempotency._may_be_taken_later(late)
    assert not idempotency._may_be_taken_later(secret)


@pytest.mark.parametrize("text", ["", " \n ", "\u202e\x00"], ids=ascii)
def test_a_content_of_nothing_is_refused(text: str) -> None:
    """Nor may a secret be a content or a tag; each tag is kept once, on one line."""
    secret = "the password is hunter2-Xy9!"
    with pytest.raises(errors.InvalidParams):
        validation.content(text)
    with pytest.raises(errors.ContentRefused):
        validation.content(secret)
    with pytest.raises(errors.ContentRefused):
        validation.tags(["tea", secret])
    assert validation.content(" a b ") == "a b"
    assert validation.tags(["b", "a\nc", "b"]) == '["b","a c"]'
