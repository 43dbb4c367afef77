"""Calls that are repeated with their idempotency key have no second effect and the same answer.

One place for every method that changes something: the reply is stored in the transaction that makes
the change, so that a crash leaves both or neither. A method that takes many transactions stores its
progress with the key (`ops.resumable`), or what it does is as if done once when it is done again.
`memory.add` and other methods that store facts have keys of their own, since their replies are read
anew from what is stored.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import msgspec

from ashd import errors, limits
from ashd.access import param_secrets
from ashd.access.actor import Call
from ashd.clock import SECOND
from ashd.ids import IdempotencyKey
from ashd.rpc import bare_reply
from ashd.rpc.table import Method
from ashd.store import replies
from ashd.store.database import WRAPPER, Database
from ashd.store.replies import Stored
from ashd.store.transaction import Tx

_PARAM: Final = "idempotency_key"
_WITHOUT_DATABASE: Final = frozenset({"db.check"})
"""Methods that answer while the database cannot be read; done twice, they do nothing more."""
_MOST_CHARS: Final = 262_144
"""A longer reply is not stored; the call still has no second effect."""


class _Repeated(Exception):
    """The same call was made at the same time, and was first."""


def takes_key(method: Method) -> bool:
    """Return whether repeated calls of the method are answered here."""
    return method.changes and _PARAM not in method.params.__struct_fields__


def key_of(params: dict[str, Any]) -> str | None:
    """Return the key in the params of a call.

    Raises:
        errors.InvalidParams: it is none.
        errors.ContentRefused: it holds a secret.
    """
    if params.get(_PARAM) is None:
        return None
    try:
        key: str = msgspec.convert(params[_PARAM], IdempotencyKey)
    except msgspec.ValidationError as error:
        raise errors.InvalidParams(
            f"{_PARAM} must be a text of 1 to {limits.KEY_CHARS} characters.",
            "Give each call a random one, and the same one when you repeat it.",
        ) from error
    param_secrets.check_name(key, _PARAM)
    return key


async def once(
    db: Database, call: Call, method: Method, key: str, run: Callable[[], Awaitable[Any]]
) -> Any:
    """Run a call, or return the answer of its first run.

    Raises:
        errors.Conflict: the key was used for another call, or the answer is not stored any more.
    """
    keeper = _Keeper(call, method, key)
    try:
        earlier = await db.read(keeper.earlier)
    except errors.StorageError:
        if method.name not in _WITHOUT_DATABASE:
            raise
        return await run()
    if earlier is not None:
        return await _acknowledged(db, keeper.answer(earlier))
    token, first = WRAPPER.set(keeper.wrap), None
    try:
        result = await run()
    except _Repeated:
        first = await db.read(keeper.earlier)
        assert first is not None
    finally:
        WRAPPER.reset(token)
    if first is not None:
        return await _acknowledged(db, keeper.answer(first))
    if not keeper.is_kept:
        with suppress(errors.StorageError):  # it took effect: an export to another disk, for one
            await db.write(lambda tx: keeper.keep(tx, result), quiet=True)
    return result


async def _acknowledged(db: Database, answer: Any) -> Any:
    """Return an answer that was read, once a standby has it as well: a commit waits for that."""
    if db.is_shared:
        await db.write(lambda _: None, scoped=True)
    return answer


class _Keeper:
    """Stores the reply to one call."""

    def __init__(self, call: Call, method: Method, key: str) -> None:
        self._call = call
        self._method = method
        self._key = key
        self.is_kept = False

    def earlier(self, tx: Tx) -> Stored | None:
        """Return the earlier call with the key, if it is finished.

        Raises:
            errors.Conflict: another call with the key is not.
        """
        oldest = tx.before(limits.IDEMPOTENCY_SECONDS * SECOND)
        if replies.has_unfinished(tx, self._call.key_space, self._key, self._call.digest):
            raise _other_params()
        return replies.find(tx, self._call.key_space, self._key, oldest)

    def answer(self, earlier: Stored) -> Any:
        """Return the earlier reply, as far as it is stored, if the call has the same params."""
        if earlier.digest != self._call.digest:
            raise _other_params()
        reply = earlier.reply or earlier.bare
        if reply is None:
            raise errors.Conflict(
                "The call with this idempotency_key took effect; its answer is not stored.",
                "Look at what there is now; a new key makes a new call.",
            )
        return msgspec.json.decode(reply)

    def wrap(self, work: Callable[[Tx], Any]) -> Callable[[Tx], Any]:
        """Wrap the work of a transaction so that its result is stored as the reply."""

        def kept(tx: Tx) -> Any:
            if not self.is_kept and self.earlier(tx) is not None:
                raise _Repeated
            result = work(tx)
            if isinstance(result, self._method.result):
                self.keep(tx, result)
            return result

        return kept

    def keep(self, tx: Tx, result: Any) -> None:
        """Store the reply, unless it shows a token, which is stored nowhere."""
        stored = Stored(self._call.digest, None, None)
        text = msgspec.json.encode(result).decode()
        if not getattr(result, "token", None) and len(text) <= _MOST_CHARS:
            without = bare_reply.bare(result)
            if without == msgspec.to_builtins(result):
                stored = stored._replace(bare=text)
            else:
                without[bare_reply.MARK] = True
                stored = stored._replace(reply=text, bare=msgspec.json.encode(without).decode())
        replies.keep(tx, self._call.key_space, self._key, stored)
        self.is_kept = True


def _other_params() -> errors.Conflict:
    return errors.Conflict(
        "This idempotency_key was used with other params.", "Use a new key for a new call."
    )
