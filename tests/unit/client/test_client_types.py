"""The clients' types say what the daemon's own say."""

from typing import Any, get_type_hints

import msgspec
import pytest

from ashd.access.scope import Scope
from ashd.client import messages, types
from ashd.conversation.ingest import MessageIn, TurnIn
from ashd.conversation.model import MessageView
from ashd.conversation.summaries import SummaryView
from ashd.jobs.manage import JobView
from ashd.memory.model import Fact, Memory
from ashd.rpc.methods import TABLE


def keys(shape: Any) -> set[str]:
    """Return the keys that a typed dict may have."""
    return set(get_type_hints(shape))


def fields(struct: Any) -> set[str]:
    """Return the field names of the daemon's struct on the wire."""
    return {field.encode_name for field in msgspec.structs.fields(struct)}


@pytest.mark.parametrize(
    ("shape", "struct"),
    [
        (types.Memory, Memory),
        (types.Fact, Fact),
        (types.Scope, Scope),
        (messages.Turn, TurnIn),
        (messages.NewMessage, MessageIn),
        (types.StoredMessage, MessageView),
        (messages.Summary, SummaryView),
        (types.Job, JobView),
    ],
)
def test_a_shape_has_the_daemons_fields(shape: Any, struct: Any) -> None:
    """All of them, and no other."""
    assert keys(shape) == fields(struct)


@pytest.mark.parametrize(
    ("method", "required", "options"),
    [
        ("memory.add", {"content", "facts"}, types.AddOptions),
        ("memory.search", {"query"}, types.SearchOptions),
        ("memory.list", set(), types.ListOptions),
        # An explanation is for a person who looks: `call` gets it.
        ("memory.get", {"id", "explain"}, types.Call),
        ("memory.delete", {"id"}, types.Call),
        ("conversation.ingest", {"conversation_id"}, types.IngestOptions),
        ("context.get", {"message"}, types.ContextOptions),
        ("tools.list", set(), types.Call),
        ("tools.call", {"name", "arguments"}, types.ToolOptions),
        ("conversation.search", {"query"}, types.ConversationOptions),
        ("grant.create", set(), types.GrantOptions),
        ("grant.revoke", {"grant_id"}, types.Call),
    ],
)
def test_options_are_the_methods_params(method: str, required: set[str], options: Any) -> None:
    """The client's options are the daemon's parameters and the scope."""
    assert required | keys(options) == fields(TABLE[method].params) | {"scope"}


@pytest.mark.parametrize(
    ("method", "shape"),
    [
        ("memory.add", types.Added),
        ("memory.search", types.Found),
        ("memory.list", types.Listed),
        ("person.resolve", types.Resolved),
        ("conversation.ingest", types.Ingested),
        ("context.get", types.Context),
        ("tools.call", types.ToolResult),
        ("conversation.search", types.FoundMessages),
        ("grant.create", types.Grant),
    ],
)
def test_a_result_is_the_methods(method: str, shape: Any) -> None:
    """The client's result type has the fields of the daemon's answer."""
    assert keys(shape) == fields(TABLE[method].result)
