"""Background jobs that summarise conversations: one for each conversation that pauses.

A conversation is due a while after its last turn, at once when its owner goes on elsewhere, and
after a start if something was left over. `build` decides whether there is a language model: without
one no job is queued.
"""

from contextlib import AsyncExitStack
from functools import partial
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from ashd import config, errors, log
from ashd.access import quota
from ashd.access.actor import Call
from ashd.access.scope import Scope
from ashd.clock import DAY, FOREVER, SECOND
from ashd.conversation import summarise, summary_evidence, summary_reading, summary_text
from ashd.conversation.ingest import Stored
from ashd.conversation.model import ConversationId
from ashd.conversation.read import deletable
from ashd.conversation.summarise import STRETCH_TOKENS, Draft
from ashd.conversation.summary_evidence import Said
from ashd.conversation.summary_text import SummaryText
from ashd.jobs.queue import Queue
from ashd.jobs.work import Work, nothing
from ashd.providers import prompts, structured
from ashd.providers.llm import LanguageModel
from ashd.providers.structured import Fault, Written
from ashd.search.current_embedder import CurrentEmbedder
from ashd.store import jobs, summaries, transcripts
from ashd.store.database import Database, Tx
from ashd.store.jobs import Job

KIND: Final = "summarise"
_PROMPT_VERSION: Final = 2
_LEFT_OVER: Final = 1_000
"""Largest number of conversations queued at a start; the others follow at the next."""
_LEFT_OVER_DAYS: Final = 180
_REMOVED_AT_ONCE: Final = 100
_CLEANING_SECONDS: Final = 3600.0


class RebuildParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The conversation to summarise anew."""

    conversation_id: ConversationId


class RebuildResult(msgspec.Struct, frozen=True):
    """The number of summaries that were removed, and the job that writes new ones."""

    removed: int
    job_id: str


class Summarising:
    """Queues and runs the jobs that summarise conversations."""

    def __init__(
        self,
        db: Database,
        queue: Queue,
        embeddings: CurrentEmbedder,
        llm: LanguageModel | None,
        settings: config.Memory,
    ) -> None:
        self._db = db
        self._queue = queue
        self._embeddings = embeddings
        self._llm = llm
        self._debounce = settings.summary_debounce_s * SECOND
        self._keep_for = settings.summary_retention_days * DAY
        if llm is not None:
            queue.register(KIND, self)

    def turns_stored(self, tx: Tx, stored: Stored) -> None:
        """Queue a conversation for when it pauses, and its owner's other conversations now."""
        if stored.skips_model or stored.is_import:  # old ones are no current activity
            first, last = stored.first_position, stored.last_position
            transcripts.skip_summary(tx, stored.number, first, last)
            return
        if self._llm is None:
            return
        key = _key(stored.conversation)
        jobs.hasten_others(tx, kind=KIND, owner=stored.owner, key=key)
        _put(tx, stored.conversation, stored.owner, tx.now + self._debounce)

    async def rebuild(self, call: Call, params: RebuildParams) -> RebuildResult:
        """Remove a conversation's summaries, and summarise it anew in the background.

        Raises:
            errors.LlmUnavailable: there is no language model.
            errors.NotFound: no such conversation that the caller may see.
            errors.Denied: it is a group's, and this is not that group.
        """
        if self._llm is None:
            raise errors.LlmUnavailable(
                "There is no language model to summarise it.",
                "Name one in the section [llm] of config.toml.",
                reason="not_configured",
            )
        result = await self._db.write(lambda tx: _rebuild(tx, call, params), scoped=True)
        self._queue.wake()
        return result

    async def run(self, job: Job) -> Work:
        """Summarise the next stretch of a conversation."""
        if self._llm is None:
            raise errors.LlmUnavailable("There is no language model.", reason="unreachable")
        conversation = job.payload["conversation"]
        system = prompts.load(KIND, _PROMPT_VERSION)
        schema = structured.schema(SummaryText)
        room = await self._llm.room(KIND, system, schema)
        most = min(room or STRETCH_TOKENS, STRETCH_TOKENS)
        made = await self._db.read(lambda tx: summarise.draft(tx, conversation, most))
        if made is None:
            return nothing("nothing to summarise")
        shown = made.text(most)
        answer = await self._llm.ask_for(KIND, system, shown, schema, partial(_read, shown=shown))
        refused = None
        try:
            answer = summary_text.checked(answer)
        except errors.ContentRefused as error:
            refused = f"refused: {error.message}"
        if refused or not summary_text.says_something(answer):
            return Work(partial(self._pass_over, job=job, made=made, why=refused), scoped=True)
        pieces = await anyio.to_thread.run_sync(summarise.pieces_of, answer)

        def store(tx: Tx) -> str:
            more = summarise.store(tx, made, answer, pieces, keep_for=self._keep_for)
            self._go_on(tx, job, more=more)
            return f"summarised {len(made.turns)} messages"

        after = AsyncExitStack()
        after.callback(self._embeddings.wake)
        return Work(store, scoped=True, held=after)

    def _pass_over(self, tx: Tx, *, job: Job, made: Draft, why: str | None) -> str:
        """Note that a stretch gets no summary."""
        more = summarise.store(tx, made, None, (), keep_for=self._keep_for)
        self._go_on(tx, job, more=more)
        return why or "nothing worth a summary"

    def _go_on(self, tx: Tx, job: Job, *, more: bool) -> None:
        if more:
            _put(tx, job.payload["conversation"], job.owner, tx.now)


