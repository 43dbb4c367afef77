"""Projects on the page: whose a memory is, the filter, and an agent's view in one. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

from sites import Visitor

Look = Callable[..., dict[str, Any]]
SHOP = {"id": "example.org/team/shop", "name": "shop"}


def told(visitor: Visitor, mine: dict[str, Any]) -> str:
    """Store a fact of a project and one of none; return the id of the first."""
    call = visitor.site.daemon.call
    within = {**mine, "project": SHOP}
    added = call("memory.add", scope=within, content="The kraken listens on port 9999")
    call("memory.add", scope=mine, content="The office closes at six")
    identifier: str = added["memories"][0]["memory"]["id"]
    return identifier


def test_the_list_shows_all_projects_and_filters_by_one(visitor: Visitor, look: Look) -> None:
    """Each memory of a project has its name beside it."""
    told(visitor, look())

    every = visitor.get("/memories")
    one = visitor.post("/memories", project=SHOP["id"])

    assert "The kraken listens on port 9999 shop" in every.words
    assert "The office closes at six" in every.words
    assert "port 9999" in one.words
    assert "The office closes at six" not in one.words


def test_a_memory_says_where_it_is_used(visitor: Visitor, look: Look) -> None:
    """In its project alone."""
    identifier = told(visitor, look())
    assert "shop: it is used there alone" in visitor.get(f"/memories/{identifier}").words


def test_a_search_looks_in_all_projects(visitor: Visitor, look: Look) -> None:
    """The person finds what any agent was told."""
    told(visitor, look())
    assert "port 9999" in visitor.post("/search", query="kraken port").words


def test_the_agents_view_is_asked_in_a_project(visitor: Visitor, look: Look) -> None:
    """Another one's prompt does not hold it."""
    told(visitor, look())
    question = {"message": "On which port does the kraken listen?", "max_tokens": "2000"}

    within = visitor.post("/context", **question, project=SHOP["id"])
    without = visitor.post("/context", **question, project="")

    assert "9999" in within.words
    assert "9999" not in without.words
