"""The tools for a model: their definitions in the OpenAI form, and their calls.

A call runs the same services as the methods of the wire, with the caller's scope and rights. An
error that the model can correct is a result in words (`is_error`); any other (a missing right, a
daemon in trouble) stays an error, for the host.
"""

import builtins
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, TypeVar

import msgspec

from ashd import errors, json_text, limits, validation_messages
from ashd.access.actor import Call, Right
from ashd.access.quota import Cost
from ashd.context import render
from ashd.context import sections as made
from ashd.context import tool_definitions as definitions
from ashd.context.budget import Section, fill
from ashd.context.given import GivenLines
from ashd.conversation import search as turns
from ashd.conversation.echo import TOOL_LEAD
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import SearchParams as SummarySearch
from ashd.conversation.summaries import Summaries
from ashd.graph import model as relations
from ashd.graph import search as graph
from ashd.graph.search import GraphSearch
from ashd.ids import IdempotencyKey
from ashd.memory import search as memories
from ashd.memory.add import AddMemory
from ashd.memory.add_result import Added, MayReplace, PersonNamed
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Content, Memory, MemoryId, Short
from ashd.memory.search import SearchMemory
from ashd.search.fusion import RELEVANT_SCORE
from ashd.wire_schemas import error_object
from ashd.wire_times import When

ANSWER_TOKENS: Final = 2_000
"""Tokens that a tool's answer may have, so that one look-up does not fill the prompt."""
_FOUND: Final = 10
_NEIGHBOURS: Final = 1
_AS_JSON: Final = 'Write them as {"query": "…"}.'
_NOTHING: Final = "Nothing relevant was found."
_FOR_THE_MODEL: Final = (
    errors.InvalidParams,
    errors.NotFound,
    errors.Ambiguous,
    errors.ContentRefused,
    errors.Conflict,
    errors.TooLarge,
)
"""The errors that a model can correct."""

_T = TypeVar("_T", bound=msgspec.Struct)
Query = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.QUERY_CHARS)]


class RememberArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `remember`; exactly one of `content` and `facts`."""

    content: Content | None = None
    facts: list[dict[str, Any]] | None = None
    subjects: list[Short] | None = None
    expires_in_days: float | None = None
    shared: bool | None = None
    supersedes: MemoryId | None = None


class RecallArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `recall`."""

    query: Query
    about: Short | None = None


class ConversationArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `search_conversations` and `search_summaries`."""

    query: Query
    since: When | None = None
    until: When | None = None


class GraphArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of `search_graph`."""

    name: Short | None = None
    relation: Short | None = None
    depth: int = 2


class ListResult(msgspec.Struct, frozen=True):
    """Function definitions, as `tools` of an OpenAI-compatible endpoint takes them."""

    tools: list[dict[str, Any]]


class CallParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool call of a model; `arguments` as an object, or as the model's JSON text."""

    name: Annotated[str, msgspec.Meta(max_length=limits.NAME_CHARS)]
    arguments: dict[str, Any] | str
    idempotency_key: IdempotencyKey | None = None

    def cost(self) -> Cost:
        """Return the cost of `remember`, as for `memory.add`; the other tools only read."""
        if self.name != "remember":
            return Cost()
        try:
            arguments = arguments_of(self)
        except (errors.InvalidParams, errors.TooLarge):
            return Cost()
        facts = arguments.get("facts")
        count = len(facts) if isinstance(facts, list) else 1
        return Cost(count, len(msgspec.json.encode(arguments)))


class CallResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """The text for the model, and the result of the service behind the tool (null on an error)."""

    content: str
    is_error: bool
    result: Any
    error: Annotated[dict[str, Any], error_object] | msgspec.UnsetType = msgspec.UNSET


@dataclass(frozen=True, slots=True)
class _Tool:
    right: Right
    definition: dict[str, Any]
    run: Callable[[Call, CallParams, dict[str, Any]], Awaitable[CallResult]]


