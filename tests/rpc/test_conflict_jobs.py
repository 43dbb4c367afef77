"""A language model's verdict where the rule is unsure, with the scripted endpoint. Budget: 20 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from scripted_model import ModelWorld

Scope = Callable[..., dict[str, Any]]
OLD, NEW = "My dentist is Dr. Weber", "My dentist is Dr. Lang now"


class World(ModelWorld):
    """Stores facts and scripts verdicts on a daemon with a language model."""

    def judged(self, scope: dict[str, Any], verdict: Any) -> tuple[dict[str, Any], Any]:
        """The reply to a fact that may replace another, and the job that asked for a verdict."""
        self.daemon.call("memory.add", scope=scope, content=OLD)
        return self.told(scope, verdict)

    def told(self, scope: dict[str, Any], verdict: Any, **fields: Any) -> tuple[Any, Any]:
        """The same of the newer fact alone."""
        verdicts = [{"candidate": 1, "verdict": verdict, "reason": "one car"}] if verdict else []
        self.endpoint.script("judge_conflicts", {"verdicts": verdicts})
        entry = self.daemon.call("memory.add", scope=scope, content=NEW, **fields)["memories"][0]
        assert 0 == self.daemon.call("jobs.flush")["waiting"]
        return entry, self.daemon.call("jobs.get", id=entry["job_id"])["job"]

    def contents(self, scope: dict[str, Any]) -> list[str]:
        """List the contents of the active memories, sorted."""
        listed = self.daemon.call("memory.list", scope=scope, limit=100)["memories"]
        return sorted(memory["content"] for memory in listed)


@pytest.fixture(scope="module")
def _made() -> Iterator[World]:
    with World.running() as world:
        yield world


@pytest.fixture
def world(_made: World) -> World:
    _made.endpoint.requests.clear()
    return _made


@pytest.mark.parametrize(
    ("verdict", "outcome", "left"),
    [
        ("replaces", "1 replaced", [NEW]),
        ("repeats", "1 repeated", [NEW, OLD]),
        ("keep", "1 kept", [NEW, OLD]),
        (None, "1 left open", [NEW, OLD]),
    ],
)
def test_the_model_decides_what_the_rule_left_open(
    world: World, scope: Scope, verdict: Any, outcome: str, left: list[str]
) -> None:
    """The call answers at once with the rule's verdict and a job; the model's comes later."""
    me = scope()
    entry, job = world.judged(me, verdict)

    assert [OLD] == [one["content"] for one in entry["may_replace"]]
    assert ("judge_conflicts", "done", outcome) == (job["kind"], job["state"], job["outcome"])
    assert left == world.contents(me)
    [asked] = world.endpoint.asked_for("judge_conflicts")
    assert OLD in asked["messages"][1]["content"]


def test_the_model_takes_away_nobody_elses_words(world: World, scope: Scope) -> None:
    """In a group, another member's statement stays, whatever the model says."""
    room = {"chat_id": "garage", "chat_type": "group"}
    ann, bob = scope(username="ann", **room), scope(username="bob", **room)
    everybody = [ann["user_id"], bob["user_id"]]
    for one in (ann, bob):
        one["participants"] = everybody
    old, new = "The rent is 720 euros", "The rent is 790 euros now"
    world.daemon.call("memory.add", scope=ann, content=old, shared=True)
    world.endpoint.script(
        "judge_conflicts",
        {"verdicts": [{"candidate": 1, "verdict": "replaces", "reason": "moved"}]},
    )
    entry = world.daemon.call("memory.add", scope=bob, content=new, shared=True)["memories"][0]
    assert 0 == world.daemon.call("jobs.flush")["waiting"]
    job = world.daemon.call("jobs.get", id=entry["job_id"])["job"]

    assert "1 left open" == job["outcome"]
    assert sorted([new, old]) == world.contents(ann)


def test_the_model_hides_nothing_in_other_projects(world: World, scope: Scope) -> None:
    """A fact that holds everywhere stays beside a project's, whatever the model says."""
    me = scope()
    shop = {**me, "project": {"id": "example.org/shop", "name": "shop"}}
    old, new = "The staging server is called Otto", "The staging server is called Ida now"
    world.daemon.call("memory.add", scope=me, content=old)
    verdicts = [{"candidate": 1, "verdict": "replaces", "reason": "renamed"}]
    world.endpoint.script("judge_conflicts", {"verdicts": verdicts})
    entry = world.daemon.call("memory.add", scope=shop, content=new)["memories"][0]
    assert 0 == world.daemon.call("jobs.flush")["waiting"]
    job = world.daemon.call("jobs.get", id=entry["job_id"])["job"]

    assert (shop["project"], "1 left open") == (entry["memory"]["project"], job["outcome"])
    assert [new, old] == world.contents(shop)


