"""The choice between several people of a name, before an act."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.problems import Problem
from ashd.web.rendering import render
from ashd.web.viewer import Viewer

_MOST: Final = 20


async def fitting(viewer: Viewer, name: str, *, without: str) -> list[dict[str, Any]]:
    """Return the people whom a name fits; only the one with exactly this name, if there is one."""
    listed = await viewer.call("person.list", query=name, limit=_MOST)
    fits = [one for one in listed["people"] if one["id"] != without]
    same = [one for one in fits if one["name"].casefold() == name.casefold()]
    return same if len(same) == 1 else fits


def ask(
    request: Request,
    question: str,
    fits: Sequence[Mapping[str, Any]],
    *,
    path: str,
    field: str,
    fields: Mapping[str, str],
) -> Response:
    """Return a page that asks which of the people is meant; each one's button posts its id.

    Raises:
        Problem: there is nobody to choose from.
    """
    if not fits:
        raise Problem(404, "Nobody is known by this name.", "The list of people has them all.")
    return render(
        *(request, "people_choice.html"),
        question=question,
        fits=fits,
        action=path,
        field=field,
        fields=fields,
    )
