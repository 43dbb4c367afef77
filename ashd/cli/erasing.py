"""Commands that erase: `ash memory erase|gc|compact`, `ash person forget`, `ash db clear`.

Each shows what it would take before it asks.
"""

import sys
from collections import Counter
from functools import partial
from typing import Any, Final

import click

from ashd.cli import progress
from ashd.cli.asking import ask
from ashd.cli.caller import Caller, account_of, named
from ashd.cli.commands import Command, call_command, completed, flag, option, pass_caller
from ashd.cli.inputs import days
from ashd.cli.person_named import PERSON
from ashd.cli.views import Line, Note, Table, View, with_given

_BOTH: Final = "count memory or message/memories and messages"
_RECORD_KEPT: Final = {
    "account": "The record stays: the person has an account (`ash memory erase --owner`).",
    "others": "The record stays: others told of the person too (--all-scopes).",
}


def _receipt(said: str) -> View:
    """Return the view of a receipt, after a line that says what was done."""
    return View(
        Line(said),
        Table("receipt.rows", "TABLE {key} | ROWS> {value}"),
        Note(
            "These files were made before and may still hold it; delete them if you must:",
            "receipt.backups",
        ),
        Note("  {path}  ({kind}, {made_at:day})", each="receipt.backups"),
        Note("{} still has it: its next import brings it back.", each="files"),
        Note(
            "The PostgreSQL server keeps the bytes until it has vacuumed and written over them.",
            "receipt.bytes_at_server",
        ),
    )


_GONE: Final = _receipt(f"Erased {{erased:{_BOTH}}}.")
_WOULD_GO: Final = _receipt(f"Would erase {{erased:{_BOTH}}}.")
_WOULD_ARCHIVE: Final = View(Note("This would archive {archived:memories}."))
_PREVIEW: Final = View(
    Note("{:echo}", each="memories"),
    Note(f"This would erase {{erased:{_BOTH}}}:"),
    Note("  {key:<24}{value:>8}", each="receipt.rows"),
)
_COMPACTED: Final = _receipt(f"Erased {{removed:{_BOTH}}}.")
_WOULD_BE_COMPACTED: Final = _receipt(f"Would erase {{removed:{_BOTH}}}.")


def _count_cleaned(result: dict[str, Any]) -> None:
    result["reasons"] = [f"{why} {number}" for why, number in result["archived"].items()]
    result["removed"] = sum(result["removed"].values())


_CLEANED: Final = View(
    _count_cleaned,
    with_given,
    Line("Archived: {reasons:|nothing}.", "!given.dry_run"),
    Line("Would archive: {reasons:|nothing}.", "given.dry_run"),
    Table("memories", "ID {id:short} | WHY {reason}"),
    Note("{removed:count row} removed that nobody needs any more.", "!given.dry_run"),
    Note("Would remove {removed:count row} that nobody needs any more.", "given.dry_run"),
)
_dry_run = flag("--dry-run", "Count what would go; erase nothing.")
_yes = flag("--yes", "Do not ask.")


@click.command("erase", cls=Command)
@click.argument("memory_ids", metavar="[ID…]", nargs=-1, shell_complete=completed("deleted memory"))
@option(
    *("--conversation", "conversation_id"),
    metavar="ID",
    shell_complete=completed("conversation"),
    help="This conversation.",
)
@option(
    *("--grant", "grant_id"),
    metavar="ID",
    shell_complete=completed("grant"),
    help="What came through this grant.",
)
@option(
    "--owner",
    metavar="[PROVIDER:]USER",
    shell_complete=completed("account"),
    help="All that this account owns or said.",
)
@_dry_run
@_yes
@pass_caller
def erase(
    caller: Caller,
    /,
    memory_ids: tuple[str, ...],
    owner: str | None,
    *,
    dry_run: bool | None,
    yes: bool | None,
    **params: Any,
) -> None:
    """Erase for good: memories by ID, a conversation, a grant's contributions or an owner."""
    params["owner"] = None if owner is None else account_of(owner)
    selections: list[dict[str, Any]] = [dict(params, id=one) for one in memory_ids]
    if any(params.values()):
        selections.append(params)  # the daemon refuses two
    if not selections:
        raise click.UsageError("Say what to erase: ID…, --conversation, --grant or --owner.")

    def call(*, dry_run: bool | None = None) -> dict[str, Any]:
        """Erase all that is named; return one receipt."""
        rows: Counter[str] = Counter()
        erased = 0
        for one in selections:
            with named(str(one.get("id")), of=selections):
                result = progress.call(
                    caller, "memory.erase", label="Erasing", dry_run=dry_run, **one
                )
            rows.update(result["receipt"]["rows"])
            erased += result["erased"]
        return {"erased": erased, "receipt": {**result["receipt"], "rows": dict(rows)}}

    memories = []
    for one in memory_ids:
        with named(one, of=selections):
            memories.append(caller.call("memory.get", id=one)["memory"])
    if not (dry_run or yes):
        _PREVIEW({**call(dry_run=True), "memories": memories})
        ask("Erase this for good? Nothing brings it back.")
    view = _WOULD_GO if dry_run else _GONE
    files = _files(memories)
    caller.answer(call(dry_run=dry_run), lambda shown: view({**shown, "files": files}))


def _files(memories: list[dict[str, Any]]) -> list[str]:
    """Return the files from which memories were imported, and which still have the words."""
    found = [memory.get("metadata") or {} for memory in memories]
    return list(dict.fromkeys(one["file"] for one in found if "imported" in one and "file" in one))


