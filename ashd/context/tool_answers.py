"""A tool's answer as the text that a model reads. Pure.

A host shows its model this text alone, so it holds all: lines of stored text, fenced and marked as
data, each labelled with what one should know of it; then our own sentences, on what to do with it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ashd import errors
from ashd.context import render
from ashd.context import sections as made
from ashd.context.budget import Section, fill
from ashd.conversation.echoed_context import TOOL_LEAD
from ashd.memory.add_result import Added, AddResult, MayReplace, PersonNamed
from ashd.memory.model import Memory
from ashd.memory.search_results import Result as Remembered

ANSWER_TOKENS: Final = 2_000
"""Tokens that a tool's answer may have, so that one look-up does not fill the prompt."""
_SAID_BACK_CHARS: Final = 300
"""Characters of a fact in the answer that it was stored: the model has just written it."""
NOTHING: Final = "Nothing relevant was found."


def fenced(lines: Sequence[str], sentences: Iterable[str] = ()) -> str:
    """Return lines of stored text below the sentence that they are data, and ours after them."""
    return "\n".join([*([TOOL_LEAD] if lines else []), *lines, *filter(None, sentences)])


def listed(section: Section, sentences: Iterable[str] = ()) -> str:
    """Return the items of a section, as many as a tool may return."""
    filled = fill([section], ANSWER_TOKENS)
    items = [item.text for part in filled for item in part.items]
    left_out = sum(why == "over_total" for part in filled for _, why in part.decisions)
    cut = f"({left_out} more: ask for something narrower.)" if left_out else ""
    return fenced(items, [cut if items else NOTHING, *sentences])


def remembered(
    result: AddResult, ids: Mapping[str, str], offers: Sequence[tuple[Sequence[str], str]] = ()
) -> str:
    """Return the outcome of each fact, and what may be done about it.

    `offers` are further lines of stored text, and what to do with them.
    """
    entries = list(enumerate(result.memories, 1))
    lines = [line for _, entry in entries for line in _stored(entry, ids)]
    lines += [line for offered, _ in offers for line in offered]
    refused = [_refused(number, entry) for number, entry in entries if entry.memory is None]
    return fenced(lines, [*refused, *_questions(result, ids), *(how for _, how in offers)])


def of_remembered(result: AddResult) -> list[str]:
    """Return the ids of memories that the answer of `remember` names."""
    return [
        one
        for entry in result.memories
        for one in (
            *([entry.memory.id] if entry.memory else []),
            *entry.superseded,
            *(older.id for older in entry.may_replace),
        )
    ]


def of_found(found: Sequence[Remembered]) -> list[str]:
    """Return the ids of memories that the answer of `recall` names."""
    return of_shown([result.memory for result in found])


def of_shown(shown: Sequence[Memory]) -> list[str]:
    """Return the ids that the lines of memories name, their own and those of newer ones."""
    return [one for memory in shown for one in (memory.id, *_newer(memory))]


def of_answers(found: Sequence[Remembered]) -> list[Memory]:
    """Return the memories that answer the question, and those in conflict with one that does."""
    answering = {result.memory.id for result in found if not result.weak}
    return [
        memory
        for memory in (result.memory for result in found)
        if not answering.isdisjoint((memory.id, *_newer(memory)))
    ]


def settling(shown: Sequence[Memory], ids: Mapping[str, str]) -> list[str]:
    """Return how to settle the conflicts of memories that are shown."""
    return [
        f"If {ids[older]} no longer holds, call remember with the words of {ids[newer]} as content"
        f' and supersedes "{ids[older]}".'
        for memory in shown
        for older, newer in [(memory.id, one) for one in _newer(memory)]
    ]


def _newer(memory: Memory) -> list[str]:
    return [one.id for one in memory.conflicts if one.relation == "newer"]


def says(error: errors.AshError) -> str:
    """Return an error for a model: what is wrong, who may be meant, what to do."""
    candidates = error.data.get("candidates") or []
    named = "; ".join(_candidate(entry) for entry in candidates)
    return _sentences(error.message, f"They are: {named}" if named else "", error.hint)


def _candidate(entry: dict[str, Any]) -> str:
    """Format a candidate, with what distinguishes it from others of the same name."""
    called = [entry.get("name"), *(entry.get("relationships") or ())]
    known = render.safe(", ".join(str(one) for one in called if one))
    return f"{known} (id {entry['id']})" if known else f"id {entry['id']}"


def _sentences(*parts: str) -> str:
    """Join the non-empty parts, each ended as a sentence."""
    ended = (part if part[-1] in ".?!)" else f"{part}." for part in parts if part)
    return " ".join(render.safe(part) for part in ended)


def _stored(entry: Added, ids: Mapping[str, str]) -> list[str]:
    """Return the line of a fact that is stored, and that of an older one it may replace."""
    if entry.memory is None:
        return []
    kind = "Remembered" if entry.outcome == "added" else "Known already"
    label = made.memory_label(entry.memory, [one.name for one in entry.people], ids, kind)
    if entry.superseded:
        label += f", in place of {' and '.join(ids[one] for one in entry.superseded)}"
    if entry.repeats:
        label += ", said before in other words"
    if (project := entry.memory.project) is not None:
        label += f", for the project {render.safe(project.name or project.id)} alone"
    older = [
        render.line(one.content, f"Older memory {ids[one.id]}, which it may replace")
        for one in entry.may_replace
    ]
    return [render.line(_beginning(entry.memory.content), label), *older]


def _beginning(content: str) -> str:
    return content if len(content) <= _SAID_BACK_CHARS else f"{content[:_SAID_BACK_CHARS]}…"


def _refused(number: int, entry: Added) -> str:
    error = entry.error if isinstance(entry.error, dict) else {}
    why = _sentences(str(error.get("message")), str(error.get("data", {}).get("hint", "")))
    return f"Fact {number} was not stored: {why}"


def _questions(result: AddResult, ids: Mapping[str, str]) -> list[str]:
    """Return what is open after facts were stored: who was meant, and what no longer holds."""
    people = [_other(one) for entry in result.memories for one in entry.people if one.may_be]
    older = [_offered(one, ids) for entry in result.memories for one in entry.may_replace]
    return [*people, *older]


def _other(person: PersonNamed) -> str:
    """Name the other people that a subject could mean, and say how to pick one of them."""
    known = ", ".join(
        render.safe(f"{one.name} ({one.relationship})" if one.relationship else one.name)
        + f" (id {one.id})"
        for one in person.may_be
    )
    return (
        f"{render.safe(person.name)} could also be: {known}. If that person is meant, call remember"
        " again with that id as the subject."
    )


def _offered(older: MayReplace, ids: Mapping[str, str]) -> str:
    """Return how to confirm that an earlier memory is replaced."""
    short = ids[older.id]
    return (
        f"If {short} no longer holds, call remember again with the new fact and"
        f' supersedes "{short}".'
    )
