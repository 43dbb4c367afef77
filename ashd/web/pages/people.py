"""The people: as a table that can be filtered, as a picture, and pairs who may be one."""

from typing import Any, Final, NamedTuple

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import Response

from ashd.language.people.relationship_groups import MEMBERS
from ashd.web.forms import Form
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.sessions import Undo
from ashd.web.viewer import Viewer

_ROWS: Final = 50
_PAIRS: Final = 20


class Filter(NamedTuple):
    """A filter of people; kept in the session, so that no name is in a URL."""

    query: str | None = None
    relationship: str | None = None
    order: str | None = None


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a page of the people known to the account."""
    key = request.query_params.get("f")
    kept = request.state.session.kept(key)
    wanted = kept if isinstance(kept, Filter) else Filter()
    listed = await viewer.call(
        *("person.list",),
        **wanted._asdict(),
        limit=_ROWS,
        cursor=request.query_params.get("cursor"),
        count=True,
    )
    here = f"/people?f={key}" if key else "/people"
    more = f"{here}{'&' if key else '?'}cursor={listed['next_cursor']}"
    return render(
        *(request, "people.html"),
        listed=listed,
        wanted=wanted,
        choices=_choices(listed["relationships"]),
        first=here if request.query_params.get("cursor") else "",
        more=more if listed["next_cursor"] else "",
        same_as=viewer.command("person", "list"),
    )


async def find(request: Request, _viewer: Viewer, form: Form) -> Response:
    """Keep a filter, and show the people that match it."""
    wanted = Filter(form.optional("query"), form.optional("relationship"), form.optional("order"))
    return redirect_after(request, f"/people?f={request.state.session.keep(wanted)}")


async def create(request: Request, viewer: Viewer, form: Form) -> Response:
    """Create a person."""
    made = await viewer.call(
        *("person.create",),
        name=form.text("name"),
        relationship=form.optional("relationship"),
    )
    person = made["person"]
    undo = Undo(f"/people/{person['id']}/delete", {})
    return redirect_after(
        request, f"/people/{person['id']}", notice=f"{person['name']} was added.", undo=undo
    )


async def picture(request: Request, viewer: Viewer) -> Response:
    """Show the most connected people and their relationships."""
    from ashd.web import people_graph  # noqa: PLC0415  loads numpy, which no other page needs

    listed = await viewer.call(
        "person.list", order="connections", limit=people_graph.MOST_PEOPLE, count=True
    )
    people = [
        {**one, "name": "you"} if one["id"] == viewer.own_person else one
        for one in listed["people"]
    ]
    drawn = await anyio.to_thread.run_sync(people_graph.draw, people)
    return render(
        *(request, "people_picture.html"),
        picture=drawn,
        people=listed["total"],
        relationships=sum(listed["relationships"].values()),
        same_as=viewer.command("person", "list", "--order", "connections"),
    )


async def duplicates(request: Request, viewer: Viewer) -> Response:
    """Show pairs of people who may be the same."""
    found = await viewer.call("person.duplicates", limit=_PAIRS)
    return render(
        *(request, "people_duplicates.html"),
        pairs=found["pairs"],
        same_as=viewer.command("person", "duplicates"),
    )


def _choices(counted: dict[str, int]) -> list[tuple[str, str]]:
    """Return the relationships to filter by: words for several people, then single ones."""
    several = {
        word: sum(counted.get(member, 0) for member in members)
        for word, members in MEMBERS.items()
        if len(members & counted.keys()) > 1
    }
    named: dict[str, Any] = {**several, **counted}
    return [("", "anybody"), *((word, f"{word} ({count})") for word, count in named.items())]


ROUTES: Final = [
    get("/people", show),
    post("/people", find, changes=False),
    post("/person/add", create, shown_by=show),
    get("/people/picture", picture),
    get("/people/duplicates", duplicates),
]
