"""Messages and conversations as the wire shows them."""

from typing import Any

import msgspec

from ashd.clock import to_text
from ashd.ids import Identifier
from ashd.store.conversations import Conversation, Message

ConversationId = Identifier
"""The host's name for a conversation, within the scope."""


class MessageView(msgspec.Struct, frozen=True):
    """A message; `index` is its place among those that the reader may see, from 0."""

    id: str
    external_id: str | None
    conversation_id: str
    index: int
    role: str
    speaker: str | None
    content: str
    at: str
    token_count: int
    metadata: dict[str, Any] | None


class ConversationView(msgspec.Struct, frozen=True):
    """A conversation: its chat, the number of messages the reader may see, and their times."""

    id: str
    conversation_id: str
    provider: str
    owner_user_id: str | None
    chat_id: str | None
    title: str | None
    """The title given to it, else the first topic of its last summary."""
    messages: int
    first_at: str | None
    last_at: str | None


def message(found: Message, index: int) -> MessageView:
    """Return the message as the wire shows it, with the reader's index."""
    return MessageView(
        id=found.uuid,
        external_id=found.external_id,
        conversation_id=found.conversation_id,
        index=index,
        role=found.role,
        speaker=found.speaker,
        content=found.content,
        at=to_text(found.said_at) or "",
        token_count=found.token_count,
        metadata=msgspec.json.decode(found.metadata) if found.metadata else None,
    )


def conversation(found: Conversation, title: str | None) -> ConversationView:
    """Return the conversation as the wire shows it."""
    return ConversationView(
        id=found.uuid,
        conversation_id=found.external_id,
        provider=found.provider,
        owner_user_id=found.user_id,
        chat_id=found.group,
        title=title,
        messages=found.messages,
        first_at=to_text(found.first_at),
        last_at=to_text(found.last_at),
    )
