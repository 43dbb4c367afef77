"""Break the program in small ways and see whether a test notices: `make check-mutants`.

Each mutant is one change of one module in a copy of the repository, against the tests that belong
to it. All mutants of the disclosure policy are made, of other modules a sample of a fixed seed.
`NAMED` are mutants that survived once, kept as they were found.
"""

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
_COPIED = ("ashd", "ash_sb", "tests", "benchmarks", "docs", "pyproject.toml", "Makefile")
_SECONDS = 300
_UNSHRUNK = "unshrunk"
"""A plugin of the copy: that a property fails is all there is to know, not its smallest example."""
_PLUGIN = """
from hypothesis import Phase, settings

settings.register_profile("unshrunk", phases=[Phase.explicit, Phase.generate])
settings.load_profile("unshrunk")
"""

UNIT, RPC, SECURITY = "tests/unit", "tests/rpc", "tests/security"
_WORLD = f"{UNIT}/store/test_visibility_property.py"
_STORIES = (f"{UNIT}/access/test_disclosure.py", f"{UNIT}/access/test_who_sees_what.py")
_IN_PLACE = f"{SECURITY}/test_changes_in_place.py"
POLICY = {
    "ashd/access/disclosure.py": (*_STORIES, _WORLD),
    "ashd/store/visibility.py": (_WORLD, f"{UNIT}/store/test_reach_plans.py"),
}
SAMPLED = {
    "ashd/access/scope.py": (
        f"{RPC}/test_people_participation.py",
        f"{RPC}/test_people_accounts.py",
        f"{SECURITY}/test_private_chats.py",
        f"{SECURITY}/test_groups.py",
    ),
    "ashd/access/usage.py": (f"{UNIT}/access/test_usage.py", f"{SECURITY}/test_quotas.py"),
    "ashd/access/quota.py": (f"{UNIT}/access/test_quota.py", f"{UNIT}/access/test_usage.py"),
    "ashd/people/met_accounts.py": (f"{SECURITY}/test_joined_accounts.py",),
    "ashd/people/model.py": (
        f"{SECURITY}/test_joined_accounts.py",
        f"{RPC}/test_people_calls.py",
        f"{RPC}/test_people_manage.py",
        f"{SECURITY}/test_groups.py",
        f"{SECURITY}/test_side_channels.py",
    ),
    "ashd/people/resolve.py": (
        f"{RPC}/test_people_references.py",
        f"{RPC}/test_people_roles.py",
        f"{RPC}/test_people_calls.py",
        f"{SECURITY}/test_groups.py",
    ),
    "ashd/people/edit.py": (f"{RPC}/test_people_manage.py", _IN_PLACE),
    "ashd/memory/ownership.py": (f"{SECURITY}/test_groups.py", _IN_PLACE),
    "ashd/memory/supersede.py": (f"{RPC}/test_supersession.py", _IN_PLACE),
    "ashd/memory/update.py": (f"{RPC}/test_memory_changes.py", _IN_PLACE),
    "ashd/memory/wire.py": (
        f"{SECURITY}/test_side_channels.py",
        f"{SECURITY}/test_joined_accounts.py",
    ),
    "ashd/memory/cutoff.py": (f"{RPC}/test_what_is_shown.py",),
    "ashd/memory/judge/guard.py": (f"{UNIT}/memory/judge", f"{RPC}/test_supersession.py"),
    "ashd/context/budget.py": (f"{UNIT}/context/test_budget.py",),
    "ashd/context/assemble.py": (
        f"{UNIT}/context/test_kept_blocks.py",
        f"{RPC}/test_context.py",
        f"{SECURITY}/test_context_cache.py",
    ),
    "ashd/rpc/dispatch.py": (f"{UNIT}/rpc", f"{RPC}/test_wire.py", f"{RPC}/test_grants.py"),
    "ashd/rpc/framing.py": (f"{UNIT}/rpc/test_framing.py", f"{RPC}/test_wire.py"),
}


class Mutant(NamedTuple):
    """A change of a module: the text before and after, and where it is."""

    path: str
    line: int
    what: str
    source: str
    tests: tuple[str, ...]


class Named(NamedTuple):
    """A mutant that survived once; `old` stands once in the module."""

    what: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]


