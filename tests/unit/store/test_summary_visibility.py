"""A summary shows to whom every turn of it shows, and to nobody once a turn is gone."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import anyio
import pytest

from ashd.access import scope
from ashd.access.scope import Scope
from ashd.clock import FOREVER, SystemClock
from ashd.store import (
    chats,
    conversations,
    embeddings,
    passages,
    people,
    summaries,
    visibility,
)
from ashd.store.database import Database, Tx

STAYS, LEFT, CAME, STRANGER = "stays", "left", "came", "stranger"
SAID = (3, 6, 9)
"""When the turns were said: before `LEFT` leaves, before `CAME` comes, and after that."""
STRETCHES = ((0, 0), (0, 1), (1, 1), (1, 2), (0, 2), (2, 2))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    made = Database.open(tmp_path / "ash.db", SystemClock())
    yield made
    made.close()


def build(tx: Tx) -> dict[str, Any]:
    """A conversation of a group and one of a private chat, with every stretch summarised."""
    accounts = {}
    for name in (STAYS, LEFT, CAME, STRANGER):
        person = people.insert(
            tx, name=name, named=True, created_by=None, learned_in=None, said_at=0
        )
        accounts[name] = chats.insert_account(tx, "t", name, None, name, person).id
    group = chats.ensure_group(tx, "t", "g").id
    chats.join(tx, group, accounts[STAYS], 1)
    chats.join(tx, group, accounts[LEFT], 1)
    chats.leave(tx, group, accounts[LEFT], 5)
    chats.join(tx, group, accounts[CAME], 8)
    private = chats.ensure_private(tx, chats.account_by_id(tx, accounts[STAYS]), None).id
    made: dict[str, Any] = {"messages": {}, "summaries": {}}
    for kind, chat, owner in (("group", group, None), ("private", private, accounts[STAYS])):
        conversation = conversations.ensure(
            tx, external_id=kind, chat=chat, learned_type=kind, owner=owner
        )
        made["messages"][kind] = [
            conversations.insert_message(
                tx,
                conversation=conversation,
                position=place,
                role="user" if place != 1 else "assistant",
                speaker=None,
                account=None,
                content="x",
                said_at=at,
                external_id=None,
                import_key=None,
                token_count=1,
                names_speaker=False,
            )
            for place, at in enumerate(SAID)
        ]
        for first, last in STRETCHES:
            made["summaries"][kind, first, last] = summaries.insert(
                tx,
                {
                    "conversation": conversation,
                    "first_position": first,
                    "last_position": last,
                    "messages": last - first + 1,
                    "said_from": SAID[first],
                    "said_until": SAID[last],
                    "overall": "x",
                    **dict.fromkeys(("topics", "decisions", "key_dates", "action_items"), "[]"),
                    "ends_at": FOREVER,
                },
            )
    return made


def viewer(tx: Tx, name: str, where: str) -> visibility.Viewer:
    """The viewer that the daemon makes of a scope."""
    if where == "private":
        return scope.look(tx, Scope(provider="t", user_id=name))
    return scope.look(tx, Scope(provider="t", user_id=name, chat_id=where, chat_type="group"))


@pytest.mark.parametrize("where", ["private", "g", "elsewhere"])
@pytest.mark.parametrize("name", [STAYS, LEFT, CAME, STRANGER])
def test_a_summary_inherits_the_strictest_of_its_turns(db: Database, name: str, where: str) -> None:
    """A summary is visible, and reachable, exactly where all of its turns are."""

    def compare(tx: Tx) -> tuple[list[Any], list[Any]]:
        made = build(tx)
        asking = viewer(tx, name, where)
        every = [row[0] for row in tx.all("select id from messages")]
        turns = {one.id for one in conversations.by_ids(tx, asking, every)}
        expected = [
            number
            for (kind, first, last), number in made["summaries"].items()
            if turns >= set(made["messages"][kind][first : last + 1])
        ]
        reached = tx.named(
            visibility.summary_reach(asking), {**visibility.parameters(asking), "after": 0}
        )
        found = [one.id for one in summaries._visible(tx, asking, "true", {})]
        assert set(found) <= {row[0] for row in reached}
        return expected, found

    expected, found = anyio.run(db.write, compare)

    assert expected == found
    if (name, where) == (STAYS, "private"):
        assert len(found) == 2 * len(STRETCHES)


def test_a_summary_is_hidden_once_a_turn_of_it_is_gone(db: Database) -> None:
    """The summary is hidden even before it is deleted itself; others stay."""

    def compare(tx: Tx) -> set[Any]:
        made = build(tx)
        tx.run("delete from messages where id = ?", made["messages"]["private"][1])
        found = {one.id for one in summaries._visible(tx, viewer(tx, STAYS, "private"), "true", {})}
        return {key for key, number in made["summaries"].items() if number in found}

    shown = anyio.run(db.write, compare)

    assert {key for key in shown if key[0] == "private"} == {("private", 0, 0), ("private", 2, 2)}


def test_deleting_a_turn_removes_the_summaries_of_it(db: Database) -> None:
    """The remaining turns are summarised anew."""

    def compare(tx: Tx) -> tuple[set[Any], int]:
        made = build(tx)
        tx.run("update conversations set summarised_until = 2")
        number = made["messages"]["private"][1]
        conversations.delete(
            tx, tx.value("select conversation from messages where id = ?", number), [number]
        )
        left = {row[0] for row in tx.all("select id from summaries")}
        until = tx.value("select summarised_until from conversations where external_id = 'private'")
        return {key for key, one in made["summaries"].items() if one not in left}, until

    removed, until = anyio.run(db.write, compare)

    assert removed == {("private", first, last) for first, last in STRETCHES if first <= 1 <= last}
    assert until == -1


def test_a_summary_goes_with_its_index_entries(db: Database) -> None:
    """The entries of other summaries stay."""

    def remove(tx: Tx) -> bool:
        gone, stays = sorted(build(tx)["summaries"].values())[:2]
        for number in (gone, stays):
            entry = passages.Passage(
                *(passages.SUMMARY, number, 1, 1, bytes(8), "quixotry", "", "", ""),
                *(False, 0.0, False, 1),
            )
            passages.insert(tx, entry)
        entries = [passages.of_item(tx, passages.SUMMARY, one) for one in (gone, stays)]
        assert all(entries)
        summaries.remove(tx, [gone])
        left = [passages.of_item(tx, passages.SUMMARY, one) for one in (gone, stays)]
        return left == [[], entries[1]]

    assert anyio.run(db.write, remove)


def test_a_summary_ends_with_its_time(db: Database) -> None:
    """An expired summary is hidden, then removed by the next clean-up; a new setting moves the
    end."""

    def compare(tx: Tx) -> tuple[int, int, int]:
        build(tx)
        asking = viewer(tx, STAYS, "private")
        summaries.keep_for(tx, 10, FOREVER)
        tx.now += 9
        before = len(summaries._visible(tx, asking, "true", {}))
        tx.now += 1
        after = len(summaries._visible(tx, asking, "true", {}))
        removed = summaries.remove_ended(tx, 5)
        return before, after, removed

    assert anyio.run(db.write, compare) == (2 * len(STRETCHES), 0, 5)


@pytest.mark.parametrize(
    ("name", "where", "reached"),
    [
        (STAYS, "private", {"group", "private"}),
        (LEFT, "private", {"group"}),
        (CAME, "private", {"group"}),
        (STRANGER, "private", {"own"}),
        (STAYS, "g", {"group"}),
        (STRANGER, "g", {"group"}),
        (STAYS, "elsewhere", set()),
    ],
)
def test_only_what_is_from_ones_own_places_and_above_a_number_is_reached(
    db: Database, name: str, where: str, reached: set[str]
) -> None:
    """More would be read, and left out again, each time that somebody searches."""

    def compare(tx: Tx) -> list[tuple[list[int], list[int]]]:
        made = build(tx)
        turns = made["messages"]
        # One who was never there said a turn, as an account that was joined since.
        turns["own"] = turns["group"][1:2]
        stranger = chats.account(tx, "t", STRANGER)
        assert stranger is not None
        tx.run("update messages set account = ? where id = ?", stranger.id, turns["own"][0])
        # A summary is reached by any turn of its conversation.
        kinds = {"group" if kind == "own" else kind for kind in reached}
        asking = viewer(tx, name, where)
        pairs = []
        for query, mine in (
            (visibility.turn_reach, [number for kind in reached for number in turns[kind]]),
            (
                visibility.summary_reach,
                [n for key, n in made["summaries"].items() if key[0] in kinds],
            ),
        ):
            for after in (0, *sorted(mine)):
                params = {**visibility.parameters(asking), "after": after}
                found = [row[0] for row in tx.named(query(asking), params)]
                pairs.append((sorted(number for number in mine if number > after), sorted(found)))
        return pairs

    for expected, found in anyio.run(db.write, compare):
        assert expected == found


@pytest.mark.parametrize(
    ("name", "where", "shown"),
    [
        (STAYS, "private", [3, 6, 8]),
        (LEFT, "private", [3]),
        (CAME, "private", [8]),
        (STRANGER, "private", []),
        (STAYS, "g", [8]),
        (CAME, "g", [8]),
    ],
)
def test_a_groups_turn_shows_to_those_and_among_those_who_were_there(
    db: Database, name: str, where: str, shown: list[int]
) -> None:
    """In the group everybody present must have been there; who joined at that moment was."""

    def compare(tx: Tx) -> list[int]:
        turns = build(tx)["messages"]["group"]
        tx.run("update messages set said_at = 8 where id = ?", turns[-1])
        asking = viewer(tx, name, where)
        return [
            tx.value("select said_at from messages where id = ?", one.id)
            for one in conversations.by_ids(tx, asking, turns)
        ]

    assert shown == sorted(anyio.run(db.write, compare))


def test_the_operator_reads_each_turn_above_a_number_once(db: Database) -> None:
    """A viewer who reads everything goes on after the last row that they have read."""

    def compare(tx: Tx) -> tuple[list[int], list[int]]:
        turns = sorted(chain.from_iterable(build(tx)["messages"].values()))
        everything = replace(viewer(tx, STAYS, "private"), everything=True)
        params = {**visibility.parameters(everything), "after": turns[1]}
        found = [row[0] for row in tx.named(visibility.turn_reach(everything), params)]
        return turns[2:], sorted(found)

    expected, found = anyio.run(db.write, compare)
    assert expected == found


def test_a_removed_summary_leaves_no_vector(db: Database) -> None:
    """The vector of words that another summary has, too, stays."""

    def left(tx: Tx) -> list[bytes]:
        made = build(tx)
        vectors = embeddings.begin_set(tx, "m", 4)
        texts = ((("group", 0, 0), b"one"), (("group", 0, 1), b"two"), (("group", 1, 1), b"one"))
        for key, words in texts:
            item = made["summaries"][key]
            chat = tx.value("select chat from conversations where external_id = 'group'")
            passage = passages.Passage(
                passages.SUMMARY, item, 0, chat, words, "", "", "", "", False, 0.0, False, 1
            )
            embeddings.put_vector(tx, vectors, passages.insert(tx, passage), b"0000", None)
        summaries.remove(tx, [made["summaries"][key] for key, _ in texts[:2]])
        return [row[0] for row in tx.all("select hash from embeddings")]

    assert anyio.run(db.write, left) == [b"one"]
