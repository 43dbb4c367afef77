"""A former name is nowhere in the database's files. Budget: 5 s."""

from collections.abc import Callable
from typing import Any

from daemons import Daemon
from sandboxes import bytes_of

Scope = dict[str, Any]


def test_a_former_name_is_not_left_in_the_files(new_daemon: Callable[..., Daemon]) -> None:
    """A rename, a removed alias and an undone merge leave no name in the full-text index either."""
    daemon = new_daemon()
    daemon.start()
    scope = {"provider": "p", "user_id": "u"}

    def person(method: str, **params: Any) -> str:
        found: str = daemon.call(f"person.{method}", scope=scope, **params)["person"]["id"]
        return found

    for name in ("Qwertzilla", "Blorbovic"):
        added = daemon.call("memory.add", scope=scope, content="Likes tea", subjects=[name])
        daemon.call("memory.search", scope=scope, query=f"What does {name} like?")
        assert "added" == added["memories"][0]["outcome"]
    people = daemon.call("person.list", scope=scope)["people"]
    ids = {one["name"]: one["id"] for one in people}
    person("add_alias", id=ids["Qwertzilla"], alias="Zwuckelmann")
    person("remove_alias", id=ids["Qwertzilla"], alias="Zwuckelmann")
    person("update", id=ids["Qwertzilla"], name="Smith")
    person("merge", id=ids["Blorbovic"], into=ids["Qwertzilla"])
    person("remove_alias", id=ids["Qwertzilla"], alias="Blorbovic")
    person("split", id=ids["Blorbovic"])
    person("update", id=ids["Blorbovic"], name="Jones")
    daemon.stop()

    left = bytes_of(daemon).lower()
    found = [name for name in ("qwertzilla", "zwuckelmann", "blorbovic") if name.encode() in left]
    assert found == []
