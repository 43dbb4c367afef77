"""The policy as SQL and as a function agree in every world. Budget: 20 s."""

import asyncio
import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from ashd.access import disclosure, scope
from ashd.access.disclosure import Asker, Audience, Memory
from ashd.access.scope import Project, Scope
from ashd.clock import SystemClock
from ashd.memory.expiry import ends_at
from ashd.store import chats, conversations, memories, memory_lists, people, visibility
from ashd.store.database import Database, Tx
from ashd.store.filters import MemoryFilter
from ashd.store.visibility import States, Viewer

ANY_STATE = States(superseded=True, expired=True, archived=True)

ACCOUNTS = 3
GROUPS = 2
TIMES = st.integers(1, 12)
NOW = 20

account_numbers = st.integers(0, ACCOUNTS - 1)
group_numbers = st.integers(0, GROUPS - 1)


class Event(NamedTuple):
    """A user's joining or leaving of a group."""

    at: int
    joins: bool
    group: int
    account: int


class Provenance(NamedTuple):
    """A memory or a message. `where`: a group, the private chat of an account, or nowhere."""

    at: int
    where: tuple[str, int] | None
    learned_type: str | None
    sensitivity: str | None
    portable: bool
    owner: int | None
    stated_by: int | None
    subjects: frozenset[int]
    named: frozenset[int] = frozenset()
    """People whom only its words name, where its caller gave no subjects."""
    project: str | None = None


class World(NamedTuple):
    """Accounts by number; `joined[i]` is the account whose person account i has."""

    joined: list[int]
    events: list[Event]
    memories: list[Provenance]
    messages: list[Provenance]


class Asking(NamedTuple):
    """The asker and the place: a group or (None) in private; nobody is the group itself."""

    account: int | None
    is_stranger: bool
    group: int | None
    project: str | None = None


told = st.builds(
    Provenance,
    at=TIMES,
    where=st.one_of(
        st.none(),
        st.tuples(st.just("private"), account_numbers),
        st.tuples(st.just("group"), group_numbers),
        st.tuples(st.just("group"), group_numbers),
    ),
    # Mostly the chat's own type; now and then an unknown one.
    learned_type=st.sampled_from(["own", "own", "own", "own", None, "channel"]),
    sensitivity=st.sampled_from(
        [None, "public", "public", "personal", "personal", "sensitive", "unheard-of"]
    ),
    portable=st.sampled_from([True, True, False]),
    owner=st.none() | account_numbers,
    stated_by=st.none() | account_numbers,
    subjects=st.frozensets(account_numbers, max_size=2),
    named=st.frozensets(account_numbers, max_size=2),
    project=st.sampled_from([None, None, "shop", "blog"]),
)
worlds = st.builds(
    World,
    joined=st.lists(account_numbers, min_size=ACCOUNTS, max_size=ACCOUNTS),
    events=st.lists(st.builds(Event, TIMES, st.booleans(), group_numbers, account_numbers)),
    memories=st.lists(told, min_size=3, max_size=12),
    messages=st.lists(told, max_size=3),
)
projects = st.sampled_from([None, "shop", "shop", visibility.EVERY_PROJECT])
askings = st.one_of(
    st.builds(Asking, account_numbers, st.just(False), st.none(), projects),
    st.builds(Asking, account_numbers, st.just(False), group_numbers, projects),
    st.builds(Asking, st.none(), st.just(False), group_numbers, projects),
    st.builds(Asking, st.none(), st.just(True), st.none() | group_numbers, projects),
)


# The world as the function sees it, from nothing but the world --------------------------------


def stays(world: World) -> dict[tuple[int, int], list[tuple[int, int | None]]]:
    """(group, account) → intervals."""
    found: dict[tuple[int, int], list[tuple[int, int | None]]] = {}
    for event in sorted(world.events):
        mine = found.setdefault((event.group, event.account), [])
        inside = bool(mine) and mine[-1][1] is None
        if event.joins and not inside:
            mine.append((event.at, None))
        elif not event.joins and inside:
            mine[-1] = (mine[-1][0], event.at)
    return found


def memory_of(world: World, numbers: dict[str, Any], entry: Provenance, *, is_turn: bool) -> Memory:
    """Return the fields of a memory that the policy checks."""
    kind = entry.where[0] if entry.where else None
    present = frozenset(
        numbers["accounts"][account]
        for (group, account), intervals in stays(world).items()
        if entry.where == ("group", group)
        and any(a <= entry.at and (b is None or b > entry.at) for a, b in intervals)
    )
    return Memory(
        learned_in=numbers["chats"][entry.where] if entry.where else None,
        learned_type=kind if entry.learned_type == "own" or is_turn else entry.learned_type,
        sensitivity="personal" if is_turn else entry.sensitivity,
        portable=entry.portable and not is_turn,
        owner=numbers["accounts"].get(entry.owner),
        # What is forwarded into a private chat stays its owner's, whoever said it.
        stated_by=None
        if is_turn and kind == "private"
        else numbers["accounts"].get(entry.stated_by),
        subjects=frozenset()
        if is_turn
        else frozenset(numbers["persons"][world.joined[n]] for n in entry.subjects),
        present=present,
        project=entry.project,
    )


