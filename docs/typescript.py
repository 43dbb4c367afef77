"""Write what the TypeScript client has of the daemon's table; `docs/clients.py` calls it.

`methods.js` has the names, for the client at run time; `methods.d.ts` the types of params and
results, and an interface a namespace.
"""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ashd import errors, limits

_SCHEMAS: Final = "#/components/schemas/"
_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    None: "unknown",
}
_MADE: Final = "Made by `make docs` from the daemon's table of methods."


def methods(document: dict[str, Any]) -> str:
    """Return the source of `methods.js`: the names of the methods, and the limit of a text."""
    rows = [
        f"  {namespace}: {json.dumps([name for _, name in pairs])},"
        for namespace, pairs in _namespaces(document).items()
    ]
    limit = f"export const CONTENT_CHARS = {limits.CONTENT_CHARS};"
    return "\n".join([f"// {_MADE}", limit, "export const METHODS = {", *rows, "};", ""])


def types(document: dict[str, Any], names: Mapping[str, str]) -> str:
    """Return the source of `methods.d.ts`, with these names of the types."""
    kinds = [*(one.kind for one in errors.all_kinds()), "unavailable"]
    lines = [
        f"// {_MADE}",
        "// Times are RFC 3339 in UTC. A reply may have more keys than its type.",
        "",
        "/** The kinds of errors: what to decide on. A newer daemon may have more. */",
        f"export type ErrorKind = {' | '.join(json.dumps(kind) for kind in kinds)};",
        "",
        "export interface CallOptions {",
        "  /** Ends the call, which fails with the signal's reason; it may have taken effect. */",
        "  signal?: AbortSignal;",
        "}",
        "",
    ]
    for key, name in names.items():
        schema = document["components"]["schemas"][key]
        lines += [*_comment(schema["description"], ""), f"export interface {name} {{"]
        lines += [
            f"  {field}{'' if field in schema['required'] else '?'}: {_type(of, names)};"
            for field, of in schema["properties"].items()
        ]
        lines += ["}", ""]
    for namespace, pairs in _namespaces(document).items():
        lines.append(f"export interface {namespace.capitalize()}Methods {{")
        for method, name in pairs:
            lines += [*_comment(method["summary"], "  "), f"  {_signature(method, name, names)}"]
        lines += ["}", ""]
    lines.append("/** The methods of the daemon, by namespace. */")
    lines.append("export interface Methods {")
    lines += [f"  readonly {one}: {one.capitalize()}Methods;" for one in _namespaces(document)]
    return "\n".join([*lines, "}", ""])


def _namespaces(document: dict[str, Any]) -> dict[str, list[tuple[dict[str, Any], str]]]:
    """Return the methods of each namespace, with their names in it."""
    found: dict[str, list[tuple[dict[str, Any], str]]] = {}
    for method in document["methods"]:
        namespace, _, name = method["name"].partition(".")
        found.setdefault(namespace, []).append((method, name))
    return found


def _signature(method: dict[str, Any], name: str, names: Mapping[str, str]) -> str:
    params = [
        f"{one['name']}{'' if one['required'] else '?'}: {_type(one['schema'], names)}"
        for one in method["params"]
    ]
    optional = "" if any(one["required"] for one in method["params"]) else "?"
    result = names[method["result"]["schema"]["$ref"].removeprefix(_SCHEMAS)]
    given = f"params{optional}: {{ {'; '.join(params)} }}"
    return f"{name}({given}, options?: CallOptions): Promise<{result}>;"


def _type(schema: dict[str, Any], names: Mapping[str, str]) -> str:
    """Return the type of a schema as TypeScript writes it."""
    if "$ref" in schema:
        return names[schema["$ref"].removeprefix(_SCHEMAS)]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one, names) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        return f"Array<{_type(schema.get('items', {}), names)}>"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {_type(values, names) if isinstance(values, dict) else 'unknown'}>"
    return _PLAIN[kind]


def _comment(text: str, indent: str) -> Iterator[str]:
    lines = re.sub(r"\*/", "* /", inspect.cleandoc(text)).split("\n")
    if len(lines) == 1:
        yield f"{indent}/** {lines[0]} */"
        return
    yield f"{indent}/**"
    yield from (f"{indent} * {line}".rstrip() for line in lines)
    yield f"{indent} */"
