"""`ash memory`: store, find, change and delete memories."""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

import click

from ashd.cli import memory_view
from ashd.cli.caller import Caller
from ashd.cli.commands import (
    FILE,
    LazyGroup,
    completed,
    cursor,
    flag,
    id_,
    ids,
    limit,
    option,
    pass_caller,
)
from ashd.cli.inputs import (
    NEVER,
    end_of_day,
    expiry,
    expiry_or_never,
    expiry_params,
    json_lines,
    read_json,
    read_text,
    since,
    until,
    words,
)

_TYPES: Final = (
    *("preference", "identity", "relationship", "knowledge", "decision", "correction"),
    *("commitment", "skill", "context", "event", "task", "observation"),
    "fact",
)


def _type_option(name: str, text: str, *, multiple: bool = False) -> Callable[[Any], Any]:
    return option(
        "--type", name, type=click.Choice(_TYPES), metavar="TYPE", multiple=multiple, help=text
    )


def _tag_option(text: str) -> Callable[[Any], Any]:
    return option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        shell_complete=completed("tag"),
        help=text,
    )


def _subject_option(text: str) -> Callable[[Any], Any]:
    return option(
        "--subject",
        "subjects",
        multiple=True,
        metavar="NAME",
        shell_complete=completed("person"),
        help=text,
    )


_memory_id: Final = click.argument("memory_id", metavar="ID", shell_complete=completed("memory"))
_one_type = _type_option("memory_type", f"One of {', '.join(_TYPES)}.")
_only_types = _type_option("types", "Only of this type; repeat for more.", multiple=True)
_only_tags = _tag_option("Only with this tag; repeat for more.")
_about = option(
    "--about",
    metavar="NAME",
    shell_complete=completed("person"),
    help="Only what is about this person.",
)
_subjects = _subject_option("Whom it is about.")
_expires = option(
    "--expires",
    type=expiry,
    metavar="DAYS|DATE",
    help="Forget it after so many days (or 2w, 36h), or on this date.",
)
_sensitivity = option(
    "--sensitivity",
    type=click.Choice(["public", "personal", "sensitive"]),
    help="How private it is.",
)
_portable = option(
    "--portable/--no-portable", default=None, help="May it be told outside its chat?"
)
_everywhere = option(
    "--everywhere/--this-project",
    default=None,
    help="Does it hold in every project, or in --project alone? [by its words]",
)
_superseded = flag("--include-superseded", "Also memories that were replaced.")
_expired = flag("--include-expired", "Also memories that have expired or faded.")


_RARE: Final = {
    "conflicts": "ashd.cli.conflicts:conflicts",
    "withdraw": "ashd.cli.withdrawing:withdraw",
    "restore": "ashd.cli.withdrawing:restore",
    "erase": "ashd.cli.erasing:erase",
    "gc": "ashd.cli.erasing:gc",
    "compact": "ashd.cli.erasing:compact",
}


@click.group("memory", cls=LazyGroup, title="Commands", sections={"To clean up": _RARE})
def memory() -> None:
    """Memories: add, find, change, delete."""


@memory.command("add")
@click.argument("text", nargs=-1)
@option("--file", "file", type=FILE, metavar="FILE", help="Take the text from a file.")
@option("--facts-json", type=FILE, metavar="FILE|-", help="Store a JSON list of facts.")
@_subjects
@_one_type
@flag("--shared", "It belongs to the whole chat, not to one person.")
@_expires
@_sensitivity
@_portable
@_everywhere
@_tag_option("Repeat for more.")
@option(
    "--supersedes",
    metavar="ID",
    shell_complete=completed("memory"),
    help="The memory that this one replaces.",
)
@option("--key", metavar="KEY", help="Idempotency key: the same key stores once.")
@pass_caller
def add(
    caller: Caller,
    /,
    text: tuple[str, ...],
    file: str | None,
    facts_json: str | None,
    memory_type: str | None,
    expires: float | str | None,
    key: str | None,
    **fields: Any,
) -> None:
    """Store TEXT as one memory; - reads it from standard input."""
    params: dict[str, Any] = {**fields, **expiry_params(expires), "type": memory_type}
    if sum((bool(text), file is not None, facts_json is not None)) != 1:
        raise click.UsageError("Give TEXT, or --file, or --facts-json.")
    if facts_json is not None:
        params["facts"] = read_json(facts_json)
    elif file is not None or text == ("-",):
        params["content"] = read_text(file or "-")
    else:
        params["content"] = " ".join(text)
    result = caller.call("memory.add", idempotency_key=key, **params)
    caller.answer(result, partial(memory_view.added, replaced=_replaced(caller, result)))


memory.add_call(
    *("search", "memory.search", memory_view.FOUND),
    "Find memories by words and by meaning, best first.",
    words("query"),
    limit("At most so many [10]."),
    *(_about, _only_types, _only_tags, since(), until()),
    option("--as-of", type=end_of_day, metavar="DATE", help="As it was known then."),
    option("--min-score", type=float, help="From 0 to 1; 0 shows weak matches, too."),
    option(
        "--mode",
        type=click.Choice(["hybrid", "lexical", "vector"]),
        help="By words and meaning, by words, by meaning.",
    ),
    *(_superseded, _expired),
    flag("--explain", "Show what each score is made of."),
)
memory.add_call(
    *("list", "memory.list", memory_view.LISTED),
    "List memories, newest first or in another order.",
    limit("At most so many [20]."),
    *(cursor, _only_types, _about, _only_tags),
    *(since("Stored from this day on."), until("Stored up to this day.")),
    option("--source", metavar="SOURCE", help="cli, rpc, user, extraction …"),
    option(
        "--session",
        "session_id",
        metavar="ID",
        shell_complete=completed("session"),
        help="Only from this session.",
    ),
    option(
        "--grant",
        "grant_id",
        metavar="ID",
        shell_complete=completed("grant"),
        help="Only through this grant.",
    ),
    option(
        "--project",
        metavar="ID",
        shell_complete=completed("project"),
        help="Only those that belong to this project.",
    ),
    *(_superseded, _expired),
    flag("--include-archived", "Also memories that were deleted or cleaned up."),
    option(
        "--state",
        type=click.Choice(["active", "superseded", "expired", "archived"]),
        help="Only those in this state.",
    ),
    option(
        "--sort",
        type=click.Choice(["newest", "oldest", "most_used", "last_used", "ends_first"]),
        help="In this order [newest].",
    ),
)


