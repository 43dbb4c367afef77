"""Steps that tests of the graph share."""

import itertools
from typing import Any

from daemons import Daemon

_groups = itertools.count(1)


def relate(daemon: Daemon, told: str, **params: Any) -> dict[str, Any]:
    """State "source / relation / target"."""
    source, relation, target = told.split(" / ")
    return daemon.call("graph.relate", source=source, relation=relation, target=target, **params)


def found(daemon: Daemon, **params: Any) -> set[str]:
    """Return the relations that a search finds, as sentences."""
    return {
        f"{entry['source']['name']} {entry['relation']} {entry['target']['name']}"
        for entry in daemon.call("graph.search", **params)["relations"]
    }


def group(*members: dict[str, Any]) -> list[dict[str, Any]]:
    """Each member's scope in one new group."""
    there = {
        "chat_id": f"graph-{next(_groups)}",
        "chat_type": "group",
        "participants": [member["user_id"] for member in members],
    }
    return [{**member, **there} for member in members]
