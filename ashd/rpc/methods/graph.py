"""graph.*."""

from ashd.access.actor import Call
from ashd.graph.edit import (
    EndParams,
    EndResult,
    EntityParams,
    EntityResult,
    RemoveParams,
    RemoveResult,
)
from ashd.graph.search import SearchParams, SearchResult
from ashd.graph.store_relation import RelateParams, RelateResult
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method("graph.search", right="read", sandbox=True)
async def search(app: App, _session: Session, call: Call, params: SearchParams) -> SearchResult:
    """Find what is tied to an entity, near or at some steps, or where a relation holds."""
    return await app.graph_search.search(call, params)


@method("graph.add_entity", changes=True, stores=True)
async def add_entity(app: App, _session: Session, call: Call, params: EntityParams) -> EntityResult:
    """Tell of a person or thing and its other names."""
    return await app.graph.add_entity(call, params)


@method("graph.relate", changes=True, stores=True)
async def relate(app: App, _session: Session, call: Call, params: RelateParams) -> RelateResult:
    """Tell what one entity is to another; the former of one value at a time ends."""
    return await app.graph.relate(call, params)


@method("graph.end", changes=True)
async def end(app: App, _session: Session, call: Call, params: EndParams) -> EndResult:
    """Tell that a relation holds no longer; it stays in the history."""
    return await app.graph.end(call, params)


@method("graph.remove", changes=True)
async def remove(app: App, _session: Session, call: Call, params: RemoveParams) -> RemoveResult:
    """Take away an entity with its relations, or a relation, that never was so."""
    return await app.graph.remove(call, params)
