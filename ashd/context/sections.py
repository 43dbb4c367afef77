"""The sections of the block: what is known, as lines with their date and source. Pure."""

import datetime as dt
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from ashd.clock import from_micros
from ashd.context import render, sentences
from ashd.context.budget import Item, Reason, Section, Why
from ashd.conversation.model import MessageView
from ashd.conversation.search import Result as Turn
from ashd.conversation.summaries import FoundSummary, SummaryView
from ashd.conversation.summary_text import as_text
from ashd.language.fingerprint import fingerprint
from ashd.memory.model import Memory
from ashd.memory.search_results import Result as Remembered
from ashd.people.directory import Acquaintance
from ashd.token_estimate import estimate

SectionName = Literal[
    "date",
    "overrides",
    "profile",
    "people",
    "memories",
    "summaries",
    "relationships",
    "excerpts",
    "relevant_summaries",
]
"""The sections by priority, the highest first."""

Asker = tuple[str, str]
"""The provider and the id of the user whose private chat a block is for."""
NO_IDS: Final[Mapping[str, str]] = MappingProxyType({})
_UNNAMED: Final = "someone"
"""The name of people of whom no name is known."""
LONGEST_CHARS: Final = 2_000
"""Characters of one memory or message; a longer text would not fit, or push out all others."""


def date(now: int, zone: dt.tzinfo) -> Section:
    """Return the current date in the asker's zone, from which a model can tell ages."""
    text = f"- {from_micros(now).astimezone(zone).strftime('%A, %Y-%m-%d %H:%M %Z')}"
    return Section("date", "Current Date", [_item("date", text, "always")])


def overrides(rows: Sequence[tuple[str, str, int]]) -> Section:
    """Make the section of pinned facts from (id, content, when)."""
    items = [
        _item(
            identifier,
            render.line(content, f"Pinned {from_micros(at).date().isoformat()}"),
            "pinned",
        )
        for identifier, content, at in rows
    ]
    return Section("overrides", "Pinned by the User", items, in_time_order=False)


def profile(text: str | None) -> Section:
    """Make the section of the user's profile."""
    lines = (text or "").splitlines()
    items = [
        _item(f"profile/{number}", render.safe(line), "profile")
        for number, line in enumerate(lines)
        if line.strip()
    ]
    return Section("profile", "About the User", items, in_time_order=False)


def people(known: Sequence[Acquaintance]) -> Section:
    """Make the section of known people, most recently active first, in the speaker's words."""
    items = [_item(one.person.id, f"- {_who(one)}", "known", value=one.person) for one in known]
    return Section("people", "Known People", items, in_time_order=False)


def _who(known: Acquaintance) -> str:
    """Name a person, and say who they are to the speaker, else to somebody else.

    A name that is only the word for this ("mother") is not said twice; if it is the word for
    somebody else's relative, it is said whose, or the speaker's own would seem to be meant.
    """
    name, word = known.person.name, known.relationship
    if word is None:
        claims = [one for one in known.person.relationships if one.ended_at is None]
        claims = [one for one in claims if one.to_name not in {_UNNAMED, name}]
        if claims:
            word = f"{claims[-1].to_name}'s {claims[-1].relationship}"
            if name == claims[-1].relationship:
                name = word
    shown = f"**{render.safe(name)}**"
    return shown if word in {None, name} else f"{shown} ({render.safe(word)})"


def memories(
    found: Sequence[Remembered],
    question: str = "",
    ids: Mapping[str, str] = NO_IDS,
    standing: Container[str] = (),
    asker: Asker | None = None,
) -> Section:
    """Make the section of memories: the first by rank, or the newest.

    Long answers to the question may be shortened to what answers it. `ids` are the short ids of
    memories that are shown to whoever may name them in a call; then weak ones are marked, too.
    `standing` are the ids of those that are there whatever their rank. The heading, not each line,
    says who told the memories of the asker.
    """
    items = [_memory(result, question, ids, asker) for result in found]
    items = [replace(one, reason="standing") if one.key in standing else one for one in items]
    heading = "Memories" if asker is None else "Memories (told by the user unless named)"
    return Section("memories", heading, items)


