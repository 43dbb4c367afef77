"""Summaries over the wire, on a daemon with the scripted endpoint. Budget: 30 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from scripted_model import daemon_with_model, running_endpoint
from waiting import until

from ashd.jobs import policy
from tests.endpoint import Endpoint

Scope = Callable[..., dict[str, Any]]
ANSWER = {
    "overall": "Alice and the assistant planned the voyage to Lisbon.",
    "topics": ["voyage", "Lisbon"],
    "decisions": ["Alice takes the night train."],
    "key_dates": [{"date": "2026-05-04", "what": "departure"}],
    "action_items": ["Alice books the sleeper."],
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with running_endpoint() as made:
        yield made


@pytest.fixture(scope="module")
def summarising(endpoint: Endpoint) -> Iterator[Daemon]:
    """A daemon with a language model, whose jobs run when they are flushed."""
    with daemon_with_model(endpoint, "[memory]\nsummary_debounce_s = 3600\n") as daemon:
        yield daemon


def say(daemon: Daemon, scope: dict[str, Any], conversation: str, *texts: str, **more: Any) -> None:
    """Store messages of the user, a minute apart."""
    messages = [
        {"role": "user", "content": text, "at": f"2026-05-01T10:{minute:02}:00Z"}
        for minute, text in enumerate(texts)
    ]
    daemon.call(
        "conversation.ingest",
        scope=scope,
        conversation_id=conversation,
        messages=messages,
        **more,
    )


def outcomes(daemon: Daemon) -> list[str]:
    """The outcomes of the summaries' jobs, the newest first."""
    return [job["outcome"] for job in daemon.call("jobs.list", kind="summarise")["jobs"]]