def sides_of(world: World, numbers: dict[str, Any], asking: Asking) -> tuple[Asker, Audience]:
    """Return the asker and the listeners."""
    asker = Asker(project=asking.project)
    if asking.account is not None:
        person = world.joined[asking.account]
        asker = Asker(
            frozenset(numbers["accounts"][n] for n in range(ACCOUNTS) if world.joined[n] == person),
            frozenset({numbers["persons"][person]}),
            project=asking.project,
        )
    if asking.group is None:
        return asker, Audience(chat=None, group=False)
    hearing = {
        account
        for (group, account), intervals in stays(world).items()
        if group == asking.group and intervals and intervals[-1][1] is None
    }
    if asking.account is not None:
        hearing.add(asking.account)
    return asker, Audience(
        chat=numbers["chats"]["group", asking.group],
        group=True,
        accounts=frozenset(numbers["accounts"][n] for n in hearing),
        persons=frozenset(numbers["persons"][world.joined[n]] for n in hearing),
        known=bool(hearing) and not asking.is_stranger,
    )


# The world in the database --------------------------------------------------------------------


def build(tx: Tx, world: World) -> dict[str, Any]:
    """Store the world; the row numbers of what is in it."""
    tx.now = NOW
    accounts: dict[int | None, int] = {}
    persons = {}
    places = {}
    for n in range(ACCOUNTS):
        person = people.insert(
            tx, name=f"p{n}", named=True, created_by=None, learned_in=None, said_at=0
        )
        account = chats.insert_account(tx, "t", f"u{n}", None, f"p{n}", person)
        accounts[n], persons[n] = account.id, person
        places["private", n] = chats.ensure_private(tx, account, None).id
    for n, other in enumerate(world.joined):
        tx.run("update accounts set person = ? where id = ?", persons[other], accounts[n])
    for n in range(GROUPS):
        places["group", n] = chats.ensure_group(tx, "t", f"g{n}").id
    for event in sorted(world.events):
        change = chats.join if event.joins else chats.leave
        change(tx, places["group", event.group], accounts[event.account], event.at)
    return {"accounts": accounts, "persons": persons, "chats": places}


def store_memory(tx: Tx, numbers: dict[str, Any], world: World, entry: Provenance) -> int:
    """Store a memory, whatever a careful writer would say to it."""
    empty: dict[str, Any] = dict.fromkeys(memories.WRITTEN)
    values = empty | {
        "uuid": tx.new_id(),
        "version": 1,
        "revision": 1,
        "content": "x",
        "content_key": "x",
        "memory_type": "knowledge",
        "created_at": entry.at,
        "said_at": entry.at,
        "owner": numbers["accounts"].get(entry.owner),
        "learned_in": numbers["chats"][entry.where] if entry.where else None,
        "learned_type": memory_of(world, numbers, entry, is_turn=False).learned_type,
        "stated_by": numbers["accounts"].get(entry.stated_by),
        "source": "rpc",
        "sensitivity": entry.sensitivity,
        "portable": entry.portable,
        "ends_at": ends_at("knowledge", None, None, entry.at),
        "tags": "[]",
        "superseded_until": 0,
        "access_count": 0,
        "project": entry.project,
    }
    about = entry.subjects or entry.named
    persons = sorted(numbers["persons"][world.joined[n]] for n in about)
    return memories.insert(tx, values, persons, are_read=not entry.subjects)


def store_message(tx: Tx, numbers: dict[str, Any], entry: Provenance, place: int) -> int | None:
    """Store a message in a conversation of its own; nowhere, there is none."""
    if entry.where is None:
        return None
    conversation = conversations.ensure(
        tx,
        external_id=f"c{place}",
        chat=numbers["chats"][entry.where],
        learned_type=entry.where[0],
        owner=numbers["accounts"].get(entry.owner),
    )
    return conversations.insert_message(
        tx,
        conversation=conversation,
        position=0,
        role="user",
        speaker=None,
        account=numbers["accounts"].get(entry.stated_by),
        content="x",
        said_at=entry.at,
        external_id=None,
        import_key=None,
        token_count=1,
        names_speaker=False,
        project=entry.project,
    )


