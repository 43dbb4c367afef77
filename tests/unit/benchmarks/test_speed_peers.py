"""Calls by many clients at once, and the tables of a run beside the peers."""

from typing import Any

from benchmarks.speed import load, peers_plot, peers_tables

LIMITS = load.Limits(clients=(2,), seconds=30, calls=10)


def cell(p50: float, **more: Any) -> dict[str, Any]:
    """A cell of adds by one client."""
    times = {"p50_ms": p50, "p95_ms": p50, "p99_ms": p50, "per_s": 1.0, "cpu_ms": p50 / 2}
    return {"method": "add", "clients": 1, "calls": 5, **times, **more}


def result(*systems: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A run with one size."""
    return {
        "systems": [
            {"name": name, "sizes": [{"stored": 1_000, "load": 1.0, **size}]}
            for name, size in systems
        ],
        "machine": {
            **dict.fromkeys(("date", "processor", "system", "python"), "x"),
            **dict.fromkeys(("cores", "memory_gib", "load_at_start"), 1),
            "packages": {},
        },
        "limit_s": 240,
        "embedding_ms": 2.0,
    }


def test_every_client_makes_its_share_of_the_calls() -> None:
    """The first one's calls before the clock starts are not counted."""
    made: list[int] = []

    row = load.measure(lambda number: lambda: made.append(number), 2, LIMITS, load.own_cpu_ns)

    assert row["calls"] == 10
    assert made.count(0) == 5 + load.WARM
    assert made.count(1) == 5


def test_a_client_ends_at_its_first_error_and_is_reported() -> None:
    """Figures of the others stay."""

    def client(number: int) -> load.Call:
        def call() -> None:
            if number:
                raise OSError("locked")

        return call

    row = load.measure(client, 2, LIMITS, load.own_cpu_ns)

    assert row["calls"] == 5
    assert (row["failed"], row["error"]) == (1, "OSError: locked")


def test_a_system_is_compared_with_the_best_peer_that_did_not_fail() -> None:
    """A peer whose clients ended early was faster for the wrong reason."""
    page = peers_tables.page(
        result(
            ("ashd, no model", {"cells": [cell(6.0)]}),
            ("Chroma", {"cells": [cell(12.0)]}),
            ("LanceDB", {"cells": [cell(1.0, failed=1, error="OSError: busy")]}),
            ("mem0", {"cells": [], "reason": "did not end in 240 s"}),
        )
    )

    assert "| 1,000 | 1 | **ashd, no model** | 6.0 | 6.0 | 6.0 | 1.0 | 3.0 | 0.5 | 1.0 |" in page
    assert "OSError: busy" in page
    assert "mem0 with 1,000: did not end in 240 s; 0 cells measured." in page


def test_a_plot_has_a_point_for_each_cell() -> None:
    """The legend has a line for each system, including one without any cell."""
    svg = peers_plot.plot(
        result(("ashd, no model", {"cells": [cell(6.0)]}), ("mem0", {"cells": []})), "add"
    )

    assert svg.count('r="3.5"') == 1
    assert svg.count('r="5"') == 2
