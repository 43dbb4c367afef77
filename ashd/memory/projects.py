"""The projects in which memories and messages were stored: `project.list`."""

import msgspec

from ashd.access.actor import Call
from ashd.clock import to_text
from ashd.store import projects
from ashd.store.database import Database


class ListParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters: the projects of the scope are listed."""


class ProjectView(msgspec.Struct, frozen=True):
    """A project, with the counts of its memories and messages that the reader may see."""

    id: str
    name: str | None
    memories: int
    messages: int
    last_told_at: str


class ListResult(msgspec.Struct, frozen=True):
    """Projects, the most recently used first."""

    projects: list[ProjectView]


class Projects:
    """Lists projects."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list(self, call: Call, _params: ListParams) -> ListResult:
        """List the projects that the reader's memories and messages belong to."""
        found = await self._db.read(lambda tx: projects.seen(tx, call.look(tx)))
        return ListResult(
            [
                ProjectView(
                    one.id, one.name, one.memories, one.messages, to_text(one.last_told_at) or ""
                )
                for one in found
            ]
        )
