"""Writes `benchmarks/README.md` from the results: no figure in it is typed by hand.

python -m benchmarks.readme
"""

import json
from pathlib import Path
from typing import Any

from benchmarks import markdown
from benchmarks.extraction import faults_table, month_table, small_model_table
from benchmarks.recall import lives_tables, report_plot, report_tables
from benchmarks.recall.report_data import ASSISTANT
from benchmarks.speed import (
    million_table,
    peers_plot,
    peers_tables,
    scale_tables,
    stalls_table,
    tables,
)
from benchmarks.statements import tables as statements

FOLDER = Path(__file__).parent
PAGE = FOLDER / "README.md"
RESULTS = FOLDER / "results"
SPEED = RESULTS / "speed.json"
SCALE = RESULTS / "scale.json"
STALLS = RESULTS / "stalls.json"
FAULTS = RESULTS / "faults.json"
MONTH = RESULTS / "import-month.json"
SMALL_MODEL = RESULTS / "small-model.json"
SPEED_PEERS = RESULTS / "speed-peers.json"
LIVES = RESULTS / "lives.json"
MILLION = RESULTS / "million.json"
STATEMENTS = RESULTS / "statements.json"


def page() -> str:
    """The page, from what is in `results/`."""
    parts = [(FOLDER / "notes.md").read_text(encoding="utf-8")]
    if SPEED.exists():
        parts += ["## Speed\n", tables.speed(json.loads(SPEED.read_text(encoding="utf-8")))]
    if SCALE.exists():
        parts += ["## Size\n", scale_tables.page(json.loads(SCALE.read_text(encoding="utf-8")))]
    if MILLION.exists():
        parts += ["## A million\n", million_table.page(json.loads(MILLION.read_text("utf-8")))]
    if STALLS.exists():
        result = json.loads(STALLS.read_text(encoding="utf-8"))
        parts += ["## Beside hostile texts\n", stalls_table.page(result)]
    if SPEED_PEERS.exists():
        result = json.loads(SPEED_PEERS.read_text(encoding="utf-8"))
        parts += ["## Speed beside the peers\n", peers_tables.page(result)]
    results = [
        json.loads(file.read_text(encoding="utf-8"))
        for file in sorted(RESULTS.glob("recall-*.json"))
    ]
    results.sort(key=lambda result: result["data"]["name"] == ASSISTANT)  # what is smaller is last
    if results:
        parts += [
            "## Recall\n",
            (FOLDER / "recall" / "notes.md").read_text(encoding="utf-8"),
            *map(report_tables.recall, results),
        ]
    if LIVES.exists():
        result = json.loads(LIVES.read_text(encoding="utf-8"))
        parts += [
            "## Relevance of memories\n",
            (FOLDER / "recall" / "notes-lives.md").read_text(encoding="utf-8"),
            markdown.machine(result["machine"]),
            *map(lives_tables.table, result["runs"]),
        ]
    if STATEMENTS.exists():
        result = json.loads(STATEMENTS.read_text(encoding="utf-8"))
        parts += [
            "## What replaces what\n",
            (FOLDER / "statements" / "notes.md").read_text(encoding="utf-8"),
            markdown.machine(result["machine"]),
            statements.table(result["judged"]),
        ]
    if FAULTS.exists():
        result = json.loads(FAULTS.read_text(encoding="utf-8"))
        parts += ["## Faults of a language model\n", faults_table.page(result)]
    if MONTH.exists():
        result = json.loads(MONTH.read_text(encoding="utf-8"))
        parts += ["## A month of conversations and a slow model\n", month_table.page(result)]
    if SMALL_MODEL.exists():
        result = json.loads(SMALL_MODEL.read_text(encoding="utf-8"))
        parts += ["## A real small model\n", small_model_table.page(result)]
    return "\n".join(parts)


def write() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def keep_speed(result: dict[str, Any]) -> None:
    """Keep the figures of a speed run, and write the page."""
    _keep(SPEED, result)
    write()


def keep_scale(result: dict[str, Any]) -> None:
    """Keep the figures of a run by size, and write the page."""
    _keep(SCALE, result)
    write()


def keep_million(result: dict[str, Any]) -> None:
    """Keep the figures of a run on a million memories, and write the page."""
    _keep(MILLION, result)
    write()


def keep_stalls(result: dict[str, Any]) -> None:
    """Keep the figures of a run beside hostile texts, and write the page."""
    _keep(STALLS, result)
    write()


def keep_speed_peers(result: dict[str, Any]) -> None:
    """Keep the figures and plots of a run beside the peers, and write the page."""
    _keep(SPEED_PEERS, result)
    for method in peers_tables.METHODS:
        svg = peers_plot.plot(result, method)
        (RESULTS / f"speed-peers-{method}.svg").write_text(svg, encoding="utf-8")
    write()


def keep_recall(result: dict[str, Any]) -> None:
    """Keep the figures and the plot of a recall run, and write the page."""
    name = result["data"]["name"]
    _keep(RESULTS / f"recall-{name}.json", result)
    title = f"Evidence among the first ten turns, {name}, codes 1-4"
    svg = report_plot.plot(result["systems"], title=title)
    (RESULTS / f"recall-{name}.svg").write_text(svg, encoding="utf-8")
    write()


def keep_lives(result: dict[str, Any], machine: dict[str, Any]) -> None:
    """Keep the figures of a run over lives beside those of other data and sizes."""
    runs = json.loads(LIVES.read_text(encoding="utf-8"))["runs"] if LIVES.exists() else []
    others = [run for run in runs if (run["data"], run["size"]) != (result["data"], result["size"])]
    runs = sorted([*others, result], key=lambda run: (run["data"], run["size"]))
    _keep(LIVES, {"machine": machine, "runs": runs})
    write()


def keep_statements(result: dict[str, Any]) -> None:
    """Keep the figures of a run over statements, and write the page."""
    _keep(STATEMENTS, result)
    write()


def keep_faults(result: dict[str, Any]) -> None:
    """Keep the figures of a run over faults of a language model, and write the page."""
    _keep(FAULTS, result)
    write()


def keep_month(result: dict[str, Any]) -> None:
    """Keep the figures of an import that a slow model reads, and write the page."""
    _keep(MONTH, result)
    write()


def keep_small_model(result: dict[str, Any]) -> None:
    """Keep the figures of a real small model, and write the page."""
    _keep(SMALL_MODEL, result)
    write()


def _keep(file: Path, result: dict[str, Any]) -> None:
    RESULTS.mkdir(exist_ok=True)
    file.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
