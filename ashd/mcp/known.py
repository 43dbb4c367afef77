"""The resources and prompts of MCP: what is known of the user, for the person to pick in a host.

They are of fixed number, and no change of their texts is announced: whoever wants one reads it.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, NamedTuple

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call, Right
from ashd.context.known_texts import KnownTexts
from ashd.mcp import protocol
from ashd.mcp.protocol import Cacheable, McpParams, Result

_Name = Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)]


class ResourceParams(McpParams, frozen=True, kw_only=True):
    """The resource to read."""

    uri: _Name


class PromptParams(McpParams, frozen=True, kw_only=True):
    """The prompt to write; none has arguments."""

    name: _Name


class Resource(msgspec.Struct, frozen=True, rename={"mime_type": "mimeType"}):
    """A text that a host may read."""

    uri: str
    name: str
    title: str
    description: str
    mime_type: str = "text/plain"


class Prompt(msgspec.Struct, frozen=True):
    """A message that a person may send."""

    name: str
    title: str
    description: str


class Contents(msgspec.Struct, frozen=True, rename={"mime_type": "mimeType"}):
    """The text of a resource."""

    uri: str
    text: str
    mime_type: str = "text/plain"


class Text(msgspec.Struct, frozen=True, tag="text"):
    """The content of a message."""

    text: str


class Message(msgspec.Struct, frozen=True):
    """A message of a prompt, in the person's name."""

    content: Text
    role: str = "user"


class ResourcesResult(Cacheable, frozen=True, kw_only=True, omit_defaults=True):
    """The resources that the caller has the rights for."""

    resources: list[Resource]


class TemplatesResult(
    Cacheable,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    rename={"templates": "resourceTemplates"},
):
    """No templates: every resource is listed."""

    templates: list[Resource]


class ReadResult(Cacheable, frozen=True, kw_only=True, omit_defaults=True):
    """The text of a resource, as it is now."""

    contents: list[Contents]


class PromptsResult(Cacheable, frozen=True, kw_only=True, omit_defaults=True):
    """The prompts that the caller has the rights for."""

    prompts: list[Prompt]


class PromptResult(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The message of a prompt."""

    description: str
    messages: list[Message]


class _Readable(NamedTuple):
    title: str
    description: str
    text: Callable[[KnownTexts, Call], Awaitable[str]]


class _Sendable(NamedTuple):
    title: str
    description: str
    rights: frozenset[Right]
    lead: str
    text: Callable[[KnownTexts, Call], Awaitable[str]]


_SCHEME: Final = "ash://"
_RESOURCES: Final = {
    "pinned": _Readable(
        "Pinned facts", "The facts that the user pinned: they always hold.", KnownTexts.pinned
    ),
    "profile": _Readable(
        "Profile",
        "What the user wrote of themselves, and what was learned from conversations.",
        KnownTexts.profile,
    ),
    "conflicts": _Readable(
        "Memories that may no longer hold",
        "Memories of which a newer one perhaps replaces an older one, and how to settle that.",
        KnownTexts.conflicts,
    ),
}
_PROMPTS: Final = {
    "about_me": _Sendable(
        "What is known about me",
        "Give the model your pinned facts and your profile.",
        frozenset[Right]({"read"}),
        "This is what you know about me.",
        KnownTexts.about_user,
    ),
    "settle_conflicts": _Sendable(
        "Settle conflicts",
        "Let the model ask you which of the memories in conflict still hold.",
        frozenset[Right]({"read", "write"}),
        "Some of your memories may no longer hold. Ask me about one conflict after another, and"
        " settle each as I answer; if both memories hold, change nothing.",
        KnownTexts.conflicts,
    ),
}


async def list_resources(call: Call, params: McpParams) -> ResourcesResult:
    """List the resources of MCP that the caller has the right to read; none while memory is off."""
    modern = protocol.is_modern(params.meta)
    is_read = call.memory_on and "read" in call.actor.rights
    return ResourcesResult(
        resources=_resources() if is_read else [], **protocol.cacheable(modern=modern)
    )


async def list_templates(params: McpParams) -> TemplatesResult:
    """List no templates of resources: every resource is in the list."""
    modern = protocol.is_modern(params.meta)
    return TemplatesResult(templates=[], **protocol.cacheable(modern=modern))


async def read_resource(known: KnownTexts, call: Call, params: ResourceParams) -> ReadResult:
    """Read a resource for a client of MCP.

    Raises:
        errors.InvalidParams: there is none of this URI.
        errors.Denied: memory is off.
    """
    modern = protocol.is_modern(params.meta)
    call.require_memory()
    name = params.uri.removeprefix(_SCHEME)
    found = _RESOURCES.get(name) if params.uri.startswith(_SCHEME) else None
    if found is None:
        raise errors.InvalidParams("There is no resource of that URI.", "resources/list has them.")
    contents = Contents(params.uri, await found.text(known, call))
    return ReadResult(contents=[contents], **protocol.cacheable(modern=modern, ttl_ms=0))


async def list_prompts(call: Call, params: McpParams) -> PromptsResult:
    """List the prompts of MCP that the caller has the rights for; none while memory is off."""
    modern = protocol.is_modern(params.meta)
    listed = _prompts(call.actor.rights) if call.memory_on else []
    return PromptsResult(prompts=listed, **protocol.cacheable(modern=modern))


async def get_prompt(known: KnownTexts, call: Call, params: PromptParams) -> PromptResult:
    """Write a prompt for a client of MCP, with what is known now.

    Raises:
        errors.InvalidParams: there is none of this name.
        errors.Denied: the caller lacks a right that the prompt needs, or memory is off.
    """
    modern = protocol.is_modern(params.meta)
    call.require_memory()
    found = _PROMPTS.get(params.name)
    if found is None:
        raise errors.InvalidParams("There is no prompt of that name.", "prompts/list has them.")
    for right in sorted(found.rights):
        call.require(right)
    text = f"{found.lead}\n\n{await found.text(known, call)}"
    return PromptResult(
        description=found.description,
        messages=[Message(Text(text))],
        **protocol.common(modern=modern),
    )


def offline() -> dict[str, Any]:
    """Return the lists, by method, that a relay gives while no daemon can be reached."""
    fresh = protocol.cacheable(modern=True)
    rights = frozenset[Right]({"read", "write"})
    return {
        "resources/list": ResourcesResult(resources=_resources(), **fresh),
        "resources/templates/list": TemplatesResult(templates=[], **fresh),
        "prompts/list": PromptsResult(prompts=_prompts(rights), **fresh),
    }


def _resources() -> list[Resource]:
    return [
        Resource(f"{_SCHEME}{name}", name, one.title, one.description)
        for name, one in _RESOURCES.items()
    ]


def _prompts(rights: frozenset[Right]) -> list[Prompt]:
    return [
        Prompt(name, one.title, one.description)
        for name, one in _PROMPTS.items()
        if one.rights <= rights
    ]
