"""Render the results of the `memory` commands as lines."""

from __future__ import annotations

from ash_sb.show_people import may_be
from ash_sb.text import (
    an_object,
    block,
    count,
    excerpt,
    flat,
    inline,
    moment,
    names,
    score,
    sentence,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]


_BOTH = "--verdict both"


def _added(result: Json, _params: Json) -> list[str]:
    entries, replaced = result["memories"], an_object(result.get("replaced"))
    shown: list[str] = []
    for position, entry in enumerate(entries, 1):
        outcome = entry["outcome"]
        if outcome == "refused":
            error = an_object(entry.get("error"))
            data = an_object(error.get("data")) or error
            shown.append(
                f"refused: fact {position}: {inline(data.get('kind', 'content_refused'))}: "
                f"{sentence(str(error.get('message', '')))}. "
                f"{sentence(str(data.get('hint') or ''))}"
            )
            continue
        memory = entry["memory"]
        again = " (it was stored before)" if outcome == "duplicate" else ""
        shown.append(f"{inline(outcome)}: memory {inline(memory['id'])}{again}")
        if entry.get("not_kept"):
            changed = [name for name in entry["not_kept"] if name != "observed_at"]
            remedy = f"; ash-sb memory update changes {flat(changed)}" if changed else ""
            shown.append(f"not kept: {flat(entry['not_kept'])} (the memory keeps its own{remedy})")
        shown += _details(memory, entry.get("people"))
        for person in map(an_object, entry.get("people") or ()):
            shown += may_be(person)
        for older in entry.get("superseded") or ():
            command = _supersede(memory["id"], older)
            shown.append(f"superseded: memory {inline(older)}; if both hold: {command} {_BOTH}")
            if older in replaced:
                shown += excerpt(replaced[older], f"ash-sb memory show {inline(older)}")
        if entry.get("repeats"):
            shown.append(f"repeats: {flat(entry['repeats'])} (both are kept, shown as one)")
        for older in entry.get("may_replace") or ():
            shown += _offer("may replace", older, _supersede(memory["id"], older["id"]))
        shown += ["content:", *block(memory["content"])]
    outcomes = [entry["outcome"] for entry in entries]
    counted = (f"{outcomes.count(name)} {name}" for name in ("added", "duplicate", "refused"))
    shown.append(f"count: {', '.join(counted)}")
    if lacking := result.pop("degraded", None):
        shown.append(f"degraded: {flat(lacking)}; which older memories it replaces is judged later")
    return shown


def _found(result: Json, params: Json) -> list[str]:
    results = result["results"]
    shown = []
    for position, found in enumerate(results, 1):
        memory = found["memory"]
        shown.append(
            f"memory {position}: id {inline(memory['id'])}; score {score(found)}; "
            f"about {names(found.get('about'))}; trust {inline(found.get('trust'))}; "
            + summary(memory)
        )
        rest = f"ash-sb memory show {inline(memory['id'])}"
        shown += excerpt(memory["content"], rest, found.get("passage"))
        if found.get("signals"):
            shown.append(f"signals {position}: {flat(found['signals'])}")
    beyond = an_object(result.get("withheld")).get("over_limit")
    limit = params.get("limit", 10)
    return [*shown, count(len(results), "memory", "memories", limit, beyond)]


def _listed(result: Json, _params: Json) -> list[str]:
    memories = result["memories"]
    shown = []
    for position, memory in enumerate(memories, 1):
        shown.append(f"memory {position}: id {inline(memory['id'])}; {summary(memory)}")
        shown += excerpt(memory["content"], f"ash-sb memory show {inline(memory['id'])}")
    count = f"count: {len(memories)} of {inline(result.get('total'))} memories"
    if result.get("next_cursor"):
        count += f"; more: the same command with --cursor {inline(result['next_cursor'])}"
    return [*shown, count]


