"""Store turns: `conversation.ingest`, live a turn at a time or in bulk.

A message is stored once: it is recognised by its external id, or, if it has a date but no id, by
its date, speaker and words. Original dates and speakers are kept. A message that holds a secret is
left out and reported; the others are stored.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import anyio.to_thread
import msgspec

from ashd import errors, limits, token_estimate
from ashd.access import metadata, param_secrets, quota
from ashd.access.actor import Call
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean, one_line
from ashd.clock import SECOND
from ashd.conversation import echoed_context
from ashd.conversation.model import ConversationId
from ashd.ended_calls import while_wanted
from ashd.ids import Identifier
from ashd.memory.model import Short
from ashd.search import indexing
from ashd.search.current_embedder import CurrentEmbedder
from ashd.search.indexing import Piece
from ashd.store import chats, conversations, given_lines, passages, transcripts
from ashd.store.database import Database, Tx
from ashd.wire_times import When, micros

Content = Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)]


class TurnIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A turn: the user's message and the assistant's answer."""

    user: Content
    assistant: Content
    at: When | None = None
    external_id: Identifier | None = None


class MessageIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message; `user_id` is the account of its speaker."""

    role: Literal["user", "assistant", "system", "tool"] = "user"
    content: Content
    speaker: Short | None = None
    user_id: Identifier | None = None
    at: When | None = None
    external_id: Identifier | None = None
    metadata: dict[str, Any] | None = None


class IngestParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of `turns` and `messages`; `session_date` dates those without an `at`."""

    conversation_id: ConversationId
    turns: Annotated[list[TurnIn], msgspec.Meta(max_length=limits.MESSAGES_PER_CALL)] | None = None
    messages: (
        Annotated[list[MessageIn], msgspec.Meta(max_length=limits.MESSAGES_PER_CALL)] | None
    ) = None
    session_date: When | None = None
    title: Short | None = None
    """A title for a private conversation, by which pages and prompts name it."""
    skip_extraction: bool = False


class RefusedMessage(msgspec.Struct, frozen=True):
    """A message that was left out, by its place in the call, and why."""

    index: int
    kind: str
    message: str


class IngestResult(msgspec.Struct, frozen=True):
    """The counts of messages stored and already known, and the refused ones."""

    ingested: int
    duplicates: int
    refused: list[RefusedMessage]
    job_id: str | None


class Stored(NamedTuple):
    """Turns that were just stored, in the transaction that stores them."""

    conversation: str
    """Its id of the wire."""
    number: int
    """Its row number."""
    owner: str
    """The owner, by whose turn the job queue works (`quota.owner_of`)."""
    first_position: int
    last_position: int
    skips_model: bool
    """Whether the host wants no language model to read them (`skip_extraction`)."""
    is_import: bool
    """Whether they come from another system's file."""


class Follower(Protocol):
    """Work that follows from new turns: its job is stored in the same transaction."""

    def turns_stored(self, tx: Tx, stored: Stored) -> str | None:
        """Queue the work; return the id of the job that the host may follow, if any."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message, checked and cleaned."""

    role: str
    content: str
    pieces: tuple[Piece, ...]
    speaker: str | None
    user_id: str | None
    at: int | None
    external_id: str | None
    import_key: bytes | None
    metadata: str | None


class Ingest:
    """Stores turns."""

    def __init__(
        self,
        db: Database,
        embeddings: CurrentEmbedder,
        followers: Sequence[Follower] = (),
        wake: Callable[[], None] | None = None,
    ) -> None:
        """Calls `wake` once new turns and their jobs are on disk."""
        self._db = db
        self._embeddings = embeddings
        self._followers = followers
        self._wake = wake

    async def ingest(self, call: Call, params: IngestParams) -> IngestResult:
        """Store messages, with their dates and speakers; known ones are left out."""
        return await self._ingest(call, params, is_import=False)

    async def import_(self, call: Call, params: IngestParams) -> IngestResult:
        """Store messages of another system's file, without waiting for their vectors."""
        return await self._ingest(call, params, is_import=True)

    async def _ingest(self, call: Call, params: IngestParams, *, is_import: bool) -> IngestResult:
        given: frozenset[bytes] = frozenset()
        if back := echoed_context.lines_back(message.content for message in _messages(params)):
            given = await self._db.read(lambda tx: given_lines.known(tx, call.look(tx).chat, back))
        prepared, refused = await anyio.to_thread.run_sync(prepare, params, given)
        texts = [piece.text for message in prepared for piece in message.pieces]
        vectors = await self._embeddings.of_texts(call, [] if is_import else texts)

        def write(tx: Tx) -> IngestResult:
            duplicates, stored = _ingest(tx, call, params, prepared, vectors)
            stored = stored._replace(is_import=is_import) if stored else None
            put = [one.turns_stored(tx, stored) for one in self._followers] if stored else []
            job = next((job for job in put if job is not None), None)
            return IngestResult(len(prepared) - duplicates, duplicates, refused, job)

        result = await self._db.write(write, scoped=True)
        self._embeddings.wake()
        if self._wake is not None:
            self._wake()
        return result


