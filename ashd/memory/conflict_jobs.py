"""A language model's verdict where the rule is unsure: a job for new memories (A11).

The rule stores both and links them; the job asks what the newer one does to the older ones. Some
memories that are stored together, as those of a conversation are, share a job and a question. The
model is bound by the same guards as a caller who confirms: it replaces nobody's own word, nothing
stricter, and nothing that another member of a group said.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from ashd.access import quota
from ashd.access.text_cleaning import one_line
from ashd.clock import from_micros
from ashd.jobs.work import Work, nothing
from ashd.memory import protection, status_changes, verdict_reading
from ashd.memory.late_judging import active, confirmer, viewer_of
from ashd.memory.supersede import Newer, may_confirm
from ashd.memory.verdict_reading import Answer, Word
from ashd.providers import prompts, structured
from ashd.store import audit, jobs, memories, memory_events, memory_links
from ashd.store.database import Database, Tx
from ashd.store.jobs import Job
from ashd.store.memories import Record

KIND: Final = "judge_conflicts"
_PROMPT_VERSION: Final = 2
_MOST: Final = 5
_MOST_AT_ONCE: Final = 5
_REASON: Final = "language_model"
_MARKED: Final = 0.99
"""The likelihood that is stored if a model asserts a replacement that it may not make."""


class _Question(NamedTuple):
    newer: Record
    older: list[Record]


def put(tx: Tx, record: Record, *, since: int | None = None) -> str | None:
    """Queue the judging of a memory's conflicts with earlier ones; return the job's id.

    It shares a job with memories of this transaction, or with all that were stored since a time.
    """
    if not memory_links.older_than(tx, record.id):
        return None
    owner = quota.owner_key(record.provider or "", record.owner_user_id, record.chat_id)
    key = f"{KIND}/{owner}"
    last = jobs.unstarted(tx, KIND, key)
    begun = tx.now if since is None else since
    if last is not None and last.created_at >= begun and last.grant_id == record.grant_id:
        together = [*last.payload["memories"], record.id]
        if len(together) <= _MOST_AT_ONCE:
            jobs.amend(tx, last, payload={"memories": together}, not_before=last.not_before)
            return last.uuid
    payload = {"memories": [record.id]}
    grant = record.grant_id
    return jobs.put(tx, kind=KIND, key=key, owner=owner, payload=payload, grant_id=grant).uuid


class JudgeConflicts:
    """Runs these jobs."""

    def __init__(self, db: Database, model: structured.Asks, *, may_replace: bool = True) -> None:
        """Without `may_replace` a memory that the model finds replaced is only marked."""
        self._db = db
        self._model = model
        self._may_replace = may_replace

    async def run(self, job: Job) -> Work:
        """Ask the model whether memories replace earlier ones, and apply its verdicts.

        Raises:
            errors.LlmUnavailable: the language model gave no usable answer.
        """
        questions = await self._db.read(partial(_questions, numbers=job.payload["memories"]))
        if not questions:
            return nothing("nothing to judge")
        system = prompts.load(KIND, _PROMPT_VERSION)
        said = await self._model.ask_for(
            KIND, system, _text(questions), structured.schema(Answer), verdict_reading.read
        )
        decide = partial(
            _decide,
            questions=questions,
            said=said,
            grant_id=job.grant_id,
            may_replace=self._may_replace,
        )
        return Work(decide, scoped=True)


def _questions(tx: Tx, *, numbers: list[int]) -> list[_Question]:
    found = []
    for number in numbers:
        newer = active(tx, number)
        linked = [link.older for link in memory_links.older_than(tx, number)][:_MOST]
        if newer is not None and linked:
            found.append(_Question(newer, [memories.by_id(tx, one) for one in linked]))
    return found


def _text(questions: list[_Question]) -> str:
    """Return each new statement with the earlier ones, whose numbers go on."""
    numbers = count(1)
    parts = []
    for question in questions:
        lines = [f"[{next(numbers)}] {_dated(record)}" for record in question.older]
        stated = f"New statement: {_dated(question.newer)}"
        parts.append("\n".join([stated, "Earlier statements:", *lines]))
    return "\n\n".join(parts)


def _dated(record: Record) -> str:
    at = from_micros(record.observed_at or record.created_at)
    return f"({at:%Y-%m-%d}) {one_line(record.content)}"


def _decide(
    tx: Tx,
    *,
    questions: list[_Question],
    said: Mapping[int, Word],
    grant_id: str | None,
    may_replace: bool,
) -> str:
    """Apply the verdicts, if they are allowed and nothing has changed since."""
    numbers = count(1)
    done: Counter[str] = Counter()
    for question in questions:
        verdicts = [said.get(next(numbers)) for _ in question.older]
        newer = active(tx, question.newer.id)
        if newer is None or newer.revision != question.newer.revision:
            done["changed since"] += len(verdicts)
            continue
        of_one: Counter[str] = Counter()
        for before, verdict in zip(question.older, verdicts, strict=True):
            older = active(tx, before.id)
            if older is not None and older.revision == before.revision:
                of_one[_apply(tx, newer, older, verdict, may_replace=may_replace)] += 1
        if of_one["replaced"]:
            _record(tx, newer, grant_id)
        done += of_one
    return ", ".join(f"{number} {what}" for what, number in done.items()) or "nothing to judge"


def _apply(
    tx: Tx,
    newer: Record,
    older: Record,
    verdict: Word | None,
    *,
    may_replace: bool,
) -> str:
    """Apply the verdict on a pair; return in a word what was done."""
    if verdict == "replaces" and not may_replace:
        memory_links.add(tx, newer.id, older.id, "may_replace", _MARKED)
        memories.touch(tx, older)
        return "marked"
    if verdict == "replaces" and _may_replace(tx, newer, older):
        status_changes.supersede(tx, older, newer.id, _REASON)
        protection.inherit(tx, newer.id, older)
        memory_links.remove(tx, newer.id, older.id)
        return "replaced"
    if verdict == "repeats":
        memory_links.add(tx, newer.id, older.id, "repeats")
        protection.inherit(tx, newer.id, older)
        memories.touch(tx, older)
        memory_events.add(tx, older.id, "repeated", _REASON, newer=newer.id)
        return "repeated"
    if verdict == "keep":
        memory_links.add(tx, newer.id, older.id, "both")
        memories.touch(tx, older)
        memory_events.add(tx, older.id, "kept", _REASON, newer=newer.id)
        return "kept"
    return "left open"


def _may_replace(tx: Tx, newer: Record, older: Record) -> bool:
    """Return whether the speaker of the newer memory could have confirmed the replacement.

    What holds everywhere is not hidden for what was told in one project.
    """
    if newer.learned_type == "group" and older.stated_by != newer.stated_by:
        return False
    made = Newer.of(newer, viewer_of(tx, newer).accounts)
    return made.scope.is_as_wide(older) and may_confirm(tx, confirmer(tx, newer), made, older)


def _record(tx: Tx, newer: Record, grant_id: str | None) -> None:
    audit.insert(
        tx,
        actor="daemon",
        grant_id=grant_id,
        method=KIND,
        outcome="ok",
        digest=b"",
        peer_pid=None,
        peer_uid=None,
        provider=newer.provider or "",
        user_id=newer.owner_user_id,
    )
