"""The scope of a call: named in its params, bound to its connection, or its grant's.

A sandbox names nobody; it may name the project that it works on, where its grant is not bound to
one.
"""

from typing import Any, Final

import msgspec

from ashd import errors, validation_messages
from ashd.access import scope as scopes
from ashd.access.scope import Scope
from ashd.rpc.app import App, Session
from ashd.rpc.methods import OF_ALL_PROJECTS
from ashd.store.visibility import EVERY_PROJECT

_IDENTITY: Final = frozenset(
    {
        "scope",
        "provider",
        "user_id",
        "username",
        "display_name",
        "chat_id",
        "chat_type",
        "participants",
        "all_scopes",
    }
)
"""Fields that name an owner: a sandbox may not have them at the top of its params."""


def of_sandbox(bound: Scope, params: dict[str, Any]) -> Scope:
    """Return the scope of a sandbox's call, by the scope of its grant.

    Raises:
        errors.ScopeIsBound: it names an owner, or another project than the grant's.
        errors.InvalidParams, errors.ContentRefused
    """
    named = _IDENTITY & params.keys()
    if not named:
        return bound
    if named != {"scope"} or not scopes.names_project_alone(params["scope"]):
        raise errors.ScopeIsBound(f"{', '.join(sorted(named))} cannot be named here.")
    return scopes.of_grant(bound, params["scope"])


def of_operator(app: App, session: Session, method: str, params: dict[str, Any]) -> Scope:
    """Return the scope that an operator's call names, else its connection's or the local user's.

    Raises:
        errors.InvalidParams, errors.ContentRefused
    """
    scope = _named(session.scope_bound or _local(app), params.get("scope"))
    if scope.project is msgspec.UNSET and method in OF_ALL_PROJECTS:
        return msgspec.structs.replace(scope, project=EVERY_PROJECT)
    return scope


def is_given(session: Session, params: dict[str, Any]) -> bool:
    """Return whether an operator's call names a user or a chat; a project alone names neither."""
    given = params.get("scope")
    named = given is not None and not scopes.names_project_alone(given)
    return named or session.scope_bound is not None


def _local(app: App) -> Scope:
    return Scope(provider="local", user_id=app.local_user)


def _named(own: Scope, given: object) -> Scope:
    if given is None:
        return own
    if isinstance(given, dict) and scopes.names_project_alone(given):
        return scopes.with_project(own, given)
    try:
        return scopes.check(msgspec.convert(given, Scope))
    except msgspec.ValidationError as error:
        raise validation_messages.of(error, Scope, within="scope") from error
