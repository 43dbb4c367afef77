"""PERSON on a command line: an id, or a reference as "Sarah" and "my wife"."""

import re
from typing import Any, Final

import click

from ashd.cli.caller import Caller
from ashd.cli.commands import completed
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


PERSON: Final[dict[str, Any]] = {
    "metavar": "PERSON",
    "callback": _id_of,
    "shell_complete": completed("person"),
}
"""The keywords of an argument or option."""
