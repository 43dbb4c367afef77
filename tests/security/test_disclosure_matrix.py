"""Every method that reads, against the disclosure policy. Budget: 60 s.

A world of facts, each with a unique word, told in a private chat and in a group, public, personal
and sensitive. Everybody asks for each of them everywhere by every method; whether the fact's word
is in the reply must be what `access.disclosure` says. A method of the table that is neither here
nor in `SHOWS_NO_MEMORIES` fails the test.
"""

import itertools
import json
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from daemons import CallFailed, Client, Daemon

from ashd.access.disclosure import Asker, Audience, Memory, decide
from ashd.rpc.methods import TABLE

# Olga speaks, about Saul; Pia was present, Lea was too and has left, Jon joined later, Max is a
# stranger.
OLGA, SAUL, PIA, LEA, JON, MAX = range(6)
NAMES = ("olga", "saul", "pia", "lea", "jon", "max")
TELLER, PRESENT_THEN, TAKE_PART_NOW = OLGA, {OLGA, SAUL, PIA, LEA}, {OLGA, SAUL, PIA, JON}
DM, GROUP, OTHER, MIXED = range(4)
"""Chats: a private one each, the group, one of the asker alone, one of the asker and Saul."""
UNKNOWN = "00000000-0000-4000-8000-000000000000"


class Fact(NamedTuple):
    """A stated fact: its place and label; its `word` occurs nowhere else."""

    word: str
    where: int
    sensitivity: str
    portable: bool = True
    shared: bool = False

    @property
    def friend(self) -> str:
        """The name of somebody who is mentioned only in this fact."""
        return f"Friend{self.word}"


FACTS = [
    Fact("quixam", DM, "public"),
    Fact("wubzol", DM, "personal"),
    Fact("zorbit", DM, "sensitive"),
    Fact("plinko", GROUP, "public"),
    Fact("drazel", GROUP, "public", portable=False),
    Fact("fenwix", GROUP, "public", shared=True),
    Fact("gromph", GROUP, "personal"),
    Fact("hulvet", GROUP, "sensitive"),
]
CONFLICTS = [
    *(("wubzol", "quixam"), ("plinko", "quixam"), ("hulvet", "quixam"), ("drazel", "wubzol")),
    *(("gromph", "zorbit"), ("fenwix", "plinko"), ("fenwix", "drazel")),
]
"""Pairs of facts of which the first perhaps replaces the second."""
TURNS = [
    Fact("jaspok", DM, "personal", portable=False),
    Fact("kelvra", GROUP, "personal", portable=False),
]


class Place(NamedTuple):
    """A place to ask from: one of the chats."""

    asker: int
    chat: int

    def __repr__(self) -> str:
        where = ("in private", "in the group", "in another group", "in a group with Saul")
        return f"{NAMES[self.asker]} {where[self.chat]}"

    @property
    def is_group(self) -> bool:
        """Return whether others hear it."""
        return self.chat != DM

    @property
    def hearing(self) -> set[int]:
        """The audience of the answer."""
        others: dict[int, set[int]] = {GROUP: TAKE_PART_NOW, MIXED: {SAUL}}
        return {self.asker, *others.get(self.chat, set())}


PLACES = [Place(asker, chat) for asker in range(len(NAMES)) for chat in (DM, GROUP, OTHER, MIXED)]


def is_shown(place: Place, fact: Fact, *, about_saul: bool = True) -> bool:
    """The policy's decision."""
    told_in_group = fact.where == GROUP
    return decide(
        Asker(frozenset({place.asker}), frozenset({place.asker})),
        Audience(
            chat=GROUP if place.chat == GROUP else 100 + place.chat,
            group=place.is_group,
            accounts=frozenset(place.hearing),
            persons=frozenset(place.hearing),
        ),
        Memory(
            learned_in=GROUP if told_in_group else 200 + TELLER,
            learned_type="group" if told_in_group else "private",
            sensitivity=fact.sensitivity,
            portable=fact.portable,
            owner=None if fact.shared else TELLER,
            stated_by=TELLER,
            subjects=frozenset({SAUL} if about_saul else ()),
            present=frozenset(PRESENT_THEN if told_in_group else ()),
        ),
    ).shown