def _memory(result: Json, _params: Json) -> list[str]:
    memory = result["memory"]
    shown = [f"memory: {inline(memory['id'])}", *_details(memory, result.get("people"))]
    for other in map(an_object, memory.get("conflicts") or ()):
        if other["relation"] == "older":
            shown += _offer("may replace", other, _supersede(memory["id"], other["id"]))
        else:
            shown += _offer("may be replaced by", other, _supersede(other["id"], memory["id"]))
    return [*shown, "content:", *block(memory["content"])]


def _updated(result: Json, params: Json) -> list[str]:
    shown = _memory(result, params)
    previous = result.get("previous_id")
    changed = previous and previous != result["memory"]["id"]
    shown[0] = f"updated: memory {inline(result['memory']['id'])}"
    others = [
        line for person in map(an_object, result.get("people") or ()) for line in may_be(person)
    ]
    return [shown[0], *([f"replaces: {inline(previous)}"] if changed else []), *others, *shown[1:]]


def _superseded(result: Json, params: Json) -> list[str]:
    shown = _memory(result, params)
    newer, older = inline(result["memory"]["id"]), inline(params["superseded_id"])
    done = {
        "both": f"both kept: memory {older} and {newer}",
        "unsure": f"both kept: memory {newer} may replace {older}",
    }
    return [
        done.get(params.get("verdict", ""), f"superseded: memory {older} by {newer}"),
        *shown[1:],
    ]


def _conflicts(result: Json, _params: Json) -> list[str]:
    shown = []
    for position, pair in enumerate(map(an_object, result["conflicts"]), 1):
        newer, older = pair["newer"], pair["older"]
        command = _supersede(newer["id"], older["id"])
        shown.append(f"conflict {position}: likelihood {inline(pair['likelihood'])}")
        for which, memory in (("older", older), ("newer", newer)):
            shown.append(f"{which}: id {inline(memory['id'])}; {summary(memory)}")
            shown += excerpt(memory["content"], f"ash-sb memory show {inline(memory['id'])}")
        shown.append(f"if the older no longer holds: {command}; if both hold: add {_BOTH}")
    count = f"count: {len(result['conflicts'])} of {inline(result.get('total'))} conflicts"
    if result.get("next_cursor"):
        count += f"; more: the same command with --cursor {inline(result['next_cursor'])}"
    return [*shown, count]


def _deleted(result: Json, _params: Json) -> list[str]:
    memory = result["memory"]
    undo = "the person on the host can restore it"
    return [
        f"deleted: memory {inline(memory['id'])} ({undo})",
        *excerpt(memory["content"], "only on the host"),
        *(
            f"active again: memory {inline(older)} (this one had replaced it)"
            for older in result.get("reactivated") or ()
        ),
    ]


def _history(result: Json, _params: Json) -> list[str]:
    shown = []
    for position, memory in enumerate(result["chain"], 1):
        shown.append(f"memory {position}: id {inline(memory['id'])}; {summary(memory)}")
        shown += excerpt(memory["content"], f"ash-sb memory show {inline(memory['id'])}")
    return [*shown, f"count: {len(result['chain'])}, the oldest first"]


def _extracted(result: Json, params: Json) -> list[str]:
    if "memories" in result:
        return _added(result, params)
    job = f"job: {inline(result.get('job_id'))}"
    return [f"{job} (runs in the background; `ash-sb memory list` shows what it finds)"]


def _offer(label: str, other: Json, command: str) -> list[str]:
    """A memory that may replace or be replaced, and the commands that decide it."""
    named = inline(other["id"])
    decide = f"if the older one no longer holds: {command}; if both hold: the same with {_BOTH}"
    return [
        f"{label}: memory {named}; both are kept; {decide}",
        *excerpt(other["content"], f"ash-sb memory show {named}"),
    ]


def _supersede(newer: object, older: object) -> str:
    return f"ash-sb memory supersede {inline(newer)} {inline(older)}"


