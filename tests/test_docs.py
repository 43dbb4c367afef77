"""The documentation says what the code says: the reference is fresh, all things are described."""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import pytest

from ash_sb import commands as sandbox_commands
from ashd import config, errors
from ashd.cli.ash import cli as ash
from ashd.cli.ashd import main as ashd
from ashd.rpc import discover
from ashd.rpc.methods import TABLE

REPOSITORY = Path(__file__).parents[1]
PAGES = sorted(
    path for part in (".", "docs", "sandbox") for path in (REPOSITORY / part).glob("*.md")
)

sys.path.insert(0, str(REPOSITORY / "docs"))
generate = importlib.import_module("generate")
sys.path.pop(0)

COMMANDS = [
    (words, command, context)
    for program, name in ((ash, "ash"), (ashd, "ashd"))
    for words, command, context in generate.click_commands(program, name)
]


def is_sentence(text: str | None) -> bool:
    """Something that begins as a sentence and ends as one."""
    return bool(text) and text.strip()[-1] in ".?!)" and not text[0].islower()


def test_the_reference_is_fresh() -> None:
    """`make docs` would change nothing."""
    assert generate.REFERENCE.read_text() == generate.reference(), "run `make docs`"


def test_the_answers_without_a_daemon_are_fresh() -> None:
    """`make docs` would change nothing in the list of tools of `ash-sb mcp`."""
    assert generate.OFFLINE_ANSWERS.read_text() == generate.offline_answers(), "run `make docs`"


def test_the_table_of_settings_is_fresh() -> None:
    """`make docs` would change nothing there either."""
    text = generate.CONFIGURATION.read_text()

    assert text == generate.configuration(text), "run `make docs`"


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_method_is_described(name: str) -> None:
    """By its handler's docstring, in the reference and over `rpc.discover`."""
    assert is_sentence(TABLE[name].summary)


_OPEN: Final = {
    # What a caller keeps there is the caller's own.
    *(
        "memory.add metadata",
        "person.update metadata",
        "AddParams metadata",
        "UpdateParams metadata",
    ),
    *("MessageIn metadata", "MessageView metadata"),
    *("Memory metadata", "PersonView metadata", "Fact metadata", "Changes metadata"),
    # `tools.list` has the parameters of each tool, in the form of an endpoint for models.
    *("tools.call arguments", "CallParams arguments", "ListResult tools"),
    # What MCP has of open objects is described by its specification.
    *("tools/call arguments", "ToolParams arguments", "ToolsResult tools"),
    *("InitializeResult capabilities", "ServerResult capabilities"),
    # OpenRPC describes itself.
    *("DiscoverResult methods", "DiscoverResult components"),
}
"""Objects whose fields stand nowhere."""


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object inside a schema."""
    if isinstance(schema, list):
        for part in schema:
            yield from _objects(part)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for part in schema.values():
            yield from _objects(part)


def test_the_fields_of_every_object_are_described() -> None:
    """Over `rpc.discover`, so that types can be made of it; and no reference leads nowhere."""
    document = discover.describe([TABLE[name] for name in sorted(TABLE)])
    components = document["components"]["schemas"]
    places = {
        f"{method['name']} {param['name']}": param["schema"]
        for method in document["methods"]
        for param in method["params"]
    } | {
        f"{name.rsplit('.', 1)[-1]} {field}": schema
        for name, component in components.items()
        for field, schema in component.get("properties", {}).items()
    }
    plain = {
        place
        for place, schema in places.items()
        for found in _objects(schema)
        if not place.endswith(" _meta")  # of MCP: for whoever writes and reads it
        and not {"properties", "$ref"} & found.keys()
        and not isinstance(found.get("additionalProperties"), dict)
    }
    named = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))

    assert plain == _OPEN
    assert named <= components.keys()
    assert {"content", "subjects", "observed_at"} <= components["Fact"]["properties"].keys()
    assert {"content", "valid_until"} <= components["Changes"]["properties"].keys()


@pytest.mark.parametrize("kind", errors.all_kinds(), ids=lambda kind: kind.kind)
def test_an_error_is_described(kind: type[errors.AshError]) -> None:
    """With what it means and what to do about it."""
    assert is_sentence(kind.__doc__)
    assert is_sentence(kind.default_hint)


def test_every_error_stands_in_the_tree() -> None:
    """Each kind and each code once, and the documentation has them all."""
    kinds = errors.all_kinds()

    assert len({kind.kind for kind in kinds}) == len(kinds)
    assert len({kind.code for kind in kinds}) == len(kinds)


def test_every_setting_is_described() -> None:
    """Below its line in config.py."""
    silent = [
        f"{section.name}.{field.name}"
        for section in msgspec.structs.fields(config.Settings)
        for field in msgspec.structs.fields(section.type)
        if not is_sentence(generate.attribute_docs(section.type).get(field.name))
    ]

    assert silent == []


@pytest.mark.parametrize(
    ("command", "context"),
    [(command, context) for _, command, context in COMMANDS],
    ids=[words for words, _, _ in COMMANDS],
)
def test_a_command_of_the_host_is_described(command: click.Command, context: click.Context) -> None:
    """With all its options."""
    silent = [
        option.opts[-1]
        for option in command.get_params(context)
        if isinstance(option, click.Option) and not option.help
    ]

    assert is_sentence(command.help)
    assert silent == []


def test_every_command_of_the_sandbox_is_described() -> None:
    """With all its options and an example that is this command."""
    for command in sandbox_commands.COMMANDS:
        assert command.summary
        assert command.example.startswith(f"ash-sb {command.words}")
        assert all(option.summary for option in command.options)


def variables() -> Iterator[tuple[str, str]]:
    """(name, where) of every environment variable of our own that the sources name."""
    for package in ("ashd", "ash_sb"):
        for path in (REPOSITORY / package).rglob("*.py"):
            for name in re.findall(r'"(ASHD?_[A-Z_]+)"', path.read_text()):
                yield name, str(path.relative_to(REPOSITORY))


def test_every_environment_variable_is_documented() -> None:
    """configuration.md names each variable that the code reads."""
    text = generate.CONFIGURATION.read_text()

    assert {(name, where) for name, where in variables() if f"`{name}`" not in text} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    """To a file that is there, and in it to a heading that is there."""
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        file, _, heading = target.partition("#")
        there = (page.parent / file) if file else page
        if not there.exists() or (heading and heading not in anchors(there)):
            dead.append(target)

    assert dead == []


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def test_every_warning_is_documented() -> None:
    """With what it means and what to do, in the page for whoever runs the daemon."""
    page = (REPOSITORY / "docs" / "operations.md").read_text(encoding="utf-8")
    named = {
        name
        for path in (REPOSITORY / "ashd").rglob("*.py")
        for name in re.findall(r'Warned\(\s*"(\w+)"', path.read_text(encoding="utf-8"))
    }

    assert len(named) > 10
    assert {name for name in named if f"`{name}`" not in page} == set()
