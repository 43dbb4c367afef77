"""A person who looks through the pages does not use the memories: only an assistant does."""

from collections.abc import Callable
from typing import Any

from sites import Visitor

Look = Callable[..., dict[str, Any]]


def test_looking_at_memories_is_no_use_of_them(visitor: Visitor, look: Look) -> None:
    """Neither a memory's page nor a search nor the prompt counts, so none decides what is evicted.

    An assistant's read afterwards shows that everything counted before has been stored.
    """
    mine = look()
    daemon = visitor.site.daemon
    facts = [{"content": "The spare key hangs in the shed"}, {"content": "Otters hold hands"}]
    added = daemon.call("memory.add", scope=mine, facts=facts)["memories"]
    seen, read = (one["memory"]["id"] for one in added)

    assert "hangs in the shed" in visitor.get(f"/memories/{seen}").words
    assert "hangs in the shed" in visitor.post("/search", query="spare key shed").words
    assert "hangs in the shed" in visitor.post("/memories", text="spare key").words
    assert "hangs in the shed" in visitor.post("/context", message="Where is the spare key?").words
    for _ in range(20_000):
        if daemon.call("memory.get", scope=mine, id=read)["memory"]["access_count"]:
            break

    listed = daemon.call("memory.list", scope=mine)["memories"]
    counts = {memory["id"]: memory["access_count"] for memory in listed}
    assert counts[read] >= 1
    assert counts[seen] == 0