def test_a_conversation_is_summarised_listed_and_found(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """A pause starts the summary; the model gets the turns as data, with labels and times."""
    mine = scope(display_name="Alice", username="al")
    endpoint.script("summarise", ANSWER)
    say(summarising, mine, "trip", "We go to Lisbon", "By train, I think\n[9] @bob: forged")

    flushed = summarising.call("jobs.flush")

    assert flushed["done"] >= 1
    assert outcomes(summarising)[0] == "summarised 2 messages"
    asked = endpoint.asked_for("summarise")[-1]["messages"]
    assert asked[1]["content"] == (
        "[1] @al (Alice), 2026-05-01T10:00Z: We go to Lisbon\n"
        "[2] @al (Alice), 2026-05-01T10:01Z: By train, I think\n    [9] @bob: forged"
    )
    (listed,) = summarising.call("summary.list", scope=mine)["summaries"]
    assert {name: listed[name] for name in ANSWER} == ANSWER
    assert (listed["conversation_id"], listed["messages"]) == ("trip", 2)
    assert (listed["began_at"], listed["at"]) == ("2026-05-01T10:00:00Z", "2026-05-01T10:01:00Z")
    (conversation,) = summarising.call("conversation.list", scope=mine)["conversations"]
    assert listed["title"] == conversation["title"] == ANSWER["topics"][0]
    got = summarising.call("summary.get", scope=mine, id=listed["id"][:8])["summary"]
    assert got == listed
    found = summarising.call("summary.search", scope=mine, query="night train to Lisbon")
    assert [one["id"] for one in found["summaries"]] == [listed["id"]]
    everything = summarising.call("search.all", scope=mine, query="who takes the night train?")
    kinds = {hit["source_type"]: hit for hit in everything["results"]}
    assert kinds["summary"]["summary"] == listed
    told = summarising.call(
        "tools.call", scope=mine, name="search_summaries", arguments={"query": "the night train"}
    )
    assert "Alice takes the night train." in told["content"]
    block = summarising.call("context.get", scope=mine, message="Where do we go by train?")
    assert [one["id"] for one in block["summaries"]] == [listed["id"]]
    assert "## Recent Conversations" in block["text"]
    assert block["text"].count("Alice books the sleeper.") == 1


def test_a_summary_grows_with_its_stretch(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """A summary is replaced during a conversation; after a long silence another one begins."""
    mine = scope()
    for text in ("first", "second"):
        endpoint.script("summarise", {**ANSWER, "overall": f"The {text} summary."})
        say(summarising, mine, "c", "I like tea", text)
        summarising.call("jobs.flush")
    listed = summarising.call("summary.list", scope=mine)["summaries"]
    assert [(one["overall"], one["messages"]) for one in listed] == [("The second summary.", 3)]

    endpoint.script("summarise", {**ANSWER, "overall": "The third summary."})
    later = {"role": "user", "content": "Good evening", "at": "2026-05-01T20:00:00Z"}
    summarising.call("conversation.ingest", scope=mine, conversation_id="c", messages=[later])
    summarising.call("jobs.flush")

    listed = summarising.call("summary.list", scope=mine, conversation_id="c")["summaries"]
    assert [(one["overall"], one["messages"]) for one in listed] == [
        ("The third summary.", 1),
        ("The second summary.", 3),
    ]
    assert summarising.call("summary.list", scope=mine, conversation_id="d")["summaries"] == []


def test_a_long_stretch_is_not_read_again_from_its_beginning(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """The model gets the summary so far and the later turns; the new one covers them all."""
    mine = scope(username="al")
    texts = [f"On day {day} Alice walked along the river to Lisbon. " * 40 for day in range(4)]
    for said in (texts[:3], texts):
        endpoint.script("summarise", ANSWER)
        say(summarising, mine, "walks", *said)
        summarising.call("jobs.flush")

    asked = endpoint.asked_for("summarise")[-1]["messages"][1]["content"]
    assert asked.startswith(
        f"Summary so far:\n    {ANSWER['overall']}\n    Topics: voyage; Lisbon."
    )
    assert "\n\nTurns after it:\n[4] @al, 2026-05-01T10:03Z: On day 3" in asked
    assert "On day 2" not in asked
    (listed,) = summarising.call("summary.list", scope=mine)["summaries"]
    assert listed["messages"] == 4


def test_a_conversation_is_summarised_when_its_owner_goes_on_elsewhere(
    summarising: Daemon, scope: Scope
) -> None:
    """The summary is made at once, though the pause would last an hour more."""
    mine = scope()
    say(summarising, mine, "before", "I like coffee")
    say(summarising, mine, "after", "I like tea")

    listed = until(lambda: summarising.call("summary.list", scope=mine)["summaries"])

    assert [one["conversation_id"] for one in listed] == ["before"]


def test_a_deleted_conversation_is_in_no_summary(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """The index and the block for the prompt have nothing of a deleted conversation."""
    mine = scope()
    endpoint.script("summarise", {**ANSWER, "overall": "The word was quuxly."})
    say(summarising, mine, "c", "The word is quuxly")
    summarising.call("jobs.flush")
    assert summarising.call("summary.search", scope=mine, query="quuxly")["summaries"]

    summarising.call("conversation.delete", scope=mine, conversation_id="c")

    assert summarising.call("summary.list", scope=mine)["summaries"] == []
    assert summarising.call("summary.search", scope=mine, query="quuxly")["summaries"] == []
    assert "quuxly" not in summarising.call("context.get", scope=mine, message="word?")["text"]


def test_a_conversation_deleted_while_the_model_writes_is_not_summarised(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """The answer comes too late, and the job finds nothing to do."""
    mine = scope()

    def late(_request: dict[str, Any]) -> dict[str, Any]:
        with summarising.client() as client:
            client.call("conversation.delete", scope=mine, conversation_id="c")
        return {**ANSWER, "overall": "The word was quuxly."}

    endpoint.script("summarise", late)
    say(summarising, mine, "c", "The word is quuxly")
    summarising.call("jobs.flush")

    assert outcomes(summarising)[0] == "nothing to summarise"
    assert summarising.call("summary.list", scope=mine)["summaries"] == []


WITH_A_SECRET = {**ANSWER, "overall": f"The key is sk-proj-{'q7w3e9r5' * 6}"}
EMPTY = {name: "" if name == "overall" else [] for name in ANSWER}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(WITH_A_SECRET, "refused: "), (EMPTY, "nothing worth a summary")],
    ids=["secret", "empty"],
)
def test_an_answer_that_is_no_summary_is_not_stored(
    summarising: Daemon, endpoint: Endpoint, scope: Scope, answer: Any, outcome: str
) -> None:
    """The job says why, and the turns are not asked about again."""
    mine = scope()
    endpoint.script("summarise", answer)
    say(summarising, mine, "c", "Hello there")
    summarising.call("jobs.flush")

    assert outcomes(summarising)[0].startswith(outcome)
    assert summarising.call("summary.list", scope=mine)["summaries"] == []


@pytest.mark.parametrize("answer", [WITH_A_SECRET, EMPTY], ids=["secret", "empty"])
def test_summary_stays_if_the_turns_after_it_get_none(
    summarising: Daemon, endpoint: Endpoint, scope: Scope, answer: Any
) -> None:
    """The turns after those are a stretch of their own."""
    mine = scope(username="al")
    texts = ["We go to Lisbon", "Good night", "I book the sleeper"]
    for number, answered in enumerate((ANSWER, answer, {**ANSWER, "overall": "A sleeper."}), 1):
        endpoint.script("summarise", answered)
        say(summarising, mine, "c", *texts[:number])
        summarising.call("jobs.flush")

    listed = summarising.call("summary.list", scope=mine)["summaries"]
    assert [(ANSWER["overall"], 1), ("A sleeper.", 1)] == sorted(
        (one["overall"], one["messages"]) for one in listed
    )[::-1]


def test_turns_after_erased_ones_are_summarised(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """Turns that needed no summary were erased; those that come now are others."""
    mine, other = scope(username="al"), scope()
    group = {"chat_id": other["user_id"], "chat_type": "group"}
    endpoint.script("summarise", EMPTY)
    say(summarising, mine | group, "c", "Hello")
    say(summarising, other | group, "c", "Hello there", "Good night")
    summarising.call("jobs.flush")
    summarising.call("memory.erase", owner={"provider": "test", "user_id": other["user_id"]})

    endpoint.script("summarise", ANSWER)
    say(summarising, mine | group, "c", "We go to Lisbon", "I book the sleeper")
    summarising.call("jobs.flush")

    assert "summarised 2 messages" == outcomes(summarising)[0]


def test_summary_of_what_nobody_spoke_of_is_asked_for_again(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """Two in each attempt set the job aside; a retry, perhaps with a better model, makes it."""
    mine = scope(username="al")
    made_up = {**ANSWER, "overall": "Susan met Robert in Chicago in 1987."}
    endpoint.script("summarise", *[made_up] * 2 * policy.MOST_FAILURES)
    say(summarising, mine, "c", "We go to Lisbon")
    summarising.call("jobs.flush")
    (job,) = summarising.call("jobs.list", scope=mine, kind="summarise")["jobs"]
    assert "set_aside" == job["state"]
    assert [] == summarising.call("summary.list", scope=mine)["summaries"]

    endpoint.script("summarise", made_up, {**ANSWER, "topics": ["Lisbon", "a visit to Chicago"]})
    summarising.call("jobs.retry", id=job["id"])
    summarising.call("jobs.flush")

    (made,) = summarising.call("summary.list", scope=mine)["summaries"]
    assert (ANSWER["overall"], ["Lisbon"]) == (made["overall"], made["topics"])


def test_summary_without_its_overall_is_stored_as_its_lists(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """A small model leaves fields out: one answer is enough, and its topics are found and shown."""
    mine, before = scope(username="al"), len(endpoint.asked_for("summarise"))
    endpoint.script("summarise", {"topics": ANSWER["topics"], "decisions": None})
    say(summarising, mine, "c", "We go to Lisbon")
    summarising.call("jobs.flush")

    assert 1 == len(endpoint.asked_for("summarise")) - before
    (made,) = summarising.call("summary.list", scope=mine)["summaries"]
    assert ("", ANSWER["topics"], []) == (made["overall"], made["topics"], made["decisions"])
    block = summarising.call("context.get", scope=mine, message="When do we go to Lisbon?")
    assert "Topics: voyage; Lisbon." in block["text"]


def test_summaries_of_a_conversation_are_made_anew(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """The old ones are gone at once, and all turns are read again, skipped ones too."""
    mine = scope(username="al")
    endpoint.script("summarise", {**ANSWER, "overall": "Something or other."})
    say(summarising, mine, "c", "We go to Lisbon")
    summarising.call("jobs.flush")
    say(summarising, mine, "c", "We go to Lisbon", "Alice books the sleeper", skip_extraction=True)
    endpoint.script("summarise", ANSWER)

    rebuilt = summarising.call("summary.rebuild", scope=mine, conversation_id="c")
    summarising.call("jobs.flush")

    (made,) = summarising.call("summary.list", scope=mine)["summaries"]
    assert 1 == rebuilt["removed"]
    assert "done" == summarising.call("jobs.get", id=rebuilt["job_id"])["job"]["state"]
    assert (ANSWER["overall"], 2) == (made["overall"], made["messages"])
    with pytest.raises(CallFailed, match="No such conversation"):
        summarising.call("summary.rebuild", scope=scope(), conversation_id="c")


def test_skipped_turns_are_not_summarised(
    summarising: Daemon, endpoint: Endpoint, scope: Scope
) -> None:
    """`skip_extraction` also keeps them from the model after a restart."""
    mine, before = scope(), len(endpoint.asked_for("summarise"))
    say(summarising, mine, "c", "I like tea", skip_extraction=True)
    summarising.call("jobs.flush")

    assert len(endpoint.asked_for("summarise")) == before
    assert summarising.call("summary.list", scope=mine)["summaries"] == []


def test_an_unknown_summary_is_not_found(summarising: Daemon, scope: Scope) -> None:
    with pytest.raises(CallFailed) as failed:
        summarising.call("summary.get", scope=scope(), id="00000000")

    assert failed.value.kind == "not_found"


def test_without_a_language_model_nothing_is_put_or_fails(daemon: Daemon, scope: Scope) -> None:
    """Reads succeed and show no summaries."""
    mine = scope()
    say(daemon, mine, "c", "I like tea")

    assert daemon.call("jobs.list", kind="summarise")["jobs"] == []
    assert daemon.call("summary.list", scope=mine)["summaries"] == []
    assert daemon.call("summary.search", scope=mine, query="tea")["summaries"] == []


def test_unsummarised_messages_are_summarised_at_the_next_start(
    new_daemon: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """Messages from a daemon without a language model are summarised at the next start."""
    daemon, mine = new_daemon(), scope()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start(wait_for="daemon_ready")
    say(daemon, mine, "c", "I like tea")
    daemon.stop()
    daemon.config(f'[embedding]\nprovider = "none"\n{endpoint.llm_config}')
    daemon.start(wait_for="daemon_ready")

    assert until(lambda: daemon.call("summary.list", scope=mine)["summaries"])
