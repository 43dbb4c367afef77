"""The list of tools in the form of MCP, from the definitions in `context/tool_definitions.py`.

There is no output schema: an answer is text alone, since hosts show their model either the text or
the structured content, and never both.
"""

from typing import Any, Final

_READS: Final = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
_WRITES: Final = {**_READS, "readOnlyHint": False}
"""Annotations of `remember`: it deletes nothing, and a repeated call stores a fact once."""
_DELETES: Final = {**_WRITES, "destructiveHint": True}
_TITLES: Final = {
    "remember": "Remember",
    "recall": "Recall",
    "forget": "Forget",
    "search_conversations": "Search conversations",
    "search_summaries": "Search summaries",
    "search_graph": "Look up relations",
}
_ANNOTATIONS: Final = {"remember": _WRITES, "forget": _DELETES}
"""The annotations of tools that do more than read."""


def announced(definitions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools for `tools/list`, from their definitions for function calling."""
    return [_announced(definition["function"]) for definition in definitions]


def _announced(function: dict[str, Any]) -> dict[str, Any]:
    name = function["name"]
    return {
        "name": name,
        "title": _TITLES[name],
        "description": function["description"],
        "inputSchema": _marked(function["parameters"]),
        "annotations": _ANNOTATIONS.get(name, _READS),
    }


def _marked(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its optional arguments marked as OpenAPI does.

    JSON Schema ignores the word; smolagents refuses a call without an argument that lacks it.
    """
    required = schema.get("required", ())
    return {
        **schema,
        "properties": {
            name: argument if name in required else {**argument, "nullable": True}
            for name, argument in schema["properties"].items()
        },
    }
