"""person.*: the people that memories are about. A sandbox may only find, list and show them."""

from ashd.access.actor import Call
from ashd.access.memory_switch import MemorySwitch
from ashd.access.quota import Cost
from ashd.memory.undo_identification import UndoIdentification, UndoParams, UndoResult
from ashd.people.directory import (
    GetParams,
    GetResult,
    IdParams,
    PeopleDirectory,
    PersonResult,
    ResolveParams,
    ResolveResult,
)
from ashd.people.duplicates import Duplicates, DuplicatesParams, DuplicatesResult
from ashd.people.edit import AliasParams, CreateParams, EditPeople, RelateParams, UpdateParams
from ashd.people.listing import ListParams, ListResult
from ashd.people.merge import (
    AccountParams,
    MergeParams,
    MergePeople,
    MergeResult,
    SplitResult,
)
from ashd.rpc.table import method


@method(
    "person.resolve",
    right="read",
    sandbox=True,
    cost=lambda params: Cost(int(params.create)),
)
async def resolve(
    directory: PeopleDirectory, memory: MemorySwitch, call: Call, params: ResolveParams
) -> ResolveResult:
    """Find the person that a reference means; creating one needs the right to write."""
    found = await directory.resolve(call, params, memory_on=memory.on)
    if found is None:
        memory.require()
    assert found is not None
    return found


@method("person.list", right="read", sandbox=True)
async def list_(directory: PeopleDirectory, call: Call, params: ListParams) -> ListResult:
    """List the people known here, page by page; by default the most recently active first."""
    return await directory.list(call, params)


@method("person.get", right="read", sandbox=True)
async def get(directory: PeopleDirectory, call: Call, params: GetParams) -> GetResult:
    """Show a person."""
    return await directory.get(call, params)


@method("person.create", changes=True, stores=True)
async def create(manage: EditPeople, call: Call, params: CreateParams) -> PersonResult:
    """Create a person, whoever else has the name."""
    return await manage.create(call, params)


@method("person.undo_identification", changes=True, stores=True)
async def undo_identification(
    identification: UndoIdentification, call: Call, params: UndoParams
) -> UndoResult:
    """Record that a reference does not mean a person; its memories move to another."""
    return await identification.undo(call, params)


@method("person.update", changes=True, stores=True)
async def update(manage: EditPeople, call: Call, params: UpdateParams) -> PersonResult:
    """Change a person's name or metadata."""
    return await manage.update(call, params)


@method("person.add_alias", changes=True, stores=True)
async def add_alias(manage: EditPeople, call: Call, params: AliasParams) -> PersonResult:
    """Add another name that means this person."""
    return await manage.add_alias(call, params)


@method("person.remove_alias", changes=True)
async def remove_alias(manage: EditPeople, call: Call, params: AliasParams) -> PersonResult:
    """Remove another name of a person."""
    return await manage.remove_alias(call, params)


@method("person.relate", changes=True, stores=True)
async def relate(manage: EditPeople, call: Call, params: RelateParams) -> PersonResult:
    """State what a person is to the scope's user, or to another."""
    return await manage.relate(call, params)


@method("person.unrelate", changes=True)
async def unrelate(manage: EditPeople, call: Call, params: RelateParams) -> PersonResult:
    """End a relationship; it stays in the history."""
    return await manage.unrelate(call, params)


@method("person.delete", changes=True)
async def delete(manage: EditPeople, call: Call, params: IdParams) -> PersonResult:
    """Delete everything known of a person; memories about them stay, without a name."""
    return await manage.delete(call, params)


@method("person.merge", changes=True, stores=True)
async def merge(joining: MergePeople, call: Call, params: MergeParams) -> MergeResult:
    """Merge a person into another, with everything known of it; `dry_run` shows the outcome."""
    return await joining.merge(call, params)


@method("person.split", changes=True)
async def split(joining: MergePeople, call: Call, params: IdParams) -> SplitResult:
    """Undo a merge."""
    return await joining.split(call, params)


@method("person.link_account", changes=True, stores=True)
async def link_account(joining: MergePeople, call: Call, params: AccountParams) -> PersonResult:
    """Join an account to a person: joined accounts share everything their owner has."""
    return await joining.link_account(call, params)


@method("person.unlink_account", changes=True)
async def unlink_account(joining: MergePeople, call: Call, params: AccountParams) -> SplitResult:
    """Part an account from a person, and give both what was theirs before."""
    return await joining.unlink_account(call, params)


@method("person.duplicates")
async def duplicates(
    suggestions: Duplicates, call: Call, params: DuplicatesParams
) -> DuplicatesResult:
    """Suggest pairs of people who may be the same; nobody is merged by it."""
    return await suggestions.suggest(call, params)
