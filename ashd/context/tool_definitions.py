"""Definitions of the tools for a model, without their names, as function calling has them."""

from typing import Final

from ashd import limits

_SUBJECTS: Final = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Whom the fact is about, as the user calls them: 'Sarah', 'my wife'.",
}
_EXPIRES: Final = {
    "type": "integer",
    "description": "Days after which the fact no longer holds; leave it out for what lasts.",
}
_SHARED: Final = {
    "type": "boolean",
    "description": "True in a group for what the group may know; not for one person's own.",
}
_SUPERSEDES: Final = {
    "type": "string",
    "description": "The id of an older memory that this fact replaces, as `remember` offered it.",
}
REMEMBER: Final = {
    "description": (
        "Keep facts for later conversations: what the user tells of themselves and others, decides "
        "or wants remembered. One self-contained sentence a fact. Never passwords or keys."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "content": {"type": "string", "description": "A single fact."},
            "facts": {
                "type": "array",
                "description": "Several facts at once.",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string", "description": "The fact."},
                        "subjects": _SUBJECTS,
                        "expires_in_days": _EXPIRES,
                        "shared": _SHARED,
                    },
                    "required": ["content"],
                },
            },
            "subjects": _SUBJECTS,
            "expires_in_days": _EXPIRES,
            "shared": _SHARED,
            "supersedes": _SUPERSEDES,
        },
    },
}
RECALL: Final = {
    "description": "Search what was remembered of the user and the people they know.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in a few words."},
            "about": {
                "type": "string",
                "description": "Only facts about this person: 'my wife', 'Sarah'.",
            },
        },
        "required": ["query"],
    },
}
CONVERSATIONS: Final = {
    "description": "Search past conversations for what was said, word by word, with its date.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What was talked about."},
            "since": {"type": "string", "description": "From this day on, as 2026-02-09."},
            "until": {"type": "string", "description": "Up to this day, as 2026-02-28."},
        },
        "required": ["query"],
    },
}
SUMMARIES: Final = {
    "description": (
        "Search summaries of past conversations: what they were about, decisions, dates, tasks."
    ),
    "parameters": CONVERSATIONS["parameters"],
}
GRAPH: Final = {
    "description": (
        "Look up how people, companies, places, projects and tools are related. Give a name, a "
        "relation, or both."
    ),
    "parameters": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "A person or thing: 'Acme', 'my wife'."},
            "relation": {"type": "string", "description": "A relation: 'works at', 'lives in'."},
            "depth": {
                "type": "integer",
                "description": f"Relations away to look: 1 to {limits.GRAPH_DEPTH}, else 2.",
            },
        },
    },
}
