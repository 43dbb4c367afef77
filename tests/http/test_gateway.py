"""The gateway: unchanged chats without memory, and memory where an agent is named. Budget: 40 s."""

import itertools
import json
import socket
import time
from typing import Any

import openai
import pytest
from gateways import Gateway, Reply, create_key
from waiting import until

_agents = itertools.count(1)
COMPLETION = json.dumps(
    {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Noted."},
                "finish_reason": "stop",
            }
        ],
        "unknown_field": {"of": "the upstream"},
    }
).encode()


def events(*deltas: dict[str, Any], finish: str | None = "stop", done: bool = True) -> list[bytes]:
    """A stream of events, one a part."""
    made = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    if finish:
        made.append({"index": 0, "delta": {}, "finish_reason": finish})
    shape = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    parts = [b"data: %s\n\n" % json.dumps({**shape, "choices": [one]}).encode() for one in made]
    return [*parts, b"data: [DONE]\n\n"] if done else parts


STREAM = Reply(
    tuple(events({"role": "assistant"}, {"content": "Not"}, {"content": "ed."})),
    kind="text/event-stream; charset=utf-8",
)


@pytest.fixture
def agent() -> str:
    """An agent that no other test has."""
    return f"agent-{next(_agents)}"


def chat(*messages: tuple[str, Any], **fields: Any) -> dict[str, Any]:
    """A request of messages (role, content)."""
    said = [{"role": role, "content": content} for role, content in messages]
    return {"model": "m", "messages": said, **fields}


def kept(gateway: Gateway, agent: str) -> list[tuple[str, str]]:
    """(role, content) of the agent's turns, waiting for those that are on their way."""
    scope = {"provider": "http", "user_id": agent}
    found: list[tuple[str, str]] = []
    for _ in range(200):
        listed = gateway.daemon.call("conversation.list", scope=scope)["conversations"]
        found = [
            (message["role"], message["content"])
            for one in listed
            for message in gateway.daemon.call(
                "conversation.get", scope=scope, conversation_id=one["conversation_id"]
            )["messages"]
        ]
        if found:
            break
        time.sleep(0.05)
    return found


ODD = b'{"model" : "m","messages":[{"role":"user","content":"hi"}], "n":2,  "x_y": 1.10}'


def test_without_an_agent_the_bytes_are_the_callers(gateway: Gateway) -> None:
    """Bytes are passed on both ways; our key stays here, the upstream gets its own."""
    gateway.upstream.reply = Reply(
        (COMPLETION,), headers=(("x-request-id", "r-1"), ("set-cookie", "a=b"))
    )
    status, headers, body = gateway.ask(
        "POST", "/v1/chat/completions", ODD, OpenAI_Beta="x=1", Cookie="c=d"
    )
    [(_, path, sent, asked)] = gateway.upstream.asked

    assert (status, body, asked) == (200, COMPLETION, ODD)
    assert path == "/v1/chat/completions"
    assert sent["authorization"] == "Bearer upstream-key"
    assert sent["openai-beta"] == "x=1"
    assert "cookie" not in sent
    assert gateway.key not in str(sent)
    assert headers["x-request-id"] == "r-1"
    assert headers["x-ash-memory"] == "off"
    assert "set-cookie" not in headers


def test_a_callers_own_authorization_goes_on(gateway: Gateway) -> None:
    """Authorization is passed to the upstream when our key has a header of its own."""
    gateway.ask(
        "POST",
        "/v1/chat/completions",
        ODD,
        key=None,
        X_Ash_Key=gateway.key,
        Authorization="Bearer sk-mine",
    )
    [(_, _, sent, _)] = gateway.upstream.asked

    assert sent["authorization"] == "Bearer sk-mine"
    assert "x-ash-key" not in sent


@pytest.mark.parametrize("sent", ["Café".encode(), "料理".encode(), "Café".encode("latin-1")])
def test_headers_beyond_ascii_pass_both_ways(gateway: Gateway, sent: bytes) -> None:
    """Clients and endpoints write titles and names as they are, most of them in UTF-8."""
    title = sent.decode("latin-1")
    gateway.upstream.reply = Reply((COMPLETION,), headers=(("x-title", title),))

    for path in ("/v1/chat/completions", "/v1/embeddings"):
        gateway.upstream.asked.clear()
        status, headers, _ = gateway.ask("POST", path, ODD, X_Title=title)
        [(_, _, asked, _)] = gateway.upstream.asked

        assert (status, asked["x-title"], headers["x-title"]) == (200, title, title)


@pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
def test_an_error_of_the_upstream_comes_as_it_is(gateway: Gateway, status: int) -> None:
    """The upstream's status, body, and retry time are unchanged."""
    text = b'{"error": {"message": "no", "type": "t", "param": null, "code": "c"}}'
    gateway.upstream.reply = Reply((text,), status=status, headers=(("retry-after", "7"),))
    got, headers, body = gateway.ask("POST", "/v1/chat/completions", ODD)

    assert (got, body, headers["retry-after"]) == (status, text, "7")


def test_a_stream_comes_as_it_is(gateway: Gateway) -> None:
    """Byte by byte."""
    gateway.upstream.reply = STREAM
    _, headers, body = gateway.ask(
        "POST", "/v1/chat/completions", chat(("user", "hi"), stream=True)
    )

    assert body == b"".join(STREAM.parts)
    assert headers["content-type"] == STREAM.kind


@pytest.mark.parametrize("within", [True, False], ids=["within a line", "after one"])
@pytest.mark.parametrize("cut", [True, False], ids=["the connection", "the events"])
def test_a_stream_that_breaks_off_ends_with_an_error(
    gateway: Gateway, cut: bool, within: bool
) -> None:
    """A stream that merely ends would look complete to a client."""
    parts = tuple(events({"content": "Not"}, finish=None, done=False))
    if within:
        parts = (*parts, b'data: {"choices"')
    gateway.upstream.reply = Reply(parts, kind="text/event-stream", cut=cut)
    client = openai.OpenAI(base_url=f"{gateway.url}/v1", api_key=gateway.key, max_retries=0)
    with client, pytest.raises(openai.APIError, match="broke off"):
        list(client.chat.completions.create(**chat(("user", "hi")), stream=True))


def test_the_official_client_sees_no_difference(gateway: Gateway) -> None:
    """Completions, streams with calls of tools, and the list of models."""
    client = openai.OpenAI(base_url=f"{gateway.url}/v1", api_key=gateway.key, max_retries=0)
    with client:
        gateway.upstream.reply = Reply((COMPLETION,))
        whole = client.chat.completions.create(**chat(("user", "hi")))
        called = {"index": 0, "id": "t", "function": {"name": "f", "arguments": "{}"}}
        gateway.upstream.reply = Reply(
            tuple(events({"tool_calls": [called]}, finish="tool_calls")), kind="text/event-stream"
        )
        streamed = list(client.chat.completions.create(**chat(("user", "hi")), stream=True))
        gateway.upstream.reply = Reply((b'{"object": "list", "data": [{"id": "m"}]}',))
        models = [one.id for one in client.models.list()]

    assert whole.choices[0].message.content == "Noted."
    assert streamed[0].choices[0].delta.tool_calls[0].function.name == "f"
    assert streamed[-1].choices[0].finish_reason == "tool_calls"
    assert models == ["m"]


def remember(gateway: Gateway, agent: str, content: str) -> None:
    """Store a fact of the agent's."""
    scope = {"provider": "http", "user_id": agent}
    gateway.daemon.call("memory.add", scope=scope, content=content)


def test_memory_is_put_where_caches_hold(gateway: Gateway, agent: str) -> None:
    """Overrides follow the system text, memories follow the question; the rest is unchanged."""
    remember(gateway, agent, "I am allergic to peanuts")
    scope = {"provider": "http", "user_id": agent}
    gateway.daemon.call("override.add", scope=scope, content="Call me Captain")
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    marked = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    asked = chat(
        ("system", [marked]),
        ("user", [{"type": "text", "text": "can I eat peanuts"}, image]),
        temperature=0.5,
    )
    _, headers, _ = gateway.ask("POST", "/v1/chat/completions", asked, X_Ash_Agent_Id=agent)
    [(_, _, sent, body)] = gateway.upstream.asked
    got = json.loads(body)
    system, question = got["messages"]

    assert headers["x-ash-memory"] == "on"
    assert not [name for name in sent if name.startswith("x-ash")]
    assert got["temperature"] == pytest.approx(0.5)
    assert system["content"][0] == marked
    assert "Call me Captain" in system["content"][1]["text"]
    assert "peanuts" not in system["content"][1]["text"]
    assert question["content"][:2] == asked["messages"][1]["content"]
    assert "I am allergic to peanuts" in question["content"][2]["text"]


