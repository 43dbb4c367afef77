"""Participation in groups, as intervals: `chat.join`, `chat.leave`, `chat.list`.

Intervals, because the disclosure policy depends on who was present when something was said. The
host states participation with each call (`scope.participants`) or, as an operator, here, also for
the past.
"""

from typing import Annotated, Literal

import msgspec

from ashd import errors, limits
from ashd.access import scope
from ashd.access.actor import Call
from ashd.access.scope import Name
from ashd.clock import to_text
from ashd.ids import row_of_cursor
from ashd.store import accounts, chats
from ashd.store.chats import Account, Chat
from ashd.store.database import Database, Tx
from ashd.wire_times import When, micros


class ChatNamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chat, by its provider's id."""

    provider: Name
    chat_id: Name
    chat_type: Literal["private", "group"]


class AccountNamed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An account, by its provider's id."""

    provider: Name
    user_id: Name


class ListParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The chat whose participants to list; without one, the chats, page by page."""

    chat: ChatNamed | None = None
    limit: Annotated[int, msgspec.Meta(ge=1, le=limits.RESULTS_PER_CALL)] = 50
    cursor: Annotated[str, msgspec.Meta(max_length=limits.CURSOR_CHARS)] | None = None


class TakesPartParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The account, the chat and the time of the change: now by default, and never in the future."""

    chat: ChatNamed
    account: AccountNamed
    at: When | None = None


class ParticipantView(msgspec.Struct, frozen=True):
    """An interval in which an account took part; `left_at` is null while it lasts."""

    provider: str
    user_id: str
    username: str | None
    display_name: str | None
    joined_at: str
    left_at: str | None


class ParticipantsResult(msgspec.Struct, frozen=True):
    """Everybody's intervals, oldest first."""

    participants: list[ParticipantView]


class ChatView(msgspec.Struct, frozen=True):
    """A chat with its counts; a private chat is that of the account `user_id`.

    `participants` take part now; `memories` are active and were learned in the chat.
    """

    provider: str
    chat_type: str
    chat_id: str | None
    user_id: str | None
    participants: int
    memories: int
    conversations: int


class ListResult(ParticipantsResult, frozen=True):
    """The intervals of all participants of the named chat; without one, chats, oldest first."""

    chats: list[ChatView]
    next_cursor: str | None


class Participation:
    """Records and lists participation."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def join(self, call: Call, params: TakesPartParams) -> ParticipantsResult:
        """Record that an account takes part in a group, now or since an earlier time.

        Raises:
            errors.InvalidParams: a private chat, another provider's account, a time to come.
        """
        return await self._db.write(lambda tx: _join(tx, call, params), scoped=True)

    async def leave(self, call: Call, params: TakesPartParams) -> ParticipantsResult:
        """Record that an account has left a group.

        Raises:
            errors.NotFound: no such chat, or the account was never in it.
            errors.InvalidParams: as for `join`.
        """
        return await self._db.write(lambda tx: _leave(tx, call, params), scoped=True)

    async def list(self, params: ListParams) -> ListResult:
        """List present and former participants of a chat; without `chat`, list the chats.

        Raises:
            errors.NotFound: no such chat.
            errors.InvalidParams: the cursor is none.
        """
        return await self._db.read(lambda tx: _list(tx, params))


def _list(tx: Tx, params: ListParams) -> ListResult:
    if params.chat is not None:
        return ListResult(_view(tx, _chat(tx, params.chat)).participants, [], None)
    after = 0 if params.cursor is None else row_of_cursor(params.cursor)
    rows = accounts.counted_chats(tx, after, params.limit + 1)
    shown = rows[: params.limit]
    return ListResult(
        [],
        [ChatView(*row[1:]) for row in shown],
        str(shown[-1].id) if len(rows) > params.limit else None,
    )


def _join(tx: Tx, call: Call, params: TakesPartParams) -> ParticipantsResult:
    at = _checked(tx, params)
    named = params.chat
    chat = chats.ensure_group(tx, named.provider, named.chat_id)
    account = scope.account_of(tx, params.account.provider, params.account.user_id)
    if chats.join(tx, chat.id, account.id, at):
        call.record(tx)
    return _view(tx, chat)


def _leave(tx: Tx, call: Call, params: TakesPartParams) -> ParticipantsResult:
    at = _checked(tx, params)
    chat = _chat(tx, params.chat)
    account = chats.account(tx, params.account.provider, params.account.user_id)
    if account is not None and chats.leave(tx, chat.id, account.id, at):
        call.record(tx)
    elif account is None or not _had_joined(tx, chat, account, at):
        raise errors.NotFound(
            "The account does not take part in this group then.",
            "`ash participant list` shows who does, and since when.",
        )
    return _view(tx, chat)


def _had_joined(tx: Tx, chat: Chat, account: Account, at: int) -> bool:
    """Return whether the account was in the chat before: a host may report twice that it left."""
    stays = chats.stays(tx, {chat.id}, (account.id,))
    return any(stay.joined_at <= at for stay in stays)


def _checked(tx: Tx, params: TakesPartParams) -> int:
    """Return the time of the change, checked."""
    if params.chat.chat_type != "group":
        raise errors.InvalidParams(
            "Nobody joins or leaves a private chat.", "It has its user; name a group."
        )
    if params.account.provider != params.chat.provider:
        raise errors.InvalidParams(
            "The account is of another provider than the chat.",
            "Name the account that takes part; `person.link_account` joins a person's accounts.",
        )
    given = micros(params.at, "at")
    at = tx.now if given is None else given
    if at > tx.now:
        raise errors.InvalidParams("at lies ahead.", "Tell it when it has happened.")
    return at


def _chat(tx: Tx, named: ChatNamed) -> Chat:
    is_group = named.chat_type == "group"
    chat = chats.group(tx, named.provider, named.chat_id) if is_group else None
    if chat is None:
        raise errors.NotFound("No such group.", "`ash participant join` makes one.")
    return chat


def _view(tx: Tx, chat: Chat) -> ParticipantsResult:
    views = []
    for stay in chats.stays_in(tx, chat.id):
        account = chats.account_by_id(tx, stay.account)
        views.append(
            ParticipantView(
                provider=account.provider,
                user_id=account.user_id,
                username=account.username,
                display_name=account.display_name,
                joined_at=to_text(stay.joined_at) or "",
                left_at=to_text(stay.left_at),
            )
        )
    return ParticipantsResult(views)
