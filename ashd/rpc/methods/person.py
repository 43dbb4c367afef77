"""person.*."""

from ashd.access.call import Call
from ashd.access.quota import Cost
from ashd.people.directory import (
    IdParams,
    ListParams,
    ListResult,
    PersonResult,
    ResolveParams,
    ResolveResult,
)
from ashd.rpc.app import App, Session
from ashd.rpc.table import method


@method(
    "person.resolve",
    right="read",
    sandbox=True,
    cost=lambda params: Cost(int(params.create)),
)
async def resolve(app: App, _session: Session, call: Call, params: ResolveParams) -> ResolveResult:
    """Find the person that a reference means; creating one takes the right to write."""
    return await app.directory.resolve(call, params)


@method("person.list", right="read", sandbox=True)
async def list_(app: App, _session: Session, call: Call, params: ListParams) -> ListResult:
    """List the people known here, most recently active first."""
    return await app.directory.list(call, params)


@method("person.get", right="read", sandbox=True)
async def get(app: App, _session: Session, call: Call, params: IdParams) -> PersonResult:
    """Show a person."""
    return await app.directory.get(call, params)