class Tools:
    """Lists and calls the tools."""

    def __init__(
        self,
        remember_: AddMemory,
        recall: SearchMemory,
        turn_recall: SearchConversations,
        summaries: Summaries,
        graph_search: GraphSearch,
        given: GivenLines,
    ) -> None:
        self._remember = remember_
        self._recall = recall
        self._turns = turn_recall
        self._summaries = summaries
        self._graph = graph_search
        self._given = given
        self._tools = {
            "remember": _Tool("write", definitions.REMEMBER, self._run_remember),
            "recall": _Tool("read", definitions.RECALL, self._run_recall),
            "search_conversations": _Tool(
                "read", definitions.CONVERSATIONS, self._run_conversations
            ),
            "search_summaries": _Tool("read", definitions.SUMMARIES, self._run_summaries),
            "search_graph": _Tool("read", definitions.GRAPH, self._run_graph),
        }

    async def list(self, call: Call) -> ListResult:
        """List the tools to give a model, as function definitions; none while memory is off."""
        return ListResult(
            [
                {"type": "function", "function": {"name": name, **self._tools[name].definition}}
                for name in self._of(call)
            ]
        )

    def has(self, name: str) -> bool:
        """Return whether there is a tool of that name."""
        return name in self._tools

    def _of(self, call: Call) -> "builtins.list[str]":
        if not call.memory_on:
            return []
        return [name for name, tool in self._tools.items() if tool.right in call.actor.rights]

    async def call(self, call: Call, params: CallParams) -> CallResult:
        """Run a tool that a model called; an error that the model can correct is a result.

        Raises:
            errors.Denied: the caller lacks the tool's right, or memory is off.
            errors.AshError: what no model can mend.
        """
        call.require_memory()
        tool = self._tools.get(params.name)
        try:
            if tool is None:
                raise errors.NotFound(
                    "There is no tool of that name.",
                    f"There are: {', '.join(self._of(call))}.",
                )
            call.require(tool.right)
            result = await tool.run(call, params, arguments_of(params))
        except _FOR_THE_MODEL as error:
            failure = {"code": error.code, "message": error.message, "data": error.to_data()}
            return CallResult(_says(error), is_error=True, result=None, error=failure)
        await self._given.note_answer(call, result.content)
        return result

    async def _run_remember(
        self, call: Call, params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, RememberArguments)
        # The model acts for the user, so the source is the user, on every socket.
        call = replace(call, actor=replace(call.actor, source="user"))
        fields = msgspec.structs.asdict(arguments)
        wanted = _typed({**fields, "idempotency_key": params.idempotency_key}, AddParams)
        added = await self._remember.add(call, wanted)
        text = "\n".join(_stored(number, entry) for number, entry in enumerate(added.memories, 1))
        failed = all(entry.outcome == "refused" for entry in added.memories)
        return CallResult(text, failed, added)

    async def _run_recall(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, RecallArguments)
        found = await self._recall.search(
            call,
            memories.SearchParams(query=arguments.query, about=arguments.about, limit=_FOUND),
        )
        text = _listed(made.memories(found.results, says_weak=True))
        return CallResult(_with_notices(text, found.notices), is_error=False, result=found)

    async def _run_conversations(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, ConversationArguments)
        found = await self._turns.search(
            call,
            turns.SearchParams(
                query=arguments.query,
                since=arguments.since,
                until=arguments.until,
                limit=_FOUND,
                window=_NEIGHBOURS,
            ),
        )
        said = [hit for hit in found.results if hit.score >= RELEVANT_SCORE]
        shown = msgspec.structs.replace(found, results=said)
        return CallResult(_listed(made.excerpts(said)), is_error=False, result=shown)

    async def _run_summaries(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, ConversationArguments)
        found = await self._summaries.search(
            call,
            SummarySearch(
                query=arguments.query, since=arguments.since, until=arguments.until, limit=_FOUND
            ),
        )
        fitting = [summary for summary in found.summaries if summary.score >= RELEVANT_SCORE]
        shown = msgspec.structs.replace(found, summaries=fitting)
        text = _listed(made.relevant_summaries(fitting))
        return CallResult(text, is_error=False, result=shown)

    async def _run_graph(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, GraphArguments)
        found = await self._graph.search(
            call, _typed(msgspec.structs.asdict(arguments), graph.SearchParams)
        )
        text = _listed(made.relationships([relations.line(entry) for entry in found.relations]))
        return CallResult(_with_notices(text, found.notices), is_error=False, result=found)


