"""Methods and types of the wire in Markdown, from the schemas of an OpenRPC document."""

from collections.abc import Iterator
from typing import Any, Final

import markdown
import msgspec

from ashd.access.scope import Scope
from ashd.rpc.methods import TABLE
from ashd.rpc.table import Method

_SCHEMAS: Final = "#/components/schemas/"


def methods(document: dict[str, Any]) -> Iterator[str]:
    """Yield a section for each method of an OpenRPC document."""
    for described in document["methods"]:
        method = TABLE[described["name"]]
        yield f"### {method.name}\n"
        yield f"{markdown.one_line(method.summary)}\n"
        yield f"{_who(method)}\n"
        params = described["params"]
        if params:
            yield _params(
                {param["name"]: param["schema"] for param in params},
                [param["name"] for param in params if param["required"]],
            )
        result = _component(document, described["result"]["schema"]["$ref"])
        yield f"Result: {_fields_in_line(result)}\n"


def _who(method: Method) -> str:
    if not method.sandbox:
        return "Control socket only."
    if method.right is None:
        return "Control and sandbox sockets."
    return f"Control socket; sandbox sockets with the right `{method.right}`."


def types(document: dict[str, Any]) -> Iterator[str]:
    """Yield a section for each type of results and params, and for the scope of every call."""
    _, named = msgspec.json.schema_components([Scope], ref_template=f"{_SCHEMAS}{{name}}")
    reached = {"Scope": named["Scope"]}
    for described in document["methods"]:
        for param in described["params"]:
            _reach(document, param["schema"], reached)
        result = _component(document, described["result"]["schema"]["$ref"])
        _reach(document, result, reached)
    for name in sorted(reached, key=str.lower):
        schema = reached[name]
        yield f"### {name}\n"
        yield f"{markdown.one_line(schema['description'])}\n"
        if schema.get("additionalProperties") is False:  # it is given, not answered
            yield _params(schema["properties"], schema["required"])
            continue
        rows = [
            [f"`{field}`{'' if field in schema['required'] else ' ?'}", _spelled(of_field)]
            for field, of_field in schema["properties"].items()
        ]
        yield markdown.table(["field", "type"], rows)


def _params(properties: dict[str, Any], required: list[str]) -> str:
    """Return a table of the params of a method, with their defaults."""
    rows = []
    for name, schema in properties.items():
        default = schema.get("default")
        said = "" if default is None else f"`{markdown.json(default)}`"
        rows.append([f"`{name}`{' *' if name in required else ''}", allowed(schema), said])
    return markdown.table(["param", "type", "default"], rows)


def _reach(document: dict[str, Any], schema: Any, reached: dict[str, dict[str, Any]]) -> None:
    """Collect the named types in a schema, and those in them."""
    if isinstance(schema, list):
        for part in schema:
            _reach(document, part, reached)
    elif isinstance(schema, dict):
        if (reference := schema.get("$ref")) and _type_name(reference) not in reached:
            reached[_type_name(reference)] = _component(document, reference)
            _reach(document, _component(document, reference), reached)
        for part in schema.values():
            _reach(document, part, reached)


def _component(document: dict[str, Any], reference: str) -> dict[str, Any]:
    found: dict[str, Any] = document["components"]["schemas"][reference.removeprefix(_SCHEMAS)]
    return found


def _type_name(reference: str) -> str:
    """Its own name; two of the same name come with their modules, of which the package is kept."""
    path = reference.removeprefix(_SCHEMAS).split(".")
    return path[-1] if len(path) == 1 else f"{path[1]}.{path[-1]}"


def _fields_in_line(schema: dict[str, Any]) -> str:
    fields = [f"`{name}` {_spelled(of)}" for name, of in schema["properties"].items()]
    return "; ".join(fields) + "."


def _spelled(schema: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in schema:
        name = _type_name(schema["$ref"])
        return f"[{name}]({markdown.anchor(name)})"
    if "anyOf" in schema:
        return " or ".join(_spelled(one) for one in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    kind: str = schema.get("type", "anything")
    if kind == "array":
        most = f", at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return f"list of {_spelled(schema['items'])}{most}" if "items" in schema else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_spelled(schema['additionalProperties'])}"
    bounds = _bounds(schema)
    return f"{kind} ({bounds})" if bounds else kind


def _bounds(schema: dict[str, Any]) -> str:
    if "maxLength" in schema:
        least = schema.get("minLength", 0)
        return f"{least} to {schema['maxLength']:,} chars"
    above = schema.get("exclusiveMinimum")
    low, high = schema.get("minimum"), schema.get("maximum")
    said = [f"over {above:,}"] if above is not None else []
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    said += [f"at least {low:,}"] if low is not None else []
    said += [f"at most {high:,}"] if high is not None else []
    return ", ".join(said)


def allowed(schema: dict[str, Any]) -> str:
    """Return what a value may be, except that it may be left out."""
    choices = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    return " or ".join(_spelled(one) for one in choices)
