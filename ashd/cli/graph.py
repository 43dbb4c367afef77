"""`ash graph`: people and things, and what they are to one another."""

from typing import Final

import click

from ashd.cli.commands import Group, completed, flag, ids, limit, option
from ashd.cli.inputs import end_of_day, start_of_day
from ashd.cli.views import Line, Note, Table, View, with_new

_TYPES: Final = click.Choice(["person", "company", "place", "project", "tool", "concept", "event"])
_sensitivity = option(
    "--sensitivity",
    type=click.Choice(["public", "personal", "sensitive"]),
    help="How private it is, as for a memory.",
)
_shared = flag("--shared", "It is the group's, not yours.")
_limit = limit("At most so many [30].")
_ended = flag("--include-ended", "Also relations that have ended.")

_SAID: Final = (
    "{relation.id:short}: {relation.source.name} {relation.relation} {relation.target.name}"
)
_FOUND: Final = View(
    Line("{id:short}  {type} {name}{aliases:brackets}", each="entities"),
    Line("{id:short}  known person {name}; `ash person show` says more", each="people"),
    Table(
        "relations",
        "ID {id:short} | RELATION~ {source.name} {relation} {target.name} | FROM {valid_from:day}"
        " | UNTIL {valid_until:day} | SAID {asserted_at:day}",
        lines=2,
    ),
    Note("{relations:count relation}.", "!more"),
    Note("{relations:count relation}. There are more: --limit.", "more"),
)
_OUTCOMES: Final = {"added": "Added", "known": "Known already", "revived": "Holds again"}
_ENTITY: Final = View(
    with_new,
    Line(
        "{entity.id:short}: {entity.type} {entity.name}{entity.aliases:brackets}",
        verb=lambda result: _OUTCOMES[result["outcome"]],
    ),
    Note("`ash graph remove {entity.id:short}` takes it back.", "is_new"),
)
_RELATED: Final = View(
    with_new,
    Line(_SAID, verb=lambda result: _OUTCOMES[result["outcome"]]),
    Line("  ended {ended:count former one}: {ended:short}", "ended"),
    Note("`ash graph remove {relation.id:short}` takes it back.", "is_new"),
)
_RELATION: Final = (
    "{relation.source.name:quoted} {relation.relation:quoted} {relation.target.name:quoted}"
)
_END: Final = View(
    Line(f"{_SAID}, until {{relation.valid_until:day}}", verb="Ended"),
    Note(f"`ash graph relate {_RELATION}` states it anew."),
)
_REMOVED: Final = View(
    Line("Removed the {kind} {id:short}."), Note("`ash graph relate` or `add` states it anew.")
)


@click.group("graph", cls=Group)
def graph() -> None:
    """People and things, and what they are to one another."""


graph.add_call(
    *("search", "graph.search", _FOUND),
    "Show the relations of NAME, or those of a kind.",
    click.argument("name", required=False, shell_complete=completed("thing")),
    option("--relation", metavar="WORDS", help='Only by this relation, as "works at".'),
    option("--direction", type=click.Choice(["both", "out", "in"]), help="Of, or to, NAME [both]."),
    option("--depth", type=int, metavar="N", help="How many relations away [2]."),
    _limit,
    option("--as-of", type=end_of_day, metavar="DATE", help="As it was then."),
    _ended,
)
graph.add_call("list", "graph.search", _FOUND, "List relations, last said first.", _limit, _ended)
graph.add_call(
    *("add", "graph.add_entity", _ENTITY),
    "Add a person or thing, or more names of one.",
    click.argument("name"),
    option("--type", "type", type=_TYPES, required=True, help="What it is."),
    option("--alias", "aliases", multiple=True, help="Another name of it; repeat for more."),
    *(_sensitivity, _shared),
)
graph.add_call(
    *("relate", "graph.relate", _RELATED),
    'State a relation of SOURCE to TARGET, as: Sarah "works at" Acme.',
    *(click.argument(name) for name in ("source", "relation", "target")),
    option("--source-type", type=_TYPES, help="What SOURCE is."),
    option("--target-type", type=_TYPES, help="What TARGET is."),
    option("--from", "valid_from", type=start_of_day, metavar="DATE", help="Since then."),
    option("--until", "valid_until", type=end_of_day, metavar="DATE", help="Until then."),
    option("--confidence", type=float, metavar="0-1", help="How sure it is [1]."),
    option("--single/--many", default=None, help="One value at a time, or several."),
    *(_sensitivity, _shared),
)
graph.add_call(
    *("end", "graph.end", _END),
    "State that a relation no longer holds.",
    ids("relation"),
    option("--at", type=start_of_day, metavar="DATE", help="Since then [now]."),
)
graph.add_call(
    *("remove", "graph.remove", _REMOVED),
    "Remove an entity with its relations, or a relation, that was a mistake.",
    ids("relation"),
)