class World:
    """The facts in a daemon, and the scopes to ask from."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.ids: dict[str, str] = {}
        self.conversations: dict[str, str] = {}
        for n in range(len(NAMES)):
            self.call("person.resolve", Place(n, DM), reference="me")
        then = self.scope(Place(TELLER, GROUP), roster=PRESENT_THEN)
        # From now on "Saul" means the participant to Olga, in private too.
        self._call("person.resolve", then, reference="Saul")
        for fact in FACTS:
            scope = then if fact.where == GROUP else self.scope(Place(TELLER, DM))
            self._tell(scope, fact)
        for turn in TURNS:
            scope = then if turn.where == GROUP else self.scope(Place(TELLER, DM))
            message = {"role": "user", "content": f"We spoke of the {turn.word} plan for long"}
            conversation = f"conversation {turn.word}"
            self._call(
                "conversation.ingest", scope, conversation_id=conversation, messages=[message]
            )
        self.conflicts = self._conflicts(then)
        self._pin(then)
        now = self.scope(Place(TELLER, GROUP), roster=TAKE_PART_NOW)
        self._call("memory.list", now)

    def _tell(self, scope: dict[str, Any], fact: Fact) -> None:
        told = self._call(
            "memory.add",
            scope,
            content=f"Saul works on the {fact.word} plan with {fact.friend}",
            subjects=["Saul", fact.friend],
            sensitivity=fact.sensitivity,
            portable=fact.portable,
            shared=fact.shared,
            tags=[fact.word],
        )
        self.ids[fact.word] = told["memories"][0]["memory"]["id"]
        self._call(
            "graph.relate",
            scope,
            source=f"Plan {fact.word}",
            relation="depends_on",
            target=f"Tool {fact.word}",
            sensitivity=fact.sensitivity,
            portable=fact.portable,
        )

    def _conflicts(self, then: dict[str, Any]) -> list[tuple[Fact, Fact]]:
        """Leave open whether facts replace others; the pairs, the newer fact first."""
        facts = {fact.word: fact for fact in FACTS}
        alone = self.scope(Place(TELLER, DM))
        for newer, older in CONFLICTS:
            self._call(
                "memory.supersede",
                then if facts[newer].shared else alone,
                id=self.ids[newer],
                superseded_id=self.ids[older],
                verdict="unsure",
            )
        return [(facts[newer], facts[older]) for newer, older in CONFLICTS]

    def _pin(self, group: dict[str, Any]) -> None:
        mine = self.scope(Place(TELLER, DM))
        self._call("override.add", mine, content="Pinned: pinmine", for_groups=False)
        self._call("override.add", group, content="Pinned: pingroup")
        self._call("profile.set", mine, text="A profile with profileword")

    def scope(self, place: Place, roster: set[int] | None = None) -> dict[str, Any]:
        """The scope of somebody who asks in a chat."""
        name = NAMES[place.asker]
        scope: dict[str, Any] = {
            "provider": "matrix",
            "user_id": name,
            "display_name": name.capitalize(),
        }
        if place.is_group:
            hearing = place.hearing if roster is None else roster
            if place.chat == GROUP and roster is None:
                # A caller who does not take part hears the answer all the same.
                hearing = TAKE_PART_NOW
            chat_id = "group" if place.chat == GROUP else f"{place.chat} of {name}"
            scope |= {"chat_id": chat_id, "chat_type": "group"}
            scope["participants"] = [NAMES[n] for n in sorted(hearing)]
        return scope

    def call(self, method: str, place: Place, **params: Any) -> Any:
        """A call from a place."""
        return self._call(method, self.scope(place), **params)

    def _call(self, method: str, scope: dict[str, Any], **params: Any) -> Any:
        return self.daemon.call(method, scope=scope, **params)

    def reply(self, method: str, place: Place, **params: Any) -> str:
        """Return the whole answer as text, errors too, with the request's words left out."""
        try:
            answer = self.call(method, place, **params)
        except CallFailed as failed:
            answer = failed.error
        return json.dumps(answer).lower()


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """The world in a daemon of its own."""
    daemon = Daemon().start()
    try:
        yield World(daemon)
        assert daemon.unexpected() == []
    finally:
        daemon.remove()


# The surfaces ---------------------------------------------------------------------------------

Surface = Callable[[World, Place, Fact], str]


def in_search(world: World, place: Place, fact: Fact) -> str:
    """Search by the word, with everything included and explained."""
    return world.reply(
        "memory.search", place, query=f"the {fact.word} plan", min_score=0, limit=100, explain=True
    )


