"""Metrics: readable by Prometheus' own parser, and without content. Budget: 5 s."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from prometheus_client.parser import text_string_to_metric_families

Scope = Callable[..., dict[str, Any]]


def metrics(daemon: Daemon) -> dict[str, dict[tuple[str, ...], float]]:
    """The samples by name and values of their labels, as the parser reads them."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(daemon.call("system.metrics")["text"]):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


def test_calls_are_counted_by_method_and_outcome(daemon: Daemon, scope: Scope) -> None:
    """Calls are timed too: the buckets add up."""
    before = metrics(daemon)
    daemon.call("memory.add", scope=scope(), content="I like tea")
    daemon.call("memory.search", scope=scope(), query="What do I like?")
    with pytest.raises(CallFailed):
        daemon.call("memory.add", scope=scope(), content="")
    after = metrics(daemon)

    def gained(name: str, *labels: str) -> float:
        return after[name][labels] - before.get(name, {}).get(labels, 0)

    assert gained("ashd_requests_total", "memory.add", "ok") == 1
    assert gained("ashd_requests_total", "memory.add", "invalid_params") == 1
    assert gained("ashd_request_seconds_count", "memory.add") == 2
    assert gained("ashd_request_seconds_bucket", "memory.add", "+Inf") == 2
    assert gained("ashd_writer_transaction_seconds_count") >= 1
    assert gained("ashd_embedder_seconds_count") >= 1
    assert after["ashd_file_bytes"]["database",] > 0
    assert after["ashd_resident_bytes"][()] > 0
    assert after["ashd_open_descriptors"][()] > 3
    assert after["ashd_cache_bytes"]["rows",] > 0
    assert after["ashd_threads"][()] >= 3
    assert gained("ashd_cpu_seconds_total") > 0
    assert {("writes",), ("reads",)} == after["ashd_waiting"].keys()


def test_a_name_that_a_caller_makes_up_is_no_label(daemon: Daemon) -> None:
    """Made-up names do not make the metrics grow."""
    for number in range(3):
        with pytest.raises(CallFailed):
            daemon.call(f"no.such{number}")
    text = daemon.call("system.metrics")["text"]

    assert "no.such" not in text
    assert 'method="(unknown)"' in text


def test_metrics_hold_nothing_of_anybodys(daemon: Daemon, scope: Scope) -> None:
    """No content, no name of an owner."""
    mine = scope("somebody-special")
    daemon.call("memory.add", scope=mine, content="My bicycle is vermilion")
    text = daemon.call("system.metrics")["text"]

    assert "vermilion" not in text
    assert "somebody-special" not in text


def test_every_metric_is_documented(daemon: Daemon) -> None:
    """The operator's page has each metric with its labels, and no others."""
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
    families = text_string_to_metric_families(daemon.call("system.metrics")["text"])
    names = {f"{one.name}{'_total' * (one.type == 'counter')}" for one in families}

    assert names == set(re.findall(r"`(ashd_\w+)[{`]", page))
