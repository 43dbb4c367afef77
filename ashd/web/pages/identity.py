"""Identities: merge two people, split them, undo an identification, forget a person."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web.forms import Form
from ashd.web.pages import choosing
from ashd.web.pages.person import show as show_person
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import post
from ashd.web.sessions import Undo
from ashd.web.undo import of_withdrawal, restore_withdrawal
from ashd.web.viewer import Viewer


async def preview_merge(request: Request, viewer: Viewer, form: Form) -> Response:
    """Show the outcome of merging two people before it is done."""
    person = await _person(viewer, request.path_params["id"])
    other_id = form.optional("other")
    if other_id is None:
        fits = await choosing.fitting(viewer, form.text("name"), without=person["id"])
        if len(fits) != 1:
            return choosing.ask(
                *(request, f"Who is the same person as {person['name']}?", fits),
                path=f"/people/{person['id']}/merge",
                field="other",
                fields={},
            )
        other_id = fits[0]["id"]
    other = await _person(viewer, other_id)
    # The person with an account remains: it is the account's own person.
    loser, winner = (other, person) if person["accounts"] else (person, other)
    outcome = await viewer.call("person.merge", id=loser["id"], into=winner["id"], dry_run=True)
    return render(*(request, "person_merge.html"), loser=loser, winner=winner, outcome=outcome)


async def merge(request: Request, viewer: Viewer, form: Form) -> Response:
    """Merge two people."""
    loser = await _person(viewer, request.path_params["id"])
    merged = (await viewer.call("person.merge", id=loser["id"], into=form.text("into")))["person"]
    undo = Undo(f"/people/{loser['id']}/split", {})
    notice = f"{loser['name']} and {merged['name']} are one person now."
    return redirect_after(request, f"/people/{merged['id']}", notice=notice, undo=undo)


async def split(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Undo a merge."""
    merged = await _person(viewer, request.path_params["id"])
    done = await viewer.call("person.split", id=request.path_params["id"])
    person, left = done["person"], done["not_parted"]
    undo = Undo(f"/people/{person['id']}/merge/make", {"into": merged["id"]}, "Merge again")
    notice = f"{person['name']} is a person of their own again."
    if left["person_id"]:
        notice += (
            f" Nobody knows which of the two is meant by {len(left['memories'])} memories,"
            f" {len(left['names'])} names and {left['relationships']} relationships: they are"
            f" about a third person now ({left['person_id'][:8]})."
        )
    if left["unrecorded"]:
        notice += (
            f" {left['unrecorded']} memories told to an earlier version stay with the other one."
        )
    return redirect_after(request, f"/people/{person['id']}", notice=notice, undo=undo)


async def preview_undo(request: Request, viewer: Viewer, form: Form) -> Response:
    """Show which memories would move to another person before they do."""
    person = await _person(viewer, request.path_params["id"])
    wanted = _misidentified(form)
    outcome = await viewer.call(
        "person.undo_identification", person_id=person["id"], dry_run=True, **wanted
    )
    return render(*(request, "person_undo.html"), person=person, wanted=wanted, outcome=outcome)


async def undo(request: Request, viewer: Viewer, form: Form) -> Response:
    """Record that words do not mean this person, and move the memories to another."""
    person = await _person(viewer, request.path_params["id"])
    done = await viewer.call(
        "person.undo_identification", person_id=person["id"], **_misidentified(form)
    )
    other = done["person"]
    # A person known before cannot be merged into this one as an undo.
    back = Undo(f"/people/{other['id']}/merge/make", {"into": person["id"]})
    notice = f"Memories that are about another {other['name']} now: {done['moved']}."
    return redirect_after(
        *(request, f"/people/{other['id']}"),
        notice=notice,
        undo=back if done["created"] else None,
    )


async def preview_forgetting(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Count what would be archived, and what would be erased, before it is."""
    person = await _person(viewer, request.path_params["id"])
    archiving, erasing = [
        await viewer.call("memory.forget_person", person_id=person["id"], dry_run=True, erase=erase)
        for erase in (False, True)
    ]
    return render(
        *(request, "person_forget.html"), person=person, archiving=archiving, erasing=erasing
    )


async def forget(request: Request, viewer: Viewer, form: Form) -> Response:
    """Archive what is about the person, or erase it with the record."""
    person = await _person(viewer, request.path_params["id"])
    if form.text("how") == "archive":
        done = await viewer.call_lasting("memory.forget_person", person_id=person["id"])
        return redirect_after(
            *(request, f"/people/{person['id']}"),
            notice=f"Memories about {person['name']} that were archived: {done['archived']}.",
            undo=of_withdrawal(f"/people/{person['id']}/restore", done["withdrawal_id"]),
        )
    if not form.has("sure"):
        raise Problem(
            400, "Nothing was erased.", "Check the box that says that it cannot be undone."
        )
    done = await viewer.call_lasting(
        "memory.forget_person",
        person_id=person["id"],
        erase=True,
        mentions=form.has("mentions"),
    )
    left = f"/people/{person['id']}" if done["record_kept"] else "/people"
    notice = f"Memories about {person['name']} that were erased for good: {done['erased']}."
    return redirect_after(request, left, notice=notice)


async def restore(request: Request, viewer: Viewer, form: Form) -> Response:
    """Bring back what was archived about the person as one act."""
    back = f"/people/{request.path_params['id']}"
    return await restore_withdrawal(request, viewer, form, back=back)


def _misidentified(form: Form) -> dict[str, Any]:
    """Return the words that mean somebody else, and the memories if they were chosen."""
    return {
        "reference": form.optional("other_reference") or form.text("reference"),
        "memory_ids": form.every("memory") or None,
    }


async def _person(viewer: Viewer, person_id: str) -> dict[str, Any]:
    person: dict[str, Any] = (await viewer.call("person.get", id=person_id))["person"]
    return person


ROUTES: Final = [
    post("/people/{id}/merge", preview_merge, shown_by=show_person),
    post("/people/{id}/merge/make", merge),
    post("/people/{id}/split", split),
    post("/people/{id}/misidentified", preview_undo, shown_by=show_person),
    post("/people/{id}/misidentified/make", undo),
    post("/people/{id}/forget", preview_forgetting),
    post("/people/{id}/forget/make", forget),
    post("/people/{id}/restore", restore),
]