def in_search_by_words(world: World, place: Place, fact: Fact) -> str:
    """Search by words alone."""
    return world.reply("memory.search", place, query=fact.word, mode="lexical", limit=100)


def in_search_with_superseded(world: World, place: Place, fact: Fact) -> str:
    """Search with every state that an operator may see."""
    return world.reply(
        "memory.search",
        place,
        query=fact.word,
        min_score=0,
        limit=100,
        include_superseded=True,
        include_expired=True,
    )


def in_list(world: World, place: Place, _fact: Fact) -> str:
    """List all memories."""
    return world.reply("memory.list", place, limit=100)


def in_list_by_tag(world: World, place: Place, fact: Fact) -> str:
    """List by the tag, in every state."""
    return world.reply("memory.list", place, tags=[fact.word], include_archived=True)


def in_list_about(world: World, place: Place, fact: Fact) -> str:
    """List the memories about Saul, or all of them where he is unknown."""
    about_saul = world.reply("memory.list", place, about="Saul", limit=100)
    if "about_not_found" not in about_saul:
        return about_saul
    assert fact.word not in about_saul
    return in_list(world, place, fact)


def by_id(world: World, place: Place, fact: Fact) -> str:
    """Get a memory by its id."""
    return world.reply("memory.get", place, id=world.ids[fact.word])


def in_list_of_state(world: World, place: Place, _fact: Fact) -> str:
    """List active memories in another order."""
    return world.reply("memory.list", place, state="active", sort="most_used", limit=100)


def in_search_explained(world: World, place: Place, _fact: Fact) -> str:
    """Search with an explanation, which shows the results that were cut."""
    return world.reply(
        "memory.search", place, query="What do we plan with Saul?", explain=True, limit=1
    )


def by_id_explained(world: World, place: Place, fact: Fact) -> str:
    """Get a memory by its id, with its origin and its readers."""
    return world.reply("memory.get", place, id=world.ids[fact.word], explain=True)


def by_prefix(world: World, place: Place, fact: Fact) -> str:
    """Ask for the memory by the beginning of its id."""
    return world.reply("memory.get", place, id=world.ids[fact.word][:12])


def in_history(world: World, place: Place, fact: Fact) -> str:
    """Get the history, with superseded memories."""
    return world.reply("memory.history", place, id=world.ids[fact.word])


def in_search_of_all(world: World, place: Place, fact: Fact) -> str:
    """Search with messages and summaries."""
    return world.reply("search.all", place, query=f"the {fact.word} plan", limit=100)


def in_context(world: World, place: Place, _fact: Fact) -> str:
    """Get the block for the prompt, which names omissions and their reasons."""
    return world.reply(
        "context.get", place, message="What do we work on?", max_memories=100, max_tokens=100_000
    )


def by_tool(world: World, place: Place, fact: Fact) -> str:
    """Search by a model's tool call."""
    arguments = {"query": f"the {fact.word} plan"}
    return world.reply("tools.call", place, name="recall", arguments=arguments)


def by_mcp(world: World, place: Place, fact: Fact) -> str:
    """Search by a model's tool call over MCP."""
    arguments = {"query": f"the {fact.word} plan"}
    return world.reply("tools/call", place, name="recall", arguments=arguments)


MEMORY_SURFACES: dict[str, list[Surface]] = {
    "memory.search": [
        in_search,
        in_search_by_words,
        in_search_explained,
        in_search_with_superseded,
    ],
    "memory.list": [in_list, in_list_by_tag, in_list_about, in_list_of_state],
    "memory.get": [by_id, by_id_explained, by_prefix],
    "memory.history": [in_history],
    "search.all": [in_search_of_all],
    "context.get": [in_context],
    "tools.call": [by_tool],
    "tools/call": [by_mcp],
}


def turn_in_search(world: World, place: Place, fact: Fact) -> str:
    """Search for a turn by its word, with its neighbours."""
    return world.reply("conversation.search", place, query=f"the {fact.word} plan", window=3)


def turn_in_search_of_all(world: World, place: Place, fact: Fact) -> str:
    """Search for a turn together with memories."""
    return world.reply("search.all", place, query=f"the {fact.word} plan", limit=100)


def turn_in_list(world: World, place: Place, _fact: Fact) -> str:
    """List conversations by name."""
    return world.reply("conversation.list", place, limit=100)


