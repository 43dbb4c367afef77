"""Record which test file executes which statement of ashd: what a mutant is tested with.

A statement is known by its function and its text, not by its line: a record serves as long as the
statement is there, and only test files that are new or changed are measured again. Daemons and
commands that a test starts are measured like the test's own process.
"""

import ast
import hashlib
import resource
import shutil
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import coverage
import msgspec
from mutations import read
from workshop import REPOSITORY, Workshop

FILE: Final = REPOSITORY / ".venv" / "coverage-by-test.json"
_FOLDERS: Final = (
    "unit",
    *("security", "rpc", "http", "cli", "web", "faults"),
)
_LEFT_OUT: Final = (
    *("browser", "demo", "make_models", "readme", "disclosure_oracle"),
    *("unit/benchmarks", "test_random_faults", "test_soak"),
)
"""Test files that start browsers, install things or take long, and execute little more."""
_OF_DECLARATIONS: Final = ("tests/unit/rpc/test_params.py", "tests/test_docs.py")
"""Tests that execute no statement of a module, but read what its classes declare."""
_START: Final = """
import os as _os

_os.environ["COVERAGE_PROCESS_START"] = {settings!r}
import coverage as _coverage

_coverage.process_startup()
"""
"""Appended to the package's first module: so it runs in every process that imports the copy."""
_SETTINGS: Final = """
[run]
parallel = true
data_file = {root}/measured/data
source = {root}/ashd
patch = _exit, fork
sigterm = true
"""


class Place(NamedTuple):
    """A statement inside a function: the module, the function, and the statement's first line."""

    module: str
    function: str
    text: str


class Test(msgspec.Struct):
    """A measured test file: a hash of its text, its processor time, the statements by number."""

    digest: str
    seconds: float
    executes: list[int]


class Record(msgspec.Struct):
    """The measurement."""

    places: list[Place] = []
    tests: dict[str, Test] = {}


class CoverageMap:
    """The record, by statement and by function."""

    def __init__(self, record: Record) -> None:
        self._tests = record.tests
        self._by: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        shares: defaultdict[tuple[str, str], int] = defaultdict(int)
        for name, test in record.tests.items():
            for number in test.executes:
                place = record.places[number]
                shares[name, place.module] += 1
                for key in (place, place[:2], place[:1]):
                    self._by[key].add(name)
        self._shares = {
            key: count / len(record.tests[key[0]].executes) for key, count in shares.items()
        }

    def tests_of(self, module: str, source: str, line: int, seconds: float) -> tuple[str, ...]:
        """Return the test files that execute a line, as far as they fit into the time.

        Fast ones come first, and those that execute little besides the module: the first failure
        ends the run. Of a statement that is not in the record, or is executed by every import,
        those of its function count, or of its module; of one outside of functions the tests that
        read declarations, too.
        """
        function, text = places(source)[line]
        chosen = [] if text else [*_OF_DECLARATIONS]
        keys = [(module, function, text), (module, function), (module,)]
        found = next((self._by[key] for key in keys if key in self._by), set())
        ranked = sorted(found, key=lambda name: (self._cost(name, module), name))
        for name in ranked:
            if name in chosen or (chosen and seconds < self._tests[name].seconds):
                continue
            seconds -= self._tests[name].seconds
            chosen.append(name)
        return tuple(chosen)

    def _cost(self, name: str, module: str) -> float:
        """Return the seconds of a test file for its share of the module."""
        share = self._shares.get((name, module), 0.0)
        return (1 + self._tests[name].seconds) / max(share, 1e-6)


@cache
def places(source: str) -> dict[int, tuple[str, str]]:
    """Map each line to its function and the first line of its statement; of neither empty texts."""
    lines = source.splitlines()
    found = dict.fromkeys(range(len(lines) + 2), ("", ""))

    def visit(node: ast.AST, name: str, *, runs: bool) -> None:
        for child in ast.iter_child_nodes(node):
            inner, is_header = name, isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".strip(".")
            if isinstance(child, ast.stmt):
                text = lines[child.lineno - 1].strip() if runs and not is_header else ""
                # Statements inside come later and overwrite their own lines.
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    found[line] = (inner if is_header else name, text)
            visit(child, inner, runs=(runs or is_header) and not isinstance(child, ast.ClassDef))

    visit(ast.parse(source), "", runs=False)
    return found


def load() -> Record:
    """The record of earlier measurements; an empty one without any."""
    return msgspec.json.decode(FILE.read_bytes(), type=Record) if FILE.exists() else Record()


def measure(within: Sequence[str] = ("",)) -> None:
    """Run each test file that is not in the record under coverage; goes on where it was ended.

    Measured are the files whose paths begin with one of `within`.
    """
    record = load()
    numbers = {place: number for number, place in enumerate(record.places)}
    found = {name: _digest(name) for name in _test_files()}
    # A file that has changed may execute other statements.
    record.tests = {
        name: test for name, test in record.tests.items() if found.get(name) == test.digest
    }
    waiting = [
        name for name in found if name not in record.tests and name.startswith(tuple(within))
    ]
    if not waiting:
        return
    workshop = Workshop()
    settings = workshop.root / "measured.ini"
    settings.write_text(_SETTINGS.format(root=workshop.root), encoding="utf-8")
    package = workshop.root / "ashd" / "__init__.py"
    package.write_text(read(package) + _START.format(settings=str(settings)), encoding="utf-8")
    data = workshop.root / "measured"
    try:
        for name in waiting:
            data.mkdir()
            before = _seconds()
            # A test that fails by itself would kill every mutant.
            passed = workshop.run((name,))
            places_ = _executed(data, workshop.root) if passed else set()
            executed = sorted(numbers.setdefault(place, len(numbers)) for place in places_)
            shutil.rmtree(data)
            record.tests[name] = Test(found[name], round(_seconds() - before, 1), executed)
            record.places = list(numbers)
            FILE.write_bytes(msgspec.json.encode(record))
            sys.stdout.write(
                f"{name}: {record.tests[name].seconds} s{'' if passed else ', FAILED'}\n"
            )
            sys.stdout.flush()
    finally:
        workshop.remove()


def _test_files() -> list[str]:
    names = [
        str(file.relative_to(REPOSITORY))
        for folder in _FOLDERS
        for file in sorted((REPOSITORY / "tests" / folder).rglob("test_*.py"))
    ]
    return [name for name in names if not any(part in name for part in _LEFT_OUT)]


def _digest(name: str) -> str:
    return hashlib.sha256((REPOSITORY / name).read_bytes()).hexdigest()[:16]


def _seconds() -> float:
    """Return the processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _executed(folder: Path, root: Path) -> set[Place]:
    """Return the statements inside functions that any process executed."""
    found: set[Place] = set()
    for file in folder.iterdir():
        one = coverage.CoverageData(str(file))
        try:
            one.read()
        except coverage.exceptions.DataError:
            continue  # the process was killed while it wrote
        for path in one.measured_files():
            if path.endswith(".py"):  # a page's template is measured, too
                module = str(Path(path).relative_to(root))
                of_line = places(read(Path(path)))
                statements = {of_line.get(line, ("", "")) for line in one.lines(path) or ()}
                found.update(Place(module, *one) for one in statements if one[1])
    return found
