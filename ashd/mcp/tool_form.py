"""The tools in the protocol's form: the list of tools, and the result of a call.

Their names, descriptions and parameters are in `context/tool_definitions.py`.

A call returns text, and the same as a small object with what a program needs (ids, to name a memory
in a correction). The object fits the tool's output schema.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ashd.context.tools import CallResult
from ashd.conversation.search import SearchResult as MessagesFound
from ashd.conversation.summaries import SearchResult as SummariesFound
from ashd.graph import model as relations
from ashd.graph.search import SearchResult as RelationsFound
from ashd.language.template_tokens import defuse
from ashd.memory.add_result import AddResult
from ashd.memory.search import SearchResult as MemoriesFound

_READS: Final = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
_WRITES: Final = {**_READS, "readOnlyHint": False}
"""Annotations of `remember`: it deletes nothing, and a repeated call stores a fact once."""


class _Form(NamedTuple):
    annotations: dict[str, bool]
    field: str
    """The one field of the object that it returns, a list of objects."""
    entries: Callable[[Any], list[dict[str, Any]]]


def announced(definitions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools for `tools/list`, from their definitions for function calling."""
    return [_announced(definition["function"]) for definition in definitions]


def structured(name: str, result: CallResult) -> dict[str, Any] | None:
    """Return a call's result as an object; None if the call failed."""
    if result.is_error or result.result is None:
        return None
    form = _FORMS[name]
    return {form.field: _defused(form.entries(result.result))}


_IDS: Final = frozenset({"id", "conversation_id"})
"""Fields that a later call repeats, so that they stay as they are."""


def _defused(value: Any) -> Any:
    """Return an answer in which no stored text reads as the structure of a prompt."""
    if isinstance(value, str):
        return defuse(value)
    if isinstance(value, dict):
        return {name: one if name in _IDS else _defused(one) for name, one in value.items()}
    return [_defused(one) for one in value] if isinstance(value, list) else value


def _announced(function: dict[str, Any]) -> dict[str, Any]:
    form = _FORMS[function["name"]]
    return {
        "name": function["name"],
        "description": function["description"],
        "inputSchema": function["parameters"],
        "outputSchema": {
            "type": "object",
            "properties": {form.field: {"type": "array"}},
            "required": [form.field],
        },
        "annotations": form.annotations,
    }


def _stored(result: AddResult) -> list[dict[str, Any]]:
    return [
        {
            "outcome": entry.outcome,
            "id": entry.memory.id if entry.memory else None,
            "may_replace": [{"id": one.id, "content": one.content} for one in entry.may_replace],
        }
        for entry in result.memories
    ]


def _memories(result: MemoriesFound) -> list[dict[str, Any]]:
    return [
        {
            "id": found.memory.id,
            "content": found.memory.content,
            "about": found.about,
            "observed_at": found.memory.observed_at or found.memory.created_at,
            "weak": found.weak,
        }
        for found in result.results
    ]


def _messages(result: MessagesFound) -> list[dict[str, Any]]:
    return [
        {
            "id": found.message.id,
            "conversation_id": found.message.conversation_id,
            "speaker": found.message.speaker or found.message.role,
            "content": found.message.content,
            "at": found.message.at,
        }
        for found in result.results
    ]


def _summaries(result: SummariesFound) -> list[dict[str, Any]]:
    return [
        {
            "id": found.id,
            "conversation_id": found.conversation_id,
            "overall": found.overall,
            "at": found.at,
        }
        for found in result.summaries
    ]


def _relations(result: RelationsFound) -> list[dict[str, Any]]:
    return [{"id": found.id, "statement": relations.line(found)} for found in result.relations]


_FORMS: Final = {
    "remember": _Form(_WRITES, "facts", _stored),
    "recall": _Form(_READS, "memories", _memories),
    "search_conversations": _Form(_READS, "messages", _messages),
    "search_summaries": _Form(_READS, "summaries", _summaries),
    "search_graph": _Form(_READS, "relations", _relations),
}
