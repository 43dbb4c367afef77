"""The projects of what a viewer may see: rows name them, and nothing else is kept of them."""

import json
from typing import NamedTuple

from ashd.store import memory_lists, visibility
from ashd.store.database import Tx
from ashd.store.filters import MemoryFilter
from ashd.store.visibility import Viewer


class Project(NamedTuple):
    """A project by its id, with its last name and the counts of what belongs to it."""

    id: str
    name: str | None
    memories: int
    messages: int
    last_told_at: int


def seen(tx: Tx, viewer: Viewer) -> list[Project]:
    """Return the projects of the active memories and the messages that the viewer may see."""
    rows = tx.named(
        "select project, project_name, sum(memory), sum(1 - memory), max(at) from ("
        "select m.project, m.project_name, 1 as memory, m.created_at as at"
        " from json_each(:memories) r cross join memories m on m.id = r.value"
        " where m.project is not null union all"
        " select t.project, t.project_name, 0, t.created_at"
        f" from ({visibility.turn_reach(viewer)}) r cross join messages t on t.id = r.id"
        " join conversations c on c.id = t.conversation"
        f" where t.project is not null and {visibility.turn_condition(viewer)}) seen"
        " group by project, project_name order by max(at)",
        {
            **visibility.parameters(viewer),
            "after": 0,
            "memories": json.dumps(memory_lists.seen(tx, viewer, MemoryFilter())),
        },
    )
    found: dict[str, Project] = {}
    for project, name, memories, messages, at in rows:
        before = found.pop(project, Project(project, None, 0, 0, 0))
        found[project] = Project(
            project, name or before.name, before.memories + memories, before.messages + messages, at
        )
    return list(found.values())[::-1]
