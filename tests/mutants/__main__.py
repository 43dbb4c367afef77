"""Break the program in small ways and see whether a test notices: `make check-mutants`.

Each mutant is one change of one module in a copy of the repository. Three groups are tested:
`policy` is every mutant of the disclosure policy, `named` those of `named.py`, and `sample` some of
each area by a seed, with the tests that execute the changed statement. The first two must all be
killed; the score of the third is reported by area.
"""

import argparse
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

import coverage_map
from coverage_map import CoverageMap
from mutations import changed, changes, read
from named import NAMED, UNIT
from workshop import REPOSITORY, Workshop

_WORLD: Final = f"{UNIT}/store/test_visibility_property.py"
POLICY: Final = {
    "ashd/access/disclosure.py": (
        f"{UNIT}/access/test_disclosure.py",
        f"{UNIT}/access/test_who_sees_what.py",
        _WORLD,
    ),
    "ashd/store/visibility.py": (
        _WORLD,
        f"{UNIT}/store/test_reach_plans.py",
        f"{UNIT}/store/test_summary_visibility.py",
    ),
}
AREAS: Final = {
    "access": ("ashd/access/**/*.py",),
    "store": ("ashd/store/*.py",),
    "people": ("ashd/people/*.py",),
    "graph": ("ashd/graph/*.py",),
    "context": ("ashd/context/*.py",),
    "memory": ("ashd/memory/**/*.py",),
    "extraction": ("ashd/extraction/*.py",),
    "rpc": ("ashd/rpc/*.py",),
    "http": ("ashd/http/*.py", "ashd/http_server/*.py"),
    "web": ("ashd/web/**/*.py",),
}
EQUIVALENT: Final = {
    # (module, the line as it is, what was done): why no test can tell.
    ("ashd/rpc/framing.py", "_CHUNK = 65_536", "+ 1"): "the size of one read shows nowhere",
    (
        "ashd/graph/search.py",
        "params.limit + 1 + len(found),",
        "+ 1",
    ): "one relation more is read, and cut off",
    ("ashd/memory/validation.py", "_CANDIDATES: Final = 5", "+ 1"): "an error names five at most",
    (
        "ashd/access/usage.py",
        "async with self.writing if cost.writes else self.reading:",
        "negated",
    ): "it exchanges two locks that are alike",
    (
        "ashd/store/engine.py",
        "is_late: Callable[[], bool] = lambda: False,",
        "→ True",
    ): "a protocol's default: each engine has its own",
    (
        "ashd/store/engine.py",
        "at_least: int = 0,",
        "+ 1",
    ): "a protocol's default: each engine has its own",
    (
        "ashd/people/query_people.py",
        "if not words.isdisjoint(related) or _words(relationship) <= asked:",
        "LtE → Lt",
    ): "a question of no more words than these names nobody of whom they could be said",
    (
        "ashd/context/assemble.py",
        "total = max(params.max_tokens - render.OVERHEAD_TOKENS, 0)",
        "+ 1",
    ): "not even a heading fits into one token",
    (
        "ashd/store/migrations.py",
        "tx = Tx(connection, 0, str)",
        "+ 1",
    ): "only names and types are read of the tables that are made at this time",
}


class Mutant(NamedTuple):
    """A change of a module: where it is, what it is, the whole new text, and its tests."""

    area: str
    path: str
    line: int
    what: str
    source: str
    tests: tuple[str, ...]


def policy() -> list[Mutant]:
    """Every mutant of the disclosure policy."""
    return [
        Mutant("policy", path, line, what, changed(text, number, sql=True), tests)
        for path, tests in POLICY.items()
        for text in [read(REPOSITORY / path)]
        for number, line, what in changes(text, sql=True)
    ]


def named() -> list[Mutant]:
    """The mutants that are written down."""
    found = []
    for one in NAMED:
        text = read(REPOSITORY / one.path)
        if text.count(one.old) != 1:
            raise SystemExit(f"{one.path} has {one.old!r} {text.count(one.old)} times, not once.")
        line = text[: text.index(one.old)].count("\n") + 1
        source = text.replace(one.old, one.new)
        found.append(Mutant("named", one.path, line, one.what, source, one.tests))
    return found


def sample(area: str, count: int, seed: int, seconds: float) -> list[Mutant]:
    """Some mutants of an area, drawn by the seed; `seconds` is the time for tests of each."""
    paths = sorted(
        str(path.relative_to(REPOSITORY)) for glob in AREAS[area] for path in REPOSITORY.glob(glob)
    )
    texts = {path: read(REPOSITORY / path) for path in paths if path not in POLICY}
    every = [
        (path, change)
        for path, text in texts.items()
        for change in changes(text)
        if (path, text.splitlines()[change.line - 1].strip(), change.what) not in EQUIVALENT
    ]
    drawn = random.Random(f"{seed} {area}").sample(every, min(count, len(every)))
    sys.stdout.write(f"{area}: {len(drawn)} of {len(every)} mutants\n")
    tests = CoverageMap(coverage_map.load())
    return [
        Mutant(
            *(area, path, line, what, changed(texts[path], number)),
            tests.tests_of(path, texts[path], line, seconds),
        )
        for path, (number, line, what) in drawn
    ]


def survivors(found: list[Mutant], jobs: int) -> list[Mutant]:
    """Return the mutants that no test notices; one that no test executes is among them."""
    workshops = [Workshop() for _ in range(jobs)]
    free = list(workshops)

    def survives(mutant: Mutant) -> bool:
        workshop = free.pop()
        try:
            alive = not mutant.tests or workshop.survives(mutant.path, mutant.source, mutant.tests)
        finally:
            free.append(workshop)
        if alive:
            sys.stdout.write(f"survived: {mutant.path}:{mutant.line}: {mutant.what}\n")
            sys.stdout.flush()
        return alive

    try:
        with ThreadPoolExecutor(jobs) as pool:
            alive = list(pool.map(survives, found))
    finally:
        for workshop in workshops:
            workshop.remove()
    return [mutant for mutant, lives in zip(found, alive, strict=True) if lives]


def main() -> None:
    """Make the mutants and test them; fail for one of the policy or of `named` that survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sample", type=int, default=20, help="mutants of each area")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="time of the tests of a mutant")
    parser.add_argument("--only", choices=["measure", "policy", "named", *AREAS])
    parser.add_argument(
        "--tests",
        nargs="+",
        metavar="PATH",
        default=[""],
        help="test files and folders to measure; the others serve only if measured earlier",
    )
    arguments = parser.parse_args()
    failed = False
    if arguments.only in {None, "measure", *AREAS}:
        coverage_map.measure(arguments.tests)
    for name in ("policy", "named", *AREAS):
        if arguments.only not in {None, name}:
            continue
        if name in AREAS:
            found = sample(name, arguments.sample, arguments.seed, arguments.seconds)
        else:
            found = policy() if name == "policy" else named()
        alive = survivors(found, arguments.jobs)
        killed = len(found) - len(alive)
        sys.stdout.write(f"{name}: {killed} of {len(found)} killed, {killed / len(found):.0%}\n")
        failed |= bool(alive) and name not in AREAS
    sys.exit(failed)


if __name__ == "__main__":
    main()
