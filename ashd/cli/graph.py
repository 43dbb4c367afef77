"""`ash graph`: people and things, and what they are to one another."""

from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import Group, flag, option, pass_caller
from ashd.cli.inputs import end_of_day, start_of_day

_TYPES: Final = click.Choice(["person", "company", "place", "project", "tool", "concept", "event"])
_sensitivity = option(
    "--sensitivity",
    type=click.Choice(["public", "personal", "sensitive"]),
    help="Who may hear of it, as of a memory.",
)
_shared = flag("--shared", "It is the group's, not yours.")


@click.group("graph", cls=Group)
def graph() -> None:
    """People and things, and what they are to one another."""


@graph.command("search")
@click.argument("name", required=False)
@option("--relation", metavar="WORDS", help='Only by this relation, as "works at".')
@option("--direction", type=click.Choice(["both", "out", "in"]), help="Of, or to, NAME [both].")
@option("--depth", type=int, metavar="N", help="How many relations away [2].")
@option("-n", "--limit", type=int, metavar="N", help="At most so many [30].")
@option("--as-of", type=end_of_day, metavar="DATE", help="As it was then.")
@flag("--include-ended", "Also what holds no longer.")
@pass_caller
def search(caller: Caller, /, **params: Any) -> None:
    """Show the relations of NAME, or those of a kind."""
    caller.answer(caller.call("graph.search", **params), _found)


@graph.command("list")
@option("-n", "--limit", type=int, metavar="N", help="At most so many [30].")
@flag("--include-ended", "Also what holds no longer.")
@pass_caller
def list_(caller: Caller, /, **params: Any) -> None:
    """List relations, last said first."""
    caller.answer(caller.call("graph.search", **params), _found)


@graph.command("add")
@click.argument("name")
@option("--type", "type", type=_TYPES, required=True, help="What it is.")
@option("--alias", "aliases", multiple=True, help="Another name of it; repeat for more.")
@_sensitivity
@_shared
@pass_caller
def add(caller: Caller, /, **params: Any) -> None:
    """Add a person or thing, or more names of one."""
    caller.answer(caller.call("graph.add_entity", **params), _entity)


@graph.command("relate")
@click.argument("source")
@click.argument("relation")
@click.argument("target")
@option("--source-type", type=_TYPES, help="What SOURCE is.")
@option("--target-type", type=_TYPES, help="What TARGET is.")
@option("--from", "valid_from", type=start_of_day, metavar="DATE", help="Since then.")
@option("--until", "valid_until", type=end_of_day, metavar="DATE", help="Until then.")
@option("--confidence", type=float, metavar="0-1", help="How sure it is [1].")
@option("--single/--many", default=None, help="One value at a time, or several.")
@_sensitivity
@_shared
@pass_caller
def relate(caller: Caller, /, **params: Any) -> None:
    """State what SOURCE is to TARGET, as: Sarah "works at" Acme."""
    caller.answer(caller.call("graph.relate", **params), _related)


@graph.command("end")
@click.argument("relation_id", metavar="ID")
@option("--at", type=start_of_day, metavar="DATE", help="Since then [now].")
@pass_caller
def end(caller: Caller, /, relation_id: str, at: str | None) -> None:
    """State that a relation no longer holds."""
    caller.answer(caller.call("graph.end", id=relation_id, at=at), _ended)


@graph.command("remove")
@click.argument("thing_id", metavar="ID")
@pass_caller
def remove(caller: Caller, /, thing_id: str) -> None:
    """Remove an entity with its relations, or a relation, that was a mistake."""
    caller.answer(caller.call("graph.remove", id=thing_id), _removed)


def _found(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import Column, day, note, shown, table

    for entity in result["entities"]:
        names = f" ({shown(entity['aliases'])})" if entity["aliases"] else ""
        click.echo(f"{short(entity['id'])}  {entity['type']} {shown(entity['name'])}{names}")
    entries = result["relations"]
    if entries:
        table(
            [
                Column("ID"),
                Column("RELATION", flexes=True),
                Column("FROM"),
                Column("UNTIL"),
                Column("SAID"),
            ],
            [
                (
                    short(entry["id"]),
                    _sentence(entry),
                    entry["valid_from"] and day(entry["valid_from"]),
                    entry["valid_until"] and day(entry["valid_until"]),
                    day(entry["asserted_at"]),
                )
                for entry in entries
            ],
            lines=2,
        )
    more = " There are more: --limit." if result["more"] else ""
    note(f"{count(len(entries), 'relation')}.{more}")


def _sentence(relation: dict[str, Any]) -> str:
    return f"{relation['source']['name']} {relation['relation']} {relation['target']['name']}"


def _entity(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import short
    from ashd.cli.output import shown

    entity = result["entity"]
    word = "Added" if result["outcome"] == "added" else "Known"
    names = f" ({shown(entity['aliases'])})" if entity["aliases"] else ""
    click.echo(f"{word} {short(entity['id'])}: {entity['type']} {shown(entity['name'])}{names}")


def _related(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import count, short
    from ashd.cli.output import shown

    relation = result["relation"]
    word = {"added": "Added", "known": "Known already", "revived": "Holds again"}
    click.echo(f"{word[result['outcome']]} {short(relation['id'])}: {shown(_sentence(relation))}")
    if result["ended"]:
        ids = ", ".join(short(ended) for ended in result["ended"])
        click.echo(f"  ended {count(len(result['ended']), 'former one')}: {ids}")


def _ended(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import short
    from ashd.cli.output import day, shown

    relation = result["relation"]
    until = day(relation["valid_until"])
    click.echo(f"Ended {short(relation['id'])}: {shown(_sentence(relation))}, until {until}")


def _removed(result: dict[str, Any]) -> None:
    from ashd.cli.memory_view import short

    click.echo(f"Removed the {result['kind']} {short(result['id'])}.")
