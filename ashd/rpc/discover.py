"""The method table as an OpenRPC document, for one caller or for the documentation."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec

import ashd
from ashd.access.scope import Scope
from ashd.ids import IdempotencyKey
from ashd.rpc import idempotency
from ashd.rpc.app import Session
from ashd.rpc.table import Method, Table
from ashd.wire_schemas import REFERENCE

_KEY: Final[dict[str, Any]] = {
    "name": "idempotency_key",
    "schema": msgspec.json.schema(IdempotencyKey),
    "required": False,
}
"""The parameter of every method that changes something."""


class DiscoverResult(msgspec.Struct, frozen=True):
    """An OpenRPC document."""

    openrpc: str
    info: dict[str, str]
    methods: list[dict[str, Any]]
    components: dict[str, Any]


def callable_by(session: Session, table: Table) -> list[Method]:
    """Return the methods that the caller may call, by name."""
    methods = sorted(table.values())
    if session.listener == "control":
        return methods
    rights = session.grant.rights if session.grant is not None else frozenset()
    return [
        method
        for method in methods
        if method.sandbox and (method.right is None or method.right in rights)
    ]


async def discover(session: Session, table: Table) -> DiscoverResult:
    """Describe the methods that this caller may call, as an OpenRPC document."""
    methods = tuple(callable_by(session, table))
    return msgspec.convert(
        document(methods, on_behalf=session.listener == "control"), DiscoverResult
    )


@lru_cache(maxsize=16)  # one for each set of rights
def document(methods: tuple[Method, ...], *, on_behalf: bool) -> dict[str, Any]:
    """Return the OpenRPC document of methods; with `on_behalf` each call may name a scope."""
    described = describe(methods)
    if on_behalf:
        (scope,), components = msgspec.json.schema_components([Scope], ref_template=REFERENCE)
        described["components"]["schemas"] |= components
        for method in described["methods"]:
            method["params"] += [
                {"name": "scope", "schema": scope, "required": False},
                {"name": "all_scopes", "schema": {"type": "boolean"}, "required": False},
            ]
    return described


def describe(methods: Sequence[Method]) -> dict[str, Any]:
    """Return the OpenRPC document of methods, without the parameters that every call may have."""
    types = [kind for method in methods for kind in (method.params, method.result)]
    types += dict.fromkeys(kind for method in methods for kind in method.describes)
    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    described = []
    for place, method in enumerate(methods):
        params = components[schemas[2 * place]["$ref"].rsplit("/", 1)[1]]
        keys = [_KEY] if idempotency.takes_key(method) else []
        described.append(
            {
                "name": method.name,
                "summary": method.summary,
                "paramStructure": "by-name",
                "params": [
                    {
                        "name": name,
                        "schema": schema,
                        "required": name in params.get("required", []),
                    }
                    for name, schema in params.get("properties", {}).items()
                ]
                + keys,
                "result": {"name": "result", "schema": schemas[2 * place + 1]},
            }
        )
    return {
        "openrpc": "1.3.2",
        "info": {"title": "ashd", "version": ashd.__version__},
        "methods": described,
        "components": {"schemas": components},
    }
