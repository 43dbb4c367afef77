"""Visibility is read by indexes: nobody waits for what others have stored."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest
from services import FixedClock

from ashd.store import filters, memories, memory_links, memory_lists, passages, visibility
from ashd.store.connection import connect
from ashd.store.database import Database, Tx
from ashd.store.engine import Params
from ashd.store.filters import ConversationFilter, Filter, MemoryFilter
from ashd.store.visibility import States, Viewer

pytestmark = pytest.mark.sqlite_file

TABLES = {
    *("m", "memories", "memory_subjects", "memory_attributes", "p", "passages", "t", "messages"),
    *("c", "conversations", "participations", "accounts", "sa", "a"),
}
PRIVATE = Viewer(False, 1, (1,), (1,), 1, False, (1,), (1,), audience_known=True)
GROUP = Viewer(False, 1, (1,), (1,), 2, True, (1, 2), (1, 2), audience_known=True)


class _Plans(Tx):
    """A transaction that looks how a query would be answered, and answers none."""

    scanned: set[str]
    steps: str

    def named(self, sql: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
        return self.together((sql, params))[0]

    def together(self, *statements: tuple[str, Params]) -> list[list[tuple[Any, ...]]]:
        plans = super().together(
            *((f"explain query plan {sql}", asked) for sql, asked in statements)
        )
        steps = [[row[3].split() for row in rows] for rows in plans]
        assert all(any(step[0] == "SEARCH" for step in plan) for plan in steps)
        self.steps = "\n".join(row[3] for rows in plans for row in rows)
        self.scanned = {step[1] for plan in steps for step in plan if step[0] == "SCAN"}
        return [[] for _ in statements]


@pytest.fixture
def plans(tmp_path: Path) -> Iterator[_Plans]:
    Database.open(tmp_path / "a.db", FixedClock()).close()
    connection: apsw.Connection = connect(tmp_path / "a.db", read_only=True)
    yield _Plans(connection, 0, str)
    connection.close()


def test_only_the_operator_is_let_through_unasked() -> None:
    """All other viewers get a condition by owner, in a group by its chat."""
    everything = replace(GROUP, everything=True)
    for condition in (
        visibility.condition,
        visibility.stated_condition,
        visibility.turn_condition,
        visibility.summary_condition,
    ):
        assert condition(everything) == "true"
        assert "true" not in {condition(PRIVATE), condition(GROUP)}
        assert condition(PRIVATE) != condition(GROUP)
    for reach in (
        visibility.reach,
        visibility.conversation_reach,
        visibility.turn_reach,
        visibility.summary_reach,
    ):
        assert ":accounts" in reach(PRIVATE)
        assert ":chat" in reach(GROUP)
        assert not {":accounts", ":chat"} & set(re.findall(r":\w+", reach(everything)))


@pytest.mark.parametrize("viewer", [PRIVATE, GROUP], ids=["private", "group"])
@pytest.mark.parametrize(
    ("rows", "wanted"),
    [(passages.memory_rows, MemoryFilter()), (passages.turn_rows, ConversationFilter())],
    ids=["memories", "turns"],
)
def test_no_table_is_gone_through(plans: _Plans, rows: Any, wanted: Filter, viewer: Viewer) -> None:
    """Neither a lookup of named rows nor one of visible rows scans a table."""
    rows(plans, viewer, wanted, [1, 2])

    assert set() == plans.scanned & TABLES


@pytest.mark.parametrize("viewer", [PRIVATE, GROUP], ids=["private", "group"])
def test_a_list_goes_by_what_its_reader_may_reach(plans: _Plans, viewer: Viewer) -> None:
    """The count covers all pages without reading everybody's memories."""
    memory_lists.seen(plans, viewer, MemoryFilter())

    assert set() == plans.scanned & TABLES


@pytest.mark.parametrize("few", [True, False], ids=["few fit", "many fit"])
@pytest.mark.parametrize("viewer", [PRIVATE, GROUP], ids=["private", "group"])
@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (MemoryFilter(about=7), "memory_subjects_by_person (person=?)"),
        (MemoryFilter(grant_id="g"), "memories_by_grant (grant_id=?)"),
    ],
    ids=["about", "grant"],
)
def test_a_list_begins_with_the_few_that_may_fit(
    plans: _Plans,
    monkeypatch: pytest.MonkeyPatch,
    wanted: MemoryFilter,
    index: str,
    viewer: Viewer,
    *,
    few: bool,
) -> None:
    """A list starts from its few candidates, or from its reader's reach if others may have more."""
    monkeypatch.setattr(memory_lists, "_are_few", lambda *_: few)
    memory_lists.seen(plans, viewer, wanted)

    assert set() == plans.scanned & TABLES
    assert (index in plans.steps) == few
    assert ("memories_by_owner (owner=?" in plans.steps) != few


