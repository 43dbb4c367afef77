"""`ash stats --watch`: the daemon's load as it changes; a view on a terminal, else lines.

The figures are differences between two readings of `system.metrics`.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

import click

from ashd.cli.caller import Caller
from ashd.cli.views import Fields, Line, Note, Table, View
from ashd.prometheus_text import samples
from ashd_client.protocol import AshCallError

_HOME_AND_CLEAR: Final = "\x1b[H\x1b[J"
_BUSIEST: Final = 12
"""Number of methods in the view."""
_MIB: Final = 2**20
_FIGURES: Final = (
    *("calls_per_second", "failed_per_second", "processor_percent", "resident_mib", "wal_mib"),
    *("database_mib", "waiting", "texts_without_vectors", "jobs", "embedder"),
)
_VIEW: Final = View(
    Fields(" | ".join(f"{name} {{{name}}}" for name in _FIGURES)),
    Fields("warnings {warnings}"),
    Line(""),
    Table(
        "busiest",
        "METHOD {name} | CALLS> {calls:.0f} | FAILED> {failed:.0f} | MEAN MS> {mean_ms:.1f}"
        " | P95 MS> {p95}",
    ),
    Note("{clock}  Ctrl-C ends this; `ash status` explains the warnings."),
)

Labels = tuple[tuple[str, str], ...]


class _Method(NamedTuple):
    """The calls of a method between two readings."""

    name: str
    calls: float
    failed: float
    seconds: float
    p95_ms: float | None
    """The upper bound of the bucket that holds the quantile; None beyond the last."""


class Reading:
    """The metrics at one moment."""

    def __init__(self, text: str) -> None:
        self.at = time.monotonic()
        self._values: dict[str, dict[Labels, float]] = {}
        for name, labels, value in samples(text):
            self._values.setdefault(name, {})[tuple(labels.items())] = value

    def total(self, name: str) -> float:
        """Return the sum of a metric's samples."""
        return sum(self._values.get(name, {}).values())

    def labelled(self, name: str) -> Iterator[tuple[dict[str, str], float]]:
        """Yield a metric's samples."""
        for labels, value in self._values.get(name, {}).items():
            yield dict(labels), value

    def value(self, name: str, **labels: str) -> float:
        """Return one sample, 0 where there is none."""
        return self._values.get(name, {}).get(tuple(labels.items()), 0.0)


def watch(caller: Caller, interval_s: float) -> None:
    """Show the load every so many seconds until Ctrl-C; waits for a daemon that is down."""
    before: Reading | None = None
    with suppress(KeyboardInterrupt):
        while True:
            try:
                status = caller.call("system.status")
                now = Reading(caller.call("system.metrics")["text"])
            except AshCallError as error:
                if error.kind not in {"unavailable", "starting", "shutting_down"}:
                    raise
                before = None
                _show_absence(caller, error)
            else:
                if before is not None:
                    _show(caller, status, before, now)
                before = now
            time.sleep(interval_s)


def figures(status: dict[str, Any], before: Reading, now: Reading) -> dict[str, Any]:
    """Return the load between two readings, as `--json` prints it."""
    seconds = max(now.at - before.at, 1e-9)
    methods = _methods(before, now)
    calls = sum(one.calls for one in methods)
    jobs = [(labels, n) for labels, n in now.labelled("ashd_jobs") if labels["state"] != "done"]
    return {
        "calls_per_second": round(calls / seconds, 2),
        "failed_per_second": round(sum(one.failed for one in methods) / seconds, 2),
        "processor_percent": round(
            100 * _gained("process_cpu_seconds_total", before, now) / seconds
        ),
        "resident_mib": round(now.total("process_resident_memory_bytes") / _MIB, 1),
        "wal_mib": round(now.value("ashd_file_bytes", file="wal") / _MIB, 1),
        "database_mib": round(now.value("ashd_file_bytes", file="database") / _MIB, 1),
        "waiting": {labels["queue"]: int(n) for labels, n in now.labelled("ashd_waiting")},
        "texts_without_vectors": int(now.total("ashd_texts_without_vectors")),
        "jobs": {f"{labels['kind']} {labels['state']}": int(n) for labels, n in jobs if n},
        "embedder": status["embedder"],
        "warnings": [one["name"] for one in status["warnings"]],
        "methods": [one._asdict() for one in methods],
    }


def _methods(before: Reading, now: Reading) -> list[_Method]:
    """Return the methods called between two readings, longest total time first."""
    found = []
    for labels, count in now.labelled("ashd_request_seconds_count"):
        name = labels["method"]
        calls = count - before.value("ashd_request_seconds_count", method=name)
        if calls <= 0:
            continue
        failed = sum(
            value - before.value("ashd_requests_total", method=name, kind=one["kind"])
            for one, value in now.labelled("ashd_requests_total")
            if one["method"] == name and one["kind"] not in {"ok", "cancelled"}
        )
        seconds = now.value("ashd_request_seconds_sum", method=name) - before.value(
            "ashd_request_seconds_sum", method=name
        )
        p95 = _quantile(name, 0.95 * calls, before, now)
        found.append(_Method(name, calls, failed, round(seconds, 6), p95))
    return sorted(found, key=lambda one: -one.seconds)


def _quantile(method: str, wanted: float, before: Reading, now: Reading) -> float | None:
    """Return the bound in milliseconds of the bucket in which a count is reached."""
    for labels, count in now.labelled("ashd_request_seconds_bucket"):
        bound = labels["le"]
        if labels["method"] != method or bound == "+Inf":
            continue
        earlier = before.value("ashd_request_seconds_bucket", method=method, le=bound)
        if count - earlier >= wanted:
            return float(bound) * 1000
    return None


def _gained(name: str, before: Reading, now: Reading) -> float:
    return now.total(name) - before.total(name)


def _show(caller: Caller, status: dict[str, Any], before: Reading, now: Reading) -> None:
    from ashd.cli import output

    found = figures(status, before, now)
    if caller.as_json:
        output.json_document(found)
    elif sys.stdout.isatty():
        click.echo(_HOME_AND_CLEAR, nl=False)
        _VIEW({**found, "busiest": _busiest(found), "clock": _clock()})
    else:
        click.echo(_line(found))
    sys.stdout.flush()


def _busiest(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **one,
            "mean_ms": 1000 * one["seconds"] / one["calls"],
            "p95": "more" if one["p95_ms"] is None else f"≤ {one['p95_ms']:g}",
        }
        for one in found["methods"][:_BUSIEST]
    ]


def _show_absence(caller: Caller, error: AshCallError) -> None:
    from ashd.cli import output

    if caller.as_json:
        output.json_document({"error": error.to_json()})
    else:
        click.echo(f"{_clock()}  {output.shown(error.message)}")


def _line(found: dict[str, Any]) -> str:
    waiting = sum(found["waiting"].values())
    parts = [
        f"{found['calls_per_second']:g} calls/s",
        f"{found['failed_per_second']:g} failed/s",
        f"processor {found['processor_percent']} %",
        f"memory {found['resident_mib']:g} MiB",
        f"waiting {waiting}",
        f"jobs {sum(found['jobs'].values())}",
        *([f"warnings {' '.join(found['warnings'])}"] if found["warnings"] else []),
    ]
    return f"{_clock()}  {'  '.join(parts)}"


def _clock() -> str:
    return time.strftime("%H:%M:%S")
