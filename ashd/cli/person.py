"""`ash person`: the people that memories are about, and merges of them."""

from typing import Any, Final

import click

from ashd.cli import erasing
from ashd.cli.asking import ask
from ashd.cli.caller import Caller
from ashd.cli.commands import Group, completed, flag, limit, option, pass_caller
from ashd.cli.inputs import provider_and_id, words
from ashd.cli.memory_view import MAY_BE, offers
from ashd.cli.person_named import PERSON
from ashd.cli.views import Fields, Line, Note, Table, Title, View, with_given


def _account_of(_ctx: click.Context, _param: click.Parameter, given: tuple[str, str]) -> Any:
    return dict(zip(("provider", "user_id"), given, strict=True))


_person: Final = click.argument("id", **PERSON)
_person_id: Final = click.argument("person_id", **PERSON)
_to: Final = option("--to", **PERSON, help="To this person, not to you.")
_alias: Final = click.argument("alias")
_relationship: Final = click.argument("relationship")
_account: Final = click.argument(
    "account",
    metavar="PROVIDER:USER",
    type=provider_and_id,
    callback=_account_of,
    shell_complete=completed("account"),
)

_RESOLVED: Final = View(
    Line("{person_name}", "created", verb="Created"),
    Line("{person_name} by {matched_by}", "!created", verb="Found"),
    Line("  {person_id}"),
    Note(
        "Nobody like that was known; --no-create only asks."
        " To take it back: ash person delete {person_id}",
        "created",
    ),
    lambda result: MAY_BE(
        {"may_be": offers([{**result, "id": result["person_id"], "name": result["person_name"]}])}
    ),
)


def _part_ended(result: dict[str, Any]) -> None:
    """Part the relationships that hold from those that have ended."""
    for person in result["people"] if "people" in result else [result["person"]]:
        claims = person.get("relationships") or ()
        person["relationships"] = [one for one in claims if not one["ended_at"]]
        person["ended"] = [one for one in claims if one["ended_at"]]


_PEOPLE: Final = View(
    _part_ended,
    Table(
        "people",
        "ID! {id:short} | NAME {name} | RELATIONSHIP {relationships:relation}"
        " | ALIASES~ {aliases.value} | ACCOUNTS {accounts:account} | CHANGED? {updated_at:day}",
    ),
    Note("{people:count person/people}."),
)


def _names_of_pair(result: dict[str, Any]) -> None:
    for pair in result["pairs"]:
        pair["one"], pair["other"] = pair["people"]


_PAIRS: Final = View(
    _names_of_pair,
    Table(
        "pairs",
        "ID {one.id:short} | NAME {one.name} | ID {other.id:short} | NAME {other.name}"
        " | WHY~ {why}",
    ),
    Note("{pairs:count pair}."),
)


def _note_unparted(result: dict[str, Any]) -> None:
    """Say what a split could not give to either of the two."""
    left = result["not_parted"]
    unknown = {
        "{memories:memories}": left["memories"],
        "{names}": left["names"],
        "{relationships:count relationship}": left["relationships"],
    }
    meant = ", ".join(text for text, there in unknown.items() if there)
    View(
        Note(
            f"Nobody knows which of the two is meant by: {meant}. They are about a third person"
            " now: ash person show {person_id}"
        ),
        Note("  ash memory show {:short}", each="memories"),
        only="person_id",
    )(left)


_ONE: Final = View(
    _part_ended,
    Title("{person.name}"),
    Fields(
        "id {person.id} | is[person.relationships] {:relation}, says {stated_by}"
        " | was[person.ended] {:relation}, says {stated_by}, until {ended_at:day}"
        " | aliases {person.aliases.value} | accounts {person.accounts:account}"
        " | merged into {person.merged_into} | created {person.created_at:when}"
        " | changed {person.updated_at:when} | metadata {person.metadata}",
        "  ",
    ),
)


def _undone_by(command: str, only: str = "") -> View:
    """Return the view of a person who was changed, with the command that undoes it."""
    return View(_ONE, with_given, Note(f"`ash person {command}` undoes it.", only))


_RELATED: Final = "{given.id:quoted} {given.relationship:quoted}"
_ALIAS: Final = "{given.id:quoted} {given.alias:quoted}"
_ACCOUNT: Final = "{given.id:quoted} {given.account:account}"
_WOULD_DELETE: Final = View(
    _part_ended,
    Note("This is {person.name}, {person.relationships:relation|known}."),
)
_CREATED: Final = View(_ONE, Note("`ash person delete {person.id}` takes it back."))
_RENAMED: Final = View(
    _ONE, Note("`ash person update {person.id} --name {former:quoted}` undoes it.")
)
_MOVED: Final = View(
    _ONE,
    Note("{moved:memories} moved to this person."),
    Note("`ash person merge` joins this person and the other again."),
)
_PARTED: Final = View(
    _ONE,
    _note_unparted,
    Note(
        "{unrecorded:memories} told before this version stay with the person who stands: nobody"
        " wrote down whom they mean.",
        "unrecorded",
    ),
)
_UNLINKED: Final = View(
    _PARTED, with_given, Note(f"`ash person link-account {_ACCOUNT}` joins it again.")
)


