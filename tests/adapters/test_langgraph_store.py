"""LangGraph's store on a real daemon, in a real graph. Budget: 20 s."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from daemons import Daemon

from ashd_client.sync import AshCallError, Client

pytest.importorskip("langgraph", reason="langgraph is not installed: make test-adapters")
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, SearchOp
from typing_extensions import TypedDict

from ashd_client.adapters.langgraph import AshStore

Scope = Callable[..., dict[str, Any]]


@pytest.fixture
def client(daemon: Daemon, scope: Scope) -> Iterator[Client]:
    """A client on behalf of a new user."""
    with Client(daemon.socket, scope=scope()) as made:
        yield made


@pytest.fixture
def store(client: Client) -> BaseStore:
    """The store of a new user."""
    return AshStore(client)


@pytest.mark.parametrize("key", ["k1", "7b0c2f8e-7d0b-4c39-9a53-0c4f5dd1a1b2", "a/b#c é"])
def test_an_item_is_what_was_put(store: BaseStore, key: str) -> None:
    """The value comes back whole, with its key, namespace and times; a missing one is None."""
    value = {"text": "Likes pizza", "since": 2024, "tags": ["food"], "nested": {"a": None}}
    store.put(("users", "ada"), key, value)

    item = store.get(("users", "ada"), key)

    assert item is not None
    assert (value, key, ("users", "ada")) == (item.value, item.key, item.namespace)
    assert item.created_at.tzinfo is not None
    assert store.get(("users", "bo"), key) is None
    assert store.get(("users", "ada"), "k2") is None


def test_threads_that_put_the_same_words_lose_no_item(store: BaseStore) -> None:
    """Items of the same words share a memory, whose items one thread at a time changes."""

    async def put_all() -> None:
        value = {"text": "The anchor is heavy"}
        await asyncio.gather(*(store.aput(("boats", str(n)), "k", value) for n in range(12)))

    asyncio.run(put_all())

    assert all(store.get(("boats", str(n)), "k") for n in range(12))


def test_programs_that_put_the_same_words_lose_no_item(daemon: Daemon, scope: Scope) -> None:
    """Each has a store of its own; they put and delete items of one memory at the same time."""
    account = scope()
    value = {"text": "The anchor is heavy"}

    def work(program: int) -> None:
        with Client(daemon.socket, scope=account) as own:
            store = AshStore(own)
            for n in range(10):
                store.put(("boats", str(program)), str(n), value)
                if n % 2:
                    store.delete(("boats", str(program)), str(n))

    with ThreadPoolExecutor(4) as programs:
        list(programs.map(work, range(4)))

    with Client(daemon.socket, scope=account) as own:
        found = AshStore(own).search(("boats",), limit=100)
    kept = {(str(program), str(n)) for program in range(4) for n in range(0, 10, 2)}
    assert kept == {(one.namespace[1], one.key) for one in found}


def test_programs_that_put_one_item_leave_one_value(daemon: Daemon, scope: Scope) -> None:
    """A search by meaning finds the value that `get` returns, and no other."""
    account = scope()

    def work(program: int) -> None:
        with Client(daemon.socket, scope=account) as own:
            for n in range(4):
                words = f"Program {program} counted {n} boats at the pier"
                AshStore(own).put(("a",), "boats", {"text": words})

    with ThreadPoolExecutor(3) as programs:
        list(programs.map(work, range(3)))

    with Client(daemon.socket, scope=account) as own:
        store = AshStore(own)
        item = store.get(("a",), "boats")
        assert item is not None
        (listed,) = own.memory.list()["memories"]
        assert item.value == {"text": listed["content"]}
        store.put(("a",), "boats", {"text": "Nobody counted anything"})
        found = store.search(("a",), query="How many boats were counted?")
        assert {"Nobody counted anything"} >= {one.value["text"] for one in found}


def test_a_new_value_replaces_the_former_one(store: BaseStore, client: Client) -> None:
    """The former words stay in the history of the memory."""
    store.put(("users", "ada"), "city", {"text": "Lives in Lisbon"})
    store.put(("users", "ada"), "city", {"text": "Lives in Porto"})

    item = store.get(("users", "ada"), "city")

    assert item is not None
    assert {"text": "Lives in Porto"} == item.value
    assert 1 == len(store.search(("users", "ada")))
    (memory,) = client.memory.list()["memories"]
    chain = client.memory.history(id=memory["id"])["chain"]
    assert ["Lives in Lisbon", "Lives in Porto"] == [one["content"] for one in chain]


def test_an_item_keeps_the_time_at_which_it_was_first_put(store: BaseStore) -> None:
    """A new value changes the other time alone, with the same words and with new ones."""
    times = []
    for value in ({"text": "Rows"}, {"text": "Rows", "n": 1}, {"text": "Sails"}, {"text": "Swims"}):
        store.put(("a",), "k", value)
        (found,) = store.search(("a",))
        item = store.get(("a",), "k")
        assert item is not None
        assert (item.created_at, item.updated_at) == (found.created_at, found.updated_at)
        times.append((item.created_at, item.updated_at))

    assert 1 == len({created for created, _ in times})
    assert sorted({updated for _, updated in times}) == [updated for _, updated in times]


@pytest.mark.parametrize("value", [{"text": ""}, {"content": " \n", "n": 1}, {}])
def test_an_item_without_words_is_kept(store: BaseStore, value: dict[str, Any]) -> None:
    """As any other value."""
    store.put(("a",), "k", value)
    item = store.get(("a",), "k")

    assert item is not None
    assert value == item.value


@pytest.mark.parametrize("name", ["text", "notes"])
def test_a_long_value_is_kept_whole(store: BaseStore, name: str) -> None:
    """A memory takes the beginning of its words, which find it."""
    value = {name: "The lighthouse keeper writes a diary. " * 400}
    store.put(("a",), "k", value)
    store.put(("a",), "k", {**value, "n": 1})

    item = store.get(("a",), "k")

    assert item is not None
    assert {**value, "n": 1} == item.value
    assert ["k"] == [one.key for one in store.search(("a",), query="the keeper of the lighthouse")]


def test_a_failed_call_is_an_error_with_its_kind(store: BaseStore, tmp_path: Path) -> None:
    """A secret is refused; without a daemon nothing can be stored."""
    with pytest.raises(AshCallError) as refused:
        store.put(("a",), "k", {"text": "my password is hunter2secret99"})
    with Client(tmp_path / "none.sock") as nobody, pytest.raises(AshCallError) as unanswered:
        AshStore(nobody).get(("a",), "k")

    assert ("content_refused", "unavailable") == (refused.value.kind, unanswered.value.kind)
    assert store.get(("a",), "k") is None


@pytest.mark.parametrize("query", [None, "colour"])
def test_items_that_are_alike_are_all_found(store: BaseStore, query: str | None) -> None:
    """A memory that replaces or repeats another for the daemon is an item of its own here."""
    texts = {
        "red": "My favourite colour is red",
        "blue": "My favourite colour is blue",
        "navy": "Navy blue is my favourite colour",
        "again": "my favourite colour is BLUE",
    }
    for key, text in texts.items():
        store.put(("a",), key, {"text": text})
    store.put(("a",), "red", {"text": "My favourite colour is scarlet"})
    found = store.search(("a",), query=query, limit=10)

    assert sorted(texts) == sorted(item.key for item in found)
    assert "My favourite colour is scarlet" in [item.value["text"] for item in found]


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"n": {"$gt": 1}}, ["two"]),
        ({"n": {"$lte": 2}}, ["one", "two"]),
        ({"n": {"$ne": 1}}, ["none", "text", "two"]),
        ({"n": "2"}, ["text"]),
        ({"of": {"boat": "Anna"}}, ["one"]),
        ({"of": {"boat": "Anna", "crew": {"$gte": 3}}}, ["one"]),
        ({"tags": ["a", "b"]}, ["two"]),
        ({"tags": []}, []),
    ],
)
def test_a_filter_compares_as_in_langgraphs_own_stores(
    store: BaseStore, wanted: dict[str, Any], keys: list[str]
) -> None:
    """Objects by the fields that are given; what has no order is above and below nothing."""
    values: dict[str, dict[str, Any]] = {
        "one": {"text": "One", "n": 1, "of": {"boat": "Anna", "crew": 4}},
        "two": {"text": "Two", "n": 2, "of": "nobody", "tags": ["a", "b"]},
        "text": {"text": "Text", "n": "2", "of": {"boat": "Berta"}, "tags": ["a"]},
        "none": {"text": "None", "n": None},
    }
    for key, value in values.items():
        store.put(("a",), key, value)

    assert keys == sorted(item.key for item in store.search(("a",), filter=wanted))
    with pytest.raises(ValueError, match=r"\$in"):
        store.search(("a",), filter={"n": {"$in": [1]}})


def test_a_deleted_item_is_gone(store: BaseStore) -> None:
    """No earlier value comes back."""
    store.put(("a",), "k", {"text": "Keeps bees"})
    store.put(("a",), "k", {"text": "Keeps goats"})
    store.delete(("a",), "k")

    assert store.get(("a",), "k") is None
    assert [] == store.search(("a",))


def test_items_of_the_same_words_are_two(store: BaseStore) -> None:
    """They share a memory; one goes without the other."""
    store.put(("a",), "1", {"text": "Keeps bees", "n": 1})
    store.put(("b",), "2", {"text": "Keeps bees", "n": 2})

    assert {1, 2} == {one.value["n"] for one in store.search(())}
    store.delete(("a",), "1")
    assert [2] == [one.value["n"] for one in store.search(())]
    store.put(("b",), "2", {"text": "Keeps goats", "n": 3})
    assert [3] == [one.value["n"] for one in store.search(())]


def test_an_item_of_a_replaced_memory_is_deleted_alone(store: BaseStore) -> None:
    """The items of the same words stay as they were, though the daemon has a newer fact."""
    for key in ("k", "l", "m"):
        store.put(("red",), key, {"text": "My favourite colour is red"})
    before = {one.key: (one.value, one.created_at) for one in store.search(("red",))}
    store.put(("blue",), "k", {"text": "My favourite colour is blue"})

    store.delete(("red",), "k")

    after = {one.key: (one.value, one.created_at) for one in store.search(("red",))}
    assert after == {key: before[key] for key in ("l", "m")}
    assert store.get(("red",), "k") is None
    assert store.get(("blue",), "k") is not None


def test_a_value_whose_words_were_remembered_before_is_kept(store: BaseStore) -> None:
    """Also if the daemon has replaced the memory of the former value, which is the newer memory."""
    store.put(("drinks",), "k", {"text": "Likes tea with milk"})
    store.put(("red",), "k", {"text": "My favourite colour is red"})
    store.put(("blue",), "k", {"text": "My favourite colour is blue"})
    value = {"text": "Likes tea with milk", "n": 2}

    store.put(("red",), "k", value)

    item = store.get(("red",), "k")
    assert item is not None
    assert item.value == value
    assert [value] == [one.value for one in store.search(("red",))]
    assert store.get(("drinks",), "k") is not None


def test_a_refused_value_leaves_the_former_one(store: BaseStore) -> None:
    """The same holds for an item that shares its memory with another."""
    value = {"text": "Lives in Lisbon"}
    for name in ("ada", "bo"):
        store.put((name,), "city", value)
    before = store.get(("ada",), "city")

    with pytest.raises(AshCallError):
        store.put(("ada",), "city", {"text": "my password is hunter2secret99"})

    assert store.get(("ada",), "city") == before
    assert store.get(("bo",), "city") is not None


def test_an_item_of_a_persons_memory_that_was_replaced_is_deleted(
    store: BaseStore, client: Client
) -> None:
    """The person's words stay in the history, without the item."""
    (told,) = client.memory.add(content="Keeps bees", tags=["mine"])["memories"]
    memory = told["memory"]
    assert memory is not None
    store.put(("a",), "1", {"text": "Keeps bees"})
    client.memory.add(content="Keeps geese now", supersedes=memory["id"])

    store.delete(("a",), "1")

    assert store.get(("a",), "1") is None
    left = client.memory.get(id=memory["id"])["memory"]
    assert ("Keeps bees", ["mine"]) == (left["content"], left["tags"])


