"""After an erasure no byte of the text is left in any file of the database (A16). Budget: 60 s."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import refusal
from daemons import Daemon
from scanning import contents, left_in

Scope = dict[str, Any]
MINE: Scope = {"provider": "test", "user_id": "ada", "display_name": "Ada"}
BOB: Scope = {"provider": "test", "user_id": "bob", "display_name": "Bob"}


@pytest.fixture
def home(new_daemon: Callable[..., Daemon]) -> Daemon:
    """A daemon of the test's own, whose files can be read."""
    return new_daemon().start()


def add(daemon: Daemon, content: str, scope: Scope = MINE, **fields: Any) -> str:
    """Store a fact; its id."""
    entry = daemon.call("memory.add", scope=scope, content=content, **fields)["memories"][0]
    memory_id: str = entry["memory"]["id"]
    return memory_id


def left(daemon: Daemon, *words: str) -> set[str]:
    """The words that still lie in a file."""
    return left_in(daemon.home / "data", words)


def test_an_erased_memory_leaves_no_byte(home: Daemon) -> None:
    """An erased memory leaves neither its words nor its person; other memories stay."""
    add(home, "The garden gate squeaks", subjects=["Yorick Stayson"])
    gone = add(
        home,
        "Quixotrine keeps her wubbzolite in the flémingard attic",
        subjects=["my friend Quixotrine Vandermolst"],
        tags=["zorbitag"],
        metadata={"note": "plinkometa"},
        idempotency_key="add-once",
    )
    words = ["quixotrine", "wubbzolite", "flémingard", "Vandermolst", "zorbitag", "plinkometa"]
    assert left(home, *words) == set(words)

    dry = home.call("memory.erase", scope=MINE, id=gone, dry_run=True)
    assert left(home, *words) == set(words)
    done = home.call("memory.erase", scope=MINE, id=gone)

    assert left(home, *words) == set()
    assert left(home, "squeaks", "Yorick") == {"squeaks", "Yorick"}
    assert done == dry
    assert done["erased"] == 1
    assert done["receipt"]["rows"]["memories"] == 1
    assert done["receipt"]["rows"]["people"] == 1
    assert refusal(home, "memory.get", scope=MINE, id=gone).kind == "not_found"
    names = [person["name"] for person in home.call("person.list", scope=MINE)["people"]]
    assert sorted(names) == ["Ada", "Yorick Stayson"]


def test_a_memory_between_two_leaves_the_chain_whole(home: Daemon) -> None:
    """The predecessor's winner becomes the successor; without a successor it is active again."""
    first = add(home, "The vault opens at nine")
    second = home.call(
        "memory.update", scope=MINE, id=first, changes={"content": "The vault opens at zquimbel"}
    )["memory"]["id"]
    third = home.call(
        "memory.update", scope=MINE, id=second, changes={"content": "The vault opens at eleven"}
    )["memory"]["id"]

    home.call("memory.erase", scope=MINE, id=second)

    assert left(home, "zquimbel") == set()
    shown = [memory["id"] for memory in home.call("memory.list", scope=MINE)["memories"]]
    assert shown == [third]
    home.call("memory.erase", scope=MINE, id=third)
    shown = [memory["id"] for memory in home.call("memory.list", scope=MINE)["memories"]]
    assert shown == [first]


def test_a_person_whom_others_speak_of_stays(home: Daemon) -> None:
    """A person keeps what other memories taught and loses what the erased one did."""
    add(home, "Marlowe plays chess", subjects=["Marlowe"])
    gone = add(home, "My cousin Marlowe Xantippel hums", subjects=["my cousin Marlowe Xantippel"])

    home.call("memory.erase", scope=MINE, id=gone)

    people = home.call("person.list", scope=MINE)["people"]
    assert [person["name"] for person in people] == ["Ada", "Marlowe"]
    assert left(home, "Xantippel") == set()


def test_an_erased_conversation_leaves_no_byte(home: Daemon) -> None:
    """Messages, speakers, its own name."""
    for name, word in (("talk-grelmot", "snorfelgate"), ("other", "keeperword")):
        home.call(
            "conversation.ingest",
            scope=MINE,
            conversation_id=name,
            messages=[
                {"role": "user", "content": f"The {word} is open", "speaker": f"Sp{word}"},
                {"role": "assistant", "content": f"I noted the {word} then"},
            ],
        )
    call = {"scope": MINE, "conversation_id": "talk-grelmot"}

    dry = home.call("memory.erase", **call, dry_run=True)
    done = home.call("memory.erase", **call)

    assert done == dry
    assert done["erased"] == 2
    assert left(home, "snorfelgate", "grelmot") == set()
    assert left(home, "keeperword")


def test_conversation_delete_leaves_no_byte_either(home: Daemon) -> None:
    """The log keeps no copy of a deleted conversation."""
    messages = [{"role": "user", "content": "The blimptarn leaks"}]
    home.call("conversation.ingest", scope=MINE, conversation_id="c", messages=messages)

    home.call("conversation.delete", scope=MINE, conversation_id="c")

    assert left(home, "blimptarn") == set()


