"""Background jobs that rewrite profiles, after so many new statements or on request."""

from functools import partial
from typing import Final

import msgspec

from ashd import config, errors
from ashd.access import quota
from ashd.access.actor import Call
from ashd.access.scope import Scope
from ashd.conversation import profile, profile_rebuild
from ashd.conversation.profile_rebuild import Answer, Draft
from ashd.jobs.queue import Queue
from ashd.jobs.work import Work, nothing
from ashd.providers import prompts, structured
from ashd.providers.llm import LanguageModel
from ashd.store import chats, jobs, profile_statements
from ashd.store.database import Database, Tx
from ashd.store.jobs import Job

KIND: Final = "update_profile"
_PROMPT_VERSION: Final = 1
_LEAST_TOKENS: Final = 8
"""Tokens of a short sentence."""


class RebuildParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters: the profile of the scope's user is rewritten."""


class RebuildResult(msgspec.Struct, frozen=True):
    """The job that writes the profile anew."""

    job_id: str


class ProfileJobs:
    """Queues and runs the jobs that write profiles."""

    def __init__(
        self, db: Database, queue: Queue, llm: LanguageModel | None, settings: config.Memory
    ) -> None:
        self._db = db
        self._queue = queue
        self._llm = llm
        self._threshold = settings.profile_regenerate_threshold
        self._max_tokens = settings.profile_max_tokens
        if llm is not None:
            queue.register(KIND, self)

    async def rebuild(self, call: Call, _params: RebuildParams) -> RebuildResult:
        """Rewrite the profile in the background from all that the user said of themselves.

        Raises:
            errors.LlmUnavailable: there is no language model.
            errors.InvalidParams: a group has no profile.
        """
        if self._llm is None:
            raise errors.LlmUnavailable(
                "There is no language model to write the profile.",
                "Name one in the section [llm] of config.toml; `ash profile set` needs none.",
                reason="not_configured",
            )

        def put(tx: Tx) -> Job:
            account = profile.require_user(call.enter(tx))
            call.record(tx)
            return _put(tx, account, whole=True)

        job = await self._db.write(put, scoped=True)
        self._queue.wake()
        return RebuildResult(job.uuid)

    def statements_stored(self, tx: Tx, account: int) -> None:
        """Queue the rewriting of a profile once there are enough new statements."""
        if self._llm is None:
            return
        person = chats.account_by_id(tx, account).person
        if profile_rebuild.waiting(tx, person) >= self._threshold:
            _put(tx, account, whole=False)

    def put_left_over(self, tx: Tx) -> None:
        """Queue a job for each profile that is due: there was no model, or accounts were joined."""
        for person, account in profile_statements.people(tx, self._threshold):
            if profile_rebuild.waiting(tx, person) >= self._threshold:
                _put(tx, account, whole=False)

    async def run(self, job: Job) -> Work:
        """Write a profile anew."""
        assert self._llm is not None, "no handler is registered without a model"
        account, whole = job.payload["account"], job.payload["whole"]
        made = await self._db.read(lambda tx: profile_rebuild.draft(tx, account, whole=whole))
        if made is None:
            return nothing("nothing new to take in")
        if made.budget(self._max_tokens) < _LEAST_TOKENS:
            return nothing("the user's own text leaves no room")
        system = prompts.load(KIND, _PROMPT_VERSION)
        asked = made.text(self._max_tokens)
        schema = structured.schema(Answer)
        written = await self._llm.ask_for(KIND, system, asked, schema, profile_rebuild.read)
        try:
            learned, orders = profile_rebuild.checked(written, made, self._max_tokens)
        except errors.ContentRefused as error:
            return nothing(f"refused: {error.message}")
        if not learned:
            return nothing(f"the language model wrote nothing{_refused(orders)}")
        refused = _refused(orders)
        return Work(partial(_store, made=made, learned=learned, refused=refused), scoped=True)


def _store(tx: Tx, *, made: Draft, learned: str, refused: str) -> str:
    version = profile_rebuild.store(tx, made, learned)
    return f"version {version} from {len(made.statements)} statements{refused}"


def _refused(orders: int) -> str:
    """Return the end of an outcome, with the number of sentences that were left out."""
    counted = f" ({orders})" if orders > 1 else ""
    return f"; refused: an instruction{counted}" if orders else ""


def _put(tx: Tx, account: int, *, whole: bool) -> Job:
    """Queue the job that writes the profile of a user, unless an equal one waits."""
    found = chats.account_by_id(tx, account)
    # One key a user, whichever of the user's accounts spoke.
    key = f"{KIND}/{min(chats.joined_accounts(tx, found.person))}"
    waiting = jobs.unstarted(tx, KIND, key)
    if waiting is not None and (waiting.payload["whole"] or not whole):
        return waiting
    scope = Scope(provider=found.provider, user_id=found.user_id)
    payload = {"account": account, "whole": whole}
    return jobs.put(tx, kind=KIND, key=key, owner=quota.owner_of(scope), payload=payload)
