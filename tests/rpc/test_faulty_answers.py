"""Ordinary faults of small models: each costs its own fact, never the others. Budget: 60 s."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from scripted_model import ModelWorld
from waiting import until

from tests.endpoint import faulty

Scope = Callable[..., dict[str, Any]]
CALLS = {
    "empty": 2,
    "a refusal": 2,
    "the prompt repeated": 2,
    "an answer as the person": 2,
    "cut at the limit": 3,
}
"""Calls with a fault that leaves a part to ask for again; the second answer has none."""
TURNS = 4


@pytest.fixture(scope="module")
def world() -> Iterator[ModelWorld]:
    with ModelWorld.running() as made:
        yield made


def read(world: ModelWorld, scope: dict[str, Any]) -> dict[str, Any]:
    """Read turns, and return the ended job."""
    world.endpoint.requests.clear()
    messages = [{"content": faulty.said(number * 11)} for number in range(TURNS)]
    made = world.daemon.call(
        "conversation.ingest", scope=scope, conversation_id="talk", messages=messages
    )
    assert 0 == world.daemon.call("jobs.flush")["waiting"]
    job: dict[str, Any] = world.daemon.call("jobs.get", id=made["job_id"])["job"]
    return job


def contents(world: ModelWorld, scope: dict[str, Any]) -> set[str]:
    return {
        one["content"]
        for one in world.daemon.call("memory.list", scope=scope, limit=100)["memories"]
    }


@pytest.mark.parametrize("fault", sorted(faulty.FAULTS))
def test_fault_costs_its_own_fact_only(world: ModelWorld, scope: Scope, fault: str) -> None:
    """Every right fact is stored, every wrong one refused, with two calls more at most."""
    me = scope(username="david")
    made: list[tuple[set[str], frozenset[str]]] = []

    def answer(request: dict[str, Any]) -> Any:
        facts = faulty.right(request)
        right = {fact["content"] for fact in facts}
        if made:
            made.append((right, frozenset()))
            return faulty.text(facts)
        given = faulty.FAULTS[fault](facts)
        made.append((right, given.wrong))
        return given.answer

    world.endpoint.always("extract_facts", answer)
    job = read(world, me)

    right, wrong = made[0]
    assert TURNS == len(right)
    assert right - wrong == contents(world, me)
    assert "done" == job["state"]
    assert bool(wrong) == ("refused" in job["outcome"])
    assert (fault == "duplicate facts") == ("repeated" in job["outcome"])
    calls = len(world.endpoint.asked_for("extract_facts"))
    assert CALLS.get(fault, 1) == calls


def test_model_that_always_refuses_is_asked_in_three_attempts(
    world: ModelWorld, scope: Scope
) -> None:
    """Once about all turns, then about each half; each question is repeated once."""
    me = scope(username="david")
    world.endpoint.always(
        "extract_facts", lambda request: faulty.FAULTS["a refusal"](faulty.right(request)).answer
    )
    job = read(world, me)

    outcome = "set aside: refused: no usable answer (2)"
    assert ("set_aside", outcome, 3) == (job["state"], job["outcome"], job["attempts"])
    assert 2 + 4 + 4 == len(world.endpoint.asked_for("extract_facts"))
    assert set() == contents(world, me)


def test_turn_that_the_model_refuses_costs_itself_only(world: ModelWorld, scope: Scope) -> None:
    """The others are read in ever smaller parts; a retry asks about that turn alone."""
    me = scope(username="david")
    poison = faulty.content_of(22)

    def answer(request: dict[str, Any]) -> Any:
        facts = faulty.right(request)
        if poison in {fact["content"] for fact in facts}:
            return faulty.FAULTS["a refusal"](facts).answer
        return faulty.text(facts)

    world.endpoint.always("extract_facts", answer)
    job = read(world, me)

    assert "set aside: stored 3; refused: no usable answer" == job["outcome"]
    assert TURNS - 1 == len(contents(world, me))

    world.endpoint.reset()
    world.endpoint.always("extract_facts", lambda request: faulty.text(faulty.right(request)))
    world.daemon.call("jobs.retry", id=job["id"])
    world.daemon.call("jobs.flush")
    assert "stored 4" == world.daemon.call("jobs.get", id=job["id"])["job"]["outcome"]
    assert TURNS == len(contents(world, me))
    (asked,) = world.endpoint.asked_for("extract_facts")
    assert [poison] == [fact["content"] for fact in faulty.right(asked)]


def test_messages_without_an_answer_are_asked_about_again(world: ModelWorld, scope: Scope) -> None:
    """The same holds of messages that a caller hands over."""
    me = scope(username="david")
    poison = faulty.content_of(22)

    def answer(request: dict[str, Any]) -> Any:
        facts = faulty.right(request)
        return "" if poison in {fact["content"] for fact in facts} else faulty.text(facts)

    world.endpoint.always("extract_facts", answer)
    messages = [{"role": "user", "content": faulty.said(number * 11)} for number in range(TURNS)]
    made = world.daemon.call("memory.extract", scope=me, messages=messages)
    # On a busy machine the job takes longer than the call that waits for it.
    until(lambda: not world.daemon.call("jobs.flush")["waiting"])

    job = world.daemon.call("jobs.get", id=made["job_id"])["job"]
    assert "set aside: stored 3; refused: no usable answer" == job["outcome"]
    assert TURNS - 1 == len(contents(world, me))


def test_waiting_job_says_what_it_got_so_far(world: ModelWorld, scope: Scope) -> None:
    """Another attempt comes after a pause."""
    me = scope(username="david")
    world.endpoint.always("extract_facts", "")
    made = world.daemon.call(
        "conversation.ingest",
        scope=me,
        conversation_id="talk",
        messages=[{"content": faulty.said(number)} for number in range(10)],
    )

    def tried() -> dict[str, Any] | None:
        job: dict[str, Any] = world.daemon.call("jobs.get", id=made["job_id"])["job"]
        return job if job["error"] else None

    job = until(tried)
    assert ("waiting", "pause") == (job["state"], job["waits_for"])
    assert "refused: no usable answer" == job["error"]
    world.daemon.call("jobs.flush")


def test_rest_of_a_cut_answer_is_asked_for_in_halves(world: ModelWorld, scope: Scope) -> None:
    """A model with room for one fact an answer still tells all of them, and nothing runs on."""
    me = scope(username="david")

    def answer(request: dict[str, Any]) -> Any:
        facts = faulty.right(request)
        whole = faulty.text(facts)
        if len(facts) == 1:
            return whole
        at = whole.index('"content"', whole.index('"content"') + 1)
        return faulty.Text(whole[: at + 9], finish_reason="length")

    world.endpoint.always("extract_facts", answer)
    job = read(world, me)

    assert "done" == job["state"]
    assert TURNS == len(contents(world, me))


def test_model_that_always_runs_on_is_asked_seven_times(world: ModelWorld, scope: Scope) -> None:
    """Each attempt ends with two halves; quarters of an answer without a single fact are none."""
    me = scope(username="david")
    world.endpoint.always(
        "extract_facts", faulty.Text('{"facts": [{"content": "la la la', finish_reason="length")
    )
    job = read(world, me)

    assert "set aside: refused: no usable answer (2)" == job["outcome"]
    assert 3 + 2 + 2 == len(world.endpoint.asked_for("extract_facts"))
