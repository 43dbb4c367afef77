"""Who may import whom, read from the source of every module; each rule says why it holds."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest

from ashd.clock import SystemClock
from ashd.store.database import Database
from ashd.store.erasure import register

REPOSITORY = Path(__file__).parents[1]

# Right may import left only, and what shares a layer stays apart; the first layer's modules do not.
LAYERS = [
    (
        "language errors clock limits home config log standard_error prometheus_text ids json_text "
        "key_file token_estimate atomic_file eviction http_server validation_messages wire_schemas "
        "wire_times wording fair_turns ended_calls protected_paths pages installation"
    ),
    "store providers",
    "access",
    # The queue needs the store alone; whoever builds on it brings the work.
    "search jobs",
    "people",
    "memory",
    # On memory: what is said in a conversation becomes memories, never the other way.
    "graph conversation",
    # What is learned from a conversation goes into all three.
    "extraction",
    "context ops",
    # On the operator's tools: backups for the receipt, progress.
    "erasure",
    "mcp",
    "rpc",
    "build",
    "daemon http web",
    "cli",
]
LAYER_OF = {name: place for place, layer in enumerate(LAYERS) for name in layer.split()}
# The package itself has only its version.
BASE = {"", *LAYERS[0].split()}
# Beside the daemon: a library of the command line that needs the standard library alone.
LAUNCHER = "launcher"
# Distributions of their own: nothing but the standard library, so nothing of the daemon either.
ALONE = {
    "ash_sb": "ash-sb runs on a bare python3, and ashd is not in a sandbox",
    "ashd_client": "an agent takes the client in without taking our libraries",
}
CLIENTS_OF_THE_DAEMON = {"cli", "http", "web"}
HTTP_MAY = {"", *LAYERS[0].split()}
# What is stored is shown as it is stored: by the one function that makes a text harmless.
WEB_MAY_ALSO = "ashd.access.text_cleaning"

# A library, where it may be imported, and why nowhere else.
KEPT_IN = [
    ("apsw", "ashd/store/", "SQL stands in one place, so that another database is one package"),
    ("sqlite_vec", "ashd/store/", "SQL stands in one place, and vectors are stored by SQL"),
    ("sqlite3", None, "apsw carries its own SQLite; a second library would break its locks"),
    ("psycopg", "ashd/store/postgres/", "an installation without the extra runs without it"),
    ("openai", "ashd/providers/", "what lies outside is behind the embedder's protocol"),
    ("onnxruntime", "ashd/providers/", "a model's runtime is its provider's own business"),
    ("sentencepiece", "ashd/providers/", "a model's runtime is its provider's own business"),
    ("jsonrpcserver", "ashd/rpc/jsonrpc_library.py", "it is loaded without its schema library"),
    ("click", "ashd/cli/", "only a command line prints and exits; all else returns and raises"),
]

# Where `lru_cache` may be used, and why nothing that people wrote stays there.
LRU_CACHES = {
    "ashd/language/text_caches.py": "it empties them",
    "ashd/language/words.py": "single characters",
    "ashd/rpc/discover.py": "sets of rights",
    "ashd/store/postgres/translation.py": "statements, whose values are parameters",
}

# Longer than a module should be, and why it is one module all the same.
LONG_LINES = 400
LONG = {
    "ashd_client/types.py": "made by `make docs`, a type after the other",
    "ashd/language/people/vocabulary.py": "a lexicon: tables of words",
}


class Import(NamedTuple):
    """A module that imports another; `relative` when it does so by dots."""

    where: str
    line: int
    name: str
    relative: bool


def sources() -> list[Path]:
    """Return the paths of all modules of all packages."""
    return sorted(
        path.relative_to(REPOSITORY)
        for package in ("ashd", *ALONE)
        for path in (REPOSITORY / package).rglob("*.py")
    )


def imports(where: str, text: str) -> list[Import]:
    """Every import of a module, at its top, in a function or for its types only."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            # `from ashd import store` imports ashd.store; of others the module is enough.
            names = [f"ashd.{alias.name}" if module == "ashd" else module for alias in node.names]
        else:
            continue
        relative = isinstance(node, ast.ImportFrom) and node.level > 0
        found += [Import(where, node.lineno, name, relative) for name in names]
    return found


