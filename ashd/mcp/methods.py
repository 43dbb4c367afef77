"""The Model Context Protocol: its methods, beside those of JSON-RPC, for the same callers."""

from typing import Annotated, Any

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.access.quota import Cost
from ashd.context import tool_definitions as definitions
from ashd.context.tools import CallParams, Tools
from ashd.mcp import known, protocol, tool_form
from ashd.mcp.protocol import Cacheable, McpParams, Result

_Text = Annotated[str, msgspec.Meta(max_length=limits.LABEL_CHARS)]


class InitializeParams(McpParams, frozen=True, kw_only=True, rename={"asked": "protocolVersion"}):
    """The revision that the client speaks."""

    asked: _Text


class ToolParams(McpParams, frozen=True, kw_only=True):
    """A tool's name and its arguments."""

    name: Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)]
    arguments: dict[str, Any] | None = None

    def called(self) -> CallParams:
        """Return the same as params of `tools.call`."""
        return CallParams(name=self.name, arguments=self.arguments or {})

    def cost(self) -> Cost:
        """Return the cost of `tools.call`."""
        return self.called().cost()


class InitializeResult(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The revision that the connection speaks from now on."""

    protocol_version: str
    capabilities: dict[str, Any]
    server_info: dict[str, str]
    instructions: str


class ServerResult(Cacheable, frozen=True, kw_only=True, omit_defaults=True):
    """The server's protocol versions, capabilities and instructions."""

    supported_versions: list[str]
    capabilities: dict[str, Any]
    instructions: str


class ToolsResult(Cacheable, frozen=True, kw_only=True, omit_defaults=True):
    """The tools that the caller has the rights for."""

    tools: list[dict[str, Any]]


class ToolResult(Result, frozen=True, kw_only=True, omit_defaults=True):
    """A tool's answer as text, which holds all that there is to know."""

    content: list[dict[str, str]]
    is_error: bool


def _only_legacy(params: McpParams) -> None:
    """Refuse a method of the older revisions to a client of the modern ones."""
    if protocol.is_modern(params.meta):
        raise errors.MethodNotFound("This revision of the protocol has no such method.")


async def initialize(params: InitializeParams) -> InitializeResult:
    """Begin a session with a client of MCP of a revision before 2026-07-28."""
    _only_legacy(params)
    return _begun(protocol.negotiated(params.asked))


def _begun(version: str) -> InitializeResult:
    return InitializeResult(
        protocol_version=version,
        capabilities=protocol.CAPABILITIES,
        server_info=protocol.SERVER,
        instructions=protocol.INSTRUCTIONS,
    )


async def ping(params: McpParams) -> Result:
    """Answer a client of MCP that asks whether the server is alive."""
    _only_legacy(params)
    return Result()


async def discover(params: McpParams) -> ServerResult:
    """Tell a client of MCP which revisions and capabilities the server has, and its purpose."""
    protocol.is_modern(params.meta)
    return _described()


def _described() -> ServerResult:
    return ServerResult(
        supported_versions=[*protocol.MODERN, *protocol.LEGACY],
        capabilities=protocol.CAPABILITIES,
        instructions=protocol.INSTRUCTIONS,
        **protocol.cacheable(modern=True),
    )


async def list_(toolset: Tools, call: Call, params: McpParams) -> ToolsResult:
    """List the tools of MCP that the caller has the rights for; none while memory is off."""
    modern = protocol.is_modern(params.meta)
    listed = await toolset.list(call)
    return ToolsResult(tools=tool_form.announced(listed.tools), **protocol.cacheable(modern=modern))


async def call_(toolset: Tools, call: Call, params: ToolParams) -> ToolResult:
    """Run a tool for a client of MCP; an error that a model can correct is a result."""
    modern = protocol.is_modern(params.meta)
    call.require_memory()
    if not toolset.has(params.name):
        raise errors.InvalidParams("There is no tool of that name.", "tools/list has them.")
    result = await toolset.call(call, params.called())
    return ToolResult(
        content=[{"type": "text", "text": result.content}],
        is_error=result.is_error,
        **protocol.common(modern=modern),
    )


def offline() -> dict[str, Any]:
    """Return the answers, by method, that a relay gives while no daemon can be reached.

    In those of the older revisions the relay leaves out the fields of the modern ones.
    """
    functions = [definitions.as_function(name) for name in definitions.BY_NAME]
    tools = ToolsResult(tools=tool_form.announced(functions), **protocol.cacheable(modern=True))
    answers = {
        "initialize": _begun(protocol.LEGACY[0]),
        "server/discover": _described(),
        "tools/list": tools,
        **known.offline(),
    }
    return {method: msgspec.to_builtins(answer) for method, answer in answers.items()}
