"""Print the results of `memory.*` for a person."""

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import click

from ashd import wording
from ashd.cli.output import Column, day, fields, more, note, paint, shown, table, when

_ID_SHOWN: Final = 8
_ECHO_CHARS: Final = 300
_MOST_RESULTS: Final = 100
"""The largest `limit` of a search, as in `limits`, which takes milliseconds to import."""
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


def short(full_id: Any) -> str:
    """Return the part of an id that a person needs; the daemon accepts a unique prefix."""
    return shown(full_id)[:_ID_SHOWN]


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 memory``, ``2 memories``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def memories(number: int) -> str:
    """``1 memory``, ``2 memories``."""
    return count(number, "memory", "memories")


def owner(memory: dict[str, Any]) -> str:
    """Return the owner of a memory: an account, or a group."""
    whose = memory.get("owner_user_id")
    if whose is None:
        return f"group {shown(memory.get('chat_id'))}"
    return f"{shown(memory.get('provider'))}:{shown(whose)}"


def state(memory: dict[str, Any]) -> str:
    """Return a memory's state, if that hides it from default reads or it is perhaps replaced."""
    if memory.get("archived_at"):
        return f"archived: {shown(memory.get('archive_reason'))}"
    if memory.get("superseded_at"):
        return "superseded"
    expires = memory.get("expires_at")
    if expires and dt.datetime.fromisoformat(expires) <= dt.datetime.now(dt.UTC):
        return "expired"
    return wording.earlier(memory)


def echo_of(memory: dict[str, Any]) -> str:
    """Return a memory's short id and the beginning of its content, to confirm a change of it."""
    content = shown(memory["content"])
    cut = content if len(content) <= _ECHO_CHARS else content[:_ECHO_CHARS] + "…"
    return f"{short(memory['id'])}: {cut}"


def text_of(memory: dict[str, Any], passage: str | None = None) -> str:
    """Return a memory's content, or the passage of it, for a table cell, after its state."""
    mark = state(memory)
    content = shown(f"…{passage}…" if passage else memory.get("content"))
    return f"[{mark}] {content}" if mark else content


def added(result: dict[str, Any], replaced: Mapping[str, str] = _NONE) -> None:
    """Print the outcome of each fact; `replaced` has texts of memories that they replaced."""
    for entry in result["memories"]:
        memory = entry.get("memory")
        if memory is None:
            problem = entry.get("error") or {}
            hint = (problem.get("data") or {}).get("hint")
            click.echo(f"{paint('refused', 'red')}  {shown(problem.get('message'))}")
            if hint:
                click.echo(f"         {shown(hint)}")
            continue
        verb = {"added": "Stored", "duplicate": "Already there"}.get(entry["outcome"], "Stored")
        click.echo(f"{paint(verb, 'green')} {echo_of(memory)}")
        people = [
            shown(person["name"]) + (" (new)" if person.get("created") else "")
            for person in entry.get("people") or []
        ]
        fields(
            [
                ("type", memory.get("memory_type")),
                ("whose", owner(memory)),
                ("about", people),
                ("expires", when(memory["expires_at"]) if memory.get("expires_at") else None),
                ("repeats", [short(old) for old in entry.get("repeats") or []]),
            ],
            "  ",
        )
        if entry.get("not_kept"):
            changed = [name for name in entry["not_kept"] if name != "observed_at"]
            remedy = f"; ash memory update changes {', '.join(changed)}" if changed else ""
            note(f"Not kept: {', '.join(entry['not_kept'])} (the memory keeps its own{remedy}).")
        for person in entry.get("people") or []:
            may_be(person, person["id"], person["name"])
        for older_id in entry.get("superseded") or []:
            text = replaced.get(older_id)
            old = short(older_id) if text is None else echo_of({"id": older_id, "content": text})
            click.echo(f"  replaces {old}")
            note(f"If both are true: {supersede(memory['id'], older_id)} --verdict both")
        for older in entry.get("may_replace") or []:
            click.echo(f"  may replace {echo_of(older)}")
            command = supersede(memory["id"], older["id"])
            note(f"If so: {command}; if both are true: {command} --verdict both")
    lacking = result.pop("degraded", None) or []
    if "embedder" in lacking:
        note("The embedder is not ready: what this replaces is judged when it is.")
    if "judge" in lacking:
        note("There was no time to compare all of it with what is known: that follows by itself.")


def supersede(newer_id: str, older_id: str) -> str:
    """Return the command that makes a memory replace another."""
    return f"ash memory supersede {short(newer_id)} {short(older_id)}"


def score(hit: dict[str, Any]) -> str:
    """Return a result's score, marked if the match is weak."""
    return f"{hit['score']:.2f}{' weak' if hit.get('weak') else ''}"


def may_be(offer: dict[str, Any], person_id: str, reference: str) -> None:
    """Print the other people who could be meant, and how to merge them with this one."""
    for other in offer.get("may_be") or []:
        word = other.get("relationship")
        who = shown(other["name"]) + (f" ({shown(word)})" if word else "")
        note(f"{shown(reference)} could be {who} too: {short(other['id'])}.")
        note(f"If so: ash person merge {short(person_id)} {short(other['id'])}")


