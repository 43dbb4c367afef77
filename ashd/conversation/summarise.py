"""Choose the stretch of a conversation to summarise, and store its summary.

A stretch is a run of turns of one project without a long silence, as many as a prompt takes. While
the stretch grows, its summary is replaced by one of the longer stretch, so each stretch has one.
Nothing of a turn that is deleted meanwhile is stored.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from ashd import errors
from ashd.clock import FOREVER
from ashd.conversation import summary_text, transcript
from ashd.conversation.summaries import view
from ashd.conversation.summary_text import SummaryText
from ashd.search import indexing
from ashd.search.visible_rows import SILENCE
from ashd.store import passages, summaries, transcripts
from ashd.store.database import Tx
from ashd.store.summaries import Summary
from ashd.store.transcripts import Said
from ashd.token_estimate import split

STRETCH_TOKENS: Final = 6_000
"""The limit of a stretch, unless the model's window takes less."""
STRETCH_TURNS: Final = 200
_LABEL_TOKENS: Final = 16
"""Tokens of a turn's number, speaker and time."""
_READ_AGAIN_TOKENS: Final = 1_000
"""Tokens of summarised turns that are read again; beyond that their summary is read instead."""


class Draft(NamedTuple):
    """A stretch of a conversation that is to be summarised."""

    conversation: str
    """Its wire id: row numbers may be used again."""
    turns: tuple[Said, ...]
    before: Summary | None
    """The summary of the beginning of the stretch, which the new one replaces."""

    def text(self, most_tokens: int) -> str:
        """Return the model's input: the whole stretch, or its summary so far and the rest.

        So a conversation with many pauses is not read from its beginning after each of them. Of a
        single turn that is longer than a stretch the beginning is read.
        """
        return split(self._whole(), most_tokens)[0]

    def _whole(self) -> str:
        known = [turn for turn in self.turns if self.before and _covers(self.before, turn)]
        tokens = sum(turn.token_count for turn in known)
        if self.before is None or tokens <= _READ_AGAIN_TOKENS:
            return transcript.render(self.turns)
        so_far = summary_text.as_text(view(self.before)).replace("\n", "\n    ")
        new = transcript.render(self.turns[len(known) :], len(known) + 1)
        return f"Summary so far:\n    {so_far}\n\nTurns after it:\n{new}"


def draft(tx: Tx, conversation: str, most_tokens: int = STRETCH_TOKENS) -> Draft | None:
    """Return the next stretch of a conversation that needs a summary; None if there is none."""
    found = transcripts.heading(tx, conversation)
    if found is None:
        return None
    begin = found.summarised_until + 1
    last = summaries.last_of(tx, found.id)
    goes_on = last is not None and last.last_position == found.summarised_until
    first = last.first_position if last is not None and goes_on else begin
    turns = transcripts.said(tx, found.id, first=first, limit=2 * STRETCH_TURNS)
    known = [turn for turn in turns if turn.position < begin]
    chosen = stretch(known, turns[_new(turns, begin) :], most_tokens)
    if not chosen:
        return None
    before = last if last is not None and chosen[0].position < begin else None
    return Draft(conversation, tuple(chosen), before)


def _covers(summary: Summary, turn: Said) -> bool:
    return turn.position <= summary.last_position


def _new(turns: Sequence[Said], begin: int) -> int:
    return next((place for place, turn in enumerate(turns) if turn.position >= begin), len(turns))


def stretch(summarised: Sequence[Said], new: Sequence[Said], most_tokens: int) -> list[Said]:
    """Return the turns to summarise together: the first new ones, and earlier ones that belong."""
    if not new:
        return []
    chosen = list(summarised)
    if not _fits(chosen, new[0], most_tokens):
        chosen = []
    for turn in new:
        if chosen and not _fits(chosen, turn, most_tokens):
            break
        chosen.append(turn)
    return chosen


def _fits(chosen: Sequence[Said], turn: Said, most_tokens: int) -> bool:
    """Return whether a turn belongs to the stretch before it, and fits into it."""
    if not chosen:
        return True
    tokens = sum(one.token_count + _LABEL_TOKENS for one in [*chosen, turn])
    follows = abs(turn.said_at - chosen[-1].said_at) < SILENCE
    follows = follows and turn.project == chosen[-1].project
    return follows and tokens <= most_tokens and len(chosen) < STRETCH_TURNS


def store(
    tx: Tx,
    made: Draft,
    answer: SummaryText | None,
    pieces: Sequence[indexing.Piece],
    *,
    keep_for: int,
) -> bool:
    """Store the summary of a stretch; without an answer, note that its new turns get none.

    A summary of its beginning stays then. Returns whether more of the conversation waits.

    Raises:
        errors.Conflict: turns of it were deleted meanwhile.
    """
    found = transcripts.heading(tx, made.conversation)
    first, last = made.turns[0].position, made.turns[-1].position
    turns = (
        transcripts.said(tx, found.id, first=first, limit=len(made.turns))
        if found is not None
        else []
    )
    before = summaries.last_of(tx, found.id) if found is not None else None
    if found is None or tuple(turns) != made.turns:
        raise errors.Conflict("The conversation changed meanwhile.")
    if made.before is not None and (before is None or before.id != made.before.id):
        raise errors.Conflict("The conversation changed meanwhile.")
    if answer is not None:
        if made.before is not None:
            summaries.remove(tx, [made.before.id])
        number = summaries.insert(
            tx,
            {
                "conversation": found.id,
                "first_position": first,
                "last_position": last,
                "messages": len(turns),
                "said_from": min(turn.said_at for turn in turns),
                "said_until": max(turn.said_at for turn in turns),
                "overall": answer.overall,
                "topics": _json(answer.topics),
                "decisions": _json(answer.decisions),
                "key_dates": _json(answer.key_dates),
                "action_items": _json(answer.action_items),
                "ends_at": tx.now + keep_for if keep_for else FOREVER,
            },
        )
        indexing.index(
            tx,
            kind=passages.SUMMARY,
            item=number,
            chat=found.chat,
            pieces=pieces,
            at=turns[-1].said_at,
            vectors=indexing.TextVectors(),
        )
    transcripts.summarised(tx, found.id, last)
    return bool(transcripts.said(tx, found.id, first=last + 1, limit=1))


def pieces_of(answer: SummaryText) -> tuple[indexing.Piece, ...]:
    """Return the pieces of a summary to index."""
    return indexing.read(summary_text.as_text(answer))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