def turn_by_id(world: World, place: Place, fact: Fact) -> str:
    """Get a conversation by its name."""
    named = f"conversation {fact.word}"
    reply = world.reply("conversation.get", place, conversation_id=named)
    return "" if '"not_found"' in reply else reply


def turn_by_tool(world: World, place: Place, fact: Fact) -> str:
    """Find a turn by a model's tool call."""
    arguments = {"query": f"the {fact.word} plan"}
    return world.reply("tools.call", place, name="search_conversations", arguments=arguments)


def turn_by_mcp(world: World, place: Place, fact: Fact) -> str:
    """Find a turn by a model's tool call over MCP."""
    arguments = {"query": f"the {fact.word} plan"}
    return world.reply("tools/call", place, name="search_conversations", arguments=arguments)


def turn_in_context(world: World, place: Place, fact: Fact) -> str:
    """Get the excerpts in the block for the prompt, without the question itself."""
    reply = world.reply(
        "context.get",
        place,
        message=f"What of {fact.word}?",
        min_message_similarity=0,
        max_messages=50,
        max_tokens=100_000,
    )
    return reply.replace(f"what of {fact.word}?", "")


TURN_SURFACES: dict[str, list[Surface]] = {
    "conversation.search": [turn_in_search],
    "conversation.list": [turn_in_list],
    "conversation.get": [turn_by_id],
    "search.all": [turn_in_search_of_all],
    "context.get": [turn_in_context],
    "tools.call": [turn_by_tool],
    "tools/call": [turn_by_mcp],
}


def relation_in_search(world: World, place: Place, _fact: Fact) -> str:
    """List the relations of one kind."""
    return world.reply("graph.search", place, relation="depends_on", limit=100)


def relation_by_name(world: World, place: Place, fact: Fact) -> str:
    """Find a relation by the name of an entity."""
    return world.reply("graph.search", place, name=f"Plan {fact.word}", depth=2)


def relation_by_tool(world: World, place: Place, fact: Fact) -> str:
    """Find a relation by a tool call; the reply repeats unknown names."""
    arguments = {"name": f"Plan {fact.word}"}
    reply = world.reply("tools.call", place, name="search_graph", arguments=arguments)
    return reply if f"tool {fact.word}" in reply else ""


def relation_by_mcp(world: World, place: Place, fact: Fact) -> str:
    """Find a relation by a tool call over MCP; the reply repeats unknown names."""
    arguments = {"name": f"Plan {fact.word}"}
    reply = world.reply("tools/call", place, name="search_graph", arguments=arguments)
    return reply if f"tool {fact.word}" in reply else ""


RELATION_SURFACES: dict[str, list[Surface]] = {
    "graph.search": [relation_in_search, relation_by_name],
    "tools.call": [relation_by_tool],
    "tools/call": [relation_by_mcp],
}


def friends_in_list(world: World, place: Place, _fact: Fact) -> str:
    """List all people."""
    return world.reply("person.list", place, limit=100)


def friends_by_query(world: World, place: Place, fact: Fact) -> str:
    """List people by name."""
    return world.reply("person.list", place, query=fact.friend)


def friends_by_reference(world: World, place: Place, fact: Fact) -> str:
    """Resolve a reference to a person, and create nobody."""
    return world.reply("person.resolve", place, reference=fact.friend, create=False)


def friends_of_memories(world: World, place: Place, fact: Fact) -> str:
    """Get the people of a memory by name, without the memory's own text."""
    reply = world.reply("memory.get", place, id=world.ids[fact.word])
    return reply.replace(f"plan with {fact.friend.lower()}", "")


def friends_of_results(world: World, place: Place, fact: Fact) -> str:
    """Get the people that a search result is about."""
    reply = world.reply("memory.search", place, query=fact.word, min_score=0, limit=100)
    return reply.replace(f"plan with {fact.friend.lower()}", "")


def friends_as_duplicates(world: World, place: Place, _fact: Fact) -> str:
    """Get the people suggested as duplicates."""
    return world.reply("person.duplicates", place, limit=100)


PERSON_SURFACES: dict[str, list[Surface]] = {
    "person.list": [friends_in_list, friends_by_query],
    "person.resolve": [friends_by_reference],
    "memory.get": [friends_of_memories],
    "memory.search": [friends_of_results],
    "person.duplicates": [friends_as_duplicates],
}

