"""The services that handlers use, put together by `daemon`; and their connection."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

import anyio

from ashd import errors
from ashd.access.actor import Peer
from ashd.access.denials import Denials
from ashd.access.grants import Grant, GrantListeners, Grants
from ashd.access.scope import Scope
from ashd.access.usage import GrantUsage, Quotas
from ashd.clock import Clock
from ashd.config import ProtectedPath
from ashd.context.assemble import Context
from ashd.context.overrides import Overrides
from ashd.context.search_all import SearchAll
from ashd.context.tools import Tools
from ashd.conversation.ingest import Ingest
from ashd.conversation.profile import Profiles
from ashd.conversation.profile_jobs import ProfileJobs
from ashd.conversation.read import Conversations
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import Summaries
from ashd.extraction.explicit import ExtractMemory
from ashd.graph.edit import EditGraph
from ashd.graph.search import GraphSearch
from ashd.jobs.manage import Jobs
from ashd.jobs.queue import Queue
from ashd.limits import SocketLimits
from ashd.memory.add import AddMemory
from ashd.memory.read import ReadMemory
from ashd.memory.search import SearchMemory
from ashd.memory.supersede import SupersedeMemory
from ashd.memory.undo_identification import UndoIdentification
from ashd.memory.update import UpdateMemory
from ashd.ops.audit import Audit
from ashd.ops.backup import Backups
from ashd.ops.cleanup import Cleanup
from ashd.ops.clear import Clear
from ashd.ops.doctor import Doctor
from ashd.ops.erase import Erase
from ashd.ops.forget import Forget
from ashd.ops.llm_usage import LlmUsage
from ashd.ops.metrics import Metrics
from ashd.ops.progress import Progress
from ashd.ops.reload import Reload
from ashd.ops.supervise import Supervisor
from ashd.ops.transfer.export import Exports
from ashd.ops.transfer.imports import Imports
from ashd.ops.withdraw import Withdraw
from ashd.people.accounts import Accounts
from ashd.people.directory import PeopleDirectory
from ashd.people.duplicates import Duplicates
from ashd.people.edit import EditPeople
from ashd.people.merge import MergePeople
from ashd.people.participation import Participation
from ashd.providers.llm import LanguageModel
from ashd.rpc.outcomes import Caller, Outcomes
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
    llm: LanguageModel | None
    """None where [llm] is not configured: everything but its tasks works without it (E10)."""
    llm_usage: LlmUsage
    remember: AddMemory
    extract: ExtractMemory
    recall: SearchMemory
    read: ReadMemory
    change: UpdateMemory
    supersede: SupersedeMemory
    ingest: Ingest
    turns: SearchConversations
    summaries: Summaries
    conversations: Conversations
    recall_all: SearchAll
    context: Context
    accounts: Accounts
    directory: PeopleDirectory
    identification: UndoIdentification
    manage: EditPeople
    joining: MergePeople
    duplicates: Duplicates
    participation: Participation
    grants: Grants
    denials: Denials
    audit: Audit
    backups: Backups
    exports: Exports
    imports: Imports
    progress: Progress
    erase: Erase
    forget: Forget
    clear: Clear
    cleanup: Cleanup
    withdraw: Withdraw
    metrics: Metrics
    outcomes: Outcomes
    quotas: Quotas
    overrides: Overrides
    profiles: Profiles
    profile_jobs: ProfileJobs
    graph: EditGraph
    graph_search: GraphSearch
    tools: Tools
    queue: Queue
    jobs: Jobs
    memory_on: bool
    """Whether anything is stored and put into prompts (E12)."""
    started_at: int
    protected: list[ProtectedPath]
    """What of the daemon's own no sandbox may be given."""
    doctor: Doctor
    reload: Reload
    supervisor: Supervisor
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


class Listeners(GrantListeners, Protocol):
    """The listeners, and the sessions of each."""

    def admit(self, session: "Session", grant: Grant) -> None:
        """Make a connection that of the grant whose token it showed."""
        ...


@dataclass(slots=True)
class Session:
    """One connection. The listener that accepted it decides what it may do."""

    listener: Literal["control", "sandbox"]
    place: str
    """The holder whose connections it counts among: the listener's, or a grant's."""
    limits: SocketLimits
    scope: anyio.CancelScope
    """Ends the connection when cancelled."""
    peer: Peer
    listeners: Listeners
    grant: Grant | None = None
    """The grant of a sandbox's connection; None until it has shown its token."""
    meter: GrantUsage | None = None
    scope_bound: Scope | None = None
    """For calls of the control socket that name no scope themselves (`session.hello`)."""
    read_only: bool = False
    """Whether the client gave up its right to change anything (`session.hello`)."""
    client: str = field(default="rpc")
    """What the client calls itself (`session.hello`): `ash` is the person on the host."""

    @property
    def caller(self) -> Caller:
        """The caller, as the log names it."""
        return Caller(self.listener, self.grant.id if self.grant is not None else "")