@click.command("forget", cls=Command)
@click.argument("person_id", **PERSON)
@flag("--erase", "Erase the memories and the record for good instead of archiving.")
@flag("--mentions", "With --erase: erase also texts that name the person without a link to them.")
@flag("--delete-record", "Delete the person's record too.")
@_dry_run
@_yes
@pass_caller
def forget(
    caller: Caller,
    /,
    person_id: str,
    *,
    dry_run: bool | None,
    yes: bool | None,
    delete_record: bool | None,
    **how: bool | None,
) -> None:
    """Archive all memories about a person; --erase erases them for good."""
    if how["mentions"] and not how["erase"]:
        raise click.UsageError("--mentions is for --erase.")

    def call(*, dry_run: bool | None) -> dict[str, Any]:
        return progress.call(
            caller,
            "memory.forget_person",
            label="Forgetting",
            person_id=person_id,
            delete_person_record=delete_record,
            dry_run=dry_run,
            **how,
        )

    if not (dry_run or yes):
        found = call(dry_run=True)
        (_PREVIEW if how["erase"] else _WOULD_ARCHIVE)(found)
        if how["mentions"]:
            _mentions("would be erased", err=True)(found)
        ask("Erase all about this person for good?" if how["erase"] else "Archive all about them?")
    view = _answered(dry_run=bool(dry_run), erases_mentions=bool(how["mentions"]))
    caller.answer(call(dry_run=dry_run), view)


@click.command("clear", cls=Command)
@option("--confirm", metavar="everything", help="The word that says you mean it.")
@_dry_run
@pass_caller
def clear(caller: Caller, /, confirm: str | None, *, dry_run: bool | None) -> None:
    """Erase everything that is stored, for everybody, and revoke every grant."""
    call = partial(progress.call, caller, "db.clear", label="Erasing", confirm="everything")
    if dry_run:
        confirm = "everything"
    elif confirm is None and sys.stdin.isatty():
        _PREVIEW(call(dry_run=True))
        ask("Erase everything, for everybody? Nothing brings it back.")
        confirm = click.prompt("Type `everything` to go on", err=True)
    if confirm != "everything":
        raise click.UsageError("Give --confirm everything.")
    caller.answer(call(dry_run=dry_run), _WOULD_GO if dry_run else _GONE)


gc = call_command(
    *("gc", "db.gc", _CLEANED),
    "Archive superseded, expired, faded and surplus memories, and remove expired records.",
    flag("--dry-run", "Say what would be done; change nothing."),
    label="Cleaning up",
)


@click.command("compact", cls=Command)
@option(
    "--older-than",
    type=days,
    metavar="DAYS",
    help="Only memories that were archived at least so long ago [90d].",
)
@flag("--force", "Erase it for good; without this nothing happens.")
@_dry_run
@pass_caller
def compact(
    caller: Caller, /, older_than: float | None, *, force: bool | None, dry_run: bool | None
) -> None:
    """Erase archived memories for good."""
    if not (force or dry_run):
        raise click.UsageError("Give --force to erase it for good, or --dry-run.")
    result = progress.call(
        caller,
        "db.compact",
        label="Compacting",
        older_than_days=older_than,
        force=force,
        dry_run=dry_run,
    )
    caller.answer(result, _WOULD_BE_COMPACTED if dry_run else _COMPACTED)


def _answered(*, dry_run: bool, erases_mentions: bool) -> View:
    """Return the view of what became of a person's memories, or would become of them."""
    archived, erased = ("Would archive", "Would erase") if dry_run else ("Archived", "Erased")
    taken = "would be erased" if dry_run else "erased"
    return View(
        _prepare,
        View(
            Line(f"{archived} {{archived:memories}}."),
            Note(
                "`ash memory list --include-archived` shows them, `ash memory restore` undoes it."
            ),
            only="archived",
        ),
        Note("{record_kept}", "record_kept"),
        View(_receipt(f"{erased} {{erased:{_BOTH}}}."), only="has_receipt"),
        _mentions(taken if erases_mentions else None),
    )


def _prepare(result: dict[str, Any]) -> None:
    """Say why a record is kept; show no empty receipt beside memories that were archived."""
    result["record_kept"] = _RECORD_KEPT.get(result["record_kept"])
    result["has_receipt"] = result["receipt"]["rows"] or not result["archived"]


def _mentions(taken: str | None, *, err: bool = False) -> View:
    """Return the view of what names the person: taken, or left, and perhaps somebody else's."""
    texts = "Texts that name the person without being linked to it"
    stay = f"{texts} stay (--mentions erases them):"
    return View(
        _count_more,
        Line(f"{texts}, {taken}:" if taken else stay, "mentions.counts", err=err),
        Line("  {kind}: {ids:short}{more}", each="mentions.kinds", err=err),
        Line(
            "These have a word of the name, but may be about somebody else; they stay:",
            "left.counts",
            err=err,
        ),
        Line("  {kind}: {ids:short}{more}", each="left.kinds", err=err),
    )


def _count_more(result: dict[str, Any]) -> None:
    """Add, for each kind of text, how many more texts there are than listed ids."""
    for name in ("mentions", "left"):
        found = result[name]
        beyond = {kind: n - len(found["ids"][kind]) for kind, n in found["counts"].items()}
        found["kinds"] = [
            {
                "kind": kind.replace("_", " "),
                "ids": found["ids"][kind],
                "more": f" and {more} more" if more else "",
            }
            for kind, more in beyond.items()
        ]
