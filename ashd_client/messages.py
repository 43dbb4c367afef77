"""Messages as an agent has them; the clients make of them what the daemon takes."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ChatMessage(Protocol):
    """A message as the client library of a model's API has it; its content may be in parts."""

    @property
    def role(self) -> str:
        """The part of its speaker: user, assistant, system, tool."""

    @property
    def content(self) -> Any:
        """A text; or a list of parts, some of them text; or None."""


AnyMessage = Mapping[str, Any] | ChatMessage
"""A message as the prompt has it."""

Text = str | Sequence[Any] | None
"""The content of a message as models' APIs have it: a text, a list of parts, or None."""