def test_a_memory_that_a_person_told_outlives_an_item(store: BaseStore, client: Client) -> None:
    """An item with the words of the person's memory takes nothing along."""
    client.memory.add(content="Keeps bees", tags=["mine"])
    store.put(("a",), "1", {"text": "Keeps bees"})
    assert store.get(("a",), "1") is not None

    store.delete(("a",), "1")

    assert store.get(("a",), "1") is None
    (memory,) = client.memory.list()["memories"]
    assert ("Keeps bees", ["mine"]) == (memory["content"], memory["tags"])


def test_a_search_finds_by_meaning_within_a_namespace(store: BaseStore) -> None:
    """Filters compare fields of the value."""
    store.put(("users", "ada"), "1", {"text": "Is allergic to walnuts", "weight": 3})
    store.put(("users", "ada"), "2", {"text": "Drives a red van", "weight": 1})
    store.put(("users", "bo"), "3", {"text": "Is allergic to cats", "weight": 5})

    found = store.search(("users", "ada"), query="which nuts can she not eat")

    assert "1" == found[0].key
    assert found[0].score is not None
    assert {"1", "2"} >= {one.key for one in found}
    assert ["3"] == [one.key for one in store.search(("users",), filter={"weight": {"$gt": 4}})]
    assert ["2"] == [one.key for one in store.search(("users",), filter={"weight": 1})]
    everything = [one.key for one in store.search(("users",))]
    assert everything[1:] == [one.key for one in store.search(("users",), offset=1)]