def found(result: dict[str, Any]) -> None:
    """Print search results, best first."""
    results = result["results"]
    if results:
        table(
            [
                Column("SCORE", right=True, whole=True),
                Column("ID", whole=True),
                Column("CONTENT", flexes=True),
                Column("ABOUT"),
                Column("TRUST", spare=True),
                Column("STORED", spare=True),
            ],
            [
                (
                    score(hit),
                    short(hit["memory"]["id"]),
                    text_of(hit["memory"], hit.get("passage")),
                    hit.get("about"),
                    hit.get("trust"),
                    day(hit["memory"].get("created_at")),
                )
                for hit in results
            ],
            lines=4,
        )
    for hit in results:
        if hit.get("via"):
            note(f"{short(hit['memory']['id'])} came by a relation: {shown(hit['via'])}.")
        if hit.get("signals"):
            explained(hit)
    withheld = result.get("withheld") or {}
    for cut in withheld.get("best") or []:
        why = wording.withheld(cut["why"])
        click.echo(f"Not shown ({why}): {score(cut['result'])}  {echo_of(cut['result']['memory'])}")
        explained(cut["result"])
    note(f"{memories(len(results))} found." if results else "Nothing relevant found.")
    if beyond := withheld.get("over_limit"):
        most = min(len(results) + beyond, _MOST_RESULTS)
        verb, them = _agreeing(beyond)
        wider = f"; -n {most} shows {them}" if len(results) < most else ""
        note(f"{beyond} more {verb}{wider}.")
    if unfit := withheld.get("below_threshold"):
        verb, them = _agreeing(unfit)
        note(f"{unfit} more {verb} too badly; --min-score 0 shows {them}.")


def _agreeing(number: int) -> tuple[str, str]:
    return ("fits", "it") if number == 1 else ("fit", "them")


def explained(hit: dict[str, Any]) -> None:
    """Print the parts of a result's score, and its rank in each leg."""
    legs, terms = wording.signals(hit["signals"])
    parts = [f"{wording.signal(name)} {value:+.2f}" for name, value in terms.items()]
    places = [f"no. {rank} {wording.leg(name)}" for name, (rank, _) in legs.items()]
    note(f"{short(hit['memory']['id'])}: {', '.join(places + parts)}")


def listed(result: dict[str, Any]) -> None:
    """Print a page of memories."""
    page = result["memories"]
    owners = {owner(memory) for memory in page}
    columns = [
        Column("ID", whole=True),
        Column("TYPE"),
        Column("STORED", spare=True),
        Column("CONTENT", flexes=True),
    ]
    if len(owners) > 1:
        columns.insert(1, Column("WHOSE"))
    if page:
        table(columns, [_row(memory, whose=len(owners) > 1) for memory in page])
    note(f"{len(page)} of {memories(result['total'])}.")
    if result.get("next_cursor"):
        more(result["next_cursor"])


def updated(result: dict[str, Any]) -> None:
    """Print a changed memory."""
    memory = result["memory"]
    click.echo(f"{paint('Changed', 'green')} {echo_of(memory)}")
    previous = result.get("previous_id")
    if previous and previous != memory["id"]:
        click.echo(f"  replaces {short(previous)}")
    for person in result.get("people") or []:
        may_be(person, person["id"], person["name"])


def superseded(result: dict[str, Any], verdict: str | None) -> None:
    """Print the newer memory and the verdict."""
    said = {"both": "Both kept", "unsure": "Offered again"}.get(verdict or "", "Confirmed")
    click.echo(f"{paint(said, 'green')} {echo_of(result['memory'])}")


def deleted(result: dict[str, Any]) -> None:
    """Print a memory that was deleted."""
    memory = result["memory"]
    click.echo(f"{paint('Deleted', 'green')} {echo_of(memory)}")
    for older in result.get("reactivated") or []:
        click.echo(f"  an older memory is active again: {short(older)}")
    note(f"`ash memory restore {short(memory['id'])}` brings it back.")


def restored(result: dict[str, Any]) -> None:
    """Print a memory that was restored."""
    memory = result["memory"]
    if result["restored"]:
        click.echo(f"{paint('Restored', 'green')} {echo_of(memory)}")
    else:
        click.echo(f"Not restored {echo_of(memory)}")
        now = state(memory)
        note(f"It was not deleted; {f'it is {now}' if now else 'it is active'}. Nothing changed.")


def chain(result: dict[str, Any]) -> None:
    """Print a memory's predecessors and successors, oldest first."""
    table(
        [Column("ID"), Column("STORED"), Column("CONTENT", flexes=True)],
        [
            (short(memory["id"]), when(memory.get("created_at")), text_of(memory))
            for memory in result["chain"]
        ],
        lines=4,
    )


def extracted(result: dict[str, Any], replaced: Mapping[str, str] = _NONE) -> None:
    """Print the facts that were found, or the job that looks for them."""
    if "memories" in result:
        added(result, replaced)
        note(f"{memories(len(result['memories']))} found.")
    else:
        click.echo(f"Looking for facts in the background, job {shown(result.get('job_id'))}.")


def _row(memory: dict[str, Any], *, whose: bool) -> list[Any]:
    cells = [
        short(memory["id"]),
        memory.get("memory_type"),
        day(memory.get("created_at")),
        text_of(memory),
    ]
    if whose:
        cells.insert(1, owner(memory))
    return cells
