"""Memories of a project, read in it and elsewhere. Budget: 20 s."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking import add, found, listed, refusal
from daemons import CallFailed, Client, Daemon

Scope = Callable[..., dict[str, Any]]
SHOP = {"id": "example.org/team/shop", "name": "shop"}
BLOG = {"id": "example.org/team/blog", "name": "blog"}


def within(scope: dict[str, Any], project: dict[str, str] | str | None) -> dict[str, Any]:
    """The scope, working on a project."""
    return {**scope, "project": project}


def test_a_fact_of_a_project_is_found_in_it_alone(daemon: Daemon, scope: Scope) -> None:
    """Another project and no project do not find it; all projects do."""
    mine = scope()
    told = add(daemon, "The tests run with make check", scope=within(mine, SHOP))

    assert told["project"] == SHOP
    assert found(daemon, "how do tests run", scope=within(mine, SHOP)) == [told["content"]]
    assert found(daemon, "how do tests run", scope=within(mine, "*")) == [told["content"]]
    assert found(daemon, "how do tests run", scope=within(mine, BLOG), min_score=0) == []
    assert found(daemon, "how do tests run", scope=within(mine, None), min_score=0) == []
    assert found(daemon, "how do tests run", scope=mine, min_score=0) == []


def test_a_fact_of_no_project_is_found_in_each(daemon: Daemon, scope: Scope) -> None:
    """As everything was before there were projects."""
    mine = scope()
    told = add(daemon, "The office closes at six", scope=mine)

    assert told["project"] is None
    for project in (SHOP, "*", None):
        assert found(daemon, "office", scope=within(mine, project)) == [told["content"]]


@pytest.mark.parametrize(
    ("content", "fields", "is_everywhere"),
    [
        ("I prefer tabs", {}, True),
        ("The maintainer likes short names", {"type": "preference"}, True),
        ("Works at Initech", {"type": "identity"}, True),
        ("Carla leads the team", {"type": "relationship"}, True),
        ("My sister Ana is allergic to walnuts", {}, True),
        ("Sarah is the user's wife", {"subjects": ["Sarah"]}, True),
        ("Likes hiking", {"subjects": ["my friend Mia"]}, True),
        ("My client wants a dark mode", {}, False),
        ("Our child theme has no header", {}, False),
        ("My child process exits with 1", {}, False),
        ("My partner company uses Jira", {}, False),
        ("My child Mia is allergic to nuts", {}, True),
        ("Friend lists are cached for an hour", {}, False),
        ("Ana's brother maintains the parser", {}, False),
        ("The database is called orders", {}, False),
        ("We deploy on Fridays", {}, False),
        ("I prefer tabs in this repository", {"everywhere": False}, False),
        ("The staging host is down on Mondays", {"everywhere": True}, True),
    ],
)
def test_a_fact_of_the_person_is_found_everywhere(
    daemon: Daemon, scope: Scope, content: str, fields: dict[str, Any], is_everywhere: bool
) -> None:
    """A fact's type, its words and the caller decide whether it belongs to the project."""
    mine = scope()
    told = add(daemon, content, scope=within(mine, SHOP), **fields)

    assert told["project"] == (None if is_everywhere else SHOP)
    assert (listed(daemon, scope=within(mine, BLOG)) == [content]) is is_everywhere


