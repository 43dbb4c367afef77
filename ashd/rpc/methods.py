"""The methods of the wire, one row each; all else about a method is said by its function."""

from typing import Any, Final

from ashd.access import grant_listing
from ashd.access.gateway_keys import GatewayKeys
from ashd.access.grants import Grants
from ashd.access.quota import Cost
from ashd.context.assemble import Context
from ashd.context.overrides import Overrides
from ashd.context.search_all import SearchAll
from ashd.context.tools import CallParams, Tools
from ashd.conversation.ingest import Ingest
from ashd.conversation.profile import Profiles
from ashd.conversation.profile_jobs import ProfileJobs
from ashd.conversation.read import Conversations
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import Summaries
from ashd.conversation.summary_jobs import Summarising
from ashd.erasure.cleanup import Cleanup
from ashd.erasure.erase import Erase
from ashd.erasure.forget import Forget
from ashd.erasure.withdraw import Withdraw
from ashd.extraction.explicit import ExtractMemory, ExtractParams
from ashd.graph.edit import EditGraph
from ashd.graph.search import GraphSearch
from ashd.jobs.manage import Jobs
from ashd.mcp import known as mcp_known
from ashd.mcp import methods as mcp
from ashd.memory.add import AddMemory
from ashd.memory.conflicts import Conflicts
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Fact
from ashd.memory.projects import Projects
from ashd.memory.read import ReadMemory
from ashd.memory.search import SearchMemory
from ashd.memory.supersede import SupersedeMemory
from ashd.memory.undo_identification import UndoIdentification
from ashd.memory.update import UpdateMemory
from ashd.memory.update_params import Changes, UpdateParams
from ashd.ops import growth, llm_usage, reload
from ashd.ops.audit import Audit
from ashd.ops.backup import Backups
from ashd.ops.doctor import Doctor
from ashd.ops.metrics import Metrics
from ashd.ops.system import System
from ashd.ops.transfer.export import Exports
from ashd.ops.transfer.imports import Imports
from ashd.people.accounts import Accounts
from ashd.people.directory import PeopleDirectory, ResolveParams
from ashd.people.duplicates import Duplicates
from ashd.people.edit import EditPeople
from ashd.people.merge import MergePeople
from ashd.people.participation import Participation
from ashd.rpc import discover, hello
from ashd.rpc.table import Table, row
from ashd.search import model_use
from ashd.wire_schemas import ErrorObject


def _one_write(_params: Any) -> Cost:
    return Cost(1)


