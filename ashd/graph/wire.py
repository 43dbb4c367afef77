"""Relations for the wire: nobody is named to a viewer who never met them."""

from collections.abc import Sequence

from ashd.graph import model
from ashd.graph.model import RelationView
from ashd.people import met_accounts
from ashd.store.database import Tx
from ashd.store.graph import Relation
from ashd.store.visibility import Viewer


def relations(tx: Tx, viewer: Viewer, found: Sequence[Relation]) -> list[RelationView]:
    """Return the relations as the viewer gets them."""
    user_ids = met_accounts.user_ids(tx, viewer, {one.stated_by for one in found})
    return [model.to_wire(one, user_ids) for one in found]


def relation(tx: Tx, viewer: Viewer, found: Relation) -> RelationView:
    """Return one relation as the viewer gets it."""
    return relations(tx, viewer, [found])[0]
