"""All memories: filter, sort, page through them, add one, and change several after a preview."""

from collections import defaultdict
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ashd import wording
from ashd.web import memory_forms, undo
from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.rendering import redirect_after, render
from ashd.web.routes import get, post, status_of
from ashd.web.sessions import Undo
from ashd.web.viewer import Viewer
from ashd_client.protocol import AshCallError

_ROWS: Final = 50
_FIELDS: Final = (
    *("about", "tag", "type", "source", "grant_id", "session_id", "project", "state", "sort"),
)
_EMPTY: Final = dict.fromkeys(("text", *_FIELDS), "")
_STATES: Final = [
    ("", "in use"),
    ("superseded", "replaced by newer ones"),
    ("expired", "expired"),
    ("archived", "deleted"),
    ("every", "all of them"),
]
_SORTS: Final = [
    ("", "newest first"),
    ("oldest", "oldest first"),
    ("most_used", "most used first"),
    ("last_used", "last used first"),
    ("ends_first", "ending soonest first"),
]
_EVERY_STATE: Final = {
    "include_superseded": True,
    "include_expired": True,
    "include_archived": True,
}


class _Bulk(NamedTuple):
    """A previewed change of several memories; `changes` is None for a deletion."""

    ids: list[str]
    revisions: list[int]
    changes: dict[str, Any] | None
    rows: list[dict[str, Any]]
    """Each memory before and after, as the daemon's dry run shows it."""


async def show(request: Request, viewer: Viewer) -> Response:
    """Show a page of memories."""
    view = request.query_params.get("view")
    kept = request.state.session.kept(view)
    chosen = {**_EMPTY, **kept} if isinstance(kept, dict) else _EMPTY
    found, error, projects = None, None, []
    try:
        projects = (await viewer.call("project.list"))["projects"]
        found = await (
            _with_words(viewer, chosen["text"])
            if chosen["text"]
            else viewer.call(
                "memory.list",
                limit=_ROWS,
                cursor=request.query_params.get("cursor"),
                **_params(chosen),
            )
        )
    except AshCallError as refused:
        error = refused
    return render(
        request,
        "memories.html",
        status_code=200 if error is None else status_of(error),
        error_of_list=error,
        found=found,
        chosen=chosen,
        is_filtered=chosen != _EMPTY,
        words=wording,
        more=_more(view, found),
        first=_link(view) if "cursor" in request.query_params else "",
        forms=memory_forms,
        projects=[("", "any"), *((one["id"], one["name"] or one["id"]) for one in projects)],
        states=_STATES,
        sorts=_SORTS,
        same_as=viewer.command(
            *(
                (
                    "--project=*",
                    "memory",
                    "search",
                    "--mode=lexical",
                    "--min-score=0",
                    chosen["text"],
                )
                if chosen["text"]
                else ("memory", "list", *_options(chosen))
            )
        ),
    )


async def _with_words(viewer: Viewer, text: str) -> dict[str, Any]:
    """Return the memories in use that have these words, best first, as a list of one page."""
    found = await viewer.call_in(
        "*", "memory.search", query=text, mode="lexical", min_score=0, limit=_ROWS
    )
    results = found["results"]
    names = [
        pair
        for one in results
        for pair in zip(one["memory"]["subject_person_ids"], one["about"], strict=False)
    ]
    return {
        "memories": [one["memory"] for one in results],
        "names": dict(names),
        "notices": found["notices"],
        "next_cursor": None,
        "total": len(results) + found["withheld"]["over_limit"],
    }


async def choose(request: Request, _viewer: Viewer, form: Form) -> Response:
    """Go to the memories that match a filter, or have some words, which are not in the address."""
    chosen = {name: form.text(name) for name in _EMPTY}
    if chosen == _EMPTY:
        return redirect_after(request, "/memories")
    return redirect_after(request, _link(request.state.session.keep(chosen)))


def _params(chosen: dict[str, str]) -> dict[str, Any]:
    params: dict[str, Any] = {
        name: chosen[name] or None
        for name in ("about", "source", "grant_id", "session_id", "project", "sort")
    }
    params["types"] = [chosen["type"]] if chosen["type"] else None
    params["tags"] = [chosen["tag"]] if chosen["tag"] else None
    if chosen["state"] == "every":
        return {**params, **_EVERY_STATE}
    return {**params, "state": chosen["state"] or None}


def _options(chosen: dict[str, str]) -> list[str]:
    """Return the options of `ash memory list` for the same filter."""
    names = {"grant_id": "grant", "session_id": "session"}
    options = [
        f"--{names.get(name, name)}={text}"
        for name, text in chosen.items()
        if text and (name, text) != ("state", "every")
    ]
    every = ["--include-superseded", "--include-expired", "--include-archived"]
    return [*options, *(every if chosen["state"] == "every" else [])]


def _link(view: str | None, cursor: str = "") -> str:
    parts = [f"view={view}"] if view else []
    parts += [f"cursor={cursor}"] if cursor else []
    return "/memories" + ("?" + "&".join(parts) if parts else "")


