"""What a handler may use: the domain's services, put together by `daemon`; and its connection."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

import anyio

from ashd import errors
from ashd.access.actor import Peer
from ashd.access.denials import Denials
from ashd.access.grants import Doors, Grant, Grants
from ashd.access.usage import Meter, Quotas
from ashd.clock import Clock
from ashd.config import ProtectedPath
from ashd.context.assemble import Context
from ashd.context.overrides import Overrides
from ashd.context.search_all import RecallAll
from ashd.context.tools import Tools
from ashd.conversation.ingest import Ingest
from ashd.conversation.profile import Profiles
from ashd.conversation.read import Conversations
from ashd.conversation.search import TurnRecall
from ashd.graph.edit import Graph
from ashd.graph.search import GraphSearch
from ashd.limits import SocketLimits
from ashd.memory.add import Remember
from ashd.memory.read import Read
from ashd.memory.search import Recall
from ashd.memory.supersede import Supersede
from ashd.memory.undo_identification import Identification
from ashd.memory.update import Change
from ashd.ops.audit import Audit
from ashd.ops.backup import Backups
from ashd.ops.clear import Clear
from ashd.ops.erase import Erase
from ashd.ops.forget import Forget
from ashd.ops.progress import Progress
from ashd.people.directory import Directory
from ashd.people.duplicates import Duplicates
from ashd.people.edit import Manage
from ashd.people.merge import Joining
from ashd.people.participation import Participation
from ashd.search.embeddings import Embeddings
from ashd.store.database import Database


@dataclass(frozen=True, slots=True)
class App:
    """The services behind the methods."""

    clock: Clock
    db: Database
    audit_key: bytes
    local_user: str
    embeddings: Embeddings
    remember: Remember
    recall: Recall
    read: Read
    change: Change
    supersede: Supersede
    ingest: Ingest
    turns: TurnRecall
    conversations: Conversations
    recall_all: RecallAll
    context: Context
    directory: Directory
    identification: Identification
    manage: Manage
    joining: Joining
    duplicates: Duplicates
    participation: Participation
    grants: Grants
    denials: Denials
    audit: Audit
    backups: Backups
    progress: Progress
    erase: Erase
    forget: Forget
    clear: Clear
    quotas: Quotas
    overrides: Overrides
    profiles: Profiles
    graph: Graph
    graph_search: GraphSearch
    tools: Tools
    memory_on: bool
    """Whether anything is stored and put into prompts (E12)."""
    started_at: int
    protected: list[ProtectedPath]
    """What of the daemon's own no sandbox may be given."""
    decoders: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(1))
    """The threads that decode large frames of sandboxes: whatever they send, one at a time."""

    def require_memory(self) -> None:
        """Let nothing new be stored while memory is switched off.

        Raises:
            errors.Denied: it is.
        """
        if not self.memory_on:
            raise errors.Denied(
                "Memory is switched off: nothing is stored.",
                "The person on the host can switch it on: [memory] enabled = true in config.toml.",
            )


class Entrances(Doors, Protocol):
    """The doors, and who came in by which."""

    def admit(self, session: "Session", grant: Grant) -> None:
        """Make a connection that of the grant whose token it showed."""
        ...


@dataclass(slots=True)
class Session:
    """One connection. Which door it came through decides what it may do."""

    door: Literal["control", "sandbox"]
    place: str
    """Whose connections it counts among: the door's, a grant's."""
    limits: SocketLimits
    scope: anyio.CancelScope
    """Ends the connection when cancelled."""
    peer: Peer
    doors: Entrances
    grant: Grant | None = None
    """Behind a sandbox door; None there until a token was shown: till then nothing is answered."""
    meter: Meter | None = None
    client: str = field(default="rpc")
    """What the client calls itself (`session.hello`): `ash` is the person on the host."""
