"""`ash profile`: the text about a user, and its versions."""

from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import FILE, Group, flag, limit, option, pass_caller
from ashd.cli.inputs import read_text
from ashd.cli.views import Each, Line, Note, Table, Title, View

_PROFILE: Final = View(
    Note("Nothing is written yet.", "!profile"),
    Line("{profile.text:block}", "profile.text"),
    Title("Learned from conversations", "profile.learned"),
    Line("{profile.learned:block}", "profile.learned"),
    Title("Notes", "profile.notes"),
    Line("{profile.notes:block}", "profile.notes"),
    Note(
        "Version {profile.version} of {profile.created_at:day}, {profile.token_count:count token}.",
        "profile",
    ),
)
_SOURCES: Final = View(
    Note("Nothing was learned yet.", "!sentences"),
    Each(
        "sentences",
        View(
            Line("{sentence}"),
            Line(
                "  {at:day}, {conversation_id:|in no stored turn}: {said or statement}",
                each="statements",
            ),
            Note("  Of no statement: the language model's own words.", "!statements"),
        ),
    ),
)
_VERSIONS: Final = View(
    Table(
        "versions",
        "VERSION> {version} | WRITTEN {created_at:day} | BY {source} | TOKENS> {token_count}",
    ),
    Note("{versions:count version}; --diff shows what each changed."),
)
_DIFFERENCES: Final = View(
    Each(
        "versions",
        View(Title("Version {version}, {created_at:day}"), Line("{difference:block}\n")),
    ),
    Note("{versions:count version}."),
)


def _is_later(result: dict[str, Any]) -> None:
    result["is_later"] = result["profile"]["version"] > 1


_SET: Final = View(
    _is_later,
    Line("Version {profile.version}, {profile.token_count:count token}."),
    Note("`ash profile history --diff` shows the words that it replaced.", "is_later"),
)
_REBUILT: Final = View(Line("The profile is written anew in the background, job {job_id}."))


@click.group("profile", cls=Group)
def profile() -> None:
    """Your profile: the text about you in every prompt."""


profile.add_call(
    *("rebuild", "profile.rebuild", _REBUILT),
    "Write the profile anew, in the background, from all that you said of yourself.",
)


@profile.command("show")
@flag("--sources", "Show what you said, and when, for each sentence that was learned.")
@pass_caller
def show(caller: Caller, /, *, sources: bool | None) -> None:
    """Show the profile and your notes."""
    if sources:
        caller.answer(caller.call("profile.sources"), _SOURCES)
    else:
        caller.answer(caller.call("profile.get"), _PROFILE)


@profile.command("history")
@limit("At most so many versions [20].")
@flag("--diff", "Show what each version changed.")
@option("--against", type=int, metavar="N", help="Compare each with this version.")
@pass_caller
def history(caller: Caller, /, *, diff: bool | None, **params: Any) -> None:
    """List the versions of the profile, or show what each changed."""
    compared = diff or params["against"] is not None
    caller.answer(caller.call("profile.history", **params), _DIFFERENCES if compared else _VERSIONS)


@profile.command("set")
@click.argument("text", nargs=-1)
@option("--file", type=FILE, metavar="FILE", help="Take the text from this file.")
@option("--notes", metavar="NOTES", help="Your own notes.")
@option("--learned", metavar="TEXT", help="Correct what was learned from conversations.")
@pass_caller
def set_(
    caller: Caller,
    /,
    text: tuple[str, ...],
    file: str | None,
    notes: str | None,
    learned: str | None,
) -> None:
    """Write the profile's TEXT (- reads standard input), or your notes; "" clears one.

    What you write is never changed; what is learned from conversations is kept apart from it.
    """
    given: str | None = " ".join(text) if text else None
    if file is not None or text == ("-",):
        given = read_text(file or "-")
    caller.answer(caller.call("profile.set", text=given, notes=notes, learned=learned), _SET)