def conflicts(shown: Sequence[Memory], names: Mapping[str, str], ids: Mapping[str, str]) -> Section:
    """Make the section of memories in conflict, in their order, a memory once.

    `names` are those of people by id, `ids` the short ids of memories.
    """
    items = []
    for memory in shown:
        label = memory_label(memory, [names[one] for one in memory.subject_person_ids], ids)
        line = render.line(_cut(memory.content, msgspec.UNSET), label)
        items.append(_item(memory.id, line, "ranked", value=memory))
    return Section("conflicts", "Memories in Conflict", items, in_time_order=False)


def summaries(found: Sequence[SummaryView]) -> Section:
    """Make the section of summaries of the latest conversations."""
    items = [_summary(summary, "latest") for summary in found]
    return Section("summaries", "Recent Conversations", items)


def relevant_summaries(found: Sequence[FoundSummary]) -> Section:
    """Make the section of summaries by rank of the question."""
    items = [_summary(one.unranked(), "ranked", one.score, one.passage) for one in found]
    return Section("relevant_summaries", "Relevant Past Conversations", items)


def relationships(lines: Sequence[str]) -> Section:
    """Make the section of relationships, one line each."""
    items = [
        _item(f"relationship/{number}", f"- {render.safe(line)}", "relation")
        for number, line in enumerate(lines)
    ]
    return Section("relationships", "Relationships", items, in_time_order=False)


def excerpts(found: Sequence[Turn], left_out: Sequence[tuple[Turn, Why]] = ()) -> Section:
    """Make the section of excerpts: the hits by rank, then the turns around them if they fit.

    Messages that follow one another stay together, even if other conversations went on meanwhile.
    """
    around = [message for turn in found for message in turn.window]
    once = _once([*(turn.message for turn in found), *around])
    items = [
        _message(turn.message, "ranked", turn.score, turn.passage)
        for turn in found
        if turn.message.id in once
    ]
    items += [_message(message, "neighbour") for message in around if message.id in once]
    places = _places([one.value for one in items])
    return Section(
        "excerpts",
        "Relevant Conversation Excerpts",
        [replace(one, place=places[one.key]) for one in items],
        left_out=[(_message(turn.message, "ranked", turn.score), why) for turn, why in left_out],
    )


def _places(messages: Sequence[MessageView]) -> dict[str, tuple[int, str, int]]:
    """Map each message's id to the start of its run, its conversation, and its index."""
    places: dict[str, tuple[int, str, int]] = {}
    before: MessageView | None = None
    for one in sorted(messages, key=lambda each: (each.conversation_id, each.index)):
        follows = (
            before is not None
            and before.conversation_id == one.conversation_id
            and one.index - before.index <= 1
        )
        began = places[before.id][0] if before is not None and follows else _micros(one.at)
        places[one.id] = (began, one.conversation_id, one.index)
        before = one
    return places


def _once(messages: Sequence[MessageView]) -> set[str]:
    """Return the ids of messages; of messages with the same words, only the first."""
    first: dict[tuple[str, str], str] = {}
    for message in messages:
        first.setdefault((message.role, fingerprint(message.content)), message.id)
    return set(first.values())


def _memory(
    result: Remembered,
    question: str = "",
    ids: Mapping[str, str] = NO_IDS,
    asker: Asker | None = None,
) -> Item:
    memory = result.memory
    kind = "Memory" if ids else ""  # the heading of the block has said so
    label = memory_label(memory, result.about, ids, kind, asker)
    if ids and result.weak:
        label += ", may not answer"
    if result.via:
        label += f", {render.safe(result.via)}"
    content = _cut(memory.content, result.passage)
    line = render.line(content, label)
    when = memory.observed_at or memory.created_at
    item = _item(memory.id, line, _reason(result), _micros(when), memory, result.score)
    if result.weak or not question:
        return item

    def shorter() -> list[str]:
        found = sentences.around(result.passage or memory.content, question)
        return [render.line(_part(text, memory.content), label) for text in found]

    return replace(item, shorter=shorter)


