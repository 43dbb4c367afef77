"""Statistics: what is stored, how it grew, and which calls were made."""

import datetime as dt
from itertools import accumulate
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from ashd.web import charts, metrics_reader
from ashd.web.rendering import render
from ashd.web.routes import get
from ashd.web.viewer import Panel, Viewer, panels

_DAYS: Final = 90
_METHODS: Final = 12


async def show(request: Request, viewer: Viewer) -> Response:
    """Show counts, growth, calls of methods and of the language model."""
    found = await panels(
        stats=viewer.operate("db.stats"),
        growth=viewer.operate("db.growth", days=_DAYS),
        metrics=viewer.operate("system.metrics"),
    )
    return render(
        request,
        "statistics.html",
        same_as="ash stats",
        stats=found["stats"],
        growth=_mapped(found["growth"], _growth),
        metrics=_mapped(found["metrics"], _processing),
    )


def _mapped(panel: Panel, change: Any) -> Panel:
    return panel if panel.error is not None else Panel(change(panel.value), None)


def _growth(result: dict[str, Any]) -> dict[str, Any]:
    """Return the running totals of every day up to today, as charts and as the days' own rows."""
    today = dt.datetime.now(dt.UTC).date()
    dates = [(today - dt.timedelta(days=_DAYS - 1 - at)).isoformat() for at in range(_DAYS)]
    stored = {day["date"]: day for day in result["days"]}
    lines = {}
    for kind in ("memories", "messages"):
        added = [stored[date][kind] if date in stored else 0 for date in dates]
        totals = list(accumulate(added, initial=result["before"][kind]))
        lines[kind] = charts.line(totals, dates[0], "today")
    return {"lines": lines, "days": result["days"][::-1]}


def _processing(result: dict[str, Any]) -> dict[str, Any]:
    """Return the methods called most, as a chart and as rows."""
    rows = metrics_reader.processing(result["text"])
    most = rows[:_METHODS]
    bars = charts.bars([(one.method, one.calls, f"{one.calls:,}") for one in most])
    resident = metrics_reader.resident_bytes(result["text"])
    return {"rows": most, "left_out": len(rows) - len(most), "bars": bars, "resident": resident}


ROUTES: Final = [get("/statistics", show)]
