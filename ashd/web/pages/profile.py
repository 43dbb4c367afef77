"""The profile: the text about the user, its versions beside each other, and forms to change it."""

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.language.differences import differences
from ashd.web.forms import Form, query_number
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post
from ashd.web.sessions import Undo
from ashd.web.viewer import Viewer

_VERSIONS: Final = 20
PARTS: Final = {
    "text": "About the person",
    "notes": "Notes",
    "learned": "Learned from conversations",
}
"""The parts of a profile, and their titles."""


async def show(request: Request, viewer: Viewer) -> Response:
    """Show the current profile, and its versions."""
    found = await viewer.call("profile.get")
    sources = await viewer.call("profile.sources")
    before = query_number(request, "before")
    history = await viewer.call("profile.history", limit=_VERSIONS, before=before)
    versions = history["versions"][::-1]
    oldest = versions[-1]["version"] if versions else 1
    return render(
        *(request, "profile.html"),
        profile=found["profile"],
        remarks=found["notices"],
        parts=PARTS,
        sentences=sources["sentences"],
        versions=versions,
        first="/profile" if before is not None else "",
        more=f"/profile?before={oldest}" if oldest > 1 else "",
        same_as=viewer.command("profile", "show"),
    )


async def compare(request: Request, viewer: Viewer) -> Response:
    """Show two versions beside each other, with the words that differ.

    Without numbers they are the newest version and the one before it.
    """
    newer, older = query_number(request, "version"), query_number(request, "against")
    entry = await _latest(viewer) if newer is None else await _version(viewer, newer)
    if entry is None:
        return redirect_after(request, "/profile")
    before = await (
        _latest(viewer, before=entry["version"]) if older is None else _version(viewer, older)
    )
    return render(
        *(request, "profile_versions.html"),
        entry=entry,
        before=before,
        compared=[
            (title, differences(before[part] if before else "", entry[part]))
            for part, title in PARTS.items()
            if entry[part] or (before and before[part])
        ],
        same_as=viewer.command("profile", "history"),
    )


async def edit(request: Request, viewer: Viewer, form: Form) -> Response:
    """Save the parts that the form has, as a new version."""
    before = (await viewer.call("profile.get"))["profile"]
    given = {part: form.text(part) for part in PARTS if form.has(part)}
    after = (await viewer.call("profile.set", **given))["profile"]
    return _changed(request, before, after, "The profile was saved")


async def restore(request: Request, viewer: Viewer, form: Form) -> Response:
    """Make an earlier version the current one, as a new version; version 0 is an empty one."""
    before = (await viewer.call("profile.get"))["profile"]
    number = form.number("version") or 0
    wanted = await _version(viewer, number) if number else dict.fromkeys(PARTS, "")
    after = (await viewer.call("profile.set", **{part: wanted[part] for part in PARTS}))["profile"]
    return _changed(request, before, after, f"The profile is again as in version {number}")


async def rebuild(request: Request, viewer: Viewer, _form: Form) -> Response:
    """Let the language model rewrite the learned part."""
    await viewer.call("profile.rebuild")
    notice = "The profile is being written anew; this takes a moment."
    return redirect_after(request, "/profile", notice=notice)


def _changed(
    request: Request, before: dict[str, Any] | None, after: dict[str, Any], said: str
) -> Response:
    was = before["version"] if before else 0
    if after["version"] == was:
        return redirect_after(request, "/profile", notice="Nothing was different.")
    undo = Undo("/profile/restore", {"version": str(was)})
    notice = f"{said}, as version {after['version']}."
    return redirect_after(request, "/profile", notice=notice, undo=undo)


async def _latest(viewer: Viewer, before: int | None = None) -> dict[str, Any] | None:
    """Return the newest version, or the newest older than `before`; None if there is none."""
    found = (await viewer.call("profile.history", before=before, limit=1))["versions"]
    return found[0] if found else None


async def _version(viewer: Viewer, number: int) -> dict[str, Any]:
    history = await viewer.call("profile.history", before=number + 1, limit=1)
    found: list[dict[str, Any]] = history["versions"]
    if not found or found[0]["version"] != number:
        raise Problem(404, "There is no such version.", "The profile's page lists them.")
    return found[0]


ROUTES: Final = [
    get("/profile", show),
    get("/profile/versions", compare),
    post("/profile/edit", edit, shown_by=show),
    post("/profile/restore", restore),
    post("/profile/rebuild", rebuild),
]
