"""The page of a recall run: what it was measured on, then a table for each way to look at it.

Every function gives a piece of Markdown, empty where the run has nothing for it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import markdown

Systems = Sequence[dict[str, Any]]
_RANKED = ("R@5", "R@10", "R@20", "R@50", "nDCG@10")
_WITHIN = ("500 tokens", "1000 tokens", "2000 tokens", "3000 tokens")
_CONTEXT_GOAL = "goal: 0.80 within 1,000 tokens with MiniLM"
_CUT = {
    "first": "an answer comes first",
    "ten": "it comes among ten",
    "lost": "nothing right comes",
    "near": "something comes though nothing answers: near question",
    "far": "far question",
}


def recall(result: dict[str, Any]) -> str:
    """The tables of a recall run."""
    data, systems = result["data"], [one for one in result["systems"] if "headline" in one]
    parts = [
        f"### {data['name']}\n",
        _about(data),
        _notes(data["name"]),
        markdown.machine(result["machine"]),
        f"The peers' vectors are the daemon's own, {result['vectors']}. {_versions(systems)}\n",
        f"![R@10 of every system](results/recall-{data['name']}.svg)\n",
        _ranked(systems),
        _within(systems),
        _contexts([one for one in systems if "context" in one]),
        _by_code(systems),
        _corrected([one for one in systems if "corrected" in one]),
        _behind(systems),
        _left_out([one for one in result["systems"] if "reason" in one]),
        *(_facts(title, one) for title, one in result.get("facts", {}).items()),
    ]
    return "\n".join(part for part in parts if part)


def _about(data: dict[str, Any]) -> str:
    seen = (
        "**In-sample: the daemon's weights and cuts were chosen with this data in sight, so its own"
        " figures here may be too good; the peers' are not touched by that.**"
        if data["in_sample"]
        else "Held out: no weight has seen this data."
    )
    digest = f" SHA-256 `{data['sha256'][:16]}…`." if "sha256" in data else ""
    names = data["conversations"]
    told = "1 conversation" if len(names) == 1 else f"{len(names)} conversations"
    return (
        f"{data['turns']:,} turns, {data['questions']:,} questions with evidence,"
        f" {told} ({', '.join(names)}).{digest} {seen}\n"
    )


def _notes(name: str) -> str:
    """Return notes on how to read the figures of a data set kept here."""
    file = Path(__file__).with_name(f"notes-{name}.md")
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _versions(systems: Systems) -> str:
    found = {name: version for one in systems for name, version in one["versions"].items()}
    listed = ", ".join(f"{name} {version}" for name, version in found.items())
    return f"Versions: {listed}." if listed else ""


def _ranked(systems: Systems) -> str:
    return markdown.table(
        ("system", *_RANKED, "search p50 / p95, ms"),
        (
            (
                _name(one),
                *(
                    _with_interval(one["headline"][column])
                    if column == "R@10"
                    else _mean(one["headline"][column])
                    for column in _RANKED
                ),
                _times(one["search_ms"]),
            )
            for one in systems
        ),
    )


def _within(systems: Systems) -> str:
    return markdown.table(
        ("system", *_WITHIN),
        ((_name(one), *_means(one["headline"], _WITHIN)) for one in systems),
    )


def _contexts(systems: Systems) -> str:
    if not systems:
        return ""
    budgets = list(systems[0]["context"]["share"])
    return f"`context.get`: evidence in the block ({_CONTEXT_GOAL}):\n\n" + markdown.table(
        ("system", *(f"{int(b):,} tokens" for b in budgets), "call at the last p50 / p95, ms"),
        (
            (
                _name(one),
                *(_with_interval(one["context"]["share"][budget]) for budget in budgets),
                _times(one["context"]["get_ms"]),
            )
            for one in systems
        ),
    )


def _by_code(systems: Systems) -> str:
    codes = systems[0]["codes"] if systems else {}
    if len(codes) < 2:
        return ""
    return markdown.table(
        ("R@10 by code", *(f"{code} (n = {row['questions']})" for code, row in codes.items())),
        ((_name(one), *(f"{row['R@10']:.3f}" for row in one["codes"].values())) for one in systems),
    )


def _corrected(systems: Systems) -> str:
    if not systems:
        return ""
    return "With the audit's corrections of the labels:\n\n" + markdown.table(
        ("system", *_RANKED),
        ((_name(one), *_means(one["corrected"], _RANKED)) for one in systems),
    )


def _behind(systems: Systems) -> str:
    behind = [one for one in systems if "behind_by" in one]
    if not behind:
        return ""
    ours = [one["name"] for one in systems if one["ours"]][-1]
    return (
        f"R@10 of {ours} minus a peer's, question by question, with its interval:\n\n"
        + markdown.table(
            ("peer", "difference"),
            (
                (
                    _name(one),
                    "{mean:+.3f} ({low:+.3f} to {high:+.3f})".format(**one["behind_by"]),
                )
                for one in behind
            ),
        )
    )


def _left_out(systems: Systems) -> str:
    return "".join(f"- {one['name']} left out: {one['reason']}\n" for one in systems)


def _facts(title: str, one: dict[str, Any]) -> str:
    systems = one["systems"]
    if not systems:
        return ""
    first = systems[0]
    return f"{title.capitalize()} ({one['facts']}):\n\n" + markdown.table(
        ("system", *(f"{said} (of {first[key]['of']})" for key, said in _CUT.items())),
        ((_name(row), *(f"{row[key]['share']:.3f}" for key in _CUT)) for row in systems),
    )


def _name(one: dict[str, Any]) -> str:
    if one["ours"]:
        return f"**{one['name']}**"
    return f"{one['name']} {next(iter(one['versions'].values()), '')}".strip()


def _mean(value: dict[str, float]) -> str:
    return f"{value['mean']:.3f}"


def _means(values: dict[str, dict[str, float]], columns: Iterable[str]) -> list[str]:
    return [_mean(values[column]) for column in columns]


def _with_interval(value: dict[str, float]) -> str:
    return "{mean:.3f} ({low:.3f}-{high:.3f})".format(**value)


def _times(value: dict[str, float]) -> str:
    return "{p50:.1f} / {p95:.1f}".format(**value)
