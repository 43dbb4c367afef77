"""One memory: where it came from, who may see it, its history; edit, delete, restore, erase it."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd import wording
from ashd.language.differences import Part, differences
from ashd.web import memory_forms, undo
from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render, require_own
from ashd.web.routes import get, post
from ashd.web.viewer import Viewer
from ashd_client.protocol import AshCallError

_VERDICTS: Final = {
    "replaces": "The older one is replaced.",
    "both": "Both are kept, and this is not asked again.",
}


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a memory with everything that is known about it."""
    identifier = str(request.path_params["id"])
    found = await viewer.call("memory.get", id=identifier, explain=True)
    memory = found["memory"]
    history = await viewer.call("memory.history", id=memory["id"])
    names = [person["name"] for person in found["people"]]
    return render(
        request,
        "memory.html",
        memory=memory,
        people=found["people"],
        explained=found["explained"],
        versions=_versions(history),
        fields=memory_forms.given(memory, names),
        is_edited="edit" in request.query_params,
        forms=memory_forms,
        words=wording,
        same_as=viewer.command("memory", "show", memory["id"]),
    )


def _versions(history: dict[str, Any]) -> list[dict[str, Any]]:
    """Return each memory of a chain, oldest first, with its changes to the next and its events."""
    chain = history["chain"]
    contents = {entry["id"]: entry["content"] for entry in chain}
    return [
        {
            "memory": entry,
            "parts": _parts(entry["content"], contents.get(entry["superseded_by_id"])),
            "events": [one for one in history["events"] if one["memory_id"] == entry["id"]],
        }
        for entry in chain
    ]


def _parts(old: str, new: str | None) -> list[Part]:
    return differences(old, old if new is None else new)


# Changes ------------------------------------------------------------------------------------------


async def edit(request: Request, viewer: Viewer, form: Form) -> Response:
    """Change a memory, unless somebody else changed it since the form was made."""
    identifier = str(request.path_params["id"])
    found = await viewer.call("memory.get", id=identifier)
    memory = found["memory"]
    names = [person["name"] for person in found["people"]]
    before = memory_forms.given(memory, names)
    if memory["superseded_at"] or form.number("revision") != memory["revision"]:
        return await _conflict(request, viewer, form, memory)
    changes = memory_forms.changes(form, before)
    path = f"/memories/{memory['id']}"
    if not changes:
        return redirect_after(request, path, notice="Nothing was different; nothing changed.")
    try:
        done = await viewer.call(
            "memory.update",
            id=memory["id"],
            changes=changes,
            expected_revision=memory["revision"],
        )
    except AshCallError as error:
        if error.kind != "conflict":
            raise
        return await _conflict(request, viewer, form, memory)
    after = done["memory"]
    if after["id"] != memory["id"]:
        # Deleting the new words brings the former ones back.
        calls = [("memory.delete", {"id": after["id"]})]
    else:
        former = memory_forms.former(changes, memory, names)
        back = {"id": memory["id"], "changes": former, "expected_revision": after["revision"]}
        calls = [("memory.update", back)]
    take_back = undo.by_calls(request, viewer, calls, back=path)
    return redirect_after(request, f"/memories/{after['id']}", notice="Changed.", undo=take_back)


async def _conflict(
    request: Request, viewer: Viewer, form: Form, memory: dict[str, Any]
) -> Response:
    """Show what is stored now beside the person's text, which was not stored."""
    history = await viewer.call("memory.history", id=memory["id"])
    current = next((one for one in history["chain"] if not one["superseded_at"]), memory)
    mine = form.text("content") or memory["content"]
    return render(
        request,
        "memory_conflict.html",
        status_code=409,
        current=current,
        mine=mine,
        parts=differences(current["content"], mine),
    )


