"""person.*: whom memories are about. What a sandbox may do is to find, list and show."""

from ashd.access.actor import Call
from ashd.access.quota import Cost
from ashd.memory.undo_identification import UndoParams, UndoResult
from ashd.people.directory import (
    GetParams,
    GetResult,
    IdParams,
    PersonResult,
    ResolveParams,
    ResolveResult,
)
from ashd.people.duplicates import DuplicatesParams, DuplicatesResult
from ashd.people.edit import AliasParams, CreateParams, RelateParams, UpdateParams
from ashd.people.listing import ListParams, ListResult
from ashd.people.merge import AccountParams, MergeParams, MergeResult
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
    found = await app.directory.resolve(call, params, memory_on=app.memory_on)
    if found is None:
        app.require_memory()
    assert found is not None
    return found


@method("person.list", right="read", sandbox=True)
async def list_(app: App, _session: Session, call: Call, params: ListParams) -> ListResult:
    """List the people known here, page by page; by default the most recently active first."""
    return await app.directory.list(call, params)


@method("person.get", right="read", sandbox=True)
async def get(app: App, _session: Session, call: Call, params: GetParams) -> GetResult:
    """Show a person."""
    return await app.directory.get(call, params)


@method("person.create", changes=True, stores=True)
async def create(app: App, _session: Session, call: Call, params: CreateParams) -> PersonResult:
    """Make a person known, whoever else has the name."""
    return await app.manage.create(call, params)


@method("person.undo_identification", changes=True, stores=True)
async def undo_identification(
    app: App, _session: Session, call: Call, params: UndoParams
) -> UndoResult:
    """Say that a reference does not mean a person, for good; its memories go to another."""
    return await app.identification.undo(call, params)


@method("person.update", changes=True, stores=True)
async def update(app: App, _session: Session, call: Call, params: UpdateParams) -> PersonResult:
    """Give a person another name, or other metadata."""
    return await app.manage.update(call, params)


@method("person.add_alias", changes=True, stores=True)
async def add_alias(app: App, _session: Session, call: Call, params: AliasParams) -> PersonResult:
    """Add another name that means this person."""
    return await app.manage.add_alias(call, params)


@method("person.remove_alias", changes=True)
async def remove_alias(
    app: App, _session: Session, call: Call, params: AliasParams
) -> PersonResult:
    """Take such a name away."""
    return await app.manage.remove_alias(call, params)


@method("person.relate", changes=True, stores=True)
async def relate(app: App, _session: Session, call: Call, params: RelateParams) -> PersonResult:
    """State what a person is to the scope's user, or to another."""
    return await app.manage.relate(call, params)


@method("person.unrelate", changes=True)
async def unrelate(app: App, _session: Session, call: Call, params: RelateParams) -> PersonResult:
    """End a relationship; that it was stays on record."""
    return await app.manage.unrelate(call, params)


@method("person.delete", changes=True)
async def delete(app: App, _session: Session, call: Call, params: IdParams) -> PersonResult:
    """Delete all that is known of a person; memories stay, about somebody without a name."""
    return await app.manage.delete(call, params)


@method("person.merge", changes=True, stores=True)
async def merge(app: App, _session: Session, call: Call, params: MergeParams) -> MergeResult:
    """Make a person another one, with all that is known of it; `dry_run` shows the outcome."""
    return await app.joining.merge(call, params)


@method("person.split", changes=True)
async def split(app: App, _session: Session, call: Call, params: IdParams) -> PersonResult:
    """Undo a merge."""
    return await app.joining.split(call, params)


@method("person.link_account", changes=True, stores=True)
async def link_account(
    app: App, _session: Session, call: Call, params: AccountParams
) -> PersonResult:
    """Say that an account is this person's: joined accounts share what is their owner's."""
    return await app.joining.link_account(call, params)


@method("person.unlink_account", changes=True)
async def unlink_account(
    app: App, _session: Session, call: Call, params: AccountParams
) -> PersonResult:
    """Say that it is not, and give both what was theirs before."""
    return await app.joining.unlink_account(call, params)


@method("person.duplicates")
async def duplicates(
    app: App, _session: Session, call: Call, params: DuplicatesParams
) -> DuplicatesResult:
    """Suggest who may be the same as whom; nobody is merged by it."""
    return await app.duplicates.suggest(call, params)