NAMED = (
    Named(
        "a sandbox dates what it says",
        "ashd/memory/store_fact.py",
        ' and call.actor.kind == "operator"',
        "",
        (_IN_PLACE,),
    ),
    Named(
        "a stricter repetition by another is dropped",
        "ashd/memory/store_fact.py",
        "if changes and not _may_tighten(call, viewer, record, changes):",
        "if False:",
        (_IN_PLACE, f"{RPC}/test_memory_add.py", f"{SECURITY}/test_groups.py"),
    ),
    Named(
        "a grant's reads take no turns",
        "ashd/access/usage.py",
        "reading: anyio.Lock = field(default_factory=anyio.Lock)",
        "reading: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(99))",
        (f"{UNIT}/access/test_usage.py", f"{UNIT}/rpc/test_dispatch.py"),
    ),
    Named(
        "replies have no bound",
        "ashd/rpc/dispatch.py",
        "if len(line) > session.limits.reply_bytes:",
        "if False:",
        (f"{UNIT}/rpc/test_dispatch.py", f"{RPC}/test_wire.py"),
    ),
    Named(
        "a kept block is for any speaker",
        "ashd/context/assemble.py",
        "speaks = call.turn and call.turn.user_id",
        "speaks = None",
        (f"{SECURITY}/test_context_cache.py",),
    ),
    Named(
        "a kept block is for any viewer",
        "ashd/context/assemble.py",
        "asked = (call.scope, speaks, viewer, params)",
        "asked = (call.scope, speaks, params)",
        (f"{UNIT}/context/test_kept_blocks.py", f"{SECURITY}/test_context_cache.py"),
    ),
    Named(
        "max_messages does not hold where recent is given",
        "ashd/context/assemble.py",
        "return hits[: params.max_messages], left_out",
        "return hits[: params.max_messages + len(params.recent)], left_out",
        (f"{RPC}/test_context.py",),
    ),
    Named(
        "in a group a stricter fact supersedes",
        "ashd/memory/verdicts.py",
        "return stricter or (bool(older.portable) and not portable)",
        "return False",
        (_IN_PLACE, f"{SECURITY}/test_groups.py"),
    ),
    Named(
        "a group's memory is changed elsewhere",
        "ashd/access/disclosure.py",
        "return viewer.group and learned_in is not None and viewer.chat == learned_in",
        "return True",
        (_IN_PLACE,),
    ),
    Named(
        "an observation of the same day is an earlier one",
        "ashd/memory/judge/guard.py",
        "one.observed_at + DAY < other.stated_at",
        "one.observed_at < other.stated_at",
        (f"{UNIT}/memory/judge",),
    ),
    Named(
        "of several private Annas the first is taken in a group",
        "ashd/people/resolve.py",
        "if len(elsewhere) == 1:",
        "if elsewhere:",
        (f"{SECURITY}/test_groups.py", f"{RPC}/test_people_references.py"),
    ),
    Named(
        "age weighs twice as much",
        "ashd/search/relevance.py",
        "_AGE: Final = 0.5",
        "_AGE: Final = 1.0",
        (f"{UNIT}/search/test_relevance.py",),
    ),
    Named(
        "an identifier that no row holds takes nothing off late scores",
        "ashd/search/legs.py",
        "return scores if words is None else scores * words.known[places]",
        "return scores",
        (f"{UNIT}/search/test_legs.py",),
    ),
    Named(
        "turns without a session lift one another",
        "ashd/search/fusion.py",
        "best[-1] = 0.0",
        "pass",
        (f"{UNIT}/search/test_fusion.py", f"{UNIT}/search/test_sessions.py"),
    ),
    Named(
        "the heading counts to a section's budget",
        "ashd/context/budget.py",
        "used - HEADING_TOKENS + item.tokens > section.budget",
        "used + item.tokens > section.budget",
        (f"{UNIT}/context/test_budget.py",),
    ),
)

EQUIVALENT = {
    # (module, the line as it is, what was done): why no test can tell.
}

# Changing code ----------------------------------------------------------------------------------

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_SQL = (
    (r" and ", " or "),
    (r" or ", " and "),
    (r"<= ", "< "),
    (r"(?<!-)> ", ">= "),
    (r" = ", " <> "),
    (r"is null", "is not null"),
    (r"'public'", "'personal'"),
    (r"'private'", "'group'"),
)


def changes(node: ast.AST, *, sql: bool) -> Iterator[tuple[str, ast.AST]]:
    """Yield every change of a node, in words and as a node."""
    made = copy.deepcopy(node)
    if isinstance(made, ast.Compare):
        before = made.ops[0]
        made.ops[0] = _COMPARED[type(before)]()
        yield f"{type(before).__name__} → {type(made.ops[0]).__name__}", made
    elif isinstance(made, ast.BoolOp):
        made.op = ast.Or() if isinstance(made.op, ast.And) else ast.And()
        yield f"→ {type(made.op).__name__}", made
    elif isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.Not):
        yield "not removed", made.operand
    elif isinstance(made, ast.Constant) and isinstance(made.value, bool):
        made.value = not made.value
        yield f"→ {made.value}", made
    elif isinstance(made, ast.Constant) and isinstance(made.value, int):
        made.value += 1
        yield "+ 1", made
    elif isinstance(made, ast.Expr) and isinstance(made.value, ast.Call):
        yield "call removed", ast.copy_location(ast.Pass(), node)
    elif sql and isinstance(node, ast.Constant) and isinstance(node.value, str):
        for pattern, other in _SQL:
            for place in re.finditer(pattern, node.value):
                text = node.value[: place.start()] + other + node.value[place.end() :]
                yield f"{place.group()!r} → {other!r}", ast.Constant(text)


