"""The tables of a recall run."""

from collections.abc import Sequence
from typing import Any

from benchmarks import markdown


def recall(result: dict[str, Any]) -> str:
    """The tables of a recall run."""
    data, systems = result["data"], [one for one in result["systems"] if "headline" in one]
    name, by_code = data["name"], systems[0]["codes"] if systems else {}
    parts = [
        f"### {name}\n",
        _about(data),
        markdown.machine(result["machine"]),
        f"The peers' vectors are the daemon's own, {result['vectors']}. {_versions(systems)}\n",
        f"![R@10 of every system](results/recall-{name}.svg)\n",
        markdown.table(
            ("system", "R@5", "R@10", "R@20", "R@50", "nDCG@10", "search p50 / p95, ms"),
            (
                (
                    _name(one),
                    _value(one, "R@5"),
                    _with_interval(one, "R@10"),
                    *(_value(one, column) for column in ("R@20", "R@50", "nDCG@10")),
                    f"{one['search_ms']['p50']:.1f} / {one['search_ms']['p95']:.1f}",
                )
                for one in systems
            ),
        ),
        markdown.table(
            ("system", *(f"{budget} tokens" for budget in (500, 1_000, 2_000, 3_000))),
            (
                (_name(one), *(_value(one, f"{b} tokens") for b in (500, 1_000, 2_000, 3_000)))
                for one in systems
            ),
        ),
    ]
    if len(by_code) > 1:
        parts.append(
            markdown.table(
                (
                    "R@10 by code",
                    *(f"{code} (n = {row['questions']})" for code, row in by_code.items()),
                ),
                (
                    (_name(one), *(f"{row['R@10']:.3f}" for row in one["codes"].values()))
                    for one in systems
                ),
            )
        )
    if result["corrected"]:
        parts += ["With the audit's corrections of the labels:\n", _corrected(systems)]
    behind = [one for one in systems if "behind_by" in one]
    if behind:
        ours = [one["name"] for one in systems if one["ours"]][-1]
        parts += [
            f"R@10 of {ours} minus a peer's, question by question, with its interval:\n",
            markdown.table(
                ("peer", "difference"),
                (
                    (
                        _name(one),
                        "{mean:+.3f} ({low:+.3f} to {high:+.3f})".format(**one["behind_by"]),
                    )
                    for one in behind
                ),
            ),
        ]
    left_out = [one for one in result["systems"] if "reason" in one]
    parts += [f"- {one['name']} left out: {one['reason']}\n" for one in left_out]
    if "facts" in result:
        parts += [_facts(result["facts"])]
    return "\n".join(parts)


def _about(data: dict[str, Any]) -> str:
    seen = (
        "**In-sample: the daemon's weights and cuts were chosen with this data in sight, so its own"
        " figures here may be too good; the peers' are not touched by that.**"
        if data["in_sample"]
        else "Held out: no weight has seen this data."
    )
    digest = f" SHA-256 `{data['sha256'][:16]}…`." if "sha256" in data else ""
    return (
        f"{data['turns']:,} turns, {data['questions']:,} questions with evidence,"
        f" {len(data['conversations'])} conversations ({', '.join(data['conversations'])}).{digest}"
        f" {seen}\n"
    )


def _name(one: dict[str, Any]) -> str:
    if one["ours"]:
        return f"**{one['name']}**"
    return f"{one['name']} {next(iter(one['versions'].values()), '')}".strip()


def _versions(systems: Sequence[dict[str, Any]]) -> str:
    found = {name: version for one in systems for name, version in one["versions"].items()}
    return "Versions: " + ", ".join(f"{name} {version}" for name, version in found.items()) + "."


def _value(one: dict[str, Any], column: str) -> str:
    return f"{one['headline'][column]['mean']:.3f}"


def _with_interval(one: dict[str, Any], column: str) -> str:
    return "{mean:.3f} ({low:.3f}-{high:.3f})".format(**one["headline"][column])


def _corrected(systems: Sequence[dict[str, Any]]) -> str:
    columns = ("R@5", "R@10", "R@20", "R@50", "nDCG@10")
    return markdown.table(
        ("system", *columns),
        (
            (_name(one), *(f"{one['corrected'][column]['mean']:.3f}" for column in columns))
            for one in systems
        ),
    )


_CUT = {
    "first": "an answer comes first",
    "ten": "it comes among ten",
    "lost": "nothing right comes",
    "near": "something comes though nothing answers: near question",
    "far": "far question",
}


def _facts(facts: dict[str, Any]) -> str:
    parts = []
    for title, one in facts.items():
        systems = one["systems"]
        first = next(iter(systems.values()))
        parts += [
            f"{title.capitalize()} ({one['facts']}) by `memory.search`, its cut included:\n",
            markdown.table(
                ("", *(f"{said} (of {first[key]['of']})" for key, said in _CUT.items())),
                (
                    (name, *(f"{row[key]['share']:.3f}" for key in _CUT))
                    for name, row in systems.items()
                ),
            ),
        ]
    return "\n".join(parts)