def test_namespaces_are_listed(store: BaseStore) -> None:
    """By prefix, suffix, wildcard and depth."""
    for namespace in (("users", "ada", "food"), ("users", "bo", "food"), ("docs",)):
        store.put(namespace, "k", {"text": f"About {namespace}"})

    assert [("docs",), ("users", "ada", "food"), ("users", "bo", "food")] == store.list_namespaces()
    assert [("users", "ada"), ("users", "bo")] == store.list_namespaces(
        prefix=("users",), max_depth=2
    )
    assert 2 == len(store.list_namespaces(suffix=("food",)))
    assert [("users", "bo", "food")] == store.list_namespaces(prefix=("*", "bo"))


def test_a_namespace_is_listed_until_its_last_item_is_deleted(store: BaseStore) -> None:
    """Even if the daemon takes another item for a correction of that one."""
    store.put(("red",), "k", {"text": "My favourite colour is red"})
    store.put(("blue",), "k", {"text": "My favourite colour is blue"})

    assert [("blue",), ("red",)] == store.list_namespaces()
    store.delete(("red",), "k")
    assert [("blue",)] == store.list_namespaces()


def test_a_graph_remembers_in_another_run(store: BaseStore) -> None:
    """An item that one thread of a compiled graph puts is found by another, also asynchronously."""

    class State(TypedDict):
        said: str
        answer: str

    async def remember(state: State, runtime: Runtime[Any]) -> dict[str, str]:
        assert runtime.store is not None
        found = await runtime.store.asearch(("me",), query=state["said"])
        await runtime.store.aput(("me",), state["said"], {"text": state["said"]})
        return {"answer": found[0].value["text"] if found else "nothing"}

    graph = StateGraph(State).add_node("remember", remember)
    graph.add_edge(START, "remember").add_edge("remember", END)
    app = graph.compile(store=store)

    first = asyncio.run(app.ainvoke({"said": "My sister Petra lives in Bern", "answer": ""}))
    second = asyncio.run(app.ainvoke({"said": "Where does my sister live?", "answer": ""}))

    assert "nothing" == first["answer"]
    assert "My sister Petra lives in Bern" == second["answer"]


def test_operations_run_in_order(store: BaseStore) -> None:
    """A batch answers each at its place."""
    store.put(("a",), "1", {"text": "Keeps bees"})
    found = store.batch([SearchOp(("a",)), SearchOp(("b",))])
    assert [1, 0] == [len(one) for one in found]