def test_no_way_of_reading_shows_another_project(daemon: Daemon, scope: Scope) -> None:
    """Neither lists, ids, histories, blocks, tools nor graphs do."""
    mine = scope()
    here, elsewhere = within(mine, SHOP), within(mine, BLOG)
    told = add(daemon, "The kraken service listens on port 9999", scope=here)
    daemon.call("override.add", scope=here, content="Always mention the kraken")
    daemon.call("graph.relate", scope=here, source="kraken", relation="uses", target="postgres")
    daemon.call(
        "conversation.ingest",
        scope=here,
        conversation_id="kraken",
        turns=[{"user": "Is the kraken up?", "assistant": "The kraken is up."}],
    )
    asked = {
        "memory.search": {"query": "kraken", "min_score": 0},
        "memory.list": {},
        "memory.conflicts": {},
        "context.get": {"message": "What port does the kraken service listen on?"},
        "search.all": {"query": "kraken"},
        "conversation.search": {"query": "kraken"},
        "conversation.list": {},
        "graph.search": {"name": "kraken"},
        "override.list": {},
        "person.list": {},
        "tools/call": {"name": "recall", "arguments": {"query": "kraken port"}},
    }

    answers = {
        method: (
            json.dumps(daemon.call(method, scope=here, **params)),
            json.dumps(daemon.call(method, scope=elsewhere, **params)),
        )
        for method, params in asked.items()
    }

    silent = {"memory.conflicts", "person.list"}
    shown = {method for method, (own, _) in answers.items() if "kraken" in own}
    assert shown == asked.keys() - silent
    assert [method for method, (_, other) in answers.items() if "kraken" in other] == []
    for method in ("memory.get", "memory.history", "memory.delete"):
        assert refusal(daemon, method, scope=elsewhere, id=told["id"]).kind == "not_found"
    changes = {"content": "The kraken is gone"}
    refused = refusal(daemon, "memory.update", scope=elsewhere, id=told["id"], changes=changes)
    assert refused.kind == "not_found"


def test_the_persons_own_list_shows_all_projects(daemon: Daemon, scope: Scope) -> None:
    """A list names each memory's project; what is listed can be looked at and changed."""
    mine = scope()
    one = add(daemon, "The port is 80", scope=within(mine, SHOP))
    two = add(daemon, "The port is 90", scope=within(mine, BLOG))

    shown = daemon.call("memory.list", scope=mine)["memories"]

    assert [memory["project"] for memory in shown] == [BLOG, SHOP]
    assert listed(daemon, scope=within(mine, None)) == []
    assert daemon.call("memory.get", scope=mine, id=one["id"])["memory"]["project"] == SHOP
    changed = daemon.call(
        "memory.update", scope=mine, id=two["id"], changes={"content": "The port is 91"}
    )
    assert changed["memory"]["project"] == BLOG
    assert listed(daemon, scope=within(mine, SHOP)) == ["The port is 80"]


def test_the_same_words_are_stored_once_a_project(daemon: Daemon, scope: Scope) -> None:
    """A fact known everywhere is not stored again; one known in a project is, elsewhere."""
    mine = scope()

    def tell(project: Any, **fields: Any) -> str:
        entry = daemon.call(
            "memory.add", scope=within(mine, project), content="Tests run with pytest", **fields
        )["memories"][0]
        outcome: str = entry["outcome"]
        return outcome

    assert [tell(SHOP), tell(SHOP), tell(BLOG)] == ["added", "duplicate", "added"]
    assert tell(SHOP, everywhere=True) == "added"
    assert [tell(SHOP), tell(BLOG), tell(None)] == ["duplicate", "duplicate", "duplicate"]


def test_a_correction_replaces_what_was_told_in_its_project(daemon: Daemon, scope: Scope) -> None:
    """Another project's fact is left alone."""
    mine = scope()
    green, blue = "Our favourite colour is green", "Our favourite colour is blue"
    add(daemon, green, scope=within(mine, BLOG))
    add(daemon, "Our favourite colour is pink", scope=within(mine, SHOP))

    add(daemon, blue, scope=within(mine, SHOP))

    assert listed(daemon, scope=within(mine, SHOP)) == [blue]
    assert listed(daemon, scope=within(mine, BLOG)) == [green]
    assert listed(daemon, scope=mine) == [blue, green]


def test_a_fact_of_a_project_hides_none_that_holds_everywhere(daemon: Daemon, scope: Scope) -> None:
    """It is marked as a conflict there; a correction told everywhere replaces both."""
    mine = scope()
    red, black = "Our favourite colour is red", "Our favourite colour is black"
    add(daemon, red, scope=mine)

    blue = add(daemon, "Our favourite colour is blue", scope=within(mine, SHOP))

    assert [one["content"] for one in blue["conflicts"]] == [red]
    assert listed(daemon, scope=within(mine, SHOP)) == [blue["content"], red]
    assert listed(daemon, scope=within(mine, BLOG)) == [red]
    add(daemon, black, scope=within(mine, BLOG), everywhere=True)
    assert listed(daemon, scope=within(mine, BLOG)) == [black]