def arguments_of(params: CallParams) -> dict[str, Any]:
    """Return the arguments of a call as an object.

    Raises:
        errors.InvalidParams: the text is no JSON object.
        errors.TooLarge: it is too long.
    """
    if isinstance(params.arguments, dict):
        return params.arguments
    if len(params.arguments) > limits.TOOL_ARGUMENTS_CHARS:
        raise errors.TooLarge(
            f"The arguments have more than {limits.TOOL_ARGUMENTS_CHARS} characters.",
            "Write less, or make several calls of it.",
        )
    try:
        value = json_text.decode((params.arguments or "{}").encode(), limits.TOOL_ARGUMENTS_VALUES)
    except (errors.ParseError, UnicodeError) as error:
        raise errors.InvalidParams("The arguments are no JSON object.", _AS_JSON) from error
    if not isinstance(value, dict):
        raise errors.InvalidParams("The arguments are no JSON object.", _AS_JSON)
    return value


def _typed(given: dict[str, Any], kind: type[_T]) -> _T:
    try:
        return msgspec.convert(given, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        complaint = validation_messages.of(error, kind)
        if complaint.hint == complaint.default_hint:  # a hint that speaks of a command line
            complaint.hint = "Look at the tool's parameters and call it again."
        raise complaint from error


def _says(error: errors.AshError) -> str:
    """Return an error for a model: what is wrong, who may be meant, what to do."""
    candidates = error.data.get("candidates") or []
    named = "; ".join(_candidate(entry) for entry in candidates)
    return _sentences(error.message, f"They are: {named}" if named else "", error.hint)


def _candidate(entry: dict[str, Any]) -> str:
    """Format a candidate, with what distinguishes it from others of the same name."""
    called = [entry.get("name"), *(entry.get("relationships") or ())]
    known = render.safe(", ".join(str(one) for one in called if one))
    return f"{known} (id {entry['id']})" if known else f"id {entry['id']}"


def _sentences(*parts: str) -> str:
    """Join the non-empty parts, each ended as a sentence."""
    ended = (part if part[-1] in ".?!)" else f"{part}." for part in parts if part)
    return " ".join(render.safe(part) for part in ended)


def _stored(number: int, entry: Added) -> str:
    """Describe the outcome of a fact."""
    if entry.memory is None:
        error = entry.error if isinstance(entry.error, dict) else {}
        why = _sentences(str(error.get("message")), str(error.get("data", {}).get("hint", "")))
        return f"Fact {number} was not stored: {why}"
    word = "Remembered" if entry.outcome == "added" else "Known already"
    text = f"{word}: {render.safe(entry.memory.content)} ({_details(entry.memory, entry)})"
    others = [_other(person) for person in entry.people if person.may_be]
    return "\n".join([text, *others, *map(_offered, entry.may_replace)])


def _other(person: PersonNamed) -> str:
    """Name the other people that a subject could mean, and say how to pick one of them."""
    known = ", ".join(
        render.safe(f"{one.name} ({one.relationship})" if one.relationship else one.name)
        + f" (id {one.id})"
        for one in person.may_be
    )
    return (
        f"{render.safe(person.name)} could also be: {known}. If that person is meant, call remember"
        " again with that id as the subject."
    )


def _offered(older: MayReplace) -> str:
    """Return an earlier memory that the new one may replace, and how to confirm it."""
    return (
        f"It may replace this older memory: {render.safe(older.content)} (id {older.id[:8]})."
        " If the older one no longer holds, call remember again with the new fact and"
        f' supersedes "{older.id[:8]}".'
    )


def _details(memory: Memory, entry: Added) -> str:
    names = ", ".join(render.safe(person.name) for person in entry.people)
    parts = [
        f"id {memory.id[:8]}",
        f"about {names}" if names else "",
        f"until {memory.expires_at[:10]}" if memory.expires_at else "",
        f"in place of {len(entry.superseded)} older" if entry.superseded else "",
        "said before in other words" if entry.repeats else "",
    ]
    return "; ".join(part for part in parts if part)


def _listed(section: Section) -> str:
    """Render the items of a section, as many as a tool may return."""
    filled = fill([replace(section, budget=None)], ANSWER_TOKENS)
    items = [item.text for part in filled for item in part.items]
    if not items:
        return _NOTHING
    left_out = sum(why == "over_total" for part in filled for _, why in part.decisions)
    cut = [f"({left_out} more: ask for something narrower.)"] if left_out else []
    return "\n".join([TOOL_LEAD, *items, *cut])


def _with_notices(text: str, notices: list[Any]) -> str:
    return "\n".join([text, *(notice.message for notice in notices)])