TALK = (
    "What could I cook for Judit on Saturday?",
    "Where is the boat?",
    "When is Tom's birthday?",
    "Does Maria like coffee?",
    "ok",
    "Which word opens my locker?",
    "Where does Oskar live now?",
    "Plan a dinner for Judit, Maria and me",
    "thanks",
    "Write a toast for Tom",
)


def test_a_prompt_cache_holds_over_ten_turns(gateway: Gateway, agent: str) -> None:
    """The endpoint has read 95 % of the bytes of the messages that are sent again."""
    scope = {"provider": "http", "user_id": agent}
    for person, content in (
        ("Judit", "Judit is allergic to walnuts"),
        ("Tom", "Tom's birthday is on 4 March"),
        ("Maria", "Maria prefers green tea in the morning"),
        ("Oskar", "Oskar moved to Gdansk in May"),
    ):
        gateway.daemon.call("memory.add", scope=scope, content=content, subjects=[person])
    remember(gateway, agent, "My locker word is Zebra")
    gateway.daemon.call("override.add", scope=scope, content="Call me Captain")
    gateway.upstream.reply = Reply((COMPLETION,))
    said, read, again, equal = [("system", "Be brief.")], "", 0, 0
    for question in TALK:
        said.append(("user", question))
        headers = {"X_Ash_Agent_Id": agent, "X_Ash_Store": "true"}
        gateway.ask("POST", "/v1/chat/completions", chat(*said), **headers)
        sent = json.loads(gateway.upstream.asked[-1][3])["messages"]
        if read:
            # The endpoint has read all but the last answer and the new question.
            earlier = rendered(sent[:-2])
            again += len(earlier)
            equal += sum(
                1
                for _ in itertools.takewhile(
                    lambda pair: pair[0] == pair[1], zip(earlier, read, strict=False)
                )
            )
        read = rendered(sent)
        said.append(("assistant", "Here is what I found, and one question more."))

    assert "Zebra" in str(gateway.upstream.asked[5][3])
    assert equal >= 0.95 * again


def rendered(messages: list[dict[str, Any]]) -> str:
    """Return messages as a template of a model writes them, without the mark of an end."""
    return "".join(f"\n{one['role']}: {one['content']}" for one in messages)


def test_a_chat_without_a_system_text_gets_one(gateway: Gateway, agent: str) -> None:
    """A system text is added at the beginning, and only if there is context."""
    remember(gateway, agent, "I am allergic to peanuts")
    scope = {"provider": "http", "user_id": agent}
    for add in (False, True):
        if add:
            gateway.daemon.call("override.add", scope=scope, content="Call me Captain")
        request = chat(("user", f"can I eat peanuts {add}"))
        gateway.ask("POST", "/v1/chat/completions", request, X_Osaurus_Agent_Id=agent)
    roles = [[one["role"] for one in json.loads(a[3])["messages"]] for a in gateway.upstream.asked]

    assert roles == [["user"], ["system", "user"]]


def test_there_is_never_a_second_system_message(gateway: Gateway, agent: str) -> None:
    """The block joins the caller's own: templates of several models refuse a second one."""
    scope = {"provider": "http", "user_id": agent}
    gateway.daemon.call("override.add", scope=scope, content="Call me Captain")
    request = chat(("user", "hello"), ("developer", "Be brief."), ("user", "and now?"))
    gateway.ask("POST", "/v1/chat/completions", request, X_Ash_Agent_Id=agent)
    [(_, _, _, body)] = gateway.upstream.asked
    said = json.loads(body)["messages"]

    assert [one["role"] for one in said] == ["user", "developer", "user"]
    assert "Call me Captain" in said[1]["content"]


def test_half_a_character_does_not_switch_memory_off(gateway: Gateway, agent: str) -> None:
    """A client may cut a text inside a character; the turn is stored all the same."""
    remember(gateway, agent, "I am allergic to peanuts")
    gateway.upstream.reply = Reply((COMPLETION,))
    body = json.dumps(chat(("user", "can I eat peanuts \ud83d"))).encode()
    _, headers, _ = gateway.ask(
        "POST", "/v1/chat/completions", body, X_Ash_Agent_Id=agent, X_Ash_Store="true"
    )

    assert headers["x-ash-memory"] == "on"
    assert json.loads(gateway.upstream.asked[0][3])["messages"][0]["content"].startswith("can I")
    assert len(kept(gateway, agent)) == 2


