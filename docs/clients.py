"""Write what the clients have of the daemon's table: their methods, types and values.

`make docs` runs it; a test compares the files with what it would write. `ashd_client` and `ash_sb`
import nothing of the daemon, so they get it as source; so does the client in TypeScript.
"""

import inspect
import keyword
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, get_args

from ashd import errors, limits
from ashd.conversation.ingest import MessageIn
from ashd.memory.model import GivenType
from ashd.rpc import discover
from ashd.rpc.methods import TABLE
from ashd_client.fitting import FITTED

sys.path.insert(0, str(Path(__file__).parent))

import typescript

REPOSITORY: Final = Path(__file__).resolve().parents[1]
_SCHEMAS: Final = "#/components/schemas/"
_PLAIN: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    None: "Any",
}
_MADE: Final = "Made by `make docs` from the daemon's table of methods."
_TYPES_HEAD: Final = f'''\
"""The shapes of params and results, which are plain dicts. {_MADE}

Times are RFC 3339 in UTC. A key that is not required may be missing; a reply may have more keys.
"""

from typing import Any, Literal, NotRequired, TypedDict
'''
_EXIT_UNAVAILABLE: Final = 6
_HTTP_UNAVAILABLE: Final = 503


def main() -> None:
    """Write the files."""
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


def files() -> dict[Path, str]:
    """Return the text of each file that is made here."""
    document = discover.document(
        # Methods of MCP are for its own clients.
        tuple(sorted(method for name, method in TABLE.items() if "." in name)),
        on_behalf=True,
    )
    names = _type_names(document)
    client = REPOSITORY / "ashd_client"
    made = {
        client / "types.py": _types(document, names),
        client / "methods.pyi": _methods(document, names),
        client / "wire_values.py": _values_of_client(document),
        REPOSITORY / "ash_sb" / "wire_values.py": _values_of_sandbox(),
        REPOSITORY / "ash_sb" / "projects.py": "# A copy of ashd_client/projects.py, made by `make"
        f" docs`.\n{(client / 'projects.py').read_text('utf-8')}",
    }
    node = REPOSITORY / "clients" / "typescript"
    return {path: _formatted(path, text) for path, text in made.items()} | {
        node / "methods.js": typescript.methods(document),
        node / "methods.d.ts": typescript.types(document, names),
    }


def _formatted(path: Path, text: str) -> str:
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(path), "-"]
    return subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout


def _values_of_client(document: dict[str, Any]) -> str:
    kinds = errors.all_kinds()
    return _constants(
        EXIT_STATUS={one.kind: one.exit_status for one in kinds}
        | {"unavailable": _EXIT_UNAVAILABLE},
        HTTP_STATUS={one.kind: one.http_status for one in kinds}
        | {"unavailable": _HTTP_UNAVAILABLE},
        CONTENT_CHARS=limits.CONTENT_CHARS,
        RECENT_MESSAGES=limits.RESULTS_PER_CALL,
        MESSAGE_FIELDS=MessageIn.__struct_fields__,
        REQUIRED={
            method["name"]: tuple(one["name"] for one in method["params"] if one["required"])
            for method in document["methods"]
        },
    )


def _values_of_sandbox() -> str:
    kinds = errors.all_kinds()
    return _constants(
        EXIT_OF_KIND={one.kind: one.exit_status for one in kinds}
        | {"unavailable": _EXIT_UNAVAILABLE},
        CODE_OF_KIND={one.kind: one.code for one in kinds},
        TYPES=" ".join(get_args(GivenType)),
    )


def _constants(**values: Any) -> str:
    """Return the source of a module with these constants."""
    lines = [f"{name} = {value!r}" for name, value in values.items()]
    return "\n".join([f'"""Values of the wire. {_MADE}"""\n', *lines])


def _type_names(document: dict[str, Any]) -> dict[str, str]:
    """Return the name of each type that is reached, by its key in the document.

    The result of one method is named by it: `MemorySearchResult`. Of several other types of one
    name each begins with the first namespace that has it.
    """
    owners: dict[str, str] = {}
    results: dict[str, list[str]] = {}
    for method in document["methods"]:
        result = method["result"]["schema"]
        results.setdefault(result["$ref"].removeprefix(_SCHEMAS), []).append(method["name"])
        for schema in [*(one["schema"] for one in method["params"]), result]:
            for key in _reached(document, schema):
                owners.setdefault(key, method["name"].partition(".")[0])
    names = {key: key.rpartition(".")[2] for key in owners}
    names |= {key: f"{_camel(of[0])}Result" for key, of in results.items() if len(of) == 1}
    often = {name for name, count in Counter(names.values()).items() if count > 1}
    names |= {key: _camel(owners[key]) + name for key, name in names.items() if name in often}
    assert len(set(names.values())) == len(names), "two types would have one name"
    return names


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"[._]", name))


