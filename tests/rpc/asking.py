"""Steps that tests of the wire share: add, search, expect an error."""

from typing import Any

import pytest
from daemons import CallFailed, Daemon


def add(daemon: Daemon, content: str, **fields: Any) -> dict[str, Any]:
    """Store one fact; its memory."""
    entry = daemon.call("memory.add", content=content, **fields)["memories"][0]
    assert entry["outcome"] == "added"
    memory: dict[str, Any] = entry["memory"]
    return memory


def refusal(daemon: Daemon, method: str, **params: Any) -> CallFailed:
    """The error that a call is answered with; it always says how to mend it."""
    with pytest.raises(CallFailed) as caught:
        daemon.call(method, **params)
    assert caught.value.data["hint"]
    assert isinstance(caught.value.data["retryable"], bool)
    return caught.value


def found(daemon: Daemon, query: str, **params: Any) -> list[str]:
    """The contents that a search finds, best first."""
    results = daemon.call("memory.search", query=query, **params)["results"]
    return [result["memory"]["content"] for result in results]


def listed(daemon: Daemon, **params: Any) -> list[str]:
    """The contents of a list, newest first."""
    return [memory["content"] for memory in daemon.call("memory.list", **params)["memories"]]
