"""New content of `memory.update` does to other memories what an added fact would (A10, A11)."""

from collections.abc import Callable
from typing import Any

from asking import add, listed
from daemons import Daemon
from waiting import until

Scope = Callable[..., dict[str, Any]]


def change(daemon: Daemon, scope: dict[str, Any], number: str, content: str) -> dict[str, Any]:
    """Give a memory new content; the memory as it is then."""
    changes = {"content": content}
    made = daemon.call("memory.update", scope=scope, id=number, changes=changes)["memory"]
    assert made["content"] == content
    return dict(made)


def test_new_content_replaces_what_it_corrects(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """The former value of the attribute is superseded, a moment later."""
    daemon, mine = with_embedder("minilm"), scope()
    add(daemon, "My favourite colour is red", scope=mine)
    elk = add(daemon, "Elk are large", scope=mine)

    change(daemon, mine, elk["id"], "My favourite colour is blue")

    until(lambda: listed(daemon, scope=mine) == ["My favourite colour is blue"])


def test_the_words_of_another_memory_are_shown_once(any_daemon: Daemon, scope: Scope) -> None:
    """Both stay, the changed one repeats the other, as protected as that is."""
    mine = scope()
    words = "The tent leaks at the seam"
    first = add(any_daemon, words, scope=mine, sensitivity="personal")
    elk = add(any_daemon, "Elk are large", scope=mine)

    made = change(any_daemon, mine, elk["id"], f"{words}!")

    assert made["sensitivity"] == "personal"
    results = any_daemon.call("memory.search", scope=mine, query="the tent leaks")["results"]
    pair = {first["id"], made["id"]}
    assert [{hit["memory"]["id"], *hit["repeats"]} for hit in results] == [pair]