def test_those_that_may_fit_are_counted_by_indexes(plans: _Plans) -> None:
    """The count stops soon after the few that it asks for, whatever others have stored."""
    assert memory_lists._are_few(plans, filters.indexed(MemoryFilter(about=7)), {"about": 7})

    assert set() == plans.scanned & TABLES
    assert "MATERIALIZE" not in plans.steps
    assert "TEMP B-TREE" not in plans.steps


@pytest.mark.parametrize("owners", [[1], [1, 2], []], ids=["one", "joined", "the chat's own"])
def test_the_same_text_of_others_is_not_looked_at(plans: _Plans, owners: list[int]) -> None:
    """The same text stored by any number of others costs nothing."""
    memories.same_content(plans, PRIVATE, "x", owners=owners, chat=None if owners else 2)

    assert "USING INDEX memories_by_content (content_key=? AND owner=? AND chat=?)" in plans.steps


def test_links_of_results_are_not_looked_up_for_each_pair(plans: _Plans) -> None:
    """The links of each memory are read once, however many other memories were found."""
    assert [] == memory_links.among(plans, [1, 2])

    assert "SEARCH l USING PRIMARY KEY (newer=?)" in plans.steps


def test_private_chats_are_found_from_one_to_the_next(plans: _Plans) -> None:
    """The lookup does not read what was learned in each chat."""
    memories.private_chats_of(plans, [1, 2])

    assert "memories_by_place (owner=? AND learned_type=? AND learned_in>?)" in plans.steps


@pytest.mark.parametrize("viewer", [PRIVATE, GROUP], ids=["private", "group"])
@pytest.mark.parametrize("kind", [passages.MEMORY, passages.MESSAGE])
def test_what_may_be_seen_is_found_by_indexes(plans: _Plans, kind: int, viewer: Viewer) -> None:
    """All of it, and what is new."""
    assert [] == passages.reached(plans, viewer, kind, 0)

    assert set() == plans.scanned & TABLES


def test_what_goes_through_a_table_is_noticed(plans: _Plans) -> None:
    """The check can fail: the operator's look at all goes through all."""
    everything = Viewer(True, None, (), (), None, False, (), (), audience_known=False)
    plans.named(
        "select m.id from memories m join passages p on p.item = m.id where m.content = 'x'", {}
    )
    assert plans.scanned & TABLES

    passages.reached(plans, everything, passages.MEMORY, 0)
    assert plans.scanned & TABLES == {"memories"}


# When and why it was archived, until when it is superseded, and when it ends: the time is 5.
_KEPT, _REPLACED = (None, None, 5, 9), (None, None, 9, 9)
_ENDED, _BOTH = (None, None, 0, 5), (None, None, 9, 5)
_CLEANED, _DELETED = (1, "superseded", 9, 9), (1, "user_request", 0, 9)


@pytest.mark.parametrize(
    ("states", "shown"),
    [
        (States(), {_KEPT}),
        (States(superseded=True), {_KEPT, _REPLACED, _CLEANED}),
        (States(expired=True), {_KEPT, _ENDED}),
        (States(archived=True), {_KEPT, _DELETED}),
        (States(superseded=True, expired=True), {_KEPT, _REPLACED, _ENDED, _BOTH, _CLEANED}),
        (States(superseded=True, archived=True), {_KEPT, _REPLACED, _CLEANED, _DELETED}),
        (States(True, True, True), {_KEPT, _REPLACED, _ENDED, _BOTH, _CLEANED, _DELETED}),
        (States(only="active"), {_KEPT}),
        (States(only="superseded"), {_REPLACED, _CLEANED}),
        (States(only="expired"), {_ENDED, _BOTH}),
        (States(only="archived"), {_DELETED}),
    ],
)
def test_a_state_has_its_memories(states: States, shown: set[Any]) -> None:
    """A superseded memory that the clean-up archived is still its chain's history."""
    connection = apsw.Connection(":memory:")
    connection.execute("create table m (archived_at, archive_reason, superseded_until, ends_at)")
    rows = [_KEPT, _REPLACED, _ENDED, _BOTH, _CLEANED, _DELETED]
    connection.executemany("insert into m values (?, ?, ?, ?)", rows)
    found = connection.execute(f"select * from m where {visibility.in_states(states)}", {"now": 5})

    assert set(found) == shown
