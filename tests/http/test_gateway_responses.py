"""The gateway's memory in requests of the Responses API. Budget: 20 s."""

import itertools
import json
from typing import Any

import openai
import pytest
from gateways import Gateway, Reply

_agents = itertools.count(1)
ANSWERED = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Noted.", "annotations": []}],
}
CALLED = {"type": "function_call", "id": "f1", "call_id": "t", "name": "f", "arguments": "{}"}


def response(*output: dict[str, Any], name: str = "r1", status: str = "completed") -> Any:
    """A response of the endpoint."""
    return {
        "id": name,
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": status,
        "error": None,
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def whole(*output: dict[str, Any], **fields: str) -> Reply:
    """A response as one document."""
    return Reply((json.dumps(response(*output, **fields)).encode(),))


def stream(*deltas: str, ends: bool = True, name: str = "r1") -> Reply:
    """A response as events, one a part."""
    begun = {"type": "response.created", "response": response(name=name, status="in_progress")}
    events: list[dict[str, Any]] = [begun]
    events += [
        {"type": "response.output_text.delta", "item_id": "m1", "output_index": 0, "delta": delta}
        for delta in deltas
    ]
    if ends:
        events.append({"type": "response.completed", "response": response(ANSWERED, name=name)})
    parts = (
        f"event: {one['type']}\ndata: {json.dumps({**one, 'sequence_number': at})}\n\n".encode()
        for at, one in enumerate(events)
    )
    return Reply(tuple(parts), kind="text/event-stream; charset=utf-8")


@pytest.fixture
def agent() -> str:
    """An agent that no other test has."""
    return f"responder-{next(_agents)}"


def remember(gateway: Gateway, agent: str, content: str, method: str = "memory.add") -> None:
    """Store a fact of the agent's, or pin it."""
    scope = {"provider": "http", "user_id": agent}
    gateway.daemon.call(method, scope=scope, content=content)


def ask(gateway: Gateway, agent: str, said: Any, **fields: Any) -> tuple[dict[str, str], bytes]:
    """Send a request that stores its turn; return the headers and the body of the answer."""
    request = {"model": "m", "input": said, **fields}
    headers = {"X_Ash_Agent_Id": agent, "X_Ash_Store": "true"}
    status, answered, body = gateway.ask("POST", "/v1/responses", request, **headers)
    assert status == 200
    return answered, body


def sent(gateway: Gateway) -> dict[str, Any]:
    """The last request that the endpoint got."""
    asked: dict[str, Any] = json.loads(gateway.upstream.asked[-1][3])
    return asked


def kept(gateway: Gateway, agent: str) -> list[list[tuple[str, str]]]:
    """The agent's conversations, with (role, content) of their messages."""
    scope = {"provider": "http", "user_id": agent}
    return [
        [
            (message["role"], message["content"])
            for message in gateway.daemon.call(
                "conversation.get", scope=scope, conversation_id=one["conversation_id"]
            )["messages"]
        ]
        for one in gateway.daemon.call("conversation.list", scope=scope)["conversations"]
    ]


@pytest.mark.parametrize("in_parts", [False, True])
def test_memory_is_put_into_the_instructions_and_the_input(
    gateway: Gateway, agent: str, in_parts: bool
) -> None:
    """Pinned facts follow the instructions, memories follow the question."""
    remember(gateway, agent, "I am allergic to peanuts")
    remember(gateway, agent, "Call me Captain", "override.add")
    gateway.upstream.reply = whole(ANSWERED)
    content = [{"type": "input_text", "text": "can I eat peanuts"}]
    said: Any = [{"role": "user", "content": content}] if in_parts else "can I eat peanuts"
    headers, _ = ask(gateway, agent, said, instructions="Be brief.", temperature=0.5)
    got = sent(gateway)

    assert headers["x-ash-memory"] == "on"
    assert got["temperature"] == pytest.approx(0.5)
    assert got["instructions"].startswith("Be brief.\n\n")
    assert "Call me Captain" in got["instructions"]
    assert "peanuts" not in got["instructions"]
    if in_parts:
        first, second = got["input"][0]["content"]
        assert first == content[0]
        assert second["type"] == "input_text"
        assert "I am allergic to peanuts" in second["text"]
    else:
        assert got["input"].startswith("can I eat peanuts\n\n")
        assert "I am allergic to peanuts" in got["input"]


def test_there_is_never_a_second_system_text(gateway: Gateway, agent: str) -> None:
    """Pinned facts join the system item of an input that has no instructions."""
    remember(gateway, agent, "Call me Captain", "override.add")
    gateway.upstream.reply = whole(ANSWERED)
    ask(gateway, agent, [{"role": "developer", "content": "Be brief."}, user("hello there")])
    assert "instructions" not in sent(gateway)
    assert "Call me Captain" in sent(gateway)["input"][0]["content"]
    ask(gateway, agent, [user("hello again")])
    assert "Call me Captain" in sent(gateway)["instructions"]


def user(text: str) -> dict[str, Any]:
    """An item of the user's."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_turn_is_kept_once(gateway: Gateway, agent: str, is_stream: bool) -> None:
    """A repeated request stores it once, without the memory that was put in; bytes stay."""
    remember(gateway, agent, "I am allergic to peanuts")
    reply = stream("Not", "ed.") if is_stream else whole(ANSWERED)
    gateway.upstream.reply = reply
    for _ in range(2):
        headers, body = ask(gateway, agent, [user("can I eat peanuts")], stream=is_stream)
        assert body == b"".join(reply.parts)
        assert is_stream or headers["x-ash-stored"] == "kept"

    assert kept(gateway, agent) == [[("user", "can I eat peanuts"), ("assistant", "Noted.")]]


def test_the_part_of_a_broken_stream_that_came_is_kept(gateway: Gateway, agent: str) -> None:
    """The client hears that it broke off."""
    gateway.upstream.reply = stream("Not", ends=False)
    _, body = ask(gateway, agent, "the harbour", stream=True)
    assert b"broke off" in body
    assert kept(gateway, agent) == [[("user", "the harbour"), ("assistant", "Not")]]


def test_a_request_that_continues_is_of_the_same_conversation(gateway: Gateway, agent: str) -> None:
    """The same short text is a turn of its own each time."""
    for number in range(3):
        gateway.upstream.reply = whole(ANSWERED, name=f"{agent}-{number}")
        before = {"previous_response_id": f"{agent}-{number - 1}"} if number else {}
        ask(gateway, agent, "go on", **before)

    assert kept(gateway, agent) == [[("user", "go on"), ("assistant", "Noted.")] * 3]


def test_results_of_tools_belong_to_the_turn_before(gateway: Gateway, agent: str) -> None:
    """A call of a tool stores nothing yet; the instructions keep what is pinned."""
    remember(gateway, agent, "Call me Captain", "override.add")
    gateway.upstream.reply = whole(CALLED, name=f"{agent}-call")
    headers, _ = ask(gateway, agent, "what is the tide")
    assert headers["x-ash-stored"] == "no turn"
    instructions = sent(gateway)["instructions"]
    result = {"type": "function_call_output", "call_id": "t", "output": "low"}
    gateway.upstream.reply = whole(ANSWERED)
    ask(gateway, agent, [result], previous_response_id=f"{agent}-call")

    assert sent(gateway)["instructions"] == instructions
    assert sent(gateway)["input"] == [result]
    assert kept(gateway, agent) == [[("user", "what is the tide"), ("assistant", "Noted.")]]


def test_a_loop_of_tool_calls_sends_the_same_bytes(gateway: Gateway, agent: str) -> None:
    """A memory that was added meanwhile changes nothing in front of the results."""
    remember(gateway, agent, "I am allergic to peanuts")
    gateway.upstream.reply = whole(CALLED)
    ask(gateway, agent, [user("can I eat peanuts")], instructions="Be brief.")
    remember(gateway, agent, "I am allergic to cashews")
    result = {"type": "function_call_output", "call_id": "t", "output": "none"}
    ask(gateway, agent, [user("can I eat peanuts"), CALLED, result], instructions="Be brief.")
    first, second = (json.loads(asked[3]) for asked in gateway.upstream.asked)

    assert second["input"][:1] == first["input"]
    assert second["instructions"] == first["instructions"]


def test_the_official_client_sees_no_difference(gateway: Gateway, agent: str) -> None:
    """Whole answers and streams, with memory in their requests."""
    client = openai.OpenAI(base_url=f"{gateway.url}/v1", api_key=gateway.key, max_retries=0)
    headers = {"X-Ash-Agent-Id": agent, "X-Ash-Store": "true"}
    with client:
        gateway.upstream.reply = whole(ANSWERED)
        made = client.responses.create(model="m", input="hi", extra_headers=headers)
        gateway.upstream.reply = stream("Not", "ed.")
        events = list(
            client.responses.create(model="m", input="so", stream=True, extra_headers=headers)
        )
        gateway.upstream.reply = stream("Not", ends=False)
        with pytest.raises(openai.APIError, match="broke off"):
            list(client.responses.create(model="m", input="x", stream=True, extra_headers=headers))

    assert made.output_text == "Noted."
    assert events[-1].type == "response.completed"
