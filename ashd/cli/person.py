"""`ash person`: the people that memories are about, and merges of them."""

import re
from typing import Any, Final

import click

from ashd.cli import erasing
from ashd.cli.caller import Caller
from ashd.cli.commands import Group, flag, option, pass_caller
from ashd.cli.inputs import provider_and_id, words
from ashd_client.protocol import AshCallError

_ID: Final = re.compile(r"[0-9a-f-]{6,36}")


def _id_of(context: click.Context, _param: click.Parameter, given: str | None) -> str | None:
    """Return the id of a person that was given by id or by reference; creates nobody."""
    if given is None or (_ID.fullmatch(given) and any(map(str.isdigit, given))):
        return given
    caller = context.find_object(Caller)
    assert caller is not None
    try:
        found = caller.call("person.resolve", reference=given, create=False)
    except AshCallError as error:
        # "facade" may be a name, or the beginning of an id without a digit.
        if error.kind == "not_found" and _ID.fullmatch(given):
            return given
        raise
    return str(found["person_id"])


_PERSON: Final = click.argument("person_id", metavar="PERSON", callback=_id_of)
_TO: Final = option("--to", metavar="PERSON", callback=_id_of, help="To this person, not to you.")


@click.group("person", cls=Group)
def person() -> None:
    """People: who is meant, who they are, which accounts are theirs.

    PERSON is an id, its first 6 or more characters, or a reference ("Sarah", "my wife").
    """


@person.command("resolve")
@words("reference")
@option("--hint", "content_hint", metavar="TEXT", help="What is said of them.")
@option("--no-create", is_flag=True, help="Only find; create nobody.")
@pass_caller
def resolve(caller: Caller, /, *, no_create: bool, **params: Any) -> None:
    """Find whom REFERENCE ("my wife", "Sarah", "@handle") means, or create them."""
    create = False if no_create else None
    result = caller.call("person.resolve", create=create, **params)
    caller.answer(result, _resolved)