def test_a_loop_of_tool_calls_sends_the_same_bytes(gateway: Gateway, agent: str) -> None:
    """The bytes are the same even if memory has changed, so the upstream's cache holds."""
    remember(gateway, agent, "I am allergic to peanuts")
    begin = [("system", "Be brief."), ("user", "can I eat peanuts")]
    gateway.ask("POST", "/v1/chat/completions", chat(*begin), X_Ash_Agent_Id=agent)
    remember(gateway, agent, "I am allergic to cashews")
    more = [*begin, ("assistant", None), ("tool", "no result")]
    gateway.ask("POST", "/v1/chat/completions", chat(*more), X_Ash_Agent_Id=agent)
    first, second = (json.loads(asked[3])["messages"] for asked in gateway.upstream.asked)

    assert second[:2] == first


@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_is_kept_once(gateway: Gateway, agent: str, stream: bool) -> None:
    """A repeated request stores it once, and without the injected text."""
    remember(gateway, agent, "I am allergic to peanuts")
    gateway.upstream.reply = STREAM if stream else Reply((COMPLETION,))
    request = chat(("user", "can I eat peanuts"), stream=stream)
    for _ in range(2):
        gateway.ask(
            "POST", "/v1/chat/completions", request, X_Ash_Agent_Id=agent, X_Ash_Store="true"
        )

    assert kept(gateway, agent) == [("user", "can I eat peanuts"), ("assistant", "Noted.")]


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_hears_what_was_not_stored(gateway: Gateway, agent: str, stream: bool) -> None:
    """A part of a turn that holds a secret is named; of a stream, in a comment at its end."""
    gateway.upstream.reply = STREAM if stream else Reply((COMPLETION,))

    def told(text: str) -> str:
        _, headers, body = gateway.ask(
            *("POST", "/v1/chat/completions", chat(("user", text), stream=stream)),
            X_Ash_Agent_Id=agent,
            X_Ash_Store="true",
        )
        comments = [line for line in body.decode().splitlines() if line.startswith(": ")]
        return " ".join(comments) if stream else headers["x-ash-stored"]

    assert told("my PIN is 4829") == (": x-ash-stored: refused user" if stream else "refused user")
    assert told("the harbour") == ("" if stream else "kept")
    assert sorted(text for _, text in kept(gateway, agent)) == ["Noted.", "Noted.", "the harbour"]


def test_a_turn_is_kept_when_the_client_hangs_up(gateway: Gateway, agent: str) -> None:
    """The user's message is stored with the part of the answer that reached the client."""
    parts = tuple(events({"content": "Not"}, *({"content": " a word more"},) * 20))
    gateway.upstream.reply = Reply(parts, kind="text/event-stream", wait_s=0.1)
    body = json.dumps(chat(("user", "the harbour"), stream=True)).encode()
    with socket.create_connection(("127.0.0.1", gateway.port)) as raw:
        raw.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
            b"Authorization: Bearer %s\r\nContent-Type: application/json\r\n"
            b"X-Ash-Agent-Id: %s\r\nX-Ash-Store: true\r\nContent-Length: %d\r\n\r\n%s"
            % (gateway.key.encode(), agent.encode(), len(body), body)
        )
        received = b""
        while b"Not" not in received:
            received += raw.recv(4096)
    [user, assistant] = kept(gateway, agent)

    assert user == ("user", "the harbour")
    assert assistant[1].startswith("Not")
    assert len(assistant[1]) < len("Not") + 20 * len(" a word more")


@pytest.mark.parametrize(
    ("reply", "headers"),
    [
        (Reply((COMPLETION,)), {}),
        (Reply((b'{"error": {}}',), status=500), {"X_Ash_Store": "true"}),
        (
            Reply(
                tuple(events({"tool_calls": [{"index": 0}]}, finish="tool_calls")),
                kind="text/event-stream",
            ),
            {"X_Ash_Store": "true"},
        ),
    ],
    ids=["not asked for", "an error", "a call of tools"],
)
def test_an_exchange_that_is_no_turn_is_not_stored(
    gateway: Gateway, agent: str, reply: Reply, headers: dict[str, str]
) -> None:
    """Requests of the client's own, failures, and the middle of a turn are not stored."""
    gateway.upstream.reply = reply
    asked = chat(("user", "what is the title of this"))
    gateway.ask("POST", "/v1/chat/completions", asked, X_Ash_Agent_Id=agent, **headers)
    # Storing a turn also finishes the one before.
    gateway.upstream.reply = Reply((COMPLETION,))
    asked = chat(("user", "another"))
    gateway.ask("POST", "/v1/chat/completions", asked, X_Ash_Agent_Id=agent, X_Ash_Store="true")

    assert [text for _, text in kept(gateway, agent)] == ["another", "Noted."]