@cache
def all_imports(package: str) -> list[Import]:
    """Every import in a package."""
    return [
        found
        for path in sources()
        if path.parts[0] == package
        for found in imports(str(path), (REPOSITORY / path).read_text())
    ]


def package_of(name: str) -> str:
    """Return the package of a module of ashd: "store" for ``ashd.store.meta`` or its path."""
    parts = name.removesuffix(".py").replace("/", ".").split(".")
    named = parts[1] if len(parts) > 1 else ""
    return "" if named.startswith("__") else named


def says(found: list[Import], why: str) -> str:
    """Return the text of a failure: which lines import what, and why they may not."""
    lines = [f"{one.where}:{one.line} imports {one.name}" for one in found]
    return "\n".join([*lines, f"because: {why}"])


def allowed(importer: str, imported: str) -> bool:
    """Whether a package of the daemon may import another."""
    if imported in {importer, ""}:
        return True
    if importer in BASE:
        return imported in BASE
    # A process of its own: it knows of the daemon what any client does.
    if importer in {"http", "web"}:
        return imported in HTTP_MAY
    if importer == LAUNCHER:
        return False
    # The host's command line is a client of the daemon, like any other, and starts sandboxes.
    if imported in {"http", "web", LAUNCHER}:
        return importer == "cli"
    return LAYER_OF[imported] < LAYER_OF[importer]


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("store", "memory"),
        ("store", "providers"),
        ("clock", "store"),
        ("memory", "rpc"),
        ("memory", "conversation"),
        ("rpc", "daemon"),
        ("daemon", "cli"),
        ("http", "memory"),
        ("rpc", "http"),
        ("web", "store"),
        ("web", "http"),
        ("http", "web"),
        ("ops", "launcher"),
        ("daemon", "launcher"),
        ("web", "launcher"),
        ("launcher", "store"),
        ("launcher", "errors"),
    ],
)
def test_the_rule_refuses_the_way_back(importer: str, imported: str) -> None:
    """And what stands beside."""
    assert not allowed(importer, imported)


def test_no_import_hides() -> None:
    """One in a function, one for types and a relative one are found as well."""
    text = (
        "if TYPE_CHECKING:\n    from ashd.rpc import app\n"
        "def late():\n    import apsw.ext\n    from ashd import daemon\n"
        "from . import near\n"
    )

    found = {(one.name, one.relative) for one in imports("here", text)}

    assert found == {
        ("ashd.rpc", False),
        ("apsw.ext", False),
        ("ashd.daemon", False),
        ("", True),
    }


def test_every_package_has_a_layer() -> None:
    """A new package is put into the order before it is used."""
    packages = {package_of(str(path)) for path in sources() if path.parts[0] == "ashd"}

    assert packages - set(LAYER_OF) - {"", LAUNCHER} == set()


def test_imports_go_one_way() -> None:
    """A package imports those to its left, never one that is built on it."""
    wrong = [
        found
        for found in all_imports("ashd")
        if found.name.split(".")[0] == "ashd"
        # The entry of `python -m ashd` starts the command line.
        and found.where != "ashd/__main__.py"
        and not (package_of(found.where) == "web" and found.name == WEB_MAY_ALSO)
        and not allowed(package_of(found.where), package_of(found.name))
    ]

    order = " ← ".join(LAYERS)
    assert wrong == [], says(wrong, f"data flows one way, right may import left only: {order}")


