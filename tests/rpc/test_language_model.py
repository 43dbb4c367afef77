"""A daemon with a language model, and one without: contexts, status, tokens. Budget: 30 s."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from daemons import Daemon
from endpoint import Endpoint, Status
from endpoint.poison import POISON
from prometheus_client.parser import text_string_to_metric_families

Scope = Callable[..., dict[str, Any]]
RECENT = [
    {"role": "user", "content": "My wife Sarah has a sister."},
    {"role": "assistant", "content": "I see."},
]
MESSAGE = "And what is she called?"
QUERY = "What is the name of Sarah's sister?"
KEY = "sk-a-key-that-nobody-may-see"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.end()


@pytest.fixture
def start(new_daemon: Callable[..., Daemon], endpoint: Endpoint) -> Callable[..., Daemon]:
    """Starts a daemon with this endpoint as its language model; more lines of [llm] may follow."""

    def make(more: str = "") -> Daemon:
        daemon: Daemon = new_daemon(environment={"OPENAI_API_KEY": KEY})
        daemon.config(endpoint.llm_config + more)
        return daemon.start()

    return make


def remembered(daemon: Daemon, scope: dict[str, Any]) -> list[str]:
    """Store facts about the people of the test, and return them."""
    facts = [
        "Sarah's sister is called Ruth",
        "The dentist is called Dr. Lang",
        "The dog is called Rex",
        "The car is called Molly",
    ]
    for fact in facts:
        daemon.call("memory.add", scope=scope, content=fact)
    return facts


def first_memory(context: dict[str, Any]) -> str:
    """Return the first memory for the question."""
    return str(context["memories"][0]["content"])


def state(daemon: Daemon) -> str:
    return str(daemon.call("system.status")["language_model"]["state"])


def planned(daemon: Daemon, mine: dict[str, Any], **params: Any) -> dict[str, Any]:
    context: dict[str, Any] = daemon.call(
        "context.get", scope=mine, message=MESSAGE, max_memories=1, max_tokens=120, **params
    )
    return context


def until(daemon: Daemon, mine: dict[str, Any], good: Callable[[], bool]) -> None:
    """Plan again until something holds: a loaded machine may be too slow for the first plans."""
    for number in range(200):
        planned(daemon, mine, recent=[*RECENT, {"role": "user", "content": f"{number}?"}])
        if good():
            return
        time.sleep(0.5)
    raise AssertionError("it did not come about")


def test_a_question_is_understood_from_recent(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """The rewritten question finds what the message alone does not name."""
    daemon, mine = start(), scope()
    facts = remembered(daemon, mine)
    endpoint.always("plan_search", {"query": QUERY, "lookups": []})
    until(daemon, mine, lambda: state(daemon) == "ready")

    context = planned(daemon, mine, recent=RECENT)

    assert first_memory(context) == facts[0]
    assert "planner" not in context["degraded"]


def test_look_ups_add_what_answers_them(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """A fact that the question does not name is found by a look-up, once."""
    daemon, mine = start(), scope()
    facts = remembered(daemon, mine)
    endpoint.always(
        "plan_search",
        {"query": "Suggest a name for a boat", "lookups": ["What is the dog called?"] * 2},
    )
    until(daemon, mine, lambda: state(daemon) == "ready")

    context = daemon.call(
        "context.get", scope=mine, message="Any idea?", recent=RECENT, max_memories=4
    )

    contents = [memory["content"] for memory in context["memories"]]
    assert contents.count(facts[2]) == 1


def test_a_failing_model_does_not_break_the_context(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """A failing model is reported in `degraded`; the rest of the context is unchanged."""
    daemon, mine = start(), scope()
    remembered(daemon, mine)
    endpoint.always("plan_search", Status(500))

    context = planned(daemon, mine, recent=RECENT)

    assert "planner" in context["degraded"]
    assert context["memories"]
    assert not any(KEY in line for line in daemon.log)


def test_a_sandbox_is_not_planned_for(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """A plan costs the operator's tokens."""
    daemon, mine = start(), scope()
    grant = daemon.call("grant.create", scope=mine)

    context = daemon.call("context.get", at=grant["socket"], message=MESSAGE, recent=RECENT)

    assert context["degraded"] == []
    assert endpoint.asked_for("plan_search") == []
    status = daemon.call("system.status", at=grant["socket"])["language_model"]
    assert status == {
        **dict.fromkeys(("model", "tokens_today", "max_tokens_per_day")),
        "state": "untried",
        "today": [],
    }