def test_a_fact_that_supersedes_one_of_no_project_is_of_none(daemon: Daemon, scope: Scope) -> None:
    """A correction is read wherever the corrected fact was, unless its caller says otherwise."""
    mine = scope()
    office = add(daemon, "The office is in Kent Street", scope=mine)
    port = add(daemon, "The port is 80", scope=within(mine, SHOP))

    moved = add(
        *(daemon, "The office is in Mill Lane"), supersedes=office["id"], scope=within(mine, SHOP)
    )
    other = add(daemon, "The port is 81", supersedes=port["id"], scope=within(mine, SHOP))

    assert (moved["project"], other["project"]) == (None, SHOP)
    assert listed(daemon, scope=within(mine, BLOG)) == ["The office is in Mill Lane"]


def test_a_fact_of_a_project_cannot_supersede_one_of_no_project(
    daemon: Daemon, scope: Scope
) -> None:
    """Otherwise it would be hidden in all other projects: the newer one has to hold there, too."""
    mine = scope()
    office = add(daemon, "The office is in Kent Street", scope=mine)
    fields = {"supersedes": office["id"], "everywhere": False}

    error = refusal(
        daemon, "memory.add", content="It is in Mill Lane", scope=within(mine, SHOP), **fields
    )

    assert error.kind == "invalid_params"
    assert listed(daemon, scope=within(mine, BLOG)) == ["The office is in Kent Street"]


def test_a_confirmed_replacement_holds_wherever_the_older_one_did(
    daemon: Daemon, scope: Scope
) -> None:
    """Settling a conflict with what holds everywhere makes the newer one hold everywhere."""
    mine = scope()
    red = add(daemon, "Our favourite colour is red", scope=mine)
    blue = add(daemon, "Our favourite colour is blue", scope=within(mine, SHOP))

    settled = daemon.call(
        "memory.supersede", scope=within(mine, SHOP), id=blue["id"], superseded_id=red["id"]
    )

    assert settled["memory"]["project"] is None
    assert listed(daemon, scope=within(mine, BLOG)) == [blue["content"]]


def test_a_key_of_another_project_gives_no_answer_of_this_one(daemon: Daemon, scope: Scope) -> None:
    """A repeated idempotency key shows what it stored only in the same project."""
    mine = scope()
    call = {"content": "The token store is redis", "idempotency_key": "k"}
    first = daemon.call("memory.add", scope=within(mine, SHOP), **call)["memories"][0]

    again = daemon.call("memory.add", scope=within(mine, SHOP), **call)["memories"][0]
    other = daemon.call("memory.add", scope=within(mine, BLOG), **call)["memories"][0]

    assert again["memory"]["id"] == first["memory"]["id"] != other["memory"]["id"]


def test_a_scope_of_a_project_alone_keeps_the_connections_user(
    daemon: Daemon, scope: Scope
) -> None:
    """`scope` may hold a project and nothing else."""
    mine = scope()
    told = add(daemon, "The cache is warm", scope=within(mine, SHOP))
    with daemon.client() as client:
        client.call("session.hello", scope=mine, bind=True)
        results = client.call("memory.search", scope={"project": SHOP}, query="cache")["results"]
    assert [one["memory"]["id"] for one in results] == [told["id"]]


@pytest.mark.parametrize("project", [{"id": "*"}, {"id": ""}, {"id": "x" * 201}, "shop", {}, 3])
def test_a_wrong_project_is_refused(daemon: Daemon, scope: Scope, project: Any) -> None:
    """An id has 1 to 200 characters, and is not the sign for all projects."""
    refused = refusal(daemon, "memory.list", scope=within(scope(), project))
    assert refused.kind == "invalid_params"


def test_a_bound_grant_reads_and_writes_its_project(daemon: Daemon, scope: Scope) -> None:
    """It may name its own project, and no other."""
    mine = scope()
    add(daemon, "The shop sells kites", scope=within(mine, SHOP))
    add(daemon, "The blog has an editor", scope=within(mine, BLOG))
    socket = daemon.call("grant.create", scope=within(mine, SHOP))["socket"]

    assert listed(daemon, at=socket) == ["The shop sells kites"]
    told = daemon.call("memory.add", at=socket, content="Kites are in stock")["memories"][0]
    assert told["memory"]["project"] == SHOP
    assert listed(daemon, at=socket, scope={"project": SHOP}) == [
        "Kites are in stock",
        "The shop sells kites",
    ]
    for project in (BLOG, "*", None):
        with pytest.raises(CallFailed) as caught:
            listed(daemon, at=socket, scope={"project": project})
        assert caught.value.kind == "scope_is_bound"