READ_ELSEWHERE = {
    # By ids, which are unknown to whom the person is (below).
    "person.get",
    # Two memories at once, and with them a user's own or a group's (below).
    *("memory.conflicts", "resources/read", "prompts/get"),
    # What a scope exports is what its reads show (tests/rpc/test_export_import.py).
    "db.export",
    # Projects of what a reader sees, with counts (disclosure_oracle).
    "project.list",
    # A user's own, or a group's (below).
    "override.list",
    "profile.get",
    "profile.history",
    "profile.sources",
    # Made by a language model (test_summary_disclosure).
    *("summary.list", "summary.get", "summary.search"),
}

SHOWS_NO_MEMORIES = {
    # They answer with what the caller just told, or may change anyway: see the tests of errors.
    *("memory.add", "memory.update", "memory.supersede", "memory.delete", "memory.restore"),
    *("memory.forget_person", "memory.erase", "db.clear", "db.gc", "db.compact"),
    "memory.withdraw",
    *("memory.extract", "conversation.ingest", "conversation.delete"),
    *("override.add", "override.remove", "profile.set", "profile.rebuild"),
    "summary.rebuild",
    *("graph.add_entity", "graph.relate", "graph.end", "graph.remove"),
    # They answer with a person that the caller named by id, as person.get shows it.
    *("person.update", "person.add_alias", "person.remove_alias", "person.relate"),
    *("person.unrelate", "person.merge", "person.split", "person.delete", "person.create"),
    "person.undo_identification",
    # The operator's own.
    *("person.link_account", "person.unlink_account"),
    *("chat.join", "chat.leave", "chat.list", "account.list"),
    *("grant.create", "grant.list", "grant.revoke", "grant.turn", "system.paths"),
    *("key.create", "key.list", "key.revoke"),
    # A job tells its kind, state and cost; a sandbox sees those of its own grant (test_jobs).
    *("jobs.list", "jobs.get", "jobs.retry", "jobs.flush"),
    *("audit.list", "db.stats", "db.growth", "db.backup", "db.import", "db.stop_import"),
    *("model.use", "llm.count"),
    "system.status",
    "system.metrics",
    *("db.check", "db.reindex", "system.reload"),  # they return counts
    # Of the daemon, not of anybody's memories.
    *("rpc.discover", "session.hello", "tools.list"),
    *("initialize", "ping", "server/discover", "tools/list"),
    *("resources/list", "resources/templates/list", "prompts/list"),
}


def test_every_method_has_its_place_here() -> None:
    """A new method that reads is either in the matrix or said to show no memories."""
    in_matrix = {*MEMORY_SURFACES, *TURN_SURFACES, *RELATION_SURFACES, *PERSON_SURFACES}

    assert set(TABLE) == in_matrix | READ_ELSEWHERE | SHOWS_NO_MEMORIES
    assert in_matrix & SHOWS_NO_MEMORIES == set()
    reading = {name for name, method in TABLE.items() if method.right == "read"}
    assert reading <= in_matrix | READ_ELSEWHERE


def named(surfaces: dict[str, list[Surface]]) -> list[Any]:
    """Each surface as a parameter, under its method's name and its own."""
    return [
        pytest.param(surface, id=f"{method}-{surface.__name__}")
        for method, several in surfaces.items()
        for surface in several
    ]


@pytest.mark.parametrize("surface", named(MEMORY_SURFACES))
def test_memories_show_by_the_policy(world: World, surface: Surface) -> None:
    """Each surface shows a fact to exactly those to whom the policy shows it."""
    wrong = [
        (place, fact)
        for place in PLACES
        for fact in FACTS
        if is_shown(place, fact) != (fact.word in surface(world, place, fact))
    ]

    assert wrong == []