_ROWS: Final = (
    row("session.hello", hello.hello, sandbox=True),
    row("rpc.discover", discover.discover, sandbox=True),
    # Memories.
    row(
        *("memory.add", AddMemory.add),
        right="write",
        stores=True,
        cost=AddParams.cost,
        describes=(Fact, ErrorObject),
    ),
    row(
        *("memory.extract", ExtractMemory.extract),
        right="write",
        stores=True,
        cost=ExtractParams.cost,
    ),
    row("memory.search", SearchMemory.search, right="read"),
    row("memory.list", ReadMemory.list, right="read"),
    row("memory.get", ReadMemory.get, right="read"),
    row(
        *("memory.update", UpdateMemory.update),
        right="write",
        stores=True,
        cost=UpdateParams.cost,
        describes=(Changes,),
    ),
    row(
        *("memory.supersede", SupersedeMemory.supersede),
        right="write",
        changes=True,
        cost=_one_write,
    ),
    row("memory.conflicts", Conflicts.list, right="read"),
    row("memory.delete", UpdateMemory.delete, right="forget", changes=True, cost=_one_write),
    row("memory.restore", Withdraw.restore, changes=True, lasts=True),
    row("memory.history", ReadMemory.history, right="read"),
    row("memory.forget_person", Forget.forget, changes=True, lasts=True),
    row("memory.erase", Erase.erase, changes=True, lasts=True),
    row("memory.withdraw", Withdraw.withdraw, changes=True, lasts=True),
    # The people that memories are about; a sandbox may only find, list and show them.
    row("person.resolve", PeopleDirectory.resolve, right="read", cost=ResolveParams.cost),
    row("person.list", PeopleDirectory.list, right="read"),
    row("person.get", PeopleDirectory.get, right="read"),
    row("person.create", EditPeople.create, stores=True),
    row("person.undo_identification", UndoIdentification.undo, stores=True),
    row("person.update", EditPeople.update, stores=True),
    row("person.add_alias", EditPeople.add_alias, stores=True),
    row("person.remove_alias", EditPeople.remove_alias, changes=True),
    row("person.relate", EditPeople.relate, stores=True),
    row("person.unrelate", EditPeople.unrelate, changes=True),
    row("person.delete", EditPeople.delete, changes=True),
    row("person.merge", MergePeople.merge, stores=True),
    row("person.split", MergePeople.split, changes=True),
    row("person.link_account", MergePeople.link_account, stores=True),
    row("person.unlink_account", MergePeople.unlink_account, changes=True),
    row("person.duplicates", Duplicates.suggest),
    # Accounts, and who takes part in a group since when.
    row("account.list", Accounts.list, everybody="always"),
    row("chat.join", Participation.join, stores=True),
    row("chat.leave", Participation.leave, changes=True),
    row("chat.list", Participation.list, everybody="always"),
    # People and things, and what they are to one another.
    row("graph.search", GraphSearch.search, right="read"),
    row("graph.add_entity", EditGraph.add_entity, stores=True),
    row("graph.relate", EditGraph.relate, stores=True),
    row("graph.end", EditGraph.end, changes=True),
    row("graph.remove", EditGraph.remove, changes=True),
    # Conversations, and what is made of them.
    row("conversation.ingest", Ingest.ingest, stores=True),
    row("conversation.search", SearchConversations.search, right="read"),
    row("conversation.list", Conversations.list),
    row("conversation.get", Conversations.get),
    row("conversation.delete", Conversations.delete, changes=True),
    row("summary.list", Summaries.list),
    row("summary.get", Summaries.get),
    row("summary.rebuild", Summarising.rebuild, stores=True),
    row("summary.search", Summaries.search, right="read"),
    row("profile.get", Profiles.get, right="read"),
    row("profile.history", Profiles.history),
    row("profile.sources", Profiles.sources),
    row("profile.set", Profiles.set, stores=True),
    row("profile.rebuild", ProfileJobs.rebuild, stores=True),
    row("project.list", Projects.list),
    # For prompts and models.
    row("context.get", Context.get, right="read"),
    row("override.add", Overrides.add, stores=True),
    row("override.list", Overrides.list),
    row("override.remove", Overrides.remove, changes=True),
    row("search.all", SearchAll.search, right="read"),
    row("tools.list", Tools.list, sandbox=True),
    # Most tools read: without `changes`, the scope of a call is recorded before each. Each checks
    # the rights that it needs.
    row("tools.call", Tools.call, sandbox=True, cost=CallParams.cost, describes=(ErrorObject,)),
    row("initialize", mcp.initialize, sandbox=True),
    row("ping", mcp.ping, sandbox=True),
    row("server/discover", mcp.discover, sandbox=True),
    row("tools/list", mcp.list_, sandbox=True),
    row("tools/call", mcp.call_, sandbox=True, cost=mcp.ToolParams.cost),
    row("resources/list", mcp_known.list_resources, sandbox=True),
    row("resources/templates/list", mcp_known.list_templates, sandbox=True),
    row("resources/read", mcp_known.read_resource, right="read"),
    row("prompts/list", mcp_known.list_prompts, sandbox=True),
    row("prompts/get", mcp_known.get_prompt, right="read"),
    # Sockets for sandboxes, bound to `params.scope`.
    row("grant.create", Grants.create, changes=True),
    row("grant.list", grant_listing.listed),
    row("grant.revoke", grant_listing.revoke, changes=True),
    row("grant.turn", Grants.turn, changes=True),
    # Keys of the gateway's callers.
    row("key.create", GatewayKeys.create, changes=True),
    row("key.list", GatewayKeys.list),
    row("key.revoke", GatewayKeys.revoke, changes=True),
    # The daemon and its database.
    row("jobs.list", Jobs.list, sandbox=True, everybody="unscoped"),
    row("jobs.get", Jobs.get, sandbox=True, everybody="unscoped"),
    row("jobs.retry", Jobs.retry, stores=True),
    row("jobs.flush", Jobs.flush, stores=True),
    row("llm.count", llm_usage.count, changes=True),
    row("model.use", model_use.use, changes=True),
    row("db.stats", growth.stats),
    row("db.growth", growth.growth_of),
    row("db.backup", Backups.make, changes=True, lasts=True),
    row("db.export", Exports.export, changes=True, lasts=True),
    row("db.import", Imports.import_, stores=True, lasts=True),
    row("db.stop_import", Imports.stop),
    row("db.gc", Cleanup.gc, changes=True, lasts=True),
    row("db.compact", Cleanup.compact, changes=True, lasts=True),
    row("db.clear", Erase.clear, changes=True, lasts=True),
    row("db.check", Doctor.check, changes=True, lasts=True),
    row("db.reindex", Doctor.reindex, changes=True, lasts=True),
    row("audit.list", Audit.list),
    row("system.status", System.status, sandbox=True),
    row("system.metrics", Metrics.text),
    row("system.paths", System.paths),
    row("system.reload", reload.reload, changes=True),
)

OF_ALL_PROJECTS: Final = frozenset(
    {
        *("memory.list", "memory.get", "memory.history", "memory.conflicts", "memory.supersede"),
        *("memory.update", "memory.delete", "memory.restore", "memory.withdraw", "memory.erase"),
        *("memory.forget_person", "graph.end", "graph.remove", "override.list", "override.remove"),
        *("conversation.list", "conversation.get", "conversation.delete"),
        *("summary.list", "summary.get", "db.export", "project.list"),
        *("person.list", "person.get", "person.merge", "person.split", "person.delete"),
        *("person.undo_identification", "person.duplicates"),
    }
)
"""Methods by which people look after what they stored: an operator's call that names no project is
about all of them.
"""
TABLE: Final = Table((method.name, method) for method in _ROWS)
assert len(TABLE) == len(_ROWS), "two methods have one name"
