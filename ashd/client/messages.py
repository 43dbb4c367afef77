"""Shapes of messages, as an agent has them and as the daemon takes them, and of summaries."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, Protocol, TypedDict


class Message(TypedDict):
    """A message in the form that the daemon takes."""

    role: str
    content: str


class ChatMessage(Protocol):
    """A message as the client library of a model's API has it; its content may be in parts."""

    @property
    def role(self) -> str:
        """The part of its speaker: user, assistant, system, tool."""

    @property
    def content(self) -> Any:
        """A text; or a list of parts, some of them text; or None."""


AnyMessage = Mapping[str, Any] | ChatMessage
"""A message as the prompt has it; the client makes a `Message` or `NewMessage` of it."""


class NewMessage(Message):
    """A message to store, with who said it and when."""

    speaker: NotRequired[str]
    user_id: NotRequired[str]
    at: NotRequired[str]
    external_id: NotRequired[str]


Text = str | Sequence[Any] | None
"""The content of a message as models' APIs have it: a text, a list of parts, or None."""


class Turn(TypedDict):
    """One exchange of a conversation."""

    user: Text
    assistant: Text
    at: NotRequired[str]
    external_id: NotRequired[str]


class KeyDate(TypedDict):
    """A date that was spoken of, and its event."""

    date: str
    what: str


class StoredMessage(TypedDict):
    """A message of a conversation; `index` counts from 0."""

    id: str
    external_id: str | None
    conversation_id: str
    index: int
    role: str
    speaker: str | None
    content: str
    at: str
    token_count: int


class Summary(TypedDict):
    """A summary of what was said in a conversation from `began_at` to `at`."""

    id: str
    conversation_id: str
    began_at: str
    at: str
    messages: int
    overall: str
    topics: list[str]
    decisions: list[str]
    key_dates: list[KeyDate]
    action_items: list[str]
