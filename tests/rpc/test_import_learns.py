"""Imported conversations become memories where there is a language model. Budget: 30 s."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_model import ModelWorld

from tests.endpoint import faulty

Scope = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def world() -> Iterator[ModelWorld]:
    with ModelWorld.running() as made:
        made.endpoint.always("extract_facts", lambda request: faulty.text(faulty.right(request)))
        yield made


def export(folder: Path, conversations: int, turns: int) -> Path:
    """Write conversations as Claude exports them."""
    made = [
        {
            "uuid": f"talk {number}",
            "created_at": "2025-03-01T10:00:00Z",
            "chat_messages": [
                {
                    "uuid": f"{number}-{turn}",
                    "sender": "human",
                    "text": faulty.said(number * turns + turn),
                    "created_at": f"2025-03-01T10:{turn:02}:00Z",
                }
                for turn in range(turns)
            ],
        }
        for number in range(conversations)
    ]
    file = folder / "conversations.json"
    file.write_text(json.dumps(made), encoding="utf-8")
    return file


def import_(world: ModelWorld, scope: dict[str, Any], file: Path, **params: Any) -> Any:
    return world.daemon.call("db.import", scope=scope, path=str(file), format="claude", **params)


def test_imported_conversations_teach(world: ModelWorld, scope: Scope, tmp_path: Path) -> None:
    """Each part is read once, one after another; what is left is counted."""
    mine = scope(username="david")
    file = export(tmp_path, conversations=3, turns=12)
    world.endpoint.requests.clear()
    world.endpoint.script("extract_facts", *[lambda request: held(world, request)] * 6)

    done = import_(world, mine, file)
    world.endpoint.wait_for_request("extract_facts")

    assert (36, 6) == (done["imported"], done["to_be_read"])
    states = [job["state"] for job in world.daemon.call("jobs.list", scope=mine, limit=100)["jobs"]]
    assert 1 == states.count("running")
    assert not world.endpoint.asked_for("summarise")
    again = import_(world, mine, file)
    assert (0, 36, 6) == (again["imported"], again["duplicates"], again["to_be_read"])
    world.endpoint.release()
    world.endpoint.script("extract_facts")
    while world.daemon.call("jobs.flush")["waiting"]:
        pass

    stored = world.daemon.call("memory.list", scope=mine, limit=100)["memories"]
    told = {faulty.content_of(number) for number in range(36)}
    assert told == {one["content"] for one in stored}
    assert all(one["observed_at"].startswith("2025-03-01") for one in stored)
    assert 0 == import_(world, mine, file)["to_be_read"]


def held(world: ModelWorld, request: dict[str, Any]) -> Any:
    """Answer rightly, the first time once the endpoint is released."""
    if len(world.endpoint.asked_for("extract_facts")) == 1:
        world.endpoint.wait_released()
    return faulty.text(faulty.right(request))


def test_import_without_extraction_asks_nobody(
    world: ModelWorld, scope: Scope, tmp_path: Path
) -> None:
    mine = scope(username="david")
    done = import_(world, mine, export(tmp_path, 1, 3), skip_extraction=True)
    assert (3, 0) == (done["imported"], done["to_be_read"])
    assert [] == world.daemon.call("jobs.list", scope=mine)["jobs"]