def _details(memory: Json, people: Any) -> list[str]:
    """A memory's labels, a line each; absent and ordinary ones are left out."""
    shown = [
        f"scope: {_scope(memory)}",
        *(f"project: {project}" for project in _project(memory)),
        f"type: {inline(memory.get('memory_type'))}",
        f"subjects: {_subjects(memory, people)}",
        f"created: {moment(memory.get('created_at'))}",
        f"expires: {moment(memory['expires_at']) if memory.get('expires_at') else 'never'}",
        f"source: {_source(memory)}",
    ]
    if memory.get("sensitivity"):
        shown.append(f"sensitivity: {inline(memory['sensitivity'])}")
    if memory.get("portable") is False:
        shown.append("portable: no")
    shown += [
        f"{label.replace('_', ' ')}: {moment(memory[label])}"
        for label in ("observed_at", "valid_from", "valid_until")
        if memory.get(label)
    ]
    if memory.get("tags"):
        shown.append(f"tags: {names(memory['tags'])}")
    if memory.get("metadata"):
        shown.append(f"metadata: {flat(memory['metadata'])}")
    if memory.get("revision"):
        shown.append(f"revision: {inline(memory['revision'])}")
    return shown + [f"state: {state}" for state in _states(memory)]


def summary(memory: Json) -> str:
    """A memory's labels in one line."""
    at = memory.get("observed_at") or memory.get("created_at")
    pieces = [
        f"type {inline(memory.get('memory_type'))}",
        f"date {moment(at)}",
        f"source {_source(memory)}",
    ]
    if memory.get("chat_id"):
        pieces.append(f"scope {_scope(memory)}")
    pieces += [f"project {project}" for project in _project(memory)]
    if memory.get("expires_at"):
        pieces.append(f"expires {moment(memory['expires_at'])}")
    return "; ".join(pieces + [f"state {state}" for state in _states(memory)])


def _states(memory: Json) -> list[str]:
    states = [
        f"earlier, perhaps replaced by memory {inline(one['id'])} of {moment(one['at'])}"
        for one in map(an_object, memory.get("conflicts") or ())
        if one.get("relation") == "newer"
    ]
    if memory.get("superseded_at"):
        by = memory.get("superseded_by_id")
        states.append(f"superseded at {moment(memory['superseded_at'])} by {inline(by)}")
    if memory.get("archived_at"):
        reason = inline(memory.get("archive_reason"))
        states.append(f"archived at {moment(memory['archived_at'])} ({reason})")
    return states


def _scope(memory: Json) -> str:
    provider = inline(memory.get("provider"))
    if memory.get("chat_id"):
        return f"group (chat {inline(memory['chat_id'])}, {provider})"
    return f"personal (owner {inline(memory.get('owner_user_id'))}, {provider})"


def _project(memory: Json) -> list[str]:
    """The name of the only project that a memory is read in, if there is one."""
    project = an_object(memory.get("project"))
    return [inline(project.get("name") or project["id"])] if "id" in project else []


def _source(memory: Json) -> str:
    by = memory.get("source_display_name") or memory.get("source_username")
    return inline(memory.get("source")) + (f", said by {inline(by)}" if by else "")


def _subjects(memory: Json, people: Any) -> str:
    named = [
        f"{inline(person.get('name'))} (person {inline(person.get('id'))}"
        + (", new)" if person.get("created") is True else ")")
        for person in people or ()
        if isinstance(person, dict)
    ]
    ids = [f"person {inline(one)}" for one in memory.get("subject_person_ids") or ()]
    return ", ".join(named or ids) or "none"


RENDERERS: dict[str, Callable[[Json, Json], list[str]]] = {
    "memory add": _added,
    "memory search": _found,
    "memory list": _listed,
    "memory show": _memory,
    "memory update": _updated,
    "memory supersede": _superseded,
    "memory conflicts": _conflicts,
    "memory delete": _deleted,
    "memory history": _history,
    "memory extract": _extracted,
}