@pytest.mark.parametrize(
    ("project", "reason"),
    [
        (SHOP, "bound to another project"),
        (None, "bound to no project"),
        ("*", "reads all projects, and stores in none"),
    ],
)
def test_a_bound_grant_says_to_what(
    daemon: Daemon, scope: Scope, project: Any, reason: str
) -> None:
    """One of all projects reads each of them, and what it stores belongs to none."""
    mine = scope()
    add(daemon, "The shop sells kites", scope=within(mine, SHOP))
    socket = daemon.call("grant.create", scope=within(mine, project))["socket"]
    with pytest.raises(CallFailed) as caught:
        listed(daemon, at=socket, scope={"project": BLOG})
    assert reason in str(caught.value)
    if project == "*":
        told = daemon.call("memory.add", at=socket, content="Rain falls")["memories"][0]
        assert told["memory"]["project"] is None
        assert listed(daemon, at=socket) == ["Rain falls", "The shop sells kites"]


def test_an_unbound_grant_names_the_project_it_works_on(daemon: Daemon, scope: Scope) -> None:
    """It reads one project at a time, and nobody else's scope."""
    mine = scope()
    add(daemon, "The shop sells kites", scope=within(mine, SHOP))
    add(daemon, "The office closes at six", scope=mine)
    socket = daemon.call("grant.create", scope=mine)["socket"]

    assert listed(daemon, at=socket) == ["The office closes at six"]
    assert listed(daemon, at=socket, scope={"project": SHOP}) == [
        "The office closes at six",
        "The shop sells kites",
    ]
    for named in ({"project": "*"}, {"project": SHOP, **scope()}, mine):
        with pytest.raises(CallFailed) as caught:
            listed(daemon, at=socket, scope=named)
        assert caught.value.kind == "scope_is_bound"


def test_projects_are_listed_with_what_is_in_them(daemon: Daemon, scope: Scope) -> None:
    """The one told of last comes first; nobody sees another's; a list shows one of them alone."""
    mine = scope()
    add(daemon, "The shop sells kites", scope=within(mine, SHOP))
    add(daemon, "The office closes at six", scope=mine)
    daemon.call(
        "conversation.ingest",
        scope=within(mine, {"id": BLOG["id"]}),
        conversation_id="c",
        turns=[{"user": "Is the blog up?", "assistant": "It is."}],
    )

    listed_ = daemon.call("project.list", scope=mine)["projects"]

    assert [(one["id"], one["name"], one["memories"], one["messages"]) for one in listed_] == [
        (BLOG["id"], None, 0, 2),
        (SHOP["id"], "shop", 1, 0),
    ]
    assert daemon.call("project.list", scope=scope())["projects"] == []
    assert listed(daemon, scope=mine, project=SHOP["id"]) == ["The shop sells kites"]


def test_a_person_is_forgotten_in_all_projects(daemon: Daemon, scope: Scope) -> None:
    """The methods that look after memories mean all projects if none is named."""
    mine = scope()
    add(daemon, "Zora reviews the shop", subjects=["Zora"], scope=within(mine, SHOP))
    (person,) = daemon.call("person.list", scope=mine, query="Zora")["people"]

    daemon.call("memory.forget_person", scope=mine, person_id=person["id"], erase=True)

    assert listed(daemon, scope=within(mine, "*"), include_archived=True) == []


