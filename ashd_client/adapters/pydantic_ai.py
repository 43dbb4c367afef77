"""Pydantic AI: a toolset to remember and recall, and a processor that puts memory into the prompt.

```python
client = AsyncClient(scope={"provider": "telegram", "user_id": "42"})
agent = Agent(model, toolsets=[MemoryToolset(client)], capabilities=[memory_in_prompt(client)])
```
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic_ai import RunContext, ToolDefinition
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextContent,
    TextPart,
    UserPromptPart,
)
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from ashd_client.aio import AshCallError, AsyncClient

log: Final = logging.getLogger(__name__)
_ANY: Final = SchemaValidator(core_schema.any_schema())


class MemoryToolset(AbstractToolset[Any]):
    """The daemon's tools: remember, recall, forget and the others that the caller may use."""

    def __init__(self, client: AsyncClient, *, toolset_id: str = "memory") -> None:
        self._client = client
        self._id = toolset_id
        self._tools: dict[str, ToolsetTool[Any]] = {}

    @property
    def id(self) -> str:
        """The name of the toolset, one an agent."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return the tools as the daemon describes them; it checks their arguments.

        Without a daemon they are those that it last described.
        """
        del ctx
        try:
            found = (await self._client.tools.list())["tools"]
        except AshCallError as error:
            log.warning("the tools of memory are not listed: %s", error)
            return self._tools
        self._tools = {
            one["function"]["name"]: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=one["function"]["name"],
                    description=one["function"]["description"],
                    parameters_json_schema=one["function"]["parameters"],
                ),
                max_retries=1,
                args_validator=_ANY,
            )
            for one in found
        }
        return self._tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> Any:
        """Call a tool; a refusal is an answer, too, which the model reads, and so is a failure."""
        del ctx, tool
        try:
            return (await self._client.tools.call(name, tool_args))["content"]
        except AshCallError as error:
            return f"{error} {error.hint}".strip()


def history_processor(
    client: AsyncClient, *, max_tokens: int = 1_000
) -> Callable[[list[ModelMessage]], Awaitable[list[ModelMessage]]]:
    """Return a processor that puts what is known before the person's newest message.

    If the daemon does not answer, the model is asked without memory, and a warning is logged.
    """

    async def add_memory(messages: list[ModelMessage]) -> list[ModelMessage]:
        place = next((n for n in reversed(range(len(messages))) if _asked(messages[n])), None)
        if place is None:
            return messages
        request = messages[place]
        assert isinstance(request, ModelRequest)
        if any(_is_memory(part) for part in request.parts):
            return messages
        try:
            found = await client.context.get(
                _asked(request), recent=_recent(messages[:place]), max_tokens=max_tokens
            )
        except AshCallError as error:
            log.warning("the prompt has no memory: %s", error)
            return messages
        older = [_without_memory(message) for message in messages]
        if any(section["name"] != "date" for section in found["sections"]):
            block = SystemPromptPart(content=found["text"], dynamic_ref=_MEMORY)
            older[place] = replace(request, parts=[block, *request.parts])
        return older

    return add_memory


def memory_in_prompt(client: AsyncClient, *, max_tokens: int = 1_000) -> ProcessHistory[Any]:
    """Return the processor as a capability of an agent."""
    return ProcessHistory(history_processor(client, max_tokens=max_tokens))


_RECENT: Final = 10
_MEMORY: Final = "ashd-memory"


def _is_memory(part: Any) -> bool:
    return isinstance(part, SystemPromptPart) and part.dynamic_ref == _MEMORY


def _without_memory(message: ModelMessage) -> ModelMessage:
    """Return a message of an earlier turn without what was known then."""
    if not isinstance(message, ModelRequest) or not any(map(_is_memory, message.parts)):
        return message
    return replace(message, parts=[part for part in message.parts if not _is_memory(part)])


def _recent(messages: Sequence[ModelMessage]) -> list[dict[str, str]]:
    """Return what was said last: it is in the prompt, and says what a short question is about."""
    said = []
    for message in messages[-_RECENT:]:
        if isinstance(message, ModelResponse):
            texts = [part.content for part in message.parts if isinstance(part, TextPart)]
            role, text = "assistant", "\n".join(texts).strip()
        else:
            role, text = "user", _asked(message)
        if text:
            said.append({"role": role, "content": text})
    return said


def _asked(message: ModelMessage) -> str:
    """Return what the person asks in a message; empty if nothing."""
    if not isinstance(message, ModelRequest):
        return ""
    parts = (part.content for part in message.parts if isinstance(part, UserPromptPart))
    texts = ([part] if isinstance(part, str) else [_text(one) for one in part] for part in parts)
    return "\n".join(text for some in texts for text in some if text).strip()


def _text(part: Any) -> str:
    """Return the text of a part of a message; empty if it is none."""
    text = part.content if isinstance(part, TextContent) else part
    return text if isinstance(text, str) else ""