def test_without_a_daemon_chats_go_on(start_gateway: Any) -> None:
    """The answer says that memory was missing."""
    gateway: Gateway = start_gateway()
    gateway.upstream.reply = Reply((COMPLETION,))
    gateway.daemon.stop()
    status, headers, body = gateway.ask(
        "POST", "/v1/chat/completions", chat(("user", "hi")), X_Ash_Agent_Id="a"
    )

    assert (status, body) == (200, COMPLETION)
    assert headers["x-ash-memory"] == "unavailable"


def test_an_upstream_that_is_not_there_is_named(start_gateway: Any) -> None:
    """The error has the form that clients know, and is not worth a retry."""
    gateway: Gateway = start_gateway()
    gateway.upstream.shutdown()
    gateway.upstream.server_close()
    status, headers, body = gateway.ask("POST", "/v1/chat/completions", chat(("user", "hi")))

    assert status == 502
    assert json.loads(body)["error"]["code"] == "upstream_unreachable"
    assert headers["x-should-retry"] == "false"


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Authorization", "Bearer {}"),
        ("Authorization", "{}"),
        ("Authorization", "Basic {}"),
        ("Authorization", "Bearer\t{}"),
        ("Authorization", 'Bearer "{}"'),
        ("api-key", "{}"),
        ("X-Api-Key", "{}"),
        ("X-Other", "key={}"),
    ],
)
def test_our_key_never_goes_upstream(gateway: Gateway, name: str, form: str) -> None:
    """The key is removed in whatever form it is sent."""
    headers = {"X_Ash_Key": gateway.key, name: form.format(gateway.key)}
    gateway.ask("POST", "/v1/chat/completions", ODD, key=None, **headers)
    [(_, _, sent, _)] = gateway.upstream.asked

    assert gateway.key not in str(sent)
    assert sent["authorization"] == "Bearer upstream-key"


def test_a_deleted_memory_is_not_injected_again(gateway: Gateway, agent: str) -> None:
    """A cached block lives only as long as its turn."""
    scope = {"provider": "http", "user_id": agent}
    added = gateway.daemon.call("memory.add", scope=scope, content="My locker word is Zebra")
    asked = chat(("user", "which is my locker word"))
    for _ in range(2):
        gateway.ask("POST", "/v1/chat/completions", asked, X_Ash_Agent_Id=agent)
        memory = added["memories"][0]["memory"]["id"]
        gateway.daemon.call("memory.delete", scope=scope, id=memory)
    first, second = (str(one[3]) for one in gateway.upstream.asked)

    assert "Zebra" in first
    assert "Zebra" not in second


def test_an_upstream_hears_when_a_client_hangs_up_before_it_answers(gateway: Gateway) -> None:
    """Abandoned chats do not pile up."""
    gateway.upstream.reply = Reply((COMPLETION,), wait_s=3.0)
    body = json.dumps(chat(("user", "hi"))).encode()
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        % (gateway.key.encode(), len(body), body)
    )
    for _ in range(300):
        with socket.create_connection(("127.0.0.1", gateway.port)) as raw:
            raw.sendall(head)
    gateway.upstream.reply = Reply((COMPLETION,))
    status, _, _ = gateway.ask("POST", "/v1/chat/completions", ODD)

    assert status == 200


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"])
def test_an_upstream_that_thinks_hears_that_its_client_hung_up(gateway: Gateway, path: str) -> None:
    """On every route: the model would go on for nobody."""
    gateway.upstream.reply = Reply((COMPLETION,), think_s=60.0)
    body = json.dumps(chat(("user", "hi"))).encode()
    head = (
        b"POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
        % (path.encode(), gateway.key.encode(), len(body), body)
    )
    with socket.create_connection(("127.0.0.1", gateway.port)) as raw:
        raw.sendall(head)
        until(lambda: gateway.upstream.asked)

    until(lambda: gateway.upstream.left)
    assert gateway.upstream.left[-1] == path