@click.group("person", cls=Group)
def person() -> None:
    """People: who is meant, who they are, which accounts are theirs.

    PERSON is an id, its first 6 or more characters, or a reference ("Sarah", "my wife").
    """


person.add_call(
    *("resolve", "person.resolve", _RESOLVED),
    'Find whom REFERENCE ("my wife", "Sarah", "@handle") means, or create them.',
    words("reference"),
    option("--hint", "content_hint", metavar="TEXT", help="What is said of them."),
    option(
        *("--no-create", "create"),
        is_flag=True,
        callback=lambda _ctx, _param, given: False if given else None,
        help="Only find; create nobody.",
    ),
)
person.add_call(
    *("list", "person.list", _PEOPLE),
    "List people, or those whose name fits QUERY.",
    click.argument("query", required=False),
    limit(),
    option("--relationship", metavar="WORD", help='Only these ("son", "family").'),
    option(
        "--order", type=click.Choice(["recent", "name", "connections"]), help="Which come first."
    ),
)
person.add_call("show", "person.get", _ONE, "Show one person in full.", _person)
person.add_call(
    *("create", "person.create", _CREATED),
    "Create a person called NAME, even if somebody else has the name.",
    words("name"),
    option("--relationship", metavar="WORD", help='What they are to you ("plumber").'),
)
person.add_call(
    *("undo-identification", "person.undo_identification", _MOVED),
    "Record that REFERENCE does not mean PERSON; the memories move to another person.",
    _person_id,
    words("reference"),
    option("--memory", "memory_ids", multiple=True, metavar="ID", help="This memory only."),
)
person.add_call(
    *("add-alias", "person.add_alias", _undone_by(f"remove-alias {_ALIAS}")),
    "Add another name that means this person.",
    *(_person, _alias),
)
person.add_call(
    *("remove-alias", "person.remove_alias", _undone_by(f"add-alias {_ALIAS}")),
    "Remove another name.",
    *(_person, _alias),
)
person.add_call(
    *("relate", "person.relate", _undone_by(f"unrelate {_RELATED}{{given.to:to}}")),
    'State what a person is to you, or to another ("wife", "boss").',
    *(_person, _relationship, _to),
)
person.add_call(
    *("unrelate", "person.unrelate", _undone_by(f"relate {_RELATED}{{given.to:to}}")),
    "End a relationship that was stated.",
    *(_person, _relationship, _to),
)
person.add_call(
    *("merge", "person.merge", _undone_by("split {given.id:quoted}", "!given.dry_run")),
    "Merge PERSON into INTO, since both are the same; `ash person split` undoes it.",
    _person,
    click.argument("into", **{**PERSON, "metavar": "INTO"}),
    flag("--dry-run", "Only show the merged person."),
)
person.add_call(
    *("split", "person.split", View(_PARTED, Note("`ash person merge` merges them again."))),
    "Undo the merge of a person into another.",
    _person,
)
person.add_call(
    *("duplicates", "person.duplicates", _PAIRS),
    "Suggest people who may be the same; `ash person merge` merges them.",
    limit("At most so many pairs."),
)
person.add_call(
    *("link-account", "person.link_account", _undone_by(f"unlink-account {_ACCOUNT}")),
    "Join an account to this person.",
    *(_person, _account),
)
person.add_call(
    *("unlink-account", "person.unlink_account", _UNLINKED),
    "Separate an account from this person; each has what it would have without the join.",
    *(_person, _account),
)


@person.command("update")
@_person
@option("--name", required=True, help="What they are to be called.")
@pass_caller
def update(caller: Caller, /, *, name: str, **who: str) -> None:
    """Give a person another name."""
    former = caller.call("person.get", **who)["person"]["name"]
    result = caller.call("person.update", name=name, **who)
    caller.answer(result, lambda shown: _RENAMED({**shown, "former": former}))


@person.command("delete")
@_person
@flag("--yes", "Do not ask.")
@pass_caller
def delete(caller: Caller, /, *, yes: bool | None, **who: str) -> None:
    """Delete a person's record; memories about them stay."""
    if not yes:
        _WOULD_DELETE(caller.call("person.get", **who))
        ask("Delete this record? Nothing brings it back; memories about the person stay.")
    caller.answer(caller.call("person.delete", **who), _ONE)


person.add_command(erasing.forget)
