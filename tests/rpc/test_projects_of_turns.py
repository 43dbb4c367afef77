"""Facts, summaries and statements that a model makes of a project's turns. Budget: 20 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asking import found
from scripted_model import ModelWorld

Scope = Callable[..., dict[str, Any]]
SHOP = {"id": "example.org/team/shop", "name": "shop"}
BLOG = {"id": "example.org/team/blog", "name": "blog"}


@pytest.fixture(scope="module")
def _made() -> Iterator[ModelWorld]:
    with ModelWorld.running() as world:
        yield world


@pytest.fixture
def world(_made: ModelWorld) -> ModelWorld:
    _made.endpoint.requests.clear()
    return _made


SUMMARY = {
    "overall": "The kraken listens on port 9999.",
    "topics": [],
    "decisions": [],
    "key_dates": [],
    "action_items": [],
}


def say(world: ModelWorld, scope: dict[str, Any], *texts: str) -> None:
    """Ingest messages of the user."""
    world.daemon.call(
        "conversation.ingest",
        scope=scope,
        conversation_id="talk",
        messages=[{"content": text} for text in texts],
    )


def answer(*contents: tuple[str, bool | None], **more: Any) -> dict[str, Any]:
    """A model's answer of facts, with the words of their turns as contents."""
    facts = [
        {"content": text, "turn": at, "quote": text, "confidence": 1, "everywhere": everywhere}
        for at, (text, everywhere) in enumerate(contents, start=1)
    ]
    return {"facts": facts, "entities": [], "relations": [], "profile": [], **more}


def test_each_fact_is_of_the_project_or_of_the_person(world: ModelWorld, scope: Scope) -> None:
    """The model is asked which; without its answer the words decide."""
    mine = scope()
    told = [
        ("The tests run with make check.", False),
        ("Reviews wait until Monday.", True),
        ("The port is 9999.", None),
        ("I never use tabs.", None),
    ]
    world.endpoint.script("extract_facts", answer(*told))
    say(world, {**mine, "project": SHOP}, *(text for text, _ in told))
    assert world.daemon.call("jobs.flush")["waiting"] == 0

    listed = world.daemon.call("memory.list", scope=mine)["memories"]
    projects = {one["content"]: one["project"] for one in listed}
    assert list(projects.values()) == [None, SHOP, None, SHOP]
    (asked,) = world.endpoint.asked_for("extract_facts")
    assert "`everywhere` of a fact" in str(asked["messages"])
    assert "'everywhere'" in str(asked["response_format"])


def test_without_a_project_nothing_is_asked_of_projects(world: ModelWorld, scope: Scope) -> None:
    """The prompt and the form are as short as they were."""
    world.endpoint.script("extract_facts", answer())
    say(world, scope(), "The tests run with make check.")
    assert world.daemon.call("jobs.flush")["waiting"] == 0

    (asked,) = world.endpoint.asked_for("extract_facts")
    assert "everywhere" not in str(asked)


def test_turns_of_two_projects_explain_nothing_to_each_other(
    world: ModelWorld, scope: Scope
) -> None:
    """A model reads them apart, and summarises them apart."""
    mine = scope()
    world.endpoint.always("extract_facts", answer())
    world.endpoint.always("summarise", SUMMARY)
    say(world, {**mine, "project": SHOP}, "The kraken listens on port 9999.")
    say(world, {**mine, "project": BLOG}, "The blog has an editor.")
    assert world.daemon.call("jobs.flush")["waiting"] == 0

    for task in ("extract_facts", "summarise"):
        asked = [str(one["messages"][1]) for one in world.endpoint.asked_for(task)]
        seen = {("kraken" in one, "editor" in one) for one in asked}
        assert seen == {(True, False), (False, True)}


def test_a_summary_is_shown_in_the_project_of_its_turns(world: ModelWorld, scope: Scope) -> None:
    """It is searched for and listed there alone."""
    mine = scope()
    world.endpoint.always("extract_facts", answer())
    world.endpoint.always("summarise", SUMMARY)
    say(world, {**mine, "project": SHOP}, "The kraken listens on port 9999.", "Noted for later.")
    assert world.daemon.call("jobs.flush")["waiting"] == 0

    for project, knows in ((SHOP, True), (BLOG, False), (None, False)):
        within = {**mine, "project": project}
        searched = world.daemon.call("summary.search", scope=within, query="kraken port")
        assert bool(searched["summaries"]) is knows
        listed = world.daemon.call("summary.list", scope=within)
        assert bool(listed["summaries"]) is knows


def test_the_profile_takes_from_a_project_what_is_of_the_person(
    world: ModelWorld, scope: Scope
) -> None:
    """A profile is read in every project: only the first person's own statements go into it."""
    mine = scope()
    said = ["I have been a nurse for ten years.", "The API is written in Go."]
    profile = [
        {"statement": text, "turn": at, "quote": text, "confidence": 1}
        for at, text in enumerate(said, start=1)
    ]
    world.endpoint.script("extract_facts", answer(profile=profile))
    world.endpoint.always("update_profile", {"profile": "A nurse."})
    say(world, {**mine, "project": SHOP}, *said)
    assert world.daemon.call("jobs.flush")["waiting"] == 0
    world.daemon.call("profile.rebuild", scope=mine)
    assert world.daemon.call("jobs.flush")["waiting"] == 0

    asked = str(world.endpoint.asked_for("update_profile"))
    assert "nurse for ten years" in asked
    assert "written in Go" not in asked


def test_relations_of_a_turn_belong_to_its_project(world: ModelWorld, scope: Scope) -> None:
    """So do the entities at their ends."""
    mine = scope()
    tie = {"subject": "the kraken", "relation": "uses", "object": "postgres", "confidence": 1}
    world.endpoint.script("extract_facts", answer(relations=[tie]))
    say(world, {**mine, "project": SHOP}, "The kraken uses postgres.")
    assert world.daemon.call("jobs.flush")["waiting"] == 0

    for project, knows in ((SHOP, True), (BLOG, False), (None, False)):
        reply = world.daemon.call(
            "graph.search", scope={**mine, "project": project}, name="postgres"
        )
        assert bool(reply["relations"]) is knows
        assert bool(reply["entities"]) is knows


def test_messages_handed_over_belong_to_the_callers_project(
    world: ModelWorld, scope: Scope
) -> None:
    """As with turns, each fact is of the project or of the person."""
    mine = scope()
    told = [("The tests run with make check.", None), ("I never use tabs.", None)]
    world.endpoint.script("extract_facts", answer(*told))
    world.daemon.call(
        "memory.extract",
        scope={**mine, "project": SHOP},
        messages=[{"role": "user", "content": text} for text, _ in told],
        wait=True,
    )

    assert found(world.daemon, "tests", scope={**mine, "project": BLOG}, min_score=0) == [
        "I never use tabs."
    ]