async def delete(request: Request, viewer: Viewer, form: Form) -> Response:
    """Delete a memory; it can be restored. If it replaced others, ask whether they go too."""
    identifier = str(request.path_params["id"])
    back = form.optional("back") or "/memories"
    if not form.has("only"):
        chain = (await viewer.call("memory.history", id=identifier))["chain"]
        earlier = _replaced(chain, identifier)
        if form.has("all"):
            return await _delete_all(request, viewer, [identifier, *earlier], back)
        if earlier:
            texts = {one["id"]: one for one in chain}
            return render(
                request,
                "memory_delete.html",
                memory=texts[identifier],
                earlier=[texts[one] for one in earlier],
                back=back,
            )
    done = await viewer.call("memory.delete", id=identifier)
    again = " What it had replaced is in use again." if done["reactivated"] else ""
    calls = [("memory.restore", {"id": identifier})]
    take_back = undo.by_calls(request, viewer, calls, back=f"/memories/{identifier}")
    return redirect_after(request, back, notice=f"Deleted.{again}", undo=take_back)


def _replaced(chain: list[dict[str, Any]], identifier: str) -> list[str]:
    """Return the memories that come back if this one is deleted, and those they replaced."""
    found = [identifier]
    for winner in found:
        found += [
            one["id"]
            for one in chain
            if one["superseded_by_id"] == winner
            and not one["archived_at"]
            and one["id"] not in found
        ]
    return found[1:]


async def _delete_all(request: Request, viewer: Viewer, ids: list[str], back: str) -> Response:
    done = await viewer.call("memory.withdraw", ids=ids)
    calls = [("memory.restore", {"withdrawal_id": done["withdrawal_id"]})]
    take_back = undo.by_calls(request, viewer, calls, back=f"/memories/{ids[0]}")
    return redirect_after(request, back, notice="Deleted, with what it replaced.", undo=take_back)


async def restore(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Bring back a memory that was deleted or has ended."""
    identifier = str(request.path_params["id"])
    done = await viewer.call("memory.restore", id=identifier)
    notice = "Restored." if done["restored"] else "It was not deleted; nothing changed."
    calls = [("memory.delete", {"id": identifier})]
    take_back = undo.by_calls(request, viewer, calls, back=f"/memories/{identifier}")
    return redirect_after(
        request,
        f"/memories/{identifier}",
        notice=notice,
        undo=take_back if done["restored"] else None,
    )


async def judge(request: Request, viewer: Viewer, form: Form) -> Response:
    """Record whether this memory replaces an older one, or both are true."""
    newer = str(request.path_params["id"])
    older, verdict = form.text("older"), form.text("verdict")
    if verdict not in _VERDICTS:
        raise Problem(400, "This is no verdict.", "Go back and choose one.")
    path = form.optional("back") or f"/memories/{newer}"
    require_own(path)
    pair = {"id": newer, "superseded_id": older}
    await viewer.call("memory.supersede", **pair, verdict=verdict)
    unsure = [("memory.supersede", {**pair, "verdict": "unsure"})]
    take_back = undo.by_calls(request, viewer, unsure, back=path)
    return redirect_after(request, path, notice=_VERDICTS[verdict], undo=take_back)


async def erase(request: Request, viewer: Viewer, form: Form) -> Response:
    """Show what would be erased for good; erase it once that is confirmed."""
    identifier = str(request.path_params["id"])
    if not form.has("final"):
        found = await viewer.call("memory.get", id=identifier)
        plan = await viewer.call_lasting("memory.erase", id=identifier, dry_run=True)
        return render(request, "memory_erase.html", memory=found["memory"], receipt=plan["receipt"])
    await viewer.call_lasting("memory.erase", id=identifier)
    return redirect_after(request, "/memories", notice="Erased for good.")


ROUTES: Final = [
    get("/memories/{id:uuid}", show),
    post("/memories/{id:uuid}/edit", edit, shown_by=show),
    post("/memories/{id:uuid}/delete", delete),
    post("/memories/{id:uuid}/restore", restore),
    post("/memories/{id:uuid}/verdict", judge),
    post("/memories/{id:uuid}/erase", erase),
]
