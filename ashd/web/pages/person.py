"""One person: names, accounts, relationships with who stated them, the memories about them."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd import wording
from ashd.web import memory_forms
from ashd.web.forms import Form
from ashd.web.pages import choosing
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.sessions import Undo
from ashd.web.viewer import Viewer, panels

_ROWS: Final = 20


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a person, and a page of the memories about them."""
    shown = await viewer.call("person.get", id=request.path_params["id"], related=True)
    person = shown["person"]
    cursor = request.query_params.get("cursor")
    found = await panels(
        memories=viewer.call("memory.list", about=person["id"], limit=_ROWS, cursor=cursor)
    )
    listed = found["memories"].value
    more = listed["next_cursor"] if listed else None
    return render(
        *(request, "person.html"),
        person=person,
        forms=memory_forms,
        words=wording,
        related=shown["related"],
        can_split=shown["can_split"],
        more_related=shown["related_total"] - len(shown["related"]),
        references=_references(person),
        first=_path(person) if cursor else "",
        more=f"{_path(person)}?cursor={more}" if more else "",
        same_as=viewer.command("person", "show", person["id"]),
        **found,
    )


async def rename(request: Request, viewer: Viewer, form: Form) -> Response:
    """Give the person another name."""
    before = await _person(request, viewer)
    name = form.text("name")
    after = (await viewer.call("person.update", id=before["id"], name=name))["person"]
    undo = Undo(f"{_path(before)}/rename", {"name": before["name"]})
    notice = f"{before['name']} is called {after['name']} now."
    return redirect_after(request, _path(after), notice=notice, undo=undo)


async def add_alias(request: Request, viewer: Viewer, form: Form) -> Response:
    """Add another name."""
    return await _change_alias(
        *(request, viewer, form.text("alias"), "person.add_alias"),
        undo="unalias",
        notice="“{}” means {} now.",
    )


async def remove_alias(request: Request, viewer: Viewer, form: Form) -> Response:
    """Take another name away."""
    return await _change_alias(
        *(request, viewer, form.text("alias"), "person.remove_alias"),
        undo="alias",
        notice="“{}” no longer means {}.",
    )


async def _change_alias(
    request: Request, viewer: Viewer, alias: str, method: str, *, undo: str, notice: str
) -> Response:
    person = (await viewer.call(method, id=request.path_params["id"], alias=alias))["person"]
    return redirect_after(
        *(request, _path(person)),
        notice=notice.format(alias, person["name"]),
        undo=Undo(f"{_path(person)}/{undo}", {"alias": alias}),
    )


async def relate(request: Request, viewer: Viewer, form: Form) -> Response:
    """State what the person is to another, or to the viewing account."""
    person = await _person(request, viewer)
    word, to = form.text("relationship"), form.optional("to")
    if to is None and (name := form.optional("to_name")) is not None:
        fits = await choosing.fitting(viewer, name, without=person["id"])
        if len(fits) != 1:
            question = f"Whose {word} is {person['name']}?"
            return choosing.ask(
                *(request, question, fits),
                path=f"{_path(person)}/relate",
                field="to",
                fields={"relationship": word},
            )
        to = fits[0]["id"]
    await viewer.call("person.relate", id=person["id"], relationship=word, to=to)
    undo = Undo(f"{_path(person)}/unrelate", {"relationship": word, "to": to or ""})
    return redirect_after(
        request, _path(person), notice=f"{person['name']}: {word}, from now on.", undo=undo
    )


async def unrelate(request: Request, viewer: Viewer, form: Form) -> Response:
    """End a relationship; it stays in the history."""
    person = await _person(request, viewer)
    word, to = form.text("relationship"), form.optional("to")
    await viewer.call("person.unrelate", id=person["id"], relationship=word, to=to)
    undo = Undo(f"{_path(person)}/relate", {"relationship": word, "to": to or ""})
    notice = f"{person['name']}: no longer {word}."
    return redirect_after(request, _path(person), notice=notice, undo=undo)


async def delete(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Delete a person who was added by mistake, with every name and relationship."""
    person = (await viewer.call("person.delete", id=request.path_params["id"]))["person"]
    return redirect_after(request, "/people", notice=f"{person['name']} was deleted.")


def _references(person: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the words by which memories may have been taken to be about the person."""
    aliases = [alias["value"] for alias in person["aliases"]]
    words = [f"my {one['relationship']}" for one in person["relationships"]]
    return [(word, word) for word in dict.fromkeys([person["name"], *aliases, *words])]


async def _person(request: Request, viewer: Viewer) -> dict[str, Any]:
    found = await viewer.call("person.get", id=request.path_params["id"])
    person: dict[str, Any] = found["person"]
    return person


def _path(person: dict[str, Any]) -> str:
    return f"/people/{person['id']}"


ROUTES: Final = [
    get("/people/{id}", show),
    post("/people/{id}/rename", rename, shown_by=show),
    post("/people/{id}/alias", add_alias, shown_by=show),
    post("/people/{id}/unalias", remove_alias),
    post("/people/{id}/relate", relate, shown_by=show),
    post("/people/{id}/unrelate", unrelate),
    post("/people/{id}/delete", delete),
]
