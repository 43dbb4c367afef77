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
from ashd.context import sections as made
from ashd.context import tool_answers as answers
from ashd.context import tool_arguments
from ashd.context import tool_definitions as definitions
from ashd.context.forgetting import ForgetArguments, Forgetting
from ashd.context.given_lines import GivenLines
from ashd.conversation import search as turns
from ashd.conversation.search import SearchConversations
from ashd.conversation.summaries import SearchParams as SummarySearch
from ashd.conversation.summaries import Summaries
from ashd.graph import model as relations
from ashd.graph import persons
from ashd.graph import search as graph
from ashd.graph.search import GraphSearch
from ashd.ids import IdempotencyKey
from ashd.memory import search as memories
from ashd.memory.add import AddMemory
from ashd.memory.incoming_facts import AddParams
from ashd.memory.model import Content, MemoryId, Short
from ashd.memory.search import SearchMemory
from ashd.memory.short_ids import ShortIds
from ashd.search.fusion import RELEVANT_SCORE
from ashd.wire_schemas import error_object
from ashd.wire_times import When

_FOUND: Final = 10
_NEIGHBOURS: Final = 1
_AS_JSON: Final = 'Write them as {"query": "…"}.'
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
    everywhere: bool | None = None
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
        """Return the cost of `remember` and `forget` as of `memory.add` and `memory.delete`."""
        if self.name != "remember":
            return Cost(1) if self.name == "forget" else Cost()
        try:
            given = arguments_of(self)
            arguments, _ = tool_arguments.read(given, definitions.taken_by("remember"))
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
        forgetting: Forgetting,
        ids: ShortIds,
        given: GivenLines,
    ) -> None:
        self._remember = remember_
        self._recall = recall
        self._turns = turn_recall
        self._summaries = summaries
        self._graph = graph_search
        self._forgetting = forgetting
        self._ids = ids
        self._given = given
        self._tools = {
            "remember": _Tool("write", self._run_remember),
            "recall": _Tool("read", self._run_recall),
            "forget": _Tool("forget", self._run_forget),
            "search_conversations": _Tool("read", self._run_conversations),
            "search_summaries": _Tool("read", self._run_summaries),
            "search_graph": _Tool("read", self._run_graph),
        }

    async def list(self, call: Call) -> ListResult:
        """List the tools to give a model, as function definitions; none while memory is off."""
        return ListResult([definitions.as_function(name) for name in self._of(call)])

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
        remarks: builtins.list[str] = []
        try:
            if tool is None:
                raise errors.NotFound(
                    "There is no tool of that name.",
                    f"There are: {', '.join(self._of(call))}.",
                )
            call.require(tool.right)
            schema = definitions.taken_by(params.name)
            given, remarks = tool_arguments.read(arguments_of(params), schema)
            result = await tool.run(call, params, given)
        except _FOR_THE_MODEL as error:
            failure = {"code": error.code, "message": error.message, "data": error.to_data()}
            text = "\n".join([answers.says(error), *remarks])
            return CallResult(text, is_error=True, result=None, error=failure)
        if remarks:
            text = "\n".join([result.content, *remarks])
            result = msgspec.structs.replace(result, content=text)
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
        ids = await self._ids.of(call, answers.of_remembered(added))
        failed = all(entry.outcome == "refused" for entry in added.memories)
        stored = {one.memory.id: one.memory.content for one in added.memories if one.memory}
        offers = [await self._forgetting.offer(call, told, [*stored]) for told in stored.values()]
        return CallResult(answers.remembered(added, ids, offers), failed, added)

    async def _run_recall(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, RecallArguments)
        found = await self._recall.search(
            call,
            memories.SearchParams(query=arguments.query, about=arguments.about, limit=_FOUND),
        )
        ids = await self._ids.of(call, answers.of_found(found.results))
        notices = [notice.message for notice in found.notices]
        text = answers.listed(
            made.memories(found.results, ids=ids),
            [*answers.settling(answers.of_answers(found.results), ids), *notices],
        )
        return CallResult(text, is_error=False, result=found)

    async def _run_forget(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        text, deleted = await self._forgetting.forget(call, _typed(given, ForgetArguments))
        return CallResult(text, is_error=False, result=deleted)

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
        return CallResult(answers.listed(made.excerpts(said)), is_error=False, result=shown)

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
        text = answers.listed(made.relevant_summaries(fitting))
        return CallResult(text, is_error=False, result=shown)

    async def _run_graph(
        self, call: Call, _params: CallParams, given: dict[str, Any]
    ) -> CallResult:
        arguments = _typed(given, GraphArguments)
        if arguments.name is None and arguments.relation is None:
            raise errors.InvalidParams(
                "Give a name, a relation, or both.", "name is a person or a thing: 'my wife'."
            )
        found = await self._graph.search(
            call, _typed(msgspec.structs.asdict(arguments), graph.SearchParams)
        )
        lines = [line for one in found.people if (line := persons.line(one))]
        lines += [relations.line(entry) for entry in found.relations]
        text = answers.listed(
            made.relationships(lines),
            [notice.message for notice in found.notices],
        )
        return CallResult(text, is_error=False, result=found)


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