def mutants(path: str, tests: tuple[str, ...]) -> list[Mutant]:
    """Every mutant of a module."""
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    tree = ast.parse(text)
    docstrings = {
        id(owner.body[0])
        for owner in ast.walk(tree)
        if isinstance(owner, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and owner.body
    }
    found: list[Mutant] = []

    def visit(parent: ast.AST) -> None:
        for name, value in ast.iter_fields(parent):
            if name in {"annotation", "returns", "keywords"} and isinstance(parent, ast.arg):
                continue
            children = value if isinstance(value, list) else [value]
            for at, child in enumerate(children):
                is_text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                if not isinstance(child, ast.AST) or id(child) in docstrings or is_text:
                    continue
                for what, other in changes(child, sql=path in POLICY):
                    if isinstance(value, list):
                        value[at] = other
                    else:
                        setattr(parent, name, other)
                    line = getattr(child, "lineno", 0)
                    source = ast.unparse(ast.fix_missing_locations(tree))
                    found.append(Mutant(path, line, what, source, tests))
                    if isinstance(value, list):
                        value[at] = child
                    else:
                        setattr(parent, name, child)
                visit(child)

    visit(tree)
    lines = text.splitlines()
    return [
        one for one in found if (one.path, lines[one.line - 1].strip(), one.what) not in EQUIVALENT
    ]


def named() -> list[Mutant]:
    """The mutants that survived once."""
    found = []
    for one in NAMED:
        text = (REPOSITORY / one.path).read_text(encoding="utf-8")
        if text.count(one.old) != 1:
            raise SystemExit(f"{one.path}: {one.old!r} stands there {text.count(one.old)} times.")
        line = text[: text.index(one.old)].count("\n") + 1
        source = text.replace(one.old, one.new)
        found.append(Mutant(one.path, line, one.what, source, one.tests))
    return found


# Running tests ----------------------------------------------------------------------------------


class Workshop:
    """A copy of the repository in which one mutant at a time is tested."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="mutants-"))
        for name in _COPIED:
            source = REPOSITORY / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, self.root / name, ignore=ignored)
            else:
                shutil.copy(source, self.root / name)
        (self.root / f"{_UNSHRUNK}.py").write_text(_PLUGIN, encoding="utf-8")

    def passes(self, tests: tuple[str, ...]) -> bool:
        """Whether the tests pass; what never ends has failed."""
        command = [sys.executable, "-m", "pytest", "-x", "-p", _UNSHRUNK, *tests]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        models = REPOSITORY / ".venv" / "models"
        environment.setdefault("ASH_MODELS", str(models))
        try:
            done = subprocess.run(
                command,
                cwd=self.root,
                env=environment,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def survives(self, mutant: Mutant) -> bool:
        """Whether no test notices the mutant."""
        place = self.root / mutant.path
        before = place.read_text(encoding="utf-8")
        place.write_text(mutant.source, encoding="utf-8")
        try:
            return self.passes(mutant.tests)
        finally:
            place.write_text(before, encoding="utf-8")

    def remove(self) -> None:
        """Take the copy away."""
        shutil.rmtree(self.root)


def tested(found: list[Mutant], jobs: int) -> list[Mutant]:
    """Return the mutants that survive."""
    workshops = [Workshop() for _ in range(jobs)]
    free = list(workshops)

    def run(mutant: Mutant) -> Mutant | None:
        workshop = free.pop()
        try:
            alive = workshop.survives(mutant)
        finally:
            free.append(workshop)
        sys.stdout.write("S" if alive else ".")
        sys.stdout.flush()
        return mutant if alive else None

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return [one for one in pool.map(run, found) if one is not None]
    finally:
        for workshop in workshops:
            workshop.remove()


def report(name: str, found: list[Mutant], alive: list[Mutant]) -> None:
    """Say which survived, and the score."""
    sys.stdout.write("\n")
    for one in alive:
        sys.stdout.write(f"survived: {one.path}:{one.line}: {one.what}\n")
    killed = len(found) - len(alive)
    share = killed / len(found) if found else 1.0
    sys.stdout.write(f"{name}: {killed} of {len(found)} killed, {share:.0%}\n")


def main() -> None:
    """Make the mutants and test them; fail for one of the policy or of `NAMED` that survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--sample", type=int, default=8, help="mutants of each other module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=["policy", "named", "sample"])
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    groups: dict[str, list[Mutant]] = {
        "policy": [one for path, tests in POLICY.items() for one in mutants(path, tests)],
        "named": named(),
        "sample": [
            one
            for path, tests in SAMPLED.items()
            for every in [mutants(path, tests)]
            for one in chance.sample(every, min(arguments.sample, len(every)))
        ],
    }
    failed = False
    for name, found in groups.items():
        if arguments.only in {None, name}:
            alive = tested(found, arguments.jobs)
            report(name, found, alive)
            failed |= bool(alive) and name != "sample"
    sys.exit(failed)


if __name__ == "__main__":
    main()
