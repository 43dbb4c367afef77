"""The method table as an OpenRPC document, for one caller or for the documentation."""

from functools import lru_cache
from typing import Any, Final

import msgspec

import ashd
from ashd.access.scope import Scope
from ashd.ids import IdempotencyKey
from ashd.rpc import idempotency
from ashd.rpc.app import Session
from ashd.rpc.table import TABLE, Method
from ashd.wire_schemas import REFERENCE

_KEY: Final[dict[str, Any]] = {
    "name": "idempotency_key",
    "schema": msgspec.json.schema(IdempotencyKey),
    "required": False,
}
"""The parameter of every method that changes something."""


def may_call(name: str, session: Session) -> bool:
    """Return whether the caller may call the method."""
    method = TABLE[name]
    if session.listener == "control":
        return True
    rights = session.grant.rights if session.grant is not None else frozenset()
    return method.sandbox and (method.right is None or method.right in rights)


def document(session: Session) -> dict[str, Any]:
    """Return the OpenRPC document of the methods that the caller may call."""
    names = tuple(name for name in sorted(TABLE) if may_call(name, session))
    return _described(names, on_behalf=session.listener == "control")


@lru_cache(maxsize=16)  # one for each set of rights
def _described(names: tuple[str, ...], *, on_behalf: bool) -> dict[str, Any]:
    document = describe([TABLE[name] for name in names])
    if on_behalf:  # the control socket, where every call may name a scope
        (scope,), components = msgspec.json.schema_components([Scope], ref_template=REFERENCE)
        document["components"]["schemas"] |= components
        for method in document["methods"]:
            method["params"] += [
                {"name": "scope", "schema": scope, "required": False},
                {"name": "all_scopes", "schema": {"type": "boolean"}, "required": False},
            ]
    return document


def describe(methods: list[Method]) -> dict[str, Any]:
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