def test_tokens_are_counted_and_survive_a_restart(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """The status shows tokens by task."""
    daemon, mine = start(), scope()
    before = daemon.call("system.status")["language_model"]
    assert (before["state"], before["model"], before["today"]) == ("untried", "scripted", [])
    until(daemon, mine, lambda: state(daemon) == "ready")

    status = daemon.call("system.status")["language_model"]
    daemon.stop()
    again = daemon.start().call("system.status")["language_model"]

    assert status["state"] == "ready"
    (task,) = status["today"]
    assert task["task"] == "plan_search"
    # A plan that came too late was answered, and nobody was there to count it.
    assert 1 <= task["calls"] <= len(endpoint.asked_for("plan_search"))
    assert status["tokens_today"] == task["sent"] + task["received"] > 0
    assert again == {**status, "state": "untried"}


@pytest.mark.parametrize(
    ("fault", "more", "warning"),
    [
        (Status(401), "", "llm_unauthorised"),
        ({"query": QUERY, "lookups": []}, "max_tokens_per_day = 1\n", "llm_ceiling"),
    ],
)
def test_a_model_that_is_not_asked_is_a_warning_with_its_remedy(
    start: Callable[..., Daemon],
    endpoint: Endpoint,
    scope: Scope,
    fault: Any,
    more: str,
    warning: str,
) -> None:
    daemon, mine = start(more), scope()
    endpoint.always("plan_search", fault)
    until(daemon, mine, lambda: state(daemon) not in {"untried", "ready"})

    status = daemon.call("system.status")

    warned = {entry["name"]: entry["remedy"] for entry in status["warnings"]}
    assert "[llm]" in warned[warning]
    assert KEY not in str(status)


def test_a_misled_model_makes_nothing_of_what_was_not_said(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """Secrets and invented quotes are refused, and the job says why.

    Where one person speaks, another name makes it nobody else's word.
    """
    daemon = start()
    outcomes = {
        "secret": "set aside: refused: secret",
        "invented-quote": "set aside: refused: no evidence",
        "foreign-speaker": "stored 1",
    }
    for name, outcome in outcomes.items():
        mine = scope()
        endpoint.always("extract_facts", POISON[name])
        job_id = daemon.call(
            *("conversation.ingest",),
            scope=mine,
            conversation_id=name,
            messages=[{"content": "I moved to Irvine."}],
        )["job_id"]
        daemon.call("jobs.flush")

        job = daemon.call("jobs.get", id=job_id)["job"]
        assert job["outcome"] == outcome
        memories = daemon.call("memory.list", scope=mine)["memories"]
        stored = [mine["user_id"]] if name == "foreign-speaker" else []
        assert [one["owner_user_id"] for one in memories] == stored


def test_without_a_language_model_the_status_says_so(daemon: Daemon, scope: Scope) -> None:
    """The context is complete without a language model."""
    assert daemon.call("system.status")["language_model"]["state"] == "not_configured"
    assert daemon.call("context.get", scope=scope(), message=MESSAGE, recent=RECENT)["text"]


def test_questions_are_in_the_metrics(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope
) -> None:
    """By task and outcome, with their time; those that failed too. Tokens are those of answers."""
    daemon, mine = start(), scope()
    remembered(daemon, mine)
    endpoint.always("plan_search", {"query": QUERY, "lookups": []})
    until(daemon, mine, lambda: bool(_model_metrics(daemon)["ashd_llm_calls_total", "ok"]))
    tokens = _model_metrics(daemon)["ashd_llm_tokens_total", ""]
    endpoint.always("plan_search", Status(500))
    until(daemon, mine, lambda: bool(_model_metrics(daemon)["ashd_llm_calls_total", "unreachable"]))
    found = _model_metrics(daemon)

    assert tokens > 0
    assert found["ashd_llm_tokens_total", ""] >= tokens
    assert found["ashd_llm_call_seconds_count", ""] >= 2
    assert found["ashd_llm_call_seconds_sum", ""] > 0


def _model_metrics(daemon: Daemon) -> Counter[tuple[str, str]]:
    """The samples of the task by name and outcome."""
    text = daemon.call("system.metrics")["text"]
    return Counter(
        {
            (sample.name, sample.labels.get("outcome", "")): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.labels.get("task") == "plan_search" and "le" not in sample.labels
        }
    )


def ingested(daemon: Daemon, mine: dict[str, Any], text: str) -> str:
    """Ingest a turn, and return the id of the job that reads it."""
    made = daemon.call(
        "conversation.ingest", scope=mine, conversation_id=text, messages=[{"content": text}]
    )
    return str(made["job_id"])


def in_state(daemon: Daemon, job: str, state: str) -> dict[str, Any]:
    """Return the job, once it is in a state."""
    for _ in range(500):
        found: dict[str, Any] = daemon.call("jobs.get", id=job)["job"]
        if found["state"] == state:
            return found
        time.sleep(0.05)
    raise AssertionError(f"it is {found['state']}")


def stop_remedy(daemon: Daemon) -> str:
    """The remedy that the status has for stopped jobs."""
    warnings = daemon.call("system.status")["warnings"]
    (found,) = [one["remedy"] for one in warnings if one["name"] == "jobs_stopped"]
    return str(found)


@pytest.mark.parametrize("by", ["jobs.flush", "jobs.retry"])
def test_mended_key_is_tried_at_once_on_demand(
    start: Callable[..., Daemon], endpoint: Endpoint, scope: Scope, by: str
) -> None:
    """The pause after a refused key is for the daemon's own tries, not for who has mended it."""
    daemon, mine = start(), scope()
    endpoint.every = 1, Status(401)
    job = ingested(daemon, mine, "I like tea.")
    daemon.call("jobs.flush")
    waiting = in_state(daemon, job, "waiting")
    assert "key" == waiting["waits_for"]
    assert "key" in stop_remedy(daemon)
    assert "ash jobs flush" in stop_remedy(daemon)

    endpoint.every = None
    daemon.call(by, **({"id": job} if by == "jobs.retry" else {}))
    assert in_state(daemon, job, "done")["waits_for"] is None


def test_waiting_job_says_what_it_waits_for(start: Callable[..., Daemon], scope: Scope) -> None:
    """A pause in a conversation and the day's ceiling are told apart."""
    daemon, mine = start("max_tokens_per_day = 100\n"), scope()

    def waits_for(job: str) -> Any:
        return daemon.call("jobs.get", id=job)["job"]["waits_for"]

    job = ingested(daemon, mine, "I like tea.")
    assert "pause" == waits_for(job)
    daemon.call("jobs.flush")
    later = ingested(daemon, mine, "I like plums.")
    daemon.call("jobs.flush")
    assert "ceiling" == waits_for(later)
    assert "max_tokens_per_day" in stop_remedy(daemon)
    assert "ash jobs flush" not in stop_remedy(daemon)  # it would be refused again


def test_doctor_tries_an_extraction(start: Callable[..., Daemon], endpoint: Endpoint) -> None:
    """It says what a model gets wrong, and nothing about one that gets it right."""
    daemon = start()

    def found() -> list[str]:
        findings = daemon.call("db.check")["findings"]
        return [one["detail"] for one in findings if one["name"] == "language_model"]

    assert [] == found()
    said = {"content": "Vera moved.", "subjects": ["Vera"], "quote": "Vera moved to Graz"}
    made_up = {"content": "Nora likes jazz.", "quote": "I like jazz", "turn": 1}
    endpoint.script("extract_facts", {"facts": [said, made_up]})
    [detail] = found()
    assert "1 of 2 facts had their evidence; refused: no evidence" in detail
    endpoint.script("extract_facts", "No.", "No.")
    [detail] = found()
    assert "it holds no complete JSON object" in detail
    endpoint.script("extract_facts", Status(401))
    [detail] = found()
    assert "refused the API key" in detail
