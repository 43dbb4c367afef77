"""The clients' types say what the daemon's own say."""

from typing import get_type_hints

import msgspec

from ashd.access.scope import Scope
from ashd.client import types
from ashd.memory.model import Fact, Memory


def test_a_memory_has_the_daemons_fields() -> None:
    """All of them, and no other."""
    assert set(get_type_hints(types.Memory)) == {f.name for f in msgspec.structs.fields(Memory)}


def test_a_fact_and_a_scope_have_the_daemons_fields() -> None:
    """Else a client could not say what the daemon takes."""
    assert set(get_type_hints(types.Fact)) == {f.name for f in msgspec.structs.fields(Fact)}
    assert set(get_type_hints(types.Scope)) == {f.name for f in msgspec.structs.fields(Scope)}
