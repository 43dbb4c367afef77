"""Mutants that survived once, and broken rules of safety, with the tests that notice."""

from typing import NamedTuple

UNIT, RPC, SECURITY = "tests/unit", "tests/rpc", "tests/security"
_IN_PLACE = f"{SECURITY}/test_changes_in_place.py"
_HTTP = (f"{UNIT}/http/test_request_guard.py",)
_ROUTES = "tests/http/test_http_routes.py"
_WEB = (f"{UNIT}/web/test_guard_rules.py",)
_ASKS = ("tests/cli/test_ash_asks_first.py",)
_RULES = (f"{UNIT}/rpc/test_dispatch_rules.py",)


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
    Named(
        "a rebound name is served",
        "ashd/http/guard.py",
        "if name not in _LOOPBACK and name not in names:",
        "if False:",
        _HTTP,
    ),
    Named(
        "a page of another origin is served",
        "ashd/http/guard.py",
        'if origin is not None and origin.lower() != f"http://{host}":',
        "if False:",
        _HTTP,
    ),
    Named(
        "a form is taken for JSON",
        "ashd/http/guard.py",
        'if kind != "application/json":',
        "if False:",
        _HTTP,
    ),
    Named(
        "a body without a length has no bound",
        "ashd/http/guard.py",
        "if self._bytes > MOST_BODY_BYTES:",
        "if False:",
        _HTTP,
    ),
    Named(
        "a second header decides",
        "ashd/http/guard.py",
        'dict(reversed(scope["headers"]))',
        'dict(scope["headers"])',
        _HTTP,
    ),
    Named(
        "no key is a key for everybody",
        "ashd/http/callers.py",
        "if key is None and token is None and is_open:",
        "if key is None and token is None:",
        _HTTP,
    ),
    Named(
        "a wrong key is none where none is needed",
        "ashd/http/callers.py",
        "if key is None and token is None and is_open:",
        "if key is None and is_open:",
        _HTTP,
    ),
    Named(
        "our key goes to the upstream",
        "ashd/http/callers.py",
        "token, authorization = token or ours[1], None",
        "token = token or ours[1]",
        _HTTP,
    ),
    Named(
        "our key goes to the upstream in another header",
        "ashd/http/upstream.py",
        "and not (token and token in value)",
        "",
        _HTTP,
    ),
    Named(
        "a key is for every agent",
        "ashd/http/callers.py",
        "if not key.may_act_as(agent):",
        "if False:",
        _HTTP,
    ),
    Named(
        "a revoked key opens until the next start",
        "ashd/http/keys.py",
        "if stamp != self._stamp:",
        "if self._stamp is None:",
        _HTTP,
    ),
    Named(
        "the file of keys is for all to read",
        "ashd/atomic_file.py",
        "mode: int = 0o600",
        "mode: int = 0o644",
        _HTTP,
    ),
    Named(
        "any key shows the metrics of all",
        "ashd/http/app.py",
        "if not caller.key.may_act_as(ANY_AGENT):",
        "if False:",
        (_ROUTES,),
    ),
    Named(
        "turns are stored for any agent",
        "ashd/http/app.py",
        "if not caller.key.may_act_as(agent):",
        "if False:",
        (_ROUTES,),
    ),
    Named(
        "a client of the gateway erases",
        "ashd/http/memory.py",
        '_RIGHTS: Final = ("read", "write")',
        '_RIGHTS: Final = ("read", "write", "forget")',
        (f"{UNIT}/http/test_agent_grants.py",),
    ),
    Named(
        "a page is served under any name",
        "ashd/web/guard.py",
        'if headers.get("host", "").lower() != host:',
        "if False:",
        _WEB,
    ),
    Named(
        "a form of another page is taken",
        "ashd/web/guard.py",
        "if path != LOGIN and not _is_own(method, headers, host):",
        "if False:",
        _WEB,
    ),
    Named(
        "pages are served to whoever has no session",
        "ashd/web/guard.py",
        "app = self._app if session is not None or open_to_all else self._unsigned",
        "app = self._app",
        _WEB,
    ),
    Named(
        "a form of another session is taken",
        "ashd/web/forms.py",
        'if not hmac.compare_digest(form.text("token").encode(), session.form_token.encode()):',
        "if False:",
        _WEB,
    ),
    Named(
        "a token signs in twice",
        "ashd/web/sessions.py",
        "        self._login_hash = None\n",
        "",
        (f"{UNIT}/web/test_web_sessions.py",),
    ),
    Named(
        "a form outlives a change of the view",
        "ashd/web/sessions.py",
        "if (scope, all_scopes) != (self.scope, self.all_scopes):",
        "if False:",
        _WEB,
    ),
    Named(
        "the file with the token is for all to read",
        "ashd/web/login_file.py",
        "self.path.touch(mode=0o600)",
        "self.path.touch(mode=0o644); self.path.chmod(0o644)",
        ("tests/web/test_running.py",),
    ),
    Named(
        "another user of the machine is served",
        "ashd/web/serve.py",
        "if peer.is_known() and peer.uid_of(client[:2], server[:2]) != os.getuid():",
        "if False:",
        ("tests/web/test_refusals.py",),
    ),
    Named(
        "`ash` erases unasked",
        "ashd/cli/erasing.py",
        "    if not no_need:\n",
        "    if False:\n",
        _ASKS,
    ),
    Named(
        "`ash db clear` needs no word",
        "ashd/cli/erasing.py",
        'if confirm != "everything":',
        "if False:",
        _ASKS,
    ),
    Named(
        "`ash memory compact` needs no word",
        "ashd/cli/erasing.py",
        "if not (force or dry_run):",
        "if False:",
        _ASKS,
    ),
    Named(
        "`ash person delete` does so unasked",
        "ashd/cli/person.py",
        '    if not yes:\n        click.confirm(f"Delete person',
        '    if False:\n        click.confirm(f"Delete person',
        _ASKS,
    ),
    Named(
        "`ash connect` changes a file unasked",
        "ashd/cli/connect.py",
        '    if not yes:\n        click.confirm("Make this change?"',
        '    if False:\n        click.confirm("Make this change?"',
        ("tests/cli/test_ash_connect.py",),
    ),
    Named(
        "`ash connect` opens a private file to all",
        "ashd/cli/connect.py",
        "mode = path.stat().st_mode & 0o777",
        "mode = 0o644",
        ("tests/cli/test_ash_connect.py",),
    ),
    Named(
        "a stored text steers the terminal",
        "ashd/cli/output.py",
        "return one_line(",
        "return (",
        ("tests/cli/test_ash_output.py",),
    ),
    Named(
        "an expired grant goes on",
        "ashd/access/grants.py",
        "if self.expires_at is not None and self.expires_at <= now:",
        "if False:",
        _RULES,
    ),
    Named(
        "a sandbox names another owner",
        "ashd/rpc/dispatch.py",
        'if session.listener == "sandbox" and (named := _IDENTITY & params.keys()):',
        "if False:",
        _RULES,
    ),
    Named(
        "a sandbox calls what the host keeps to itself",
        "ashd/rpc/dispatch.py",
        '(session.listener == "sandbox" and not method.sandbox)',
        "False",
        _RULES,
    ),
    Named(
        "a method needs no right",
        "ashd/rpc/dispatch.py",
        "if method.right is not None:",
        "if False:",
        _RULES,
    ),
    Named(
        "a connection to read changes things",
        "ashd/rpc/dispatch.py",
        "if session.read_only and method.changes:",
        "if False:",
        _RULES,
    ),
    Named(
        "a grant that has left its chat goes on",
        "ashd/access/scope.py",
        "(account is None or account.id not in present)",
        "False",
        (f"{UNIT}/access/test_scope.py",),
    ),
    Named(
        "a group's memory ends without the right to forget",
        "ashd/memory/ownership.py",
        "    if shorter:\n",
        "    if False:\n",
        (f"{UNIT}/memory/test_change_rules.py",),
    ),
)
