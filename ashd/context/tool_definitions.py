"""Definitions of the tools for a model, without their names, as function calling has them.

Every optional argument is nullable, for frameworks that must give each.
"""

from typing import Any, Final

from ashd import limits


def _optional(kind: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": [kind, "null"], "description": description, **more}


_SUBJECTS: Final = _optional(
    "array",
    "Whom the fact is about, as the user calls them: 'Sarah', 'my wife'.",
    items={"type": "string"},
)
_EXPIRES: Final = _optional("integer", "Days until the fact no longer holds; left out if it lasts.")
_SHARED: Final = _optional(
    "boolean", "True in a group for what the group may know, not for one's own."
)
_SUPERSEDES: Final = _optional(
    "string", "The id of an older memory that this fact replaces, as an answer gave it."
)
_EVERYWHERE: Final = _optional(
    "boolean", "True for what holds of people in every project, false for this project's."
)


def _facts(**more: Any) -> dict[str, Any]:
    fact = {
        "content": {"type": "string", "description": "The fact."},
        "subjects": _SUBJECTS,
        "expires_in_days": _EXPIRES,
        "shared": _SHARED,
        "everywhere": _EVERYWHERE,
        **more,
    }
    items = {"type": "object", "properties": fact, "required": ["content"]}
    return _optional("array", "Several facts at once.", items=items)


REMEMBER: Final[dict[str, Any]] = {
    "description": (
        "Keep facts for later conversations: what the user tells of themselves and others, decides "
        "or wants remembered. One self-contained sentence a fact. Never passwords or keys."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "content": _optional("string", "A single fact."),
            "facts": _facts(),
            "subjects": _SUBJECTS,
            "expires_in_days": _EXPIRES,
            "shared": _SHARED,
            "everywhere": _EVERYWHERE,
            "supersedes": _SUPERSEDES,
        },
    },
}
RECALL: Final[dict[str, Any]] = {
    "description": "Search what was remembered of the user and the people they know.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in a few words."},
            "about": _optional("string", "Only facts about this person: 'my wife', 'Sarah'."),
        },
        "required": ["query"],
    },
}
FORGET: Final[dict[str, Any]] = {
    "description": (
        "Delete a memory when the user wants it forgotten; the user can undo it. If more than one "
        "fits the words, nothing is deleted: they are listed with their ids."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "query": _optional("string", "What is to be forgotten, in a few words."),
            "id": _optional("string", "The memory's id, as an answer gave it."),
        },
    },
}
CONVERSATIONS: Final[dict[str, Any]] = {
    "description": "Search past conversations for what was said, word by word, with its date.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What was talked about."},
            "since": _optional("string", "From this day on, as 2026-02-09."),
            "until": _optional("string", "Up to this day, as 2026-02-28."),
        },
        "required": ["query"],
    },
}
SUMMARIES: Final[dict[str, Any]] = {
    "description": (
        "Search summaries of past conversations: what they were about, decisions, dates, tasks."
    ),
    "parameters": CONVERSATIONS["parameters"],
}
GRAPH: Final[dict[str, Any]] = {
    "description": (
        "Look up how people, companies, places, projects and tools are related. Give a name, a "
        "relation, or both."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "name": _optional("string", "A person or thing: 'Acme', 'my wife'."),
            "relation": _optional("string", "A relation: 'works at', 'lives in'."),
            "depth": _optional(
                "integer", f"Relations away to look: 1 to {limits.GRAPH_DEPTH}, else 2."
            ),
        },
    },
}

BY_NAME: Final = {
    "remember": REMEMBER,
    "recall": RECALL,
    "forget": FORGET,
    "search_conversations": CONVERSATIONS,
    "search_summaries": SUMMARIES,
    "search_graph": GRAPH,
}

_REMEMBER: Final = REMEMBER["parameters"]
_TAKEN: Final = {
    "remember": {
        **_REMEMBER,
        "properties": {**_REMEMBER["properties"], "facts": _facts(supersedes=_SUPERSEDES)},
    }
}
"""The parameters of tools that take more than they list: every word that is listed is read before
each conversation."""


def taken_by(name: str) -> dict[str, Any]:
    """Return the parameters by which the arguments of a tool are read."""
    parameters: dict[str, Any] = _TAKEN.get(name) or BY_NAME[name]["parameters"]
    return parameters


def as_function(name: str) -> dict[str, Any]:
    """Return a tool as a function definition of the OpenAI form."""
    return {"type": "function", "function": {"name": name, **BY_NAME[name]}}