def prepare(
    params: IngestParams, given: frozenset[bytes] = frozenset()
) -> tuple[list[Prepared], list[RefusedMessage]]:
    """Return the messages of a call in order, and those that are refused.

    Lines that memory had put into their prompts (`given`, by digest) are cut out.

    Raises:
        errors.InvalidParams: both or neither of `turns` and `messages`, or a time that is none.
        errors.TooLarge: more metadata than a message may have.
    """
    if (params.turns is None) == (params.messages is None):
        raise errors.InvalidParams(
            "Give exactly one of turns and messages.", "turns are pairs of user and assistant."
        )
    start = micros(params.session_date, "session_date")
    seen: dict[bytes, int] = {}
    made: list[Prepared] = []
    refused: list[RefusedMessage] = []
    for index, message in enumerate(while_wanted(_messages(params))):
        content = clean(message.content)
        if not content:
            continue
        try:
            require_no_secret(content, "content")
            param_secrets.check_name(message.speaker or "", "speaker")
            param_secrets.check_name(message.external_id or "", "external_id")
            told_of_it = metadata.encode(message.metadata)
        except errors.ContentRefused as error:
            refused.append(RefusedMessage(index, error.kind, error.message))
            continue
        at = micros(message.at, "at")
        if at is None and start is not None:
            # This keeps the order within a session that has only a date.
            at = start + index * SECOND
        speaker = one_line(message.speaker) if message.speaker else None
        key = None
        if message.external_id is None and at is not None:
            key = _import_key(message.role, speaker, content, at, seen)
        content = echoed_context.without(content, given, of_tool=message.role == "tool")
        if not content:
            continue
        # A host's instructions were not said by anybody: they are stored, but never found.
        pieces = () if message.role == "system" else indexing.read(content)
        made.append(
            Prepared(
                *(message.role, content, pieces, speaker, message.user_id),
                *(at, message.external_id, key, told_of_it),
            )
        )
    return made, refused


def _title(given: str | None) -> str | None:
    """Return a title on one line; None for one that is a secret, which does not stop the turns."""
    line = one_line(given or "")
    try:
        require_no_secret(line, "title")
    except errors.ContentRefused:
        return None
    return line or None


def _messages(params: IngestParams) -> list[MessageIn]:
    if params.messages is not None:
        return params.messages
    return [half for turn in params.turns or () for half in _halves(turn)]


def _halves(turn: TurnIn) -> tuple[MessageIn, MessageIn]:
    """Return a turn as two messages; both have its external id, with their role after it."""
    user, assistant = (
        f"{turn.external_id}/{role}" if turn.external_id else None for role in ("user", "assistant")
    )
    return (
        MessageIn(role="user", content=turn.user, at=turn.at, external_id=user),
        MessageIn(role="assistant", content=turn.assistant, at=turn.at, external_id=assistant),
    )


def _import_key(
    role: str, speaker: str | None, content: str, at: int, seen: dict[bytes, int]
) -> bytes:
    """Return the key that identifies a dated message; repetitions in a call have their own."""
    text = "\x1f".join((role, speaker or "", str(at), content))
    key = hashlib.blake2b(text.encode(), digest_size=16).digest()
    seen[key] = seen.get(key, 0) + 1
    return key + seen[key].to_bytes(4, "big")


def _ingest(
    tx: Tx,
    call: Call,
    params: IngestParams,
    prepared: list[Prepared],
    vectors: indexing.TextVectors,
) -> tuple[int, Stored | None]:
    """Store the new messages; return how many the caller had given before, and what was stored."""
    viewer = call.enter(tx)
    project = call.scope.told_in
    assert viewer.chat is not None
    conversation = conversations.ensure(
        tx,
        external_id=params.conversation_id,
        chat=viewer.chat,
        learned_type="group" if viewer.group else "private",
        owner=None if viewer.group else viewer.account,
        title=None if viewer.group else _title(params.title),
    )
    position = conversations.next_position(tx, conversation)
    own = chats.account_by_id(tx, viewer.account) if viewer.account is not None else None
    first = position
    again = []
    for message in prepared:
        known = conversations.known(tx, conversation, message.external_id, message.import_key)
        if known is not None:
            again.append(known)
            continue
        account = _account(tx, call, message, own)
        at = tx.now if message.at is None else message.at
        number = conversations.insert_message(
            tx,
            conversation=conversation,
            position=position,
            role=message.role,
            speaker=message.speaker or _name(message, account),
            account=account.id if account else None,
            content=message.content,
            said_at=at,
            external_id=message.external_id,
            import_key=message.import_key,
            token_count=token_estimate.estimate(message.content),
            names_speaker=bool(message.speaker),
            project=project.id if project else None,
            project_name=project.name if project else None,
            metadata=message.metadata,
        )
        position += 1
        indexing.index(
            tx,
            kind=passages.MESSAGE,
            item=number,
            chat=viewer.chat,
            pieces=message.pieces,
            names=[message.speaker] if message.speaker else [],
            at=at,
            vectors=vectors,
        )
    stored = None
    if position > first:
        call.record(tx)
        stored = Stored(
            conversation=transcripts.uuid_of(tx, conversation),
            number=conversation,
            owner=quota.owner_of(call.scope),
            first_position=first,
            last_position=position - 1,
            skips_model=params.skip_extraction,
            is_import=False,
        )
    # A known message that the caller may not see counts as stored, so that it is not revealed.
    seen = {one.id for one in conversations.by_ids(tx, viewer, again)}
    return sum(number in seen for number in again), stored


def _account(
    tx: Tx, call: Call, message: Prepared, own: chats.Account | None
) -> chats.Account | None:
    """Return the account that the host names as the speaker; None for an assistant's message."""
    if message.user_id is not None:
        return chats.account(tx, call.scope.provider, message.user_id)
    return own if message.role == "user" and message.speaker is None else None


def _name(message: Prepared, account: chats.Account | None) -> str | None:
    if account is None or message.role != "user":
        return None
    return account.display_name or account.username
