"""Conversations: list them, read their messages, delete them."""

from typing import Annotated

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.conversation import model
from ashd.conversation.model import ConversationId, ConversationView, MessageView
from ashd.conversation.summaries import view as summary_view
from ashd.ids import no_cursor
from ashd.store import conversations, passages, summaries
from ashd.store.conversations import Conversation
from ashd.store.database import Database, Tx
from ashd.store.erasure import texts, traces
from ashd.store.erasure.traces import TraceRemoval
from ashd.store.filters import ConversationFilter
from ashd.store.visibility import Viewer


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of conversations to list, and the cursor to start at."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 20
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class ListResult(msgspec.Struct, frozen=True):
    """Conversations, the latest first; `total` counts all pages."""

    conversations: list[ConversationView]
    next_cursor: str | None
    total: int


class GetParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last `limit` messages of a conversation, or those before the message index `before`.

    A conversation is named by the host's name for it, or by its `id`.
    """

    conversation_id: ConversationId
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.MESSAGES_PER_CALL)] = 50
    before: Annotated[int, msgspec.Meta(ge=0)] | None = None


class GetResult(msgspec.Struct, frozen=True):
    """A conversation and its messages in order; `before` is the index to continue from, if any."""

    conversation: ConversationView
    messages: list[MessageView]
    before: int | None


class DeleteParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The conversation to delete; `dry_run` counts and deletes nothing."""

    conversation_id: ConversationId
    dry_run: bool = False


class DeleteResult(msgspec.Struct, frozen=True):
    """The number of messages deleted."""

    deleted: int


class Conversations:
    """Shows conversations."""

    def __init__(self, db: Database, removal: TraceRemoval) -> None:
        self._db = db
        self._traces = removal

    async def list(self, call: Call, params: ListParams) -> ListResult:
        """List conversations, the latest first."""
        return await self._db.read(lambda tx: _list(tx, call, params))

    async def get(self, call: Call, params: GetParams) -> GetResult:
        """Show the messages of a conversation."""
        return await self._db.read(lambda tx: _get(tx, call, params))

    async def delete(self, call: Call, params: DeleteParams) -> DeleteResult:
        """Delete a conversation."""
        if params.dry_run:
            return await self._db.read(lambda tx: _deletable(tx, call, params))

        def delete(tx: Tx) -> DeleteResult:
            traces.note_left(tx)
            return _delete(tx, call, params)

        result = await self._db.write(delete, scoped=True)
        with self._traces.later_on_failure():
            await self._traces.remove()
        return result


def _list(tx: Tx, call: Call, params: ListParams) -> ListResult:
    viewer = call.look(tx)
    found = conversations.conversations(tx, viewer, ConversationFilter())
    first = _after(found, params.cursor) if params.cursor is not None else 0
    page = found[first : first + params.limit]
    more = first + len(page) < len(found)
    return ListResult(
        _views(tx, viewer, page),
        page[-1].uuid if page and more else None,
        len(found),
    )


def _views(tx: Tx, viewer: Viewer, found: list[Conversation]) -> list[ConversationView]:
    untitled = [entry.id for entry in found if entry.title is None]
    last = summaries.last_seen(tx, viewer, untitled)
    titles = {number: summary_view(one).title for number, one in last.items()}
    return [model.conversation(entry, entry.title or titles.get(entry.id)) for entry in found]


def _after(found: list[Conversation], cursor: str) -> int:
    """Return the index after the conversation of a cursor.

    Raises:
        errors.InvalidParams: none in the list has this id.
    """
    for place, entry in enumerate(found, 1):
        if entry.uuid == cursor:
            return place
    raise no_cursor()


def _get(tx: Tx, call: Call, params: GetParams) -> GetResult:
    viewer = call.look(tx)
    found = _find(tx, viewer, params.conversation_id)
    seen = conversations.counted(tx, viewer, [found.id])[found.id]
    end = len(seen) if params.before is None else min(params.before, len(seen))
    first = max(end - params.limit, 0)
    page = {entry.id: entry for entry in conversations.by_ids(tx, viewer, seen[first:end])}
    return GetResult(
        _views(tx, viewer, [found])[0],
        [model.message(page[seen[at]], at) for at in range(first, end)],
        first or None,
    )


def _delete(tx: Tx, call: Call, params: DeleteParams) -> DeleteResult:
    conversation, numbers = deletable(tx, call.look(tx), params.conversation_id)
    for number in numbers:
        conversations.touch(tx, number)
    texts.take_passages(tx, passages.MESSAGE, numbers, erase=True)
    conversations.delete(tx, conversation, numbers)
    call.record(tx)
    return DeleteResult(len(numbers))


def _deletable(tx: Tx, call: Call, params: DeleteParams) -> DeleteResult:
    _, numbers = deletable(tx, call.look(tx), params.conversation_id)
    return DeleteResult(len(numbers))


def deletable(tx: Tx, viewer: Viewer, conversation_id: str) -> tuple[int, list[int]]:
    """Return the named conversation and those of its messages that the caller may delete.

    A caller can neither delete nor count messages that it may not see.

    Raises:
        errors.NotFound: none that the viewer may see.
        errors.Denied: it is a group's, and this is not that group.
    """
    found = _find(tx, viewer, conversation_id)
    if found.learned_type == "group" and found.chat != viewer.chat and not viewer.everything:
        raise errors.Denied(
            "What a group said is taken away in that group only.", "Name the group's chat."
        )
    return found.id, conversations.counted(tx, viewer, [found.id])[found.id]


def _find(tx: Tx, viewer: Viewer, conversation_id: str) -> Conversation:
    """Return the conversation of this id or host's name; in private, one of another own chat too.

    The daemon's id comes first, so that no host's name for another conversation can shadow it.

    Raises:
        errors.NotFound: none that the viewer may see.
    """
    by_id = conversations.conversations(tx, viewer, ConversationFilter(id=conversation_id))
    if by_id:
        return by_id[0]
    found = conversations.conversations(tx, viewer, ConversationFilter(conversation_id))
    here = [entry for entry in found if entry.chat == viewer.chat]
    if not found:
        raise errors.NotFound("No such conversation.", "`ash conversation list` shows them.")
    return (here or found)[0]