def viewer_of(tx: Tx, asking: Asking) -> Viewer:
    """The viewer that the daemon makes of a scope."""
    user = None if asking.account is None else f"u{asking.account}"
    if asking.is_stranger:
        user = "nobody-knows"
    within = Scope(provider="t", user_id=user)
    if asking.group is not None:
        within = structs.replace(within, chat_id=f"g{asking.group}", chat_type="group")
    named = asking.project
    project = Project(named) if named and named != visibility.EVERY_PROJECT else named
    return scope.look(tx, structs.replace(within, project=project))


def about_nobody(tx: Tx, viewer: Viewer) -> set[int]:
    """Return what the viewer would see if the memories were about nobody, as the graph is."""
    rows = tx.named(
        f"select m.id from memories m where {visibility.stated_condition(viewer)}",
        visibility.parameters(viewer),
    )
    return {row[0] for row in rows}


def reached(tx: Tx, viewer: Viewer, query: str, after: int = 0) -> set[int]:
    """Return the rows of a query of `visibility` for what the viewer may reach."""
    params = visibility.parameters(viewer) | {"after": after}
    return {row[0] for row in tx.named(query, params)}


class _Undo(Exception):
    """Carries what was found out of the transaction, which it undoes."""

    def __init__(self, found: Any) -> None:
        super().__init__()
        self.found = found


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A real database; every world is undone."""
    path: Path = tmp_path_factory.mktemp("visibility") / "ash.db"
    db = Database.open(path, SystemClock())
    yield db
    db.close()


def in_database(db: Database, work: Any) -> Any:
    """Run in a write transaction, undo it, and return what was found."""

    def undone(tx: Tx) -> None:
        raise _Undo(work(tx))

    try:
        asyncio.run(db.write(undone))
    except _Undo as done:
        return done.found
    raise AssertionError


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(  # a turn of the moment at which somebody leaves
    world=World(
        [0, 1, 2],
        [Event(1, True, 0, 0), Event(1, True, 0, 1), Event(5, False, 0, 1)],
        [],
        [Provenance(5, ("group", 0), "own", None, True, 0, 0, frozenset())],
    ),
    asking=Asking(1, False, None),
)
@given(world=worlds, asking=askings)
def test_sql_and_function_agree(database: Database, world: World, asking: Asking) -> None:
    """For every asker and place the queries let through just what the function shows."""

    def compare(tx: Tx) -> tuple[list[bool], list[bool]]:
        numbers = build(tx, world)
        kept = [store_memory(tx, numbers, world, entry) for entry in world.memories]
        said = [store_message(tx, numbers, e, n) for n, e in enumerate(world.messages)]
        viewer = viewer_of(tx, asking)
        by_sql = set(memories.by_ids(tx, viewer, kept))
        turns = {message.id for message in conversations.by_ids(tx, viewer, said)}
        told = about_nobody(tx, viewer)
        # All that is shown lies within the reach, and the newer part within its own reach.
        reach, turn_reach = visibility.reach(viewer), visibility.turn_reach(viewer)
        assert by_sql <= reached(tx, viewer, reach)
        assert turns <= reached(tx, viewer, turn_reach)
        for numbered, query in ((kept, reach), (said, turn_reach)):
            numbers_above = {number for number in numbered[2:] if number is not None}
            after = min(numbers_above, default=1) - 1
            later = {number for number in reached(tx, viewer, query) if number > after}
            assert later == reached(tx, viewer, query, after)
        asker, audience = sides_of(world, numbers, asking)
        expected = [
            disclosure.decide(asker, audience, memory_of(world, numbers, e, is_turn=False)).shown
            for e in world.memories
        ] + [
            disclosure.decide(asker, audience, memory_of(world, numbers, e, is_turn=True)).shown
            for e in world.messages
        ]
        expected += [
            disclosure.decide(
                asker,
                audience,
                replace(memory_of(world, numbers, e, is_turn=False), subjects=frozenset()),
            ).shown
            for e in world.memories
        ]
        assert sorted(by_sql, reverse=True) == memory_lists.seen(
            tx, viewer, MemoryFilter(), ANY_STATE
        )
        shown = [n in by_sql for n in kept] + [n in turns for n in said]
        return expected, shown + [n in told for n in kept]

    expected, found = in_database(database, compare)

    assert expected == found


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(
    world=World(
        [0, 1, 2],
        [],
        [Provenance(3, ("private", 0), "own", None, True, 0, 0, frozenset())],
        [],
    ),
    asking=Asking(0, False, None),
    few=4_000,
)
@given(world=worlds, asking=askings, few=st.sampled_from([0, 1, 4_000]))
def test_lists_of_some_agree(database: Database, world: World, asking: Asking, few: int) -> None:
    """Lists by person or by grant are the same from the candidates as from all visible memories."""

    def compare(tx: Tx) -> tuple[list[list[int]], list[list[int]]]:
        numbers = build(tx, world)
        kept = [store_memory(tx, numbers, world, entry) for entry in world.memories]
        for number, entry in zip(kept, world.memories, strict=True):
            tx.run(
                "update memories set first_person = ?, grant_id = ? where id = ?",
                *(entry.at % 2, f"g{entry.at % 3}", number),
            )
        viewer = viewer_of(tx, asking)
        every = memory_lists.seen(tx, viewer, MemoryFilter(), ANY_STATE)
        entry_of = dict(zip(kept, world.memories, strict=True))

        def is_about(entry: Provenance, person: int) -> bool:
            by = None if entry.stated_by is None else world.joined[entry.stated_by]
            if entry.at % 2 and not entry.subjects and by == person:
                return True
            return person in {world.joined[n] for n in entry.subjects or entry.named}

        expected = [[n for n in every if is_about(entry_of[n], p)] for p in range(ACCOUNTS)]
        expected += [[n for n in every if entry_of[n].at % 3 == g] for g in range(3)]
        wanted = [MemoryFilter(about=numbers["persons"][p]) for p in range(ACCOUNTS)]
        wanted += [MemoryFilter(grant_id=f"g{g}") for g in range(3)]
        return expected, [memory_lists.seen(tx, viewer, one, ANY_STATE) for one in wanted]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_lists, "_FEW", few)
        expected, found = in_database(database, compare)

    assert expected == found


def test_every_combination_agrees(database: Database) -> None:
    """The two forms agree for every kind of memory, every reader and every place."""
    # u0 stays in g0, u1 leaves it, u2 comes late; g1 has u2 and, without that person, u1.
    events = [Event(1, True, 0, 0), Event(1, True, 0, 1), Event(5, False, 0, 1)]
    events += [Event(8, True, 0, 2), Event(1, True, 1, 2), Event(1, True, 1, 1)]
    everyone = (None, *range(ACCOUNTS))
    kinds = itertools.product(
        (3, 5, 8, 10),
        (("private", 0), ("group", 0), ("group", 1)),
        (None, "personal", "sensitive"),
        (True, False),
        everyone,
        everyone,
        (frozenset[int](), frozenset({0}), frozenset({1}), frozenset({2})),
    )
    told_all = [
        Provenance(at, where, "own", sensitivity, portable, owner, stated_by, subjects)
        for at, where, sensitivity, portable, owner, stated_by, subjects in kinds
    ]
    asking_all = [
        Asking(account, False, group)
        for account in everyone
        for group in (None, *range(GROUPS))
        if account is not None or group is not None
    ]
    asking_all += [Asking(None, True, None), Asking(None, True, 0)]

    def compare(tx: Tx) -> list[tuple[Asking, Provenance]]:
        differ = []
        # The second account of a person asks and hears with the first one's rights.
        for joined in ([0, 1, 2], [0, 1, 0]):
            world = World(joined, events, told_all, [])
            with contextlib.suppress(_Undo), tx.savepoint():
                numbers = build(tx, world)
                kept = [store_memory(tx, numbers, world, entry) for entry in told_all]
                looked_at = [memory_of(world, numbers, e, is_turn=False) for e in told_all]
                for asking in asking_all:
                    viewer = viewer_of(tx, asking)
                    shown = set(memories.by_ids(tx, viewer, kept))
                    assert shown <= reached(tx, viewer, visibility.reach(viewer))
                    sides = sides_of(world, numbers, asking)
                    differ += [
                        (asking, entry)
                        for entry, number, memory in zip(told_all, kept, looked_at, strict=True)
                        if disclosure.decide(*sides, memory).shown != (number in shown)
                    ]
                raise _Undo(None)
        return differ

    assert in_database(database, compare) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=worlds, asking=askings)
def test_sides_say_what_the_world_says(database: Database, world: World, asking: Asking) -> None:
    """The asker and the audience that the daemon sees are those of the world."""

    def compare(tx: Tx) -> tuple[Any, Any]:
        numbers = build(tx, world)
        asker, audience = sides_of(world, numbers, asking)
        found_asker, found_audience = disclosure.sides(viewer_of(tx, asking))
        if asking.group is None:
            return asker, found_asker
        return (asker, audience), (found_asker, found_audience)

    expected, found = in_database(database, compare)

    assert expected == found


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(world=worlds)
def test_the_operator_sees_everything(database: Database, world: World) -> None:
    """Rule 1 in both forms."""

    def count(tx: Tx) -> int:
        numbers = build(tx, world)
        for entry in world.memories:
            store_memory(tx, numbers, world, entry)
        everything = Viewer(True, None, (), (), None, False, (), (), audience_known=False)
        return len(memory_lists.seen(tx, everything, MemoryFilter(), ANY_STATE))

    assert len(world.memories) == in_database(database, count)
    hidden = Memory(learned_in=None, learned_type=None)
    assert disclosure.decide(Asker(all_scopes=True), Audience(None, group=True), hidden).shown