def test_conflicts_show_to_whoever_may_see_both(world: World) -> None:
    """Neither memory of a conflict is shown, nor said to have one, where the other is hidden."""
    seen = set()
    for place in PLACES:
        listed = world.call("memory.conflicts", place, limit=100)
        among = [[one["newer"]["id"], one["older"]["id"]] for one in listed["conflicts"]]
        for newer, older in world.conflicts:
            is_seen = is_shown(place, newer) and is_shown(place, older)
            pair = [world.ids[newer.word], world.ids[older.word]]
            assert (pair in among) == is_seen, (place, newer, older)
            seen |= {(place, newer, older)} if is_seen else set()
        shown = {world.ids[fact.word] for fact in FACTS if is_shown(place, fact)}
        assert {one for pair in among for one in pair} <= shown, place
        assert listed["total"] == len(among)
        for told in (
            world.reply("resources/read", place, uri="ash://conflicts"),
            world.reply("prompts/get", place, name="settle_conflicts"),
        ):
            in_pairs = {one for pair in among for one in pair}
            for fact in FACTS:
                assert (fact.word in told) == (world.ids[fact.word] in in_pairs), (place, fact)
                assert (fact.friend.lower() in told) <= (fact.word in told), (place, fact)

    assert {place.is_group for place, _, _ in seen} == {True, False}


@pytest.mark.parametrize("surface", named(TURN_SURFACES))
def test_turns_show_by_the_policy(world: World, surface: Surface) -> None:
    """A turn is held personal, and leaves its chat for no other group (C5)."""
    wrong = [
        (place, turn)
        for place in PLACES
        for turn in TURNS
        if is_shown(place, turn, about_saul=False) != (turn.word in surface(world, place, turn))
    ]

    assert wrong == []


@pytest.mark.parametrize("surface", named(RELATION_SURFACES))
def test_relations_show_by_the_policy(world: World, surface: Surface) -> None:
    """A relation is held as a memory that is about nobody (C5)."""
    wrong = [
        (place, fact)
        for place in PLACES
        for fact in FACTS
        if is_shown(place, fact._replace(shared=False), about_saul=False)
        != (f"tool {fact.word}" in surface(world, place, fact))
    ]

    assert wrong == []


@pytest.mark.parametrize("surface", named(PERSON_SURFACES))
def test_names_show_to_nobody_more(world: World, surface: Surface) -> None:
    """A person named only with a hidden fact is not named."""
    leaked = [
        (place, fact)
        for place in PLACES
        for fact in FACTS
        if not is_shown(place, fact) and f"friend{fact.word}" in surface(world, place, fact)
    ]
    teller = Place(TELLER, DM)
    known = [f for f in FACTS if f"friend{f.word}" in surface(world, teller, f)]

    assert leaked == []
    if surface is not friends_as_duplicates:
        assert known == FACTS


def test_persons_by_id_are_unknown_where_their_names_are(world: World) -> None:
    """A person hidden by name is hidden by id, with the error of an unknown id."""
    teller = Place(TELLER, DM)
    unknown = world.reply("person.get", Place(MAX, DM), id=UNKNOWN)
    for fact in FACTS:
        found = world.call("person.resolve", teller, reference=fact.friend, create=False)
        for place in PLACES:
            reply = world.reply("person.get", place, id=found["person_id"])
            if not is_shown(place, fact):
                assert unknown == reply, (place, fact)


def test_counts_count_what_is_shown(world: World) -> None:
    """`total` and `withheld` are of the asker's own world."""
    for place in PLACES:
        shown = [fact for fact in FACTS if is_shown(place, fact)]
        listed = world.call("memory.list", place, limit=1)
        found = world.call("memory.search", place, query="Who works on which plan?")
        assert len(shown) == listed["total"], place
        assert (listed["next_cursor"] is None) == (len(shown) <= 1), place
        counted = len(found["results"]) + found["withheld"]["below_threshold"]
        assert counted <= len(shown), place


def test_what_is_hidden_is_unknown_by_id(world: World) -> None:
    """Every method answers the same for a hidden fact as for an unknown id."""
    changes = {"changes": {"tags": ["mine"]}}
    for method, more in (
        ("memory.get", {}),
        ("memory.history", {}),
        ("memory.update", changes),
        ("memory.delete", {}),
        ("memory.restore", {}),
    ):
        for place in PLACES:
            unknown = world.reply(method, place, id=UNKNOWN, **more)
            assert '"not_found"' in unknown
            for fact in FACTS:
                if not is_shown(place, fact):
                    reply = world.reply(method, place, id=world.ids[fact.word], **more)
                    assert unknown == reply, (method, place, fact)


def test_what_is_shown_is_not_everybodys_to_change(world: World) -> None:
    """A reader who did not state a fact is denied its change."""
    for method, more in (("memory.update", {"changes": {"tags": ["x"]}}), ("memory.delete", {})):
        for place in PLACES:
            for fact in FACTS:
                in_its_group = fact.shared and place.chat == GROUP
                if place.asker == TELLER or in_its_group or not is_shown(place, fact):
                    continue
                reply = world.reply(method, place, id=world.ids[fact.word], **more)
                assert '"denied"' in reply, (method, place, fact)