def test_memories_stored_through_a_grant_are_erased(home: Daemon) -> None:
    """Other memories of the grant's owner stay."""
    add(home, "The owner said holdfast")
    grant = home.call("grant.create", scope=MINE)
    home.call("memory.add", at=grant["socket"], content="The sandbox said trelquist")

    done = home.call("memory.erase", grant_id=grant["grant_id"])

    assert done["erased"] == 1
    assert left(home, "trelquist") == set()
    assert left(home, "holdfast")


@pytest.fixture
def two_lives(home: Daemon) -> Daemon:
    """Ada and Bob, with one of everything each; Ada's words contain `ada`, Bob's `bob`."""
    group = {"provider": "test", "chat_id": "group", "chat_type": "group"}
    for scope in (MINE, BOB):
        who = scope["user_id"]
        there = {**scope, **group, "participants": ["ada", "bob"]}
        add(home, f"Lives in {who}qville", scope, subjects=[f"{who.title()}qfriend Zed"])
        home.call(
            "memory.update",
            scope=scope,
            id=add(home, f"Owns {who}qone", scope),
            changes={"content": f"Owns {who}qtwo", "tags": [f"{who}qtag"]},
        )
        add(home, f"In the group {who}qgroup", there, shared=True)
        home.call(
            "person.create", scope=scope, name=f"{who.title()}qplumber", relationship="plumber"
        )
        home.call("override.add", scope=scope, content=f"Call me {who}qnick")
        home.call("profile.set", scope=scope, text=f"A {who}qprofile", notes=f"{who}qnotes")
        home.call(
            "conversation.ingest",
            scope=scope,
            conversation_id=f"{who}qtalk",
            messages=[{"role": "user", "content": f"Hello {who}qmessage"}],
        )
        home.call(
            "conversation.ingest",
            scope=there,
            conversation_id="shared",
            messages=[
                {"role": "user", "content": f"All hear {who}qspoken", "external_id": f"{who}qext"}
            ],
        )
        home.call(
            "graph.add_entity",
            scope=scope,
            name=f"{who}qproject",
            type="project",
            aliases=[f"{who}qalias"],
        )
        home.call(
            "graph.relate",
            scope=scope,
            source=f"{who}qproject",
            relation="uses",
            target=f"{who}qtool",
        )
        grant = home.call("grant.create", scope=scope)
        home.call("memory.add", at=grant["socket"], content=f"Boxed {who}qbox")
    return home


def words(who: str) -> list[str]:
    """The words of one of the two."""
    return [
        f"{who}q{word}"
        for word in (
            *("ville", "friend", "one", "two", "tag", "group", "plumber", "nick", "profile"),
            *("notes", "talk", "message", "spoken", "ext", "project", "alias", "tool", "box"),
        )
    ]


def test_an_erased_owner_leaves_no_byte(two_lives: Daemon) -> None:
    """Everything that the account owned or said is erased; its name goes, grants are revoked."""
    home = two_lives
    assert left(home, *words("ada")) == set(words("ada"))
    owner = {"provider": "test", "user_id": "ada"}

    dry = home.call("memory.erase", owner=owner, dry_run=True)
    done = home.call("memory.erase", owner=owner)

    assert left(home, *words("ada")) == set()
    assert left(home, *words("bob")) == set(words("bob"))
    assert done["erased"] == dry["erased"]
    rows, expected = done["receipt"]["rows"], dry["receipt"]["rows"]
    for table in (
        "memories",
        "messages",
        "passages",
        "embeddings",
        "overrides",
        "relations",
        "entities",
        "profile_versions",
        "conversations",
        "accounts",
    ):
        assert rows[table] == expected[table], table
    grants = home.call("grant.list")["grants"]
    assert [grant["scope"]["user_id"] for grant in grants] == ["bob"]
    assert not any(b'"ada"' in text for text in contents(home.home / "data"))
    # The account can begin again.
    add(home, "A new beginning")


def test_a_forgotten_person_leaves_no_byte(home: Daemon) -> None:
    """`erase` removes the memories, the person's record with its names, and its graph entries."""
    add(home, "Ophelundra likes splorvique", subjects=["my aunt Ophelundra"])
    add(home, "Ophelundra met Yorick at the drazzelfair", subjects=["Ophelundra", "Yorick"])
    add(home, "Yorick lives in Elsinore", subjects=["Yorick"])
    home.call(
        "graph.relate",
        scope=MINE,
        source="Ophelundra",
        source_type="person",
        relation="works_on",
        target="Tapestry",
    )
    person = home.call("person.resolve", scope=MINE, reference="Ophelundra", create=False)[
        "person_id"
    ]
    call = {"scope": MINE, "person_id": person, "erase": True}

    dry = home.call("memory.forget_person", **call, dry_run=True)
    done = home.call("memory.forget_person", **call)

    assert left(home, "Ophelundra", "splorvique", "drazzelfair") == set()
    assert left(home, "Elsinore", "Yorick") == {"Elsinore", "Yorick"}
    assert done == dry
    assert done["erased"] == 2
    assert done["archived"] == 0