def _more(view: str | None, found: dict[str, Any] | None) -> str:
    return _link(view, found["next_cursor"]) if found and found["next_cursor"] else ""


async def add(request: Request, viewer: Viewer, form: Form) -> Response:
    """Store a memory."""
    result = await viewer.call(
        "memory.add",
        content=form.text("content"),
        subjects=form.words("subjects"),
        type=form.optional("type"),
        sensitivity=form.optional("sensitivity"),
        expires_at=form.optional("expires"),
        tags=form.words("tags"),
    )
    entry = result["memories"][0]
    memory = entry["memory"]
    path = f"/memories/{memory['id']}"
    if entry["outcome"] == "duplicate":
        return redirect_after(request, path, notice="This was known already; nothing was added.")
    take_back = undo.by_calls(
        request, viewer, [("memory.delete", {"id": memory["id"]})], back="/memories"
    )
    return redirect_after(request, path, notice="Added.", undo=take_back)


# Several at once ----------------------------------------------------------------------------------


async def prepare(request: Request, viewer: Viewer, form: Form) -> Response:
    """Ask the daemon what a change of the selected memories would do, and show it."""
    selected = [one.partition(":") for one in form.every("ids")]
    if not selected:
        raise Problem(400, "No memory is selected.", "Go back and check some.")
    ids = [identifier for identifier, _, _ in selected]
    try:
        revisions = [int(revision) for _, _, revision in selected]
    except ValueError:
        raise Problem(400, "The selection cannot be read.", "Go back and repeat it.") from None
    changes = _changes(form)
    if changes is None:
        found = await viewer.call("memory.withdraw", ids=ids, dry_run=True)
        rows = [{"before": memory, "after": None} for memory in found["memories"]]
    else:
        found = await viewer.call(
            "memory.update", ids=ids, changes=changes, expected_revisions=revisions, dry_run=True
        )
        rows = found["changed"]
    key = request.state.session.keep(_Bulk(ids, revisions, changes, rows))
    return redirect_after(request, f"/memories/preview?key={key}")


def _changes(form: Form) -> dict[str, Any] | None:
    match form.text("action"):
        case "delete":
            return None
        case "sensitivity":
            return {"sensitivity": form.optional("sensitivity")}
        case "expires":
            return {"expires_at": form.optional("expires")}
        case "type":
            return {"type": form.text("type")}
        case _:
            raise Problem(400, "No action is chosen.", "Go back and choose one.")


async def preview(request: Request, _viewer: Viewer) -> Response:
    """Show what a change of several memories would do."""
    key = request.query_params.get("key")
    return render(
        request,
        "memories_preview.html",
        key=key,
        bulk=_bulk(request, key),
        labels=dict(memory_forms.LABELS),
    )


async def apply(request: Request, viewer: Viewer, form: Form) -> Response:
    """Make the change that was shown, in one transaction."""
    bulk = _bulk(request, form.text("key"))
    count = f"{len(bulk.ids)} {'memory' if len(bulk.ids) == 1 else 'memories'}"
    if bulk.changes is None:
        done = await viewer.call("memory.withdraw", ids=bulk.ids)
        back = {"withdrawal_id": done["withdrawal_id"]}
        take_back = undo.by_calls(request, viewer, [("memory.restore", back)], back="/memories")
        return redirect_after(request, "/memories", notice=f"Deleted {count}.", undo=take_back)
    done = await viewer.call(
        "memory.update", ids=bulk.ids, changes=bulk.changes, expected_revisions=bulk.revisions
    )
    take_back = _undo(request, viewer, bulk.changes, done["changed"])
    return redirect_after(request, "/memories", notice=f"Changed {count}.", undo=take_back)


def _bulk(request: Request, key: str | None) -> _Bulk:
    bulk = request.state.session.kept(key)
    if not isinstance(bulk, _Bulk):
        raise Problem(404, "This preview is no longer there.", "Select the memories again.")
    return bulk


def _undo(
    request: Request, viewer: Viewer, changes: dict[str, Any], changed: list[dict[str, Any]]
) -> Undo:
    """Return the undo of a change: one call for all memories that had the same values."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for one in changed:
        groups[tuple(memory_forms.former(changes, one["before"], []).values())].append(one["after"])
    calls = [
        (
            "memory.update",
            {
                "ids": [memory["id"] for memory in memories],
                "expected_revisions": [memory["revision"] for memory in memories],
                "changes": dict(zip(changes, values, strict=True)),
            },
        )
        for values, memories in groups.items()
    ]
    return undo.by_calls(request, viewer, calls, back="/memories")


ROUTES: Final = [
    get("/memories", show),
    post("/memories", choose, changes=False),
    post("/memories/add", add, shown_by=show),
    post("/memories/prepare", prepare),
    get("/memories/preview", preview),
    post("/memories/apply", apply),
]
