"""Mutants that survived once, and broken rules of safety, with the tests that notice."""

from typing import NamedTuple

UNIT, RPC, SECURITY = "tests/unit", "tests/rpc", "tests/security"
_IN_PLACE = f"{SECURITY}/test_changes_in_place.py"


class Named(NamedTuple):
    """A mutant by its text: `old` stands once in the module."""

    what: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]


NAMED = (
    Named(
        "a sandbox dates what it says",
        "ashd/memory/store_fact.py",
        ' and call.actor.kind == "operator"',
        "",
        (_IN_PLACE,),
    ),
    Named(
        "a stricter repetition by another is dropped",
        "ashd/memory/store_fact.py",
        "if changes and not _may_tighten(call, viewer, record, changes):",
        "if False:",
        (_IN_PLACE, f"{RPC}/test_memory_add.py", f"{SECURITY}/test_groups.py"),
    ),
    Named(
        "a grant's reads take no turns",
        "ashd/access/usage.py",
        "reading: anyio.Lock = field(default_factory=anyio.Lock)",
        "reading: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(99))",
        (f"{UNIT}/access/test_usage.py", f"{UNIT}/rpc/test_dispatch.py"),
    ),
    Named(
        "replies have no bound",
        "ashd/rpc/dispatch.py",
        "if len(line) > session.limits.reply_bytes:",
        "if False:",
        (f"{UNIT}/rpc/test_dispatch.py", f"{RPC}/test_wire.py"),
    ),
    Named(
        "a kept block is for any speaker",
        "ashd/context/assemble.py",
        "speaks = call.turn and call.turn.user_id",
        "speaks = None",
        (f"{SECURITY}/test_context_cache.py",),
    ),
    Named(
        "a kept block is for any viewer",
        "ashd/context/assemble.py",
        "asked = (call.scope, speaks, viewer, params)",
        "asked = (call.scope, speaks, params)",
        (f"{UNIT}/context/test_kept_blocks.py", f"{SECURITY}/test_context_cache.py"),
    ),
    Named(
        "max_messages does not hold where recent is given",
        "ashd/context/assemble.py",
        "return hits[: params.max_messages], left_out",
        "return hits[: params.max_messages + len(params.recent)], left_out",
        (f"{RPC}/test_context.py",),
    ),
    Named(
        "in a group a stricter fact supersedes",
        "ashd/memory/verdicts.py",
        "return stricter or (bool(older.portable) and not portable)",
        "return False",
        (_IN_PLACE, f"{SECURITY}/test_groups.py"),
    ),
    Named(
        "a group's memory is changed elsewhere",
        "ashd/access/disclosure.py",
        "return viewer.group and learned_in is not None and viewer.chat == learned_in",
        "return True",
        (_IN_PLACE,),
    ),
    Named(
        "an observation of the same day is an earlier one",
        "ashd/memory/judge/guard.py",
        "one.observed_at + DAY < other.stated_at",
        "one.observed_at < other.stated_at",
        (f"{UNIT}/memory/judge",),
    ),
    Named(
        "of several private Annas the first is taken in a group",
        "ashd/people/resolve.py",
        "if len(elsewhere) == 1:",
        "if elsewhere:",
        (f"{SECURITY}/test_groups.py", f"{RPC}/test_people_references.py"),
    ),
    Named(
        "age weighs twice as much",
        "ashd/search/relevance.py",
        "_AGE: Final = 0.5",
        "_AGE: Final = 1.0",
        (f"{UNIT}/search/test_relevance.py",),
    ),
    Named(
        "an identifier that no row holds takes nothing off late scores",
        "ashd/search/legs.py",
        "return scores if words is None else scores * words.known[places]",
        "return scores",
        (f"{UNIT}/search/test_legs.py",),
    ),
    Named(
        "turns without a session lift one another",
        "ashd/search/fusion.py",
        "best[-1] = 0.0",
        "pass",
        (f"{UNIT}/search/test_fusion.py", f"{UNIT}/search/test_sessions.py"),
    ),
    Named(
        "the heading counts to a section's budget",
        "ashd/context/budget.py",
        "used - HEADING_TOKENS + item.tokens > section.budget",
        "used + item.tokens > section.budget",
        (f"{UNIT}/context/test_budget.py",),
    ),
)
