"""graph.*."""

from ashd.access.actor import Call
from ashd.graph.edit import (
    EditGraph,
    EndParams,
    EndResult,
    EntityParams,
    EntityResult,
    RemoveParams,
    RemoveResult,
)
from ashd.graph.search import GraphSearch, SearchParams, SearchResult
from ashd.graph.store_relation import RelateParams, RelateResult
from ashd.rpc.table import method


@method("graph.search", right="read", sandbox=True)
async def search(graph_search: GraphSearch, call: Call, params: SearchParams) -> SearchResult:
    """Find the relations of an entity, near or at some distance, or relations of a kind."""
    return await graph_search.search(call, params)


@method("graph.add_entity", changes=True, stores=True)
async def add_entity(graph_editing: EditGraph, call: Call, params: EntityParams) -> EntityResult:
    """Add a person or thing and its other names."""
    return await graph_editing.add_entity(call, params)


@method("graph.relate", changes=True, stores=True)
async def relate(graph_editing: EditGraph, call: Call, params: RelateParams) -> RelateResult:
    """State what one entity is to another; a relation with one value at a time ends the former."""
    return await graph_editing.relate(call, params)


@method("graph.end", changes=True)
async def end(graph_editing: EditGraph, call: Call, params: EndParams) -> EndResult:
    """State that a relation no longer holds; it stays in the history."""
    return await graph_editing.end(call, params)


@method("graph.remove", changes=True)
async def remove(graph_editing: EditGraph, call: Call, params: RemoveParams) -> RemoveResult:
    """Remove an entity with its relations, or a relation, that was a mistake."""
    return await graph_editing.remove(call, params)