@person.command("list")
@click.argument("query", required=False)
@option("-n", "--limit", type=int, metavar="N", help="At most so many.")
@option("--relationship", metavar="WORD", help='Only these ("son", "family").')
@option("--order", type=click.Choice(["recent", "name", "connections"]), help="Which come first.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List people, or those whose name fits QUERY."""
    caller.answer(caller.call("person.list", **params), _listed)


@person.command("show")
@_PERSON
@pass_caller
def show(caller: Caller, /, person_id: str) -> None:
    """Show one person in full."""
    caller.answer(caller.call("person.get", id=person_id), _one)


@person.command("create")
@words("name")
@option("--relationship", metavar="WORD", help='What they are to you ("plumber").')
@pass_caller
def create(caller: Caller, /, **params: Any) -> None:
    """Create a person called NAME, even if somebody else has the name."""
    caller.answer(caller.call("person.create", **params), _one)


@person.command("undo-identification")
@_PERSON
@words("reference")
@option("--memory", "memory_ids", multiple=True, metavar="ID", help="This memory only.")
@pass_caller
def undo_identification(caller: Caller, /, memory_ids: tuple[str, ...], **params: Any) -> None:
    """Record that REFERENCE does not mean PERSON; the memories move to another person."""
    ids = list(memory_ids) or None
    caller.answer(caller.call("person.undo_identification", memory_ids=ids, **params), _moved)


@person.command("update")
@_PERSON
@option("--name", required=True, help="What they are to be called.")
@pass_caller
def update(caller: Caller, /, person_id: str, name: str) -> None:
    """Give a person another name."""
    caller.answer(caller.call("person.update", id=person_id, name=name), _one)


@person.command("add-alias")
@_PERSON
@click.argument("alias")
@pass_caller
def add_alias(caller: Caller, /, person_id: str, alias: str) -> None:
    """Add another name that means this person."""
    caller.answer(caller.call("person.add_alias", id=person_id, alias=alias), _one)


@person.command("remove-alias")
@_PERSON
@click.argument("alias")
@pass_caller
def remove_alias(caller: Caller, /, person_id: str, alias: str) -> None:
    """Remove another name."""
    caller.answer(caller.call("person.remove_alias", id=person_id, alias=alias), _one)


@person.command("relate")
@_PERSON
@click.argument("relationship")
@_TO
@pass_caller
def relate(caller: Caller, /, person_id: str, relationship: str, to: str | None) -> None:
    """State what a person is to you, or to another ("wife", "boss")."""
    result = caller.call("person.relate", id=person_id, relationship=relationship, to=to)
    caller.answer(result, _one)


@person.command("unrelate")
@_PERSON
@click.argument("relationship")
@_TO
@pass_caller
def unrelate(caller: Caller, /, person_id: str, relationship: str, to: str | None) -> None:
    """End a relationship that was stated."""
    result = caller.call("person.unrelate", id=person_id, relationship=relationship, to=to)
    caller.answer(result, _one)


@person.command("merge")
@_PERSON
@click.argument("into", metavar="INTO", callback=_id_of)
@flag("--dry-run", "Only show whom this would make.")
@pass_caller
def merge(caller: Caller, /, person_id: str, into: str, *, dry_run: bool | None) -> None:
    """Merge PERSON into INTO, since both are the same; `ash person split` undoes it."""
    caller.answer(caller.call("person.merge", id=person_id, into=into, dry_run=dry_run), _one)


@person.command("split")
@_PERSON
@pass_caller
def split(caller: Caller, /, person_id: str) -> None:
    """Undo the merge of a person into another."""
    caller.answer(caller.call("person.split", id=person_id), _split_up)


@person.command("duplicates")
@option("-n", "--limit", type=int, metavar="N", help="At most so many pairs.")
@pass_caller
def duplicates(caller: Caller, /, **params: Any) -> None:
    """Suggest people who may be the same; `ash person merge` merges them."""
    caller.answer(caller.call("person.duplicates", **params), _pairs)


@person.command("link-account")
@_PERSON
@click.argument("account", metavar="PROVIDER:USER", type=provider_and_id)
@pass_caller
def link_account(caller: Caller, /, person_id: str, account: tuple[str, str]) -> None:
    """Join an account to this person."""
    result = caller.call("person.link_account", id=person_id, account=_account(account))
    caller.answer(result, _one)


@person.command("unlink-account")
@_PERSON
@click.argument("account", metavar="PROVIDER:USER", type=provider_and_id)
@pass_caller
def unlink_account(caller: Caller, /, person_id: str, account: tuple[str, str]) -> None:
    """Part an account from this person; each has what it would have had without the join."""
    result = caller.call("person.unlink_account", id=person_id, account=_account(account))
    caller.answer(result, _split_up)


@person.command("delete")
@_PERSON
@flag("--yes", "Do not ask.")
@pass_caller
def delete(caller: Caller, /, person_id: str, *, yes: bool | None) -> None:
    """Delete a person's record; memories about them stay."""
    if not yes:
        click.confirm(f"Delete person {person_id}?", abort=True, err=True)
    caller.answer(caller.call("person.delete", id=person_id), _one)


person.add_command(erasing.forget)


def _resolved(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import may_be
    from ashd.cli.output import note, paint, shown

    verb = "Created" if result["created"] else "Found"
    how = "" if result["created"] else f" by {shown(result['matched_by'])}"
    click.echo(f"{paint(verb, 'green')} {shown(result['person_name'])}{how}")
    click.echo(f"  {shown(result['person_id'])}")
    if result["created"]:
        undo = f"ash person delete {shown(result['person_id'])}"
        note(f"Nobody like that was known; --no-create only asks. To take it back: {undo}")
    may_be(result, result["person_id"], result["person_name"])


def _moved(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count
    from ashd.cli.output import note

    _one(result)
    note(f"{count(result['moved'], 'memory', 'memories')} moved to this person.")


def _listed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import Column, day, note, table

    people = result["people"]
    if people:
        table(
            [
                Column("ID", whole=True),
                Column("NAME"),
                Column("RELATIONSHIP"),
                Column("ALIASES", flexes=True),
                Column("ACCOUNTS"),
                Column("CHANGED", spare=True),
            ],
            [
                (
                    short(entry["id"]),
                    entry["name"],
                    [relation(claim) for claim in entry.get("relationships") or []],
                    [alias["value"] for alias in entry.get("aliases") or []],
                    accounts(entry),
                    day(entry.get("updated_at")),
                )
                for entry in people
            ],
        )
    note(f"{count(len(people), 'person', 'people')}.")


def _pairs(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import Column, note, table

    pairs = result["pairs"]
    if pairs:
        table(
            [
                Column("ID"),
                Column("NAME"),
                Column("ID"),
                Column("NAME"),
                Column("WHY", flexes=True),
            ],
            [
                (
                    *(short(one["id"]), one["name"], short(other["id"]), other["name"]),
                    pair["why"],
                )
                for pair in pairs
                for one, other in [pair["people"]]
            ],
        )
    note(f"{count(len(pairs), 'pair')}.")


def _one(result: dict[str, Any]) -> None:
    from ashd.cli.output import fields, paint, shown, when

    entry = result["person"]
    click.echo(paint(shown(entry["name"]), bold=True))
    fields(
        [
            ("id", entry["id"]),
            *(
                ("is", f"{shown(relation(c))}, says {shown(c.get('stated_by'))}")
                for c in entry.get("relationships") or []
            ),
            ("aliases", [alias["value"] for alias in entry.get("aliases") or []]),
            ("accounts", accounts(entry)),
            ("merged into", entry.get("merged_into")),
            ("created", when(entry["created_at"])),
            ("changed", when(entry["updated_at"])),
            ("metadata", entry.get("metadata")),
        ],
        "  ",
    )


def _split_up(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import note, shown

    _one(result)
    left = result["not_parted"]
    if left["person_id"]:
        parts = [
            *([count(len(left["memories"]), "memory", "memories")] if left["memories"] else []),
            *(shown(name) for name in left["names"]),
            *([count(left["relationships"], "relationship")] if left["relationships"] else []),
        ]
        note(
            f"Nobody knows which of the two is meant by: {', '.join(parts)}. They are about a"
            f" third person now: ash person show {shown(left['person_id'])}"
        )
        for memory in left["memories"]:
            note(f"  ash memory show {short(memory)}")
    if left["unrecorded"]:
        note(
            f"{count(left['unrecorded'], 'memory', 'memories')} told before this version stay with"
            " the person who stands: nobody wrote down whom they mean."
        )


def _account(account: tuple[str, str]) -> dict[str, str]:
    provider, user_id = account
    return {"provider": provider, "user_id": user_id}


def relation(claim: dict[str, Any]) -> str:
    """Return what a person is to somebody: "wife of Ben"."""
    return f"{claim['relationship']} of {claim['to_name']}"


def accounts(person: dict[str, Any]) -> list[str]:
    """Return a person's accounts as ``provider:user``."""
    from ashd.cli.output import shown

    return [
        f"{shown(account.get('provider'))}:{shown(account.get('user_id'))}"
        for account in person.get("accounts") or []
    ]