def test_a_memory_can_be_moved_between_a_project_and_the_person(
    daemon: Daemon, scope: Scope
) -> None:
    """Only its owner may; what was found there is found there no longer, at once."""
    mine = scope()
    told = add(daemon, "The tests run with make check", scope=within(mine, SHOP))
    query = {"query": "how do tests run", "min_score": 0}

    def change(project: Any, *, everywhere: bool) -> Any:
        return daemon.call(
            "memory.update",
            scope=within(mine, project),
            id=told["id"],
            changes={"everywhere": everywhere},
        )["memory"]["project"]

    assert found(daemon, scope=within(mine, BLOG), **query) == []
    assert change(SHOP, everywhere=True) is None
    assert found(daemon, scope=within(mine, BLOG), **query) == [told["content"]]
    assert change(BLOG, everywhere=False) == BLOG
    assert found(daemon, scope=within(mine, BLOG), **query) == [told["content"]]
    assert found(daemon, scope=within(mine, SHOP), **query) == []
    changes = {"everywhere": False}
    refused = refusal(daemon, "memory.update", scope=mine, id=told["id"], changes=changes)
    assert refused.kind == "invalid_params"


def test_narrowing_needs_the_right_to_forget(daemon: Daemon, scope: Scope) -> None:
    """A right to write is not enough to take a memory out of all projects but one."""
    mine = scope()
    told = add(daemon, "The office closes at six", scope=mine)
    writes = daemon.call("grant.create", scope=within(mine, SHOP), rights=["read", "write"])
    forgets = daemon.call(
        "grant.create", scope=within(mine, SHOP), rights=["read", "write", "forget"]
    )
    changes = {"everywhere": False}

    with Client(Path(writes["socket"])) as sandbox, pytest.raises(CallFailed) as refused:
        sandbox.call("memory.update", id=told["id"], changes=changes)
    assert refused.value.kind == "denied"
    assert listed(daemon, scope=within(mine, BLOG)) == [told["content"]]
    with Client(Path(forgets["socket"])) as sandbox:
        moved = sandbox.call("memory.update", id=told["id"], changes=changes)
        widened = sandbox.call("memory.update", id=told["id"], changes={"everywhere": True})
    assert (moved["memory"]["project"], widened["memory"]["project"]) == (SHOP, None)


def test_a_fact_of_no_project_replaces_none_of_a_project(daemon: Daemon, scope: Scope) -> None:
    """It is shown where the project's fact is not: neither its words nor its outcome tell of it."""
    mine = scope()
    add(daemon, "Our favourite colour is green", scope=within(mine, SHOP))

    same = daemon.call("memory.add", scope=mine, content="Our favourite colour is green")
    blue = add(daemon, "Our favourite colour is blue", scope=mine)

    assert same["memories"][0]["outcome"] == "added"
    assert blue["conflicts"] == []
    assert "Our favourite colour is green" in listed(daemon, scope=within(mine, SHOP))


def test_words_pinned_twice_are_told_once(daemon: Daemon, scope: Scope) -> None:
    """They may be pinned for a project, and for all."""
    mine = scope()
    for project in (SHOP, None, BLOG):
        daemon.call("override.add", scope=within(mine, project), content="Answer briefly")

    block = daemon.call("context.get", scope=within(mine, SHOP), message="hello")["text"]

    assert block.count("Answer briefly") == 1


def test_an_export_keeps_projects(
    daemon: Daemon, new_daemon: Callable[..., Daemon], scope: Scope, tmp_path: Path
) -> None:
    """Memories, turns, relations and pinned facts are in their project after an import."""
    mine = scope()
    here = within(mine, SHOP)
    add(daemon, "The kraken listens on port 9999", scope=here)
    daemon.call("override.add", scope=here, content="Always mention the kraken")
    daemon.call("graph.relate", scope=here, source="kraken", relation="uses", target="postgres")
    turns = [{"user": "Is the kraken up?", "assistant": "The kraken is up."}]
    daemon.call("conversation.ingest", scope=here, conversation_id="c", turns=turns)
    path = str(tmp_path / "export.jsonl")
    daemon.call("db.export", scope=mine, path=path)
    other = new_daemon().start()

    other.call("db.import", path=path)

    asked = {
        "memory.list": {},
        "override.list": {},
        "graph.search": {"name": "kraken"},
        "conversation.search": {"query": "kraken"},
    }
    for method, params in asked.items():
        own = json.dumps(other.call(method, scope=here, **params))
        elsewhere = json.dumps(other.call(method, scope=within(mine, BLOG), **params))
        assert "kraken" in own
        assert "kraken" not in elsewhere
    assert other.call("project.list", scope=mine)["projects"][0]["name"] == "shop"