def test_a_forgotten_person_can_come_back(home: Daemon) -> None:
    """Without `erase` the memories are archived, each restored by its id."""
    memory = add(home, "Hamnet sings", subjects=["Hamnet"])
    person = home.call("person.resolve", scope=MINE, reference="Hamnet")["person_id"]

    done = home.call("memory.forget_person", scope=MINE, person_id=person)

    assert (done["archived"], done["erased"]) == (1, 0)
    assert home.call("memory.list", scope=MINE)["total"] == 0
    archived = home.call("memory.list", scope=MINE, include_archived=True)["memories"]
    assert [entry["archive_reason"] for entry in archived] == ["forgotten"]
    home.call("memory.restore", scope=MINE, id=memory)
    assert home.call("memory.list", scope=MINE)["total"] == 1


def test_forgetting_takes_only_what_is_ones_own(home: Daemon) -> None:
    """Others' statements about a person stay, and so does the shared record."""
    group = {
        "provider": "test",
        "chat_id": "g",
        "chat_type": "group",
        "participants": ["ada", "bob"],
    }
    add(home, "Falstaff owes me", {**MINE, **group}, subjects=["Falstaff"])
    add(home, "Falstaff drinks", {**BOB, **group}, subjects=["Falstaff"])
    person = home.call("person.resolve", scope={**MINE, **group}, reference="Falstaff")["person_id"]

    done = home.call("memory.forget_person", scope={**MINE, **group}, person_id=person, erase=True)

    assert done["erased"] == 1
    assert left(home, "drinks", "Falstaff") == {"drinks", "Falstaff"}


def test_clear_erases_everything(two_lives: Daemon) -> None:
    """Every row but the daemon's own; it goes on working."""
    home = two_lives
    assert refusal(home, "db.clear").kind == "invalid_params"
    assert refusal(home, "db.clear", confirm="yes").kind == "invalid_params"

    dry = home.call("db.clear", confirm="everything", dry_run=True)
    assert left(home, *words("ada")) == set(words("ada"))
    done = home.call("db.clear", confirm="everything")

    assert left(home, *words("ada"), *words("bob")) == set()
    assert done["erased"] == dry["erased"] > 0
    rows, expected = done["receipt"]["rows"], dry["receipt"]["rows"]
    uncertain = {"usage", "jobs", "memories_to_judge"}  # written beside the calls
    assert {k: v for k, v in rows.items() if k not in uncertain} == {
        k: v for k, v in expected.items() if k not in uncertain
    }
    assert home.call("audit.list", limit=1)["entries"][0]["method"] == "db.clear"
    assert home.call("grant.list", include_closed=True)["grants"] == []
    add(home, "A new beginning")
    found = home.call("memory.search", scope=MINE, query="beginning")["results"]
    assert len(found) == 1


def test_the_receipt_names_the_backups(home: Daemon) -> None:
    """Backups made before the erasure still hold the memory."""
    memory = add(home, "The grobnik hides")
    path = home.call("db.backup", path=str(home.home / "copy.db"))["path"]

    done = home.call("memory.erase", scope=MINE, id=memory)

    assert [copy["path"] for copy in done["receipt"]["backups"]] == [path]
    assert left(home, "grobnik") == set()


@pytest.mark.sqlite_file
def test_among_many_neighbours_no_byte_is_left(new_daemon: Callable[..., Daemon]) -> None:
    """Pages are split, joined and reused; no trace stays between the rows or in the index."""
    home = new_daemon()
    home.config('[embedding]\nprovider = "none"\n')
    home.start()
    facts = [
        {
            "content": f"{'Kept here ' * (n % 7)}{'gone' if n % 3 else 'stay'}qual{n} is it",
            "subjects": [f"{'Gone' if n % 3 else 'Stay'}person{n}"],
        }
        for n in range(400)
    ]
    ids = []
    for start in range(0, len(facts), 100):
        part = home.call("memory.add", scope=MINE, facts=facts[start : start + 100])["memories"]
        ids += [entry["memory"]["id"] for entry in part]
    for number in range(150):
        home.call(
            "graph.add_entity", scope=BOB, name=f"Gonetool{number * 7919 % 1000}", type="tool"
        )
        home.call("graph.add_entity", scope=MINE, name=f"Tool{number * 7919 % 1000}", type="tool")
    home.call("memory.erase", owner={"provider": "test", "user_id": "bob"})
    for number, memory in enumerate(ids):
        if number % 3:
            home.call("memory.erase", scope=MINE, id=memory)

    assert left(home, "gonequal", "goneperson", "gonetool") == set()
    assert home.call("memory.list", scope=MINE, include_superseded=True)["total"] == 134
    assert left(home, "stayqual399", "stayperson399") == {"stayqual399", "stayperson399"}
