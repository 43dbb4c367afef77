"""`memory.extract`: a job extracts facts from messages that a caller hands over."""

from typing import Annotated, Any, Final, Literal

import anyio
import msgspec

from ashd import errors, limits
from ashd.access import param_secrets, quota
from ashd.access.actor import Call
from ashd.access.quota import Cost
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import clean, one_line
from ashd.clock import SECOND
from ashd.conversation import echoed_context
from ashd.conversation.extraction_jobs import KIND, MOST_CHARS
from ashd.ended_calls import while_wanted
from ashd.extraction.extract import Extraction
from ashd.extraction.handed import Handed, Message
from ashd.ids import IdempotencyKey, Identifier
from ashd.jobs.queue import Queue
from ashd.memory.add_result import Added
from ashd.memory.model import Content, Short
from ashd.store import given_lines, jobs, meta
from ashd.store.database import Database, Tx
from ashd.store.jobs import Job
from ashd.wire_times import When, micros

_NONE: Final = "There is no language model, so nothing can be extracted."
_ANSWER_SECONDS: Final = limits.ANSWER_SECONDS
_BY_A_RULE: Final = (
    "The model answered, and a rule of the daemon refused its facts: asking again would not help."
)
_ASKED_AGAIN: Final = "It is tried again in a minute by itself: `jobs.get` says how that ended."
_SET_ASIDE: Final = "`ash jobs retry` reads the messages again, with a better model."


class MessageParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message; if it names no speaker, the caller or the assistant said it, by its `role`."""

    role: Literal["user", "assistant"] = "user"
    content: Content
    user_id: Identifier | None = None
    username: Short | None = None
    display_name: Short | None = None
    at: When | None = None


class ExtractParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The messages to extract facts from; with `wait` the facts are returned if that is quick."""

    messages: Annotated[
        list[MessageParams], msgspec.Meta(min_length=1, max_length=limits.MESSAGES_PER_EXTRACTION)
    ]
    wait: bool = False
    idempotency_key: IdempotencyKey | None = None

    def cost(self) -> Cost:
        """Each message is a write: it yields a fact or two."""
        return Cost(len(self.messages), len(msgspec.json.encode(self.messages)))


class ExtractResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The job that reads them; `memories` if the caller waited and it is done."""

    job_id: str
    memories: list[Added] | msgspec.UnsetType = msgspec.UNSET


class ExtractMemory:
    """Takes messages to extract facts from."""

    def __init__(self, db: Database, queue: Queue, extraction: Extraction | None) -> None:
        self._db = db
        self._queue = queue
        self._extraction = extraction

    async def extract(self, call: Call, params: ExtractParams) -> ExtractResult:
        """Extract facts from messages with the language model; `wait` returns what it found.

        Raises:
            errors.LlmUnavailable: there is no language model, or (with `wait`) it did not answer.
            errors.MalformedAnswer: with `wait`: no answer was usable, or every fact was refused.
            errors.NotFound: they were erased before they were read.
            errors.ContentRefused: a message holds a secret.
            errors.TooLarge: more text than is read at once.
        """
        if self._extraction is None:
            raise errors.LlmUnavailable(_NONE, reason="not_configured")
        messages = await self._db.compute(_read, params)
        job = await self._db.write(lambda tx: _put(tx, call, params, messages), scoped=True)
        self._queue.wake()
        if not params.wait:
            return ExtractResult(job.uuid)
        seconds = anyio.current_effective_deadline() - anyio.current_time() - _ANSWER_SECONDS
        ended = await self._queue.attempted(job, seconds)
        if ended is None:
            raise _erased()
        stored = self._extraction.found(ended.id)
        if ended.state == "done" or stored:
            return ExtractResult(job.uuid, stored)
        if ended.is_over or ended.failures:
            raise _fruitless(ended)
        if reason := ended.error or self._queue.stopped:
            raise errors.LlmUnavailable(
                f"{reason}.",
                "The job waits in the queue: `ash jobs list` shows it.",
                reason="unreachable",
            )
        return ExtractResult(job.uuid)


def _fruitless(failed: Job) -> errors.MalformedAnswer:
    """Return the error for a job that got nothing; if a rule ended it, no attempt has failed."""
    message = f"{failed.error}."
    if not failed.is_over:
        return errors.MalformedAnswer(message, _ASKED_AGAIN)
    if failed.failures:
        return errors.MalformedAnswer(message, _SET_ASIDE)
    return errors.MalformedAnswer(message, _BY_A_RULE, retryable=False)


def _erased() -> errors.NotFound:
    return errors.NotFound(
        "What this call handed over was erased.", "Use a new idempotency_key to hand it over again."
    )


def _read(params: ExtractParams) -> list[MessageParams]:
    """Return the messages, cleaned; for a thread."""
    read = []
    for message in while_wanted(params.messages):
        content = clean(message.content)
        require_no_secret(content, "content")
        for field in ("user_id", "username", "display_name"):
            param_secrets.check_name(getattr(message, field) or "", field)
        if content:
            read.append(msgspec.structs.replace(message, content=content))
    if not read:
        raise errors.InvalidParams("The messages are empty.", "Give at least one with words.")
    if sum(len(message.content) for message in read) > MOST_CHARS:
        raise errors.TooLarge(
            f"The messages have more than {MOST_CHARS:,} characters.", "Send them in parts."
        )
    return read


def _put(tx: Tx, call: Call, params: ExtractParams, messages: list[MessageParams]) -> Job:
    """Queue the job, or find the one of an earlier call with the same key."""
    oldest = tx.before(limits.IDEMPOTENCY_SECONDS * SECOND)
    key = params.idempotency_key
    if key is not None and (answered := meta.answer(tx, call.key_space, key, oldest)) is not None:
        digest, number = answered
        if digest != call.digest:
            raise errors.Conflict(
                "This idempotency_key was used with other params.", "Use a new key for a new call."
            )
        job = jobs.find(tx, int(number))
        if job is None:
            raise _erased()
        return job
    viewer = call.enter(tx)
    handed = Handed(
        messages=_waiting(tx, viewer.chat, messages),
        scope=call.scope,
        actor=call.actor.kind,
        grant_id=call.actor.grant_id,
        rights=sorted(call.actor.rights),
        spoken_by=(call.turn.user_id, call.session_id, call.message_id) if call.turn else None,
    )
    owner = quota.owner_of(call.scope)
    payload: dict[str, Any] = msgspec.to_builtins(handed)
    job = jobs.put(
        *(tx,),
        kind=KIND,
        key=f"memory.extract/{owner}",
        owner=owner,
        payload=payload,
        grant_id=call.actor.grant_id,
    )
    call.record(tx)
    if key is not None:
        meta.keep_answer(tx, call.key_space, key, call.digest, str(job.id), oldest)
    return job


def _waiting(tx: Tx, chat: int | None, messages: list[MessageParams]) -> list[Message]:
    """Return the messages for the queue, without lines that memory put into their prompts (E9)."""
    given = given_lines.known(tx, chat, echoed_context.lines_back(one.content for one in messages))
    made = []
    for message in messages:
        at = micros(message.at, "at")
        content = echoed_context.without(message.content, given)
        if content:
            made.append(
                Message(
                    role=message.role,
                    content=content,
                    user_id=message.user_id,
                    handle=one_line(message.username) if message.username else None,
                    name=one_line(message.display_name) if message.display_name else None,
                    at=tx.now if at is None else at,
                )
            )
    return made