@memory.command("show")
@_memory_id
@pass_caller
def show(caller: Caller, /, memory_id: str) -> None:
    """Show one memory in full: where it came from, who may read it, and its history."""
    from ashd.cli import memory_page

    result = caller.call("memory.get", id=memory_id, explain=True)
    result |= caller.call("memory.history", id=memory_id)
    caller.answer(result, memory_page.ONE)


@memory.command("edit")
@_memory_id
@click.argument("text", nargs=-1)
@_one_type
@option(
    "--expires",
    type=expiry_or_never,
    metavar="DAYS|DATE|never",
    help="Forget it after so many days (or 2w, 36h), on this date, or never.",
)
@_sensitivity
@_portable
@_everywhere
@_subject_option('Whom it is about, instead of who it was about; "" is nobody.')
@_tag_option('Replaces the tags it has; "" removes them.')
@option("--revision", type=int, metavar="N", help="Only if it still has this revision.")
@pass_caller
def edit(
    caller: Caller,
    /,
    memory_id: str,
    text: tuple[str, ...],
    memory_type: str | None,
    expires: float | str | None,
    revision: int | None,
    **fields: Any,
) -> None:
    """Change a memory; a new TEXT becomes a new memory that replaces it.

    Without TEXT and options, your editor ($EDITOR) opens with the current text.
    """
    content = read_text("-") if text == ("-",) else " ".join(text)
    wanted = {**fields, **expiry_params(expires), "type": memory_type, "content": content}
    changes = {name: value for name, value in wanted.items() if value not in (None, (), "")}
    for several in ("tags", "subjects"):
        if changes.get(several) == ("",):
            changes[several] = ()
    if expires == NEVER:
        changes["expires_at"] = None
    former: dict[str, Any] = {}
    if not changes:
        if not sys.stdin.isatty():
            raise click.UsageError("Say what to change: TEXT or an option.")
        former = caller.call("memory.get", id=memory_id)["memory"]
        changes["content"] = _in_editor(former["content"])
        revision = revision or former["revision"]
    elif changes.keys() <= memory_view.LABEL:
        former = caller.call("memory.get", id=memory_id)["memory"]
    result = caller.call("memory.update", id=memory_id, changes=changes, expected_revision=revision)
    caller.answer(result, lambda shown: memory_view.updated(shown, former))


memory.add_command(edit, "update")


def _in_editor(text: str) -> str:
    """Return a text as it was changed in the person's editor."""
    changed = click.edit(text, extension=".txt", require_save=False)
    changed = (changed or "").strip()
    if changed in {"", text.strip()}:
        raise click.UsageError("Nothing was changed.")
    return changed


@memory.command("supersede")
@_memory_id
@click.argument("older_id", metavar="OLDER", shell_complete=completed("memory"))
@option(
    "--verdict",
    type=click.Choice(["replaces", "both", "unsure"]),
    help="both: keep the two; unsure: undo either of the others [replaces].",
)
@pass_caller
def supersede(caller: Caller, /, memory_id: str, older_id: str, verdict: str | None) -> None:
    """Settle whether memory ID replaces memory OLDER, or both are true."""
    result = caller.call("memory.supersede", id=memory_id, superseded_id=older_id, verdict=verdict)
    caller.answer(result, memory_view.SUPERSEDED[verdict])


memory.add_call(
    *("delete", "memory.delete", memory_view.DELETED),
    "Delete memories; undo with `ash memory restore`.",
    ids("memory"),
)
memory.add_call(
    *("history", "memory.history", memory_view.CHAIN),
    "Show what a memory replaced and was replaced by, oldest first.",
    id_("memory"),
)


@memory.command("extract")
@click.argument("file", type=FILE, metavar="FILE|-")
@flag("--wait", "Wait for the facts.")
@pass_caller
def extract(caller: Caller, /, file: str, **params: Any) -> None:
    """Find facts in a text, or in a JSON list of messages, with the language model."""
    text = read_text(file)
    messages = read_messages(text)
    result = caller.call("memory.extract", messages=messages, **params)
    caller.answer(result, partial(memory_view.extracted, replaced=_replaced(caller, result)))


def _replaced(caller: Caller, result: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts that new facts replaced, by id, as far as they can be read."""
    from ashd_client.protocol import AshCallError

    texts: dict[str, str] = {}
    if not caller.as_json:
        with suppress(AshCallError):  # the facts are stored all the same
            for entry in result.get("memories") or []:
                for older in entry["superseded"]:
                    texts[older] = caller.call("memory.get", id=older)["memory"]["content"]
    return texts


def read_messages(text: str) -> list[Any]:
    """Read a JSON list of messages, one object per line, or any other text as one user message."""
    import json

    for parts in ([text], json_lines(text)):
        try:
            found = [json.loads(part) for part in parts]
        except (ValueError, RecursionError):
            continue
        messages: list[Any] = found[0] if found and isinstance(found[0], list) else found
        if messages and all(isinstance(one, dict) for one in messages):
            return messages
    return [{"role": "user", "content": text}]