def _read(written: Written, *, shown: str) -> SummaryText:
    """Return a summary with its evidence.

    Raises:
        Fault: it is none, or nobody spoke of what it names.
    """
    answer = summary_reading.read(written.text)
    founded = summary_evidence.checked(answer, Said.of(shown))
    if founded is None:
        raise Fault("it names people, numbers or things that are not in the turns")
    return founded


class Retention:
    """Removes summaries that are older than the retention period."""

    def __init__(self, db: Database, settings: config.Memory) -> None:
        self._db = db
        self._keep_for = settings.summary_retention_days * DAY

    async def run(self) -> None:
        """Work for as long as the daemon runs."""
        await self._db.write(lambda tx: summaries.keep_for(tx, self._keep_for, FOREVER))
        while True:
            try:
                while await self._db.write(_remove_ended, scoped=True):
                    pass
            except errors.StorageError as error:
                log.warning("summaries_wait", kind=error.kind, reason=error.message)
            await anyio.sleep(_CLEANING_SECONDS)


def _remove_ended(tx: Tx) -> int:
    """Remove some summaries that are over; none by a clock in doubt."""
    return 0 if tx.clock_in_doubt else summaries.remove_ended(tx, _REMOVED_AT_ONCE)


def _key(conversation: str) -> str:
    return f"{KIND}/{conversation}"


def _rebuild(tx: Tx, call: Call, params: RebuildParams) -> RebuildResult:
    conversation, messages = deletable(tx, call.look(tx), params.conversation_id)
    removed = summaries.remove_covering(tx, messages)
    transcripts.unsummarised(tx, conversation, 0)
    call.record(tx)
    uuid = transcripts.uuid_of(tx, conversation)
    job = _put(tx, uuid, quota.owner_of(call.scope), tx.now)
    return RebuildResult(removed, job.uuid)


def _put(tx: Tx, conversation: str, owner: str, at: int) -> Job:
    """Queue a conversation, or delay the job of it that waits."""
    key, payload = _key(conversation), {"conversation": conversation}
    waiting = jobs.unstarted(tx, KIND, key)
    if waiting is None:
        return jobs.put(tx, kind=KIND, key=key, owner=owner, payload=payload, not_before=at)
    jobs.amend(tx, waiting, payload=payload, not_before=at)
    return waiting


def put_left_over(tx: Tx) -> None:
    """Queue a job for each conversation that the last run of the daemon left without one."""
    since = tx.now - _LEFT_OVER_DAYS * DAY
    for left in transcripts.left_over(tx, since, _LEFT_OVER):
        if jobs.unstarted(tx, KIND, _key(left.conversation)) is None:
            scope = Scope(provider=left.provider, user_id=left.user_id, chat_id=left.chat_id)
            _put(tx, left.conversation, quota.owner_of(scope), tx.now)
