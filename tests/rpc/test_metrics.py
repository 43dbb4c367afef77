"""Metrics: readable by Prometheus' own parser, and without content. Budget: 5 s."""

import datetime as dt
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from prometheus_client.parser import text_string_to_metric_families

import ashd
from ashd.errors import AshError
from ashd.rpc.methods import TABLE

Scope = Callable[..., dict[str, Any]]
PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
WARNINGS = {
    name
    for row in re.findall(
        r"^\| (`.*?) \|", PAGE.partition("## Health and warnings")[2], re.MULTILINE
    )
    for name in re.findall(r"`(\w+)`", row)
}


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
    assert after["ashd_cache_bytes"]["rows",] > 0
    assert after["ashd_threads"][()] >= 3
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


def test_the_process_is_told_by_the_names_of_all_exporters(daemon: Daemon) -> None:
    """Its figures are those that the kernel has of the daemon's process."""
    found = {name: samples for name, samples in metrics(daemon).items() if name[:8] == "process_"}
    ready = dt.datetime.fromisoformat(daemon.call("system.status")["started_at"]).timestamp()

    assert found.keys() == {
        *("process_cpu_seconds_total", "process_resident_memory_bytes"),
        *("process_virtual_memory_bytes", "process_open_fds", "process_max_fds"),
        "process_start_time_seconds",
    }
    value = {name: samples[()] for name, samples in found.items()}
    assert value["process_cpu_seconds_total"] > 0
    assert 2**20 < value["process_resident_memory_bytes"] < value["process_virtual_memory_bytes"]
    assert 3 < value["process_open_fds"] < value["process_max_fds"]
    # The daemon's own time is that at which its imports are done.
    assert ready - 600 < value["process_start_time_seconds"] < ready + 1
    assert metrics(daemon)["process_start_time_seconds"] == found["process_start_time_seconds"]


def test_an_operator_sees_warnings_backups_grants_and_room(
    new_daemon: Callable[..., Daemon], scope: Scope
) -> None:
    """A warning is 1, and 0 when it is over; without a backup there is no figure of one."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "wordllama"\n')
    daemon.start()
    before = metrics(daemon)
    grant = daemon.call("grant.create", scope=scope())
    made = daemon.call("db.backup")
    after = metrics(daemon)
    daemon.call("grant.revoke", grant_id=grant["grant_id"])

    (info,) = before["ashd_build_info"]
    assert ashd.__version__ in info
    assert before["ashd_warning"] == {("built_in_embedder",): 1}
    assert "ashd_last_backup_bytes" not in before
    assert after["ashd_last_backup_bytes"][()] == made["bytes"]
    at = after["ashd_last_backup_timestamp_seconds"][()]
    assert 0 <= after["process_start_time_seconds"][()] < at < time.time() + 60
    assert (before["ashd_grants"][()], after["ashd_grants"][()]) == (0, 1)
    assert metrics(daemon)["ashd_grants"][()] == 0
    assert before["ashd_disk_free_bytes"].keys() == {("database",)}
    assert after["ashd_disk_free_bytes"].keys() == {("database",), ("backups",)}
    assert after["ashd_log_lines_dropped_total"][()] == 0


def test_only_called_methods_have_histograms(new_daemon: Callable[..., Daemon]) -> None:
    """A method that nobody called has no samples, so an idle daemon has few."""
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start(wait_for="daemon_ready")
    daemon.call("memory.list")
    found = metrics(daemon)

    assert found["ashd_request_seconds_count"].keys() == {("memory.list",)}


def test_every_metric_is_documented(daemon: Daemon) -> None:
    """The operator's page has each metric with its labels, and no others."""
    documented = set(re.findall(r"`((?:ashd|process)_\w+)[{`]", PAGE))

    assert _families(daemon).keys() == documented


def test_labels_are_as_documented(daemon: Daemon) -> None:
    """The page names the labels of each metric that has some."""
    written = {
        name: set(labels.split(",")) for name, labels in re.findall(r"`(ashd_\w+){(.*?)}`", PAGE)
    }
    found = {name: labels for name, labels in _families(daemon).items() if labels}

    assert found == {name: written[name] for name in found}
    assert {name for name in written if name not in found} <= {
        *("ashd_jobs", "ashd_llm_calls_total", "ashd_llm_call_seconds", "ashd_llm_tokens_total"),
        "ashd_warning",
    }


def test_alert_rules_are_about_what_there_is(daemon: Daemon) -> None:
    """Each metric, label, method, warning and kind in the example rules exists."""
    rules = re.findall(r"expr: (.*)", PAGE)
    families = _families(daemon)
    described = {f"{name}_bucket" for name in families if name.endswith("_seconds")}
    named = {name for rule in rules for name in re.findall(r"(?:ashd|process)_\w+", rule)}

    assert len(rules) >= 10
    assert named <= {*families, *described}
    values = {
        label: {
            one for text in re.findall(rf'{label}[=!]~?"(.*?)"', PAGE) for one in text.split("|")
        }
        for label in ("name", "kind", "method", "outcome")
    }
    assert values["name"] <= WARNINGS
    assert values["method"] <= TABLE.keys()
    assert values["kind"] <= {cls.kind for cls in AshError.__subclasses__()}
    assert values["outcome"] <= {"ok", "cancelled"}


def _families(daemon: Daemon) -> dict[str, set[str]]:
    """The labels of each metric, without those of buckets; a counter's name ends in _total."""
    text = daemon.call("system.metrics")["text"]
    return {
        f"{one.name}{'_total' * (one.type == 'counter')}": {
            label for sample in one.samples for label in sample.labels if label != "le"
        }
        for one in text_string_to_metric_families(text)
    }