def modules_imported(package: str) -> dict[str, set[str]]:
    """The modules of a package by name, each with those of them that it imports."""
    names = {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        for path in sources()
        if path.parts[0] == package
    }
    found: dict[str, set[str]] = {name: set() for name in names}
    for path in (path for path in sources() if path.parts[0] == package):
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        for node in ast.walk(ast.parse((REPOSITORY / path).read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                found[name] |= (whole | {node.module} if not whole <= names else whole) & names
    return {name: imported - {name} for name, imported in found.items()}


def circle_in(imported: dict[str, set[str]]) -> list[str]:
    """Modules that import one another in a circle; empty where none do."""
    left = dict(imported)
    while free := [name for name, others in left.items() if not others & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def test_a_circle_is_found() -> None:
    """Modules of the circle and those that lead to it are listed; its dependencies are not."""
    assert circle_in({"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


@pytest.mark.parametrize("package", ["ashd", *ALONE])
def test_modules_import_one_another_in_no_circle(package: str) -> None:
    """The rule covers imports inside a package, in functions, and for types alone."""
    assert circle_in(modules_imported(package)) == []


def test_language_is_pure() -> None:
    """Text is read by functions of text: no clock, no settings, no store."""
    wrong = [
        found
        for found in all_imports("ashd")
        if package_of(found.where) == "language"
        and found.name.split(".")[0] == "ashd"
        and package_of(found.name) != "language"
    ]

    assert wrong == [], says(wrong, "one reader of text serves every layer, so it rests on none")


@pytest.mark.parametrize(("package", "why"), ALONE.items())
def test_a_client_needs_python_alone(package: str, why: str) -> None:
    """`make docs` writes into it all that it has of the daemon."""
    wrong = [
        found
        for found in all_imports(package)
        if found.name.split(".")[0] not in {*sys.stdlib_module_names, package}
        and not found.where.startswith("ashd_client/adapters/")
    ]

    assert wrong == [], says(wrong, why)


def test_an_adapter_needs_its_framework_alone() -> None:
    """And nothing else imports an adapter."""
    frameworks = {
        "langgraph": {"langgraph"},
        "openai_agents": {"agents"},
        "pydantic_ai": {"pydantic_ai", "pydantic_core"},
    }
    wrong = [
        found
        for found in all_imports("ashd_client")
        if found.where.startswith("ashd_client/adapters/")
        and found.name.split(".")[0]
        not in {
            *sys.stdlib_module_names,
            "ashd_client",
            *frameworks.get(found.where.rpartition("/")[2].removesuffix(".py"), ()),
        }
    ]
    wrong += [
        found
        for package in ("ashd", "ash_sb", "ashd_client")
        for found in all_imports(package)
        if found.name.startswith("ashd_client.adapters")
    ]

    assert wrong == [], says(wrong, "a program installs the framework that it is written for")


def test_the_daemon_is_no_client() -> None:
    """The command line and the two HTTP servers are processes of their own, and clients."""
    wrong = [
        found
        for found in all_imports("ashd")
        if found.name.split(".")[0] == "ashd_client"
        and package_of(found.where) not in CLIENTS_OF_THE_DAEMON
    ]

    assert wrong == [], says(wrong, "the daemon serves any client; shared code would hide the wire")


def test_the_launcher_stands_beside_the_daemon() -> None:
    """Only the command line imports it, and it needs nothing that must be installed."""
    wrong = [
        found
        for found in all_imports("ashd")
        if (package_of(found.where) == LAUNCHER) != (package_of(found.name) == LAUNCHER)
        and package_of(found.where) != "cli"
        and found.name.split(".")[0] not in sys.stdlib_module_names
    ]

    why = "the daemon starts no agent, and what confines one must not depend on what it confines"
    assert wrong == [], says(wrong, why)


@pytest.mark.parametrize(("library", "home", "why"), KEPT_IN, ids=[rule[0] for rule in KEPT_IN])
def test_libraries_stay_in_their_package(library: str, home: str | None, why: str) -> None:
    """A library is imported where it belongs and nowhere else."""
    wrong = [
        found
        for found in [*all_imports("ashd"), *all_imports("ash_sb"), *all_imports("ashd_client")]
        if found.name.split(".")[0] == library
        and not (home is not None and found.where.startswith(home))
    ]

    assert wrong == [], says(wrong, why)


def test_a_library_has_its_reason() -> None:
    """The table of libraries has those of pyproject.toml, and no other."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    page = (REPOSITORY / "docs" / "architecture.md").read_text()
    table = page.partition("## Libraries")[2].partition("| library |")[2].partition("\n\n")[0]
    rows = [row.partition("|")[2].partition("|")[0] for row in table.splitlines()]
    named = {name for row in rows for name in re.findall("`([^`]+)`", row)}

    assert {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]} == named


def test_what_is_imported_is_installed() -> None:
    """Every library stands in pyproject.toml, so that an installation has it."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    named = _distributions(project["dependencies"])
    of_server = named | _distributions(project["optional-dependencies"]["postgres"])
    distributions = packages_distributions()
    wrong = [
        found
        for found in all_imports("ashd")
        if (package := found.name.split(".")[0])
        not in {*sys.stdlib_module_names, "ashd", "ashd_client"}
        and not (of_server if found.where.startswith("ashd/store/postgres/") else named)
        & {name.lower() for name in distributions.get(package, ())}
    ]

    assert wrong == [], says(wrong, "a library that another one happens to bring may go with it")


def _distributions(lines: list[str]) -> set[str]:
    """The names in a list of requirements."""
    return {re.match(r"[\w-]+", line)[0].lower() for line in lines}


def test_the_daemon_does_without_its_sandbox_client() -> None:
    """What both must agree on is the wire."""
    wrong = [found for found in all_imports("ashd") if found.name.split(".")[0] == "ash_sb"]

    assert wrong == [], says(wrong, "the daemon serves any client; shared code would hide the wire")


@pytest.mark.parametrize("package", ["ashd", *ALONE])
def test_imports_are_absolute(package: str) -> None:
    """An import line says by itself which package it needs."""
    wrong = [found for found in all_imports(package) if found.relative]

    assert wrong == [], says(wrong, "a relative import hides which package is needed")


def test_every_module_says_what_it_is() -> None:
    """Its first lines say what it owns."""
    silent = [
        str(path)
        for path in sources()
        if not ast.get_docstring(ast.parse((REPOSITORY / path).read_text()))
    ]

    assert silent == []


def test_modules_stay_small() -> None:
    """A longer module is split, or stands in LONG with the reason why not."""
    counts = {str(path): len((REPOSITORY / path).read_text().splitlines()) for path in sources()}
    long = {path for path, count in counts.items() if count > LONG_LINES}

    assert long == set(LONG), "split what is new here, and take out of LONG what has shrunk"
    assert all(LONG.values()), "each has its reason"


def test_functions_of_texts_are_cached_where_an_erasure_empties_them() -> None:
    """`lru_cache` keeps what people wrote until it is full: `cached_by_text` is for texts."""
    found = {path for path in map(str, sources()) if "lru_cache" in (REPOSITORY / path).read_text()}

    assert found == set(LRU_CACHES)
    assert all(LRU_CACHES.values()), "each has its reason"


_SQL_PARTS = (
    *(r"select\b.+\bfrom", r"insert\s+(?:or\s+\w+\s+)?into", r"update\s+\w+\s+set"),
    *(r"delete\s+from", r"(?:create|drop|alter)\s+(?:table|index|trigger)", r"order\s+by\s+\w"),
    *(r"json_each", r"pragma\s+\w", r"\w{1,2}\.\w+\s*(?:[<>=]+|(?:is|in|like|match)\b)\s*[:(?]"),
    r"(?:scope|body|names|dates|grams)\}? : ",
)


def _in_capitals(pattern: str) -> str:
    """A pattern with the same letters in capitals, its escapes left as they are."""
    return re.sub(r"(?<!\\)[a-z]", lambda letter: letter[0].upper(), pattern)


# In one case throughout: "Select one from the list" is a sentence.
_SQL = re.compile("|".join(rf"\b(?:{part}|{_in_capitals(part)})" for part in _SQL_PARTS), re.DOTALL)


def sql_in(text: str) -> list[int]:
    """The lines of texts that are statements or conditions of SQL; docstrings are prose."""
    tree = ast.parse(text)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return sorted(
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in prose
        if isinstance(node.value, str) and _SQL.search(node.value)
    )


def test_sql_is_found() -> None:
    """Statements, conditions and the parts of composed ones; words of prose are none."""
    text = (
        'a = "select m.id from memories m"\nb = f"delete from {table}"\nc = "m.uuid >= :low"\n'
        'd = "m.id in (select value)"\ne = "Select one from the list"[0]\n'
        'f = "update it"\n"""insert into prose"""\ng = " order by m.id"\nh = "SELECT id FROM m"\n'
        'i = f"{{body names}} : {term}"\n'
    )

    assert sql_in(text) == [1, 2, 3, 4, 8, 9, 10]


def test_sql_is_in_the_store_alone() -> None:
    """A second store is written against filters and functions, without reading the rest."""
    wrong = [
        f"{path}:{line}"
        for path in sources()
        if not str(path).startswith("ashd/store/")
        for line in sql_in((REPOSITORY / path).read_text())
    ]

    assert wrong == []


def numbers_in_bounds(text: str) -> list[int]:
    """The lines on which a value of the wire is bounded from above by a number, not by its name."""
    return [
        bound.value.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Meta")
        for bound in node.keywords
        if bound.arg in {"le", "lt", "max_length"} and ast.unparse(bound.value) != "1"
        if not ast.unparse(bound.value).startswith("limits.")
    ]


def test_numbers_in_bounds_are_found() -> None:
    """Plain, calculated and named elsewhere; a share of 0 to 1 is no limit."""
    text = (
        "A = Meta(le=limits.A)\nB = Meta(ge=0, le=1)\nC = msgspec.Meta(max_length=40)\n"
        "D = Meta(le=10 * 365)\nE = Meta(lt=_DEEPEST)\n"
    )

    assert numbers_in_bounds(text) == [3, 4, 5]


def test_every_bound_of_the_wire_stands_in_limits() -> None:
    """So that it is in the documentation; the settings have theirs beside them there."""
    wrong = [
        f"{path}:{line}"
        for path in sources()
        if path.parts[0] == "ashd" and str(path) != "ashd/config.py"
        for line in numbers_in_bounds((REPOSITORY / path).read_text())
    ]

    assert wrong == []


def test_no_two_modules_of_tests_have_one_name() -> None:
    """Python and pytest take the second for the first."""
    own = {"__init__.py", "__main__.py", "conftest.py"}
    names = [path.name for path in (REPOSITORY / "tests").rglob("*.py") if path.name not in own]

    assert len(names) == len(set(names)), sorted({name for name in names if names.count(name) > 1})


def test_the_register_of_text_knows_every_column(tmp_path: Path) -> None:
    """Erasing works from it: a table or column that it does not know would keep what is erased."""
    path = tmp_path / "ash.db"
    Database.open(path, SystemClock()).close()
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    live = {
        (table, column)
        for table, column in connection.execute(
            "select l.name, c.name from pragma_table_list l join pragma_table_info(l.name) c"
            " where l.schema = 'main' and l.type in ('table', 'virtual')"
            " and l.name not like 'sqlite%' and lower(c.type) in ('text', 'blob', 'any', '')"
        )
    }
    connection.close()
    personal, other = (
        {(table, column) for table, columns in named.items() for column in columns}
        for named in (register.PERSONAL, register.NOT_PERSONAL)
    )

    assert live == personal | other, "say in ashd/store/erasure/register.py what these columns hold"
    assert personal & other == set()
    tables = (*register.GOES_WITH.values(), *register.REMADE.values())
    erased = {rows.table for group in tables for rows in group} | register.ERASED_BY_CODE
    assert {table for table, _ in personal} <= erased, "say with what these rows are erased"


def test_migrations_are_numbered_one_by_one() -> None:
    """Two with one number would both count as applied once the first of them is."""
    folder = REPOSITORY / "ashd" / "store" / "schema"
    numbers = [int(path.name[:4]) for path in sorted(folder.glob("*.sql"))]

    assert numbers == list(range(1, len(numbers) + 1))