def _reached(
    document: dict[str, Any], schema: Any, seen: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the keys of the types in a schema; those in a type precede it."""
    if isinstance(schema, list):
        for part in schema:
            yield from _reached(document, part, seen)
    elif isinstance(schema, dict):
        for part in schema.values():
            yield from _reached(document, part, seen)
        if "$ref" in schema:
            key = schema["$ref"].removeprefix(_SCHEMAS)
            assert key not in seen, f"{key} holds itself"
            yield from _reached(document, document["components"]["schemas"][key], seen | {key})
            yield key


def _types(document: dict[str, Any], names: Mapping[str, str]) -> str:
    """Return the source of the types of params and results, as typed dicts."""
    parts = [_TYPES_HEAD]
    for key, name in names.items():
        schema = document["components"]["schemas"][key]
        fields = []
        for field, of in schema["properties"].items():
            assert not keyword.iskeyword(field), f"{name}.{field} is no name"
            kind = _annotation(of, names)
            fields.append(
                f"    {field}: {kind if field in schema['required'] else f'NotRequired[{kind}]'}"
            )
        parts.append(
            "\n".join(
                [
                    "",
                    f"class {name}(TypedDict):",
                    _docstring(schema["description"], 4),
                    "",
                    *fields,
                    "",
                ]
            )
        )
    return "\n".join(parts)


def _annotation(schema: dict[str, Any], names: Mapping[str, str], prefix: str = "") -> str:
    """Return the type of a schema as Python writes it."""
    if "$ref" in schema:
        return prefix + names[schema["$ref"].removeprefix(_SCHEMAS)]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_annotation(one, names, prefix) for one in schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    kind = schema.get("type")
    if kind == "array":
        return f"list[{_annotation(schema.get('items', {}), names, prefix)}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        held = _annotation(values, names, prefix) if isinstance(values, dict) else "Any"
        return f"dict[str, {held}]"
    return _PLAIN[kind]


def _methods(document: dict[str, Any], names: Mapping[str, str]) -> str:
    """Return the stub of both clients' methods, a class a namespace."""
    namespaces = list(dict.fromkeys(one["name"].partition(".")[0] for one in document["methods"]))
    lines = [
        f'"""The methods of both clients. {_MADE}"""\n',
        "from collections.abc import Mapping, Sequence",
        "from typing import Any, Dict, List, Literal\n",
        "from ashd_client import types",
        "from ashd_client.messages import AnyMessage, Text",
    ]
    for prefix, opening in (("", "def"), ("Async", "async def")):
        for namespace in namespaces:
            lines.append(f"\nclass {prefix}{_camel(namespace)}Methods:")
            for method in document["methods"]:
                if method["name"].partition(".")[0] == namespace:
                    lines += _signature(method, names, opening)
        lines.append(f"\nclass {prefix}Methods:")
        lines += [f"    {one}: {prefix}{_camel(one)}Methods" for one in namespaces]
    return "\n".join([*lines, ""])


def _signature(method: dict[str, Any], names: Mapping[str, str], opening: str) -> Iterable[str]:
    fitted = FITTED.get(method["name"], {})
    by_place, by_name = [], []
    for param in method["params"]:
        name = param["name"]
        kind = _in_stub(_annotation(param["schema"], names, "types."))
        if name in fitted:
            kind = next(iter(inspect.signature(fitted[name]).parameters.values())).annotation
        if param["required"]:
            by_place.append(f"{name}: {kind}")
        else:
            by_name.append(f"{name}: {kind} = ...")
    own = method["name"].partition(".")[2]
    own = f"{own}_" if keyword.iskeyword(own) else own
    result = "types." + names[method["result"]["schema"]["$ref"].removeprefix(_SCHEMAS)]
    params = ", ".join(["self", *by_place, "*", *by_name])
    yield f"    {opening} {own}({params}) -> {result}:"
    yield _docstring(method["summary"], 8)


def _in_stub(kind: str) -> str:
    """Name builtins as nothing else in the stub is named: it has methods `list` and `set`."""
    return kind.replace("list[", "List[").replace("dict[", "Dict[")


def _docstring(text: str, indent: int) -> str:
    space = " " * indent
    lines = inspect.cleandoc(text).replace("\\", "\\\\").split("\n")
    if len(lines) == 1:
        return f'{space}"""{lines[0]}"""'
    body = "\n".join(f"{space}{line}".rstrip() for line in lines[1:])
    return f'{space}"""{lines[0]}\n{body}\n{space}"""'


if __name__ == "__main__":
    main()