def memory_label(
    memory: Memory,
    about: Sequence[str],
    ids: Mapping[str, str] = NO_IDS,
    kind: str = "Memory",
    asker: Asker | None = None,
) -> str:
    """Describe a memory: whom it is about, when and by whom it was told, what holds of it.

    The asker is not named as the one who told it.
    """
    when = memory.observed_at or memory.created_at
    teller = memory.source_display_name or memory.source_username or memory.owner_user_id
    if asker == (memory.provider, memory.owner_user_id):
        teller = None
    named = " ".join(part for part in (kind, ids.get(memory.id)) if part)
    subjects = f" (about {', '.join(render.safe(name) for name in about)})" if about else ""
    parts = [
        f"{named}{subjects}, {when[:10]}" if named else f"{when[:10]}{subjects}",
        f"told by {render.safe(teller)}" if teller else "",
        f"shared in {render.safe(memory.chat_id)}" if memory.chat_id else "",
        f"valid from {memory.valid_from[:10]}" if memory.valid_from else "",
        f"valid until {_last_day(memory.valid_until)}" if memory.valid_until else "",
        f"until {memory.expires_at[:10]}" if ids and memory.expires_at else "",
        _earlier(memory, ids),
    ]
    return ", ".join(part for part in parts if part)


def _last_day(end: str) -> str:
    """Return the day of the last moment of a time whose end is the first moment after."""
    return from_micros(_micros(end) - 1).date().isoformat()


def _earlier(memory: Memory, ids: Mapping[str, str]) -> str:
    """Say that a memory is perhaps replaced, and by what was told when; else return nothing."""
    newer = [one for one in memory.conflicts if one.relation == "newer"]
    if not newer:
        return ""
    days = {f"{one.at[:10]} ({ids[one.id]})" if one.id in ids else one.at[:10] for one in newer}
    return f"earlier; perhaps replaced by what was told on {' and '.join(sorted(days))}"


def _reason(result: Remembered) -> Reason:
    return "newest" if result.newest else "ranked"


def _message(
    message: MessageView,
    reason: Reason,
    score: float | None = None,
    passage: str | msgspec.UnsetType = msgspec.UNSET,
) -> Item:
    label = f"{message.at[:10]} {render.safe(message.speaker or message.role)}"
    content = _cut(message.content, passage)
    line = render.line(content, label)
    return _item(message.id, line, reason, _micros(message.at), message, score)


def _summary(
    summary: SummaryView,
    reason: Reason,
    score: float | None = None,
    passage: str | msgspec.UnsetType = msgspec.UNSET,
) -> Item:
    named = render.safe(summary.title or "") or "a conversation"
    label = f"{summary.at[:10]}, summary of {named}"
    content = _cut(as_text(summary), passage)
    line = render.line(content, label)
    return _item(summary.id, line, reason, _micros(summary.at), summary, score)


def _cut(content: str, passage: str | msgspec.UnsetType) -> str:
    """Shorten a long text to the passage that was found, or to its start, so that others fit.

    Dots, and the share of the whole, show where it was cut.
    """
    if len(content) <= LONGEST_CHARS:
        return content
    if not passage or content.startswith(passage):
        return (
            f"{content[:LONGEST_CHARS]}… "
            f"(the first {LONGEST_CHARS:,} of {len(content):,} characters)"
        )
    return _part(passage, content)


def _part(passage: str, content: str) -> str:
    start = "" if content.startswith(passage) else "…"
    end = "" if content.endswith(passage) else "…"
    return f"{start}{passage}{end} (the passage that fits, of {len(content):,} characters)"


def _item(
    key: str,
    text: str,
    reason: Reason,
    at: int | None = None,
    value: object = None,
    score: float | None = None,
) -> Item:
    return Item(key, text, _tokens(text), at, value, score, reason)


def _tokens(text: str) -> int:
    return estimate(text + "\n")


def _micros(at: str) -> int:
    return int(dt.datetime.fromisoformat(at).timestamp() * 1_000_000)