def test_memory_of_a_project_goes_into_its_prompts_alone(gateway: Gateway, agent: str) -> None:
    """The same question in another project does not get the block that was made for this one."""
    gateway.upstream.reply = Reply((COMPLETION,))
    scope = {"provider": "http", "user_id": agent, "project": {"id": "shop"}}
    gateway.daemon.call("memory.add", scope=scope, content="The kraken listens on port 9999")
    question = chat(("user", "On which port does the kraken listen?"))
    tools = {"role": "tool", "tool_call_id": "1", "content": "ok"}
    loop = {**question, "messages": [*question["messages"], tools]}

    def sent(body: Any, **headers: str) -> str:
        gateway.upstream.asked.clear()
        gateway.ask("POST", "/v1/chat/completions", body, X_Ash_Agent_Id=agent, **headers)
        return gateway.upstream.asked[0][3].decode()

    assert "9999" in sent(question, X_Ash_Project="shop")
    for body in (question, loop):
        assert "9999" not in sent(body, X_Ash_Project="blog")
        assert "9999" not in sent(body)
    assert "9999" in sent(loop, X_Ash_Project="shop")


def test_a_key_for_one_agent_implies_it(gateway: Gateway, agent: str) -> None:
    """No header has to name the agent."""
    gateway.upstream.reply = Reply((COMPLETION,))
    scope = {"provider": "http", "user_id": agent}
    gateway.daemon.call("memory.add", scope=scope, content="The car is parked in row seven")
    body = chat(("user", "Where is the car parked?"))

    key = gateway.key_for(agent)
    _, headers, _ = gateway.ask("POST", "/v1/chat/completions", body, key=key)

    assert headers["x-ash-memory"] == "on"
    assert b"row seven" in gateway.upstream.asked[0][3]


def test_a_key_of_a_person_shares_their_memory_and_keeps_the_turns(
    gateway: Gateway, agent: str
) -> None:
    """The person's agents and this key share one memory, without a header."""
    gateway.upstream.reply = Reply((COMPLETION,))
    scope = {"provider": "local", "user_id": agent}
    gateway.daemon.call("memory.add", scope=scope, content="The car is parked in row seven")
    key = create_key(gateway.daemon.home, account=f"local:{agent}", store=True)

    _, headers, _ = gateway.ask(
        "POST", "/v1/chat/completions", chat(("user", "Where is the car parked?")), key=key
    )

    assert (headers["x-ash-memory"], headers["x-ash-stored"]) == ("on", "kept")
    assert b"row seven" in gateway.upstream.asked[0][3]
    found = gateway.daemon.call("conversation.search", scope=scope, query="parked")["results"]
    assert "Where is the car parked?" in [one["message"]["content"] for one in found]
    denied = gateway.ask("POST", "/v1/chat/completions", ODD, key=key, X_Ash_Agent_Id="other")
    assert denied[0] == 403
    unkept = gateway.ask(
        "POST", "/v1/chat/completions", chat(("user", "hi")), key=key, X_Ash_Store="false"
    )
    assert "x-ash-stored" not in unkept[1]


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v1/embeddings"), ("POST", "/v1/responses"), ("DELETE", "/v1/files/a%2Fb?x=1")],
)
def test_other_routes_of_the_endpoint_are_passed_on(
    gateway: Gateway, method: str, path: str
) -> None:
    """The bytes are the caller's; the key is that of the endpoint."""
    gateway.upstream.reply = Reply((COMPLETION,))
    body = ODD if method == "POST" else None

    status, _, answered = gateway.ask(method, path, body)
    [(sent_method, sent_path, sent, asked)] = gateway.upstream.asked

    assert (status, answered) == (200, COMPLETION)
    assert (sent_method, sent_path, asked) == (method, path, body or b"")
    assert sent["authorization"] == "Bearer upstream-key"


def test_no_path_leads_out_of_the_endpoints_api(gateway: Gateway) -> None:
    """Nor does a request without a key get there."""
    assert gateway.ask("GET", "/v1/%2e%2e/admin")[0] == 404
    assert gateway.ask("GET", "/v1/files", key=None)[0] == 401
    assert gateway.upstream.asked == []