def test_a_memory_changed_meanwhile_is_left_as_it_is(world: World, scope: Scope) -> None:
    """A verdict on words that have changed since is dropped."""
    me = scope()
    world.daemon.call("memory.add", scope=me, content=OLD)
    older = world.daemon.call("memory.list", scope=me)["memories"][0]

    def answer(_request: Any) -> Any:
        with world.daemon.client() as client:
            client.call("memory.update", scope=me, id=older["id"], changes={"tags": ["car"]})
        return {"verdicts": [{"candidate": 1, "verdict": "replaces", "reason": "one car"}]}

    world.endpoint.script("judge_conflicts", answer)
    world.daemon.call("memory.add", scope=me, content=NEW)
    assert 0 == world.daemon.call("jobs.flush")["waiting"]

    assert [NEW, OLD] == world.contents(me)


def test_a_learned_fact_is_judged_by_the_model(world: World, scope: Scope) -> None:
    """What extraction stores may replace an earlier memory, as what `memory.add` stores."""
    me = scope(username="david")
    world.daemon.call("memory.add", scope=me, content=OLD)
    learned = {
        "content": NEW,
        "quote": NEW,
        "speaker": "@david",
        "turn": 1,
        "type": "knowledge",
        "subjects": [],
        "tags": [],
        "shared": False,
        "portable": True,
        "confidence": 0.9,
        "sensitivity": "public",
        "valid_from": None,
        "valid_until": None,
        "expires_in_days": None,
    }
    world.endpoint.script(
        "extract_facts", {"facts": [learned], "entities": [], "relations": [], "profile": []}
    )
    verdict = {"candidate": 1, "verdict": "replaces", "reason": "one car"}
    world.endpoint.script("judge_conflicts", {"verdicts": [verdict]})
    world.daemon.call("memory.extract", scope=me, messages=[{"content": NEW}])
    assert 0 == world.daemon.call("jobs.flush")["waiting"]

    assert 1 == len(world.endpoint.asked_for("judge_conflicts"))
    assert [NEW] == world.contents(me)


def test_conflicts_of_facts_stored_together_are_one_question(world: World, scope: Scope) -> None:
    """Candidates are numbered through, and each verdict is applied to its own pair."""
    me = scope()
    rent = ("The rent is 720 euros", "The rent is 790 euros now")
    for content in (OLD, rent[0]):
        world.daemon.call("memory.add", scope=me, content=content)
    world.endpoint.requests.clear()
    verdicts = [
        {"candidate": 1, "verdict": "keep", "reason": "two"},
        {"candidate": 2, "verdict": "repeats", "reason": "same"},
    ]
    world.endpoint.script("judge_conflicts", {"verdicts": verdicts})

    facts = [{"content": NEW}, {"content": rent[1]}]
    entries = world.daemon.call("memory.add", scope=me, facts=facts)["memories"]
    assert 0 == world.daemon.call("jobs.flush")["waiting"]

    [asked] = world.endpoint.asked_for("judge_conflicts")
    assert 2 == asked["messages"][1]["content"].count("New statement:")
    [job] = {entry["job_id"] for entry in entries}
    assert "1 kept, 1 repeated" == world.daemon.call("jobs.get", id=job)["job"]["outcome"]


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        # Counted anew for each new statement: whichever pair is meant, nothing is hidden.
        ([(1, "keep"), (1, "replaces")], "2 left open"),
        ([("1", "Repeats"), (2, "perhaps"), (None, "replaces")], "1 repeated, 1 left open"),
    ],
)
def test_a_wrong_verdict_of_several_hides_nothing(
    world: World, scope: Scope, verdicts: list[Any], outcome: str
) -> None:
    me = scope()
    rent = ("The rent is 720 euros", "The rent is 790 euros now")
    for content in (OLD, rent[0]):
        world.daemon.call("memory.add", scope=me, content=content)
    given = [{"candidate": number, "verdict": verdict} for number, verdict in verdicts]
    world.endpoint.script("judge_conflicts", {"verdicts": given})

    facts = [{"content": NEW}, {"content": rent[1]}]
    entries = world.daemon.call("memory.add", scope=me, facts=facts)["memories"]
    assert 0 == world.daemon.call("jobs.flush")["waiting"]

    [job] = {entry["job_id"] for entry in entries}
    assert outcome == world.daemon.call("jobs.get", id=job)["job"]["outcome"]
    assert {OLD, rent[0]} < set(world.contents(me))
    assert 1 == len(world.endpoint.asked_for("judge_conflicts"))