def test_a_supersede_of_what_is_hidden_is_one_of_nothing(world: World) -> None:
    """`supersedes` with a hidden id answers as with an unknown one."""
    for place in PLACES:
        told = {"content": "A plan of mine", "idempotency_key": f"supersede-{place}"}
        unknown = world.reply("memory.add", place, supersedes=UNKNOWN, **told)
        for fact in FACTS:
            if not is_shown(place, fact):
                reply = world.reply("memory.add", place, supersedes=world.ids[fact.word], **told)
                assert unknown == reply, (place, fact)


def test_overrides_and_profiles_are_ones_own(world: World) -> None:
    """A user's own shows in that user's private chat; a group's in the group (C5)."""
    for place in PLACES:
        profile = world.reply("profile.get", place) + world.reply("profile.history", place)
        profile += world.reply("profile.sources", place)
        both = [
            world.reply("context.get", place, message="Hello"),
            world.reply("prompts/get", place, name="about_me"),
        ]
        pinned = [
            *(world.reply("override.list", place), *both),
            world.reply("resources/read", place, uri="ash://pinned"),
        ]
        own = place == Place(TELLER, DM)
        for reply in pinned:
            assert own == ("pinmine" in reply), (place, reply)
            assert (place.chat == GROUP) == ("pingroup" in reply), (place, reply)
        for reply in (profile, *both, world.reply("resources/read", place, uri="ash://profile")):
            assert own == ("profileword" in reply), (place, reply)


def test_a_sandbox_sees_what_its_scope_sees(world: World) -> None:
    """Through a grant's socket the same facts show as to its user over the control socket."""
    for place in PLACES:
        if place.chat == GROUP and place.asker not in TAKE_PART_NOW:
            continue  # a grant would bring its user into the group
        grant = world.call("grant.create", place, rights=["read"])
        with Client(grant["socket"]) as sandbox:
            listed = sandbox.call("memory.list", limit=100)
            block = json.dumps(sandbox.call("context.get", message="Plans?", max_tokens=100_000))
        shown = {fact.word for fact in FACTS if is_shown(place, fact)}
        assert shown == {memory["tags"][0] for memory in listed["memories"]}, place
        assert {fact.word for fact in FACTS if fact.word in block} <= shown, place
        world.daemon.call("grant.revoke", grant_id=grant["grant_id"])


def test_the_operator_sees_everything_and_it_is_on_record(world: World) -> None:
    """Rule 1: with `all_scopes`, audited."""
    listed = world.call("memory.list", Place(MAX, DM), all_scopes=True, limit=100)
    rows = world.daemon.call("audit.list", limit=1)["entries"]

    assert {fact.word for fact in FACTS} <= {t for m in listed["memories"] for t in m["tags"]}
    assert ("memory.list", "all_scopes") == (rows[0]["method"], rows[0]["outcome"])


@pytest.mark.parametrize("method", ["memory.get", "memory.delete"])
def test_hidden_and_unknown_take_the_same_time(world: World, method: str) -> None:
    """The time of an error does not reveal whether a hidden id exists."""
    scope = world.scope(Place(MAX, DM))
    hidden = [world.ids[fact.word] for fact in FACTS]
    unknown = [str(uuid.uuid4()) for _ in FACTS]
    taken: dict[bool, list[float]] = {True: [], False: []}
    # In turns, now one first and now the other: what else the machine does falls on both alike.
    asked = [
        (is_hidden, memory_id)
        for first, pair in itertools.product(range(60), zip(hidden, unknown, strict=True))
        for is_hidden, memory_id in sorted(zip((True, False), pair, strict=True), reverse=first % 2)
    ]
    with world.daemon.client() as client:
        for is_hidden, memory_id in asked:
            before = time.perf_counter()
            with pytest.raises(CallFailed):
                client.call(method, scope=scope, id=memory_id)
            taken[is_hidden].append(time.perf_counter() - before)

    ratio = statistics.median(taken[True]) / statistics.median(taken[False])
    assert 0.75 < ratio < 1.33, f"hidden to unknown: {ratio:.3f} of the time"
