"""Pages from templates: everything is escaped, and no shown text can act or hide."""

import contextlib
import datetime as dt
import hashlib
import re
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from ashd.access.text_cleaning import clean
from ashd.web.forms import Form
from ashd.web.problems import Problem
from ashd.web.sessions import Notice, Session, Undo
from ashd.web.viewer import Viewer
from ashd_client.protocol import AshCallError

_FILES: Final = {
    name: resources.files("ashd.web").joinpath("static", name).read_bytes()
    for name in ("style.css", "ash.js", "icon.svg")
}
_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


def _hashed(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(_FILES[name]).hexdigest()[:12]}.{ending}"


STATIC: Final[Mapping[str, tuple[bytes, str]]] = {
    _hashed(name): (data, _TYPES[name.rpartition(".")[2]]) for name, data in _FILES.items()
}
"""The static files by names that contain their hash, each with its media type."""


_SPACE: Final = " \t\n"


def harmless(value: Any) -> Any:
    """Return a value for output: without control characters, bidi overrides and hidden characters.

    Every `{{ … }}` of every template passes here before it is escaped; markup that a template's
    macro made has passed already.
    """
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    if value.isascii() and value.isprintable():
        return value
    # White space around a part of a text, as in word differences, belongs to the text.
    body = value.strip(_SPACE)
    before, _, after = value.partition(body) if body else (value, "", "")
    return before + clean(body) + after


def local_time(text: str) -> str:
    """Return a time of the wire in this machine's zone, to the minute.

    The ends of time, which are in no calendar of this zone, stay in UTC.
    """
    at = dt.datetime.fromisoformat(text)
    with contextlib.suppress(ValueError, OverflowError):
        at = at.astimezone()
    return at.strftime("%Y-%m-%d %H:%M")


def in_bytes(number: int) -> str:
    """Return a number of bytes in a readable unit."""
    size = float(number)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def labelled(value: str) -> tuple[str, str]:
    """Return an option of a choice: a value of the wire, and its words."""
    return value, value.replace("_", " ")


def method_in_words(method: str) -> str:
    """Return a method of the wire for a person: "memory.add" is "memory: add"."""
    return method.replace("_", " ").replace(".", ": ", 1)


def grouped(number: float) -> str:
    """Return a number with separators between its thousands."""
    return f"{number:,}"


def titled_cells(rows: Markup, columns: list[str]) -> Markup:
    """Return a table's rows, each cell with its column's title, which a narrow page shows.

    Rows of tables inside a cell have theirs already.
    """
    depth, column = 0, 0

    def titled(tag: re.Match[str]) -> str:
        nonlocal depth, column
        depth += {"<table": 1, "</table": -1}.get(tag[0], 0)
        if depth:
            return tag[0]
        if tag[0] == "<tr":
            column = 0
        elif tag[0] == "<td":
            column += 1
            return f'<td data-title="{Markup.escape(columns[column - 1].removeprefix("#"))}"'
        return tag[0]

    # No text of a person has a tag here: it is escaped.
    return Markup(re.sub(r"</?table\b|<tr\b|<td\b", titled, rows))  # noqa: S704  markup before, too


_templates: Final = Environment(
    loader=PackageLoader("ashd.web"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=harmless,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_templates.filters["local_time"] = local_time
_templates.filters |= {"bytes": in_bytes, "grouped": grouped, "labelled": labelled}
_templates.filters |= {"method_in_words": method_in_words, "titled_cells": titled_cells}
_templates.globals["asset"] = lambda name: f"/static/{_hashed(name)}"


def alone(name: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page without a session: a template with `values` alone."""
    return HTMLResponse(_templates.get_template(name).render(**values), status_code)


class Refused(NamedTuple):
    """A form that was refused: where it was sent, its fields, why, and the page's status."""

    path: str
    form: Form
    error: AshCallError | Problem
    status: int


def render(request: Request, name: str, *, status_code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page: a template with `values`, the session's notices and the viewer."""
    refused: Refused | None = getattr(request.state, "refused", None)
    session: Session = request.state.session
    state = request.app.state
    viewer = Viewer(state.calls, session)
    return alone(
        name,
        status_code=refused.status if refused else status_code,
        refused=refused,
        path=request.scope["path"],
        navigation=[
            entry for entry in state.navigation if not (viewer.is_bound and entry.of_daemon)
        ],
        read_only=state.read_only,
        form_token=session.form_token,
        notices=session.take_notices(),
        viewer=viewer,
        me=viewer.own_person,
        **values,
    )


def require_own(path: str) -> None:
    """Refuse a path that leads to another site.

    Raises:
        Problem: it does.
    """
    if not path.startswith("/") or path.startswith("//") or "\\" in path:
        raise Problem(400, "This is no page of ours.", "Go back.")


def redirect_after(
    request: Request, path: str, *, notice: str = "", undo: Undo | None = None
) -> RedirectResponse:
    """Return the answer to a form: go to one of our paths, which shows the notice once."""
    require_own(path)
    if notice:
        request.state.session.notices.append(Notice(notice, undo))
    return RedirectResponse(path, 303)
