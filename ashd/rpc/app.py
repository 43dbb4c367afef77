"""What a handler may use: the domain's services, put together by `daemon`; and its connection."""

from dataclasses import dataclass, field
from typing import Literal

from ashd.access.call import Peer
from ashd.access.denials import Denials
from ashd.access.grants import Doors, Grant, Grants
from ashd.clock import Clock
from ashd.context.recall import RecallAll
from ashd.conversation.ingest import Ingest
from ashd.conversation.read import Conversations
from ashd.conversation.recall import TurnRecall
from ashd.limits import SocketLimits
from ashd.memory.change import Change
from ashd.memory.read import Read
from ashd.memory.recall import Recall
from ashd.memory.remember import Remember
from ashd.people.directory import Directory
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
    ingest: Ingest
    turns: TurnRecall
    conversations: Conversations
    recall_all: RecallAll
    directory: Directory
    grants: Grants
    denials: Denials
    started_at: int


@dataclass(slots=True)
class Session:
    """One connection. Which door it came through decides what it may do."""

    door: Literal["control", "sandbox"]
    limits: SocketLimits
    peer: Peer
    doors: Doors
    grant: Grant | None = None
    client: str = field(default="rpc")
    """What the client calls itself (`session.hello`): `ash` is the person on the host."""
