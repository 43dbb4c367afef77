"""Statistics, jobs, the audit and the danger zone."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from daemons import Daemon
from sites import Visitor, opened

from ashd.jobs import policy
from tests.endpoint import Endpoint

Look = Callable[..., dict[str, Any]]


@pytest.fixture
def own(daemon_of_its_own: Daemon) -> Iterator[Visitor]:
    """A visitor of a page whose daemon no other test uses."""
    with opened(daemon_of_its_own) as site:
        yield site.log_in()


@pytest.fixture
def daemon_of_its_own() -> Iterator[Daemon]:
    daemon = Daemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


def key_in(page: str) -> str:
    """The key of the erasure that a page asks about."""
    return re.search(r'name="key" value="([^"]+)"', page)[1]


def test_statistics_show_growth_and_calls(visitor: Visitor, look: Look) -> None:
    """Memories stored today are in the table beside the line, and calls are counted by method."""
    visitor.site.daemon.call("memory.add", scope=look(), content="Anna keeps bees.")
    for _ in range(50):  # the page shows the methods that are called most
        visitor.site.daemon.call("memory.add", scope=look(), content="Anna keeps bees.")
    today = visitor.site.daemon.call("db.growth", days=1)["days"][0]

    page = visitor.get("/statistics").text

    assert today["memories"] >= 1
    row = re.search(rf'<td[^>]*>{today["date"]}</td><td [^>]*class="number">([\d,]+)</td>', page)
    assert int(row[1].replace(",", "")) >= 1
    assert "memory.add" in page
    assert page.count("<svg") == 3


def test_two_lists_of_a_page_are_gone_through_by_names_of_their_own(
    visitor: Visitor, look: Look
) -> None:
    """Beyond 50 accounts and chats, a screen reader tells the links to more of them apart."""
    for number in range(51):
        visitor.site.daemon.call(
            "memory.add", scope=look(), content=f"Box {number} is in the attic"
        )

    page = visitor.get("/accounts").text

    labels = re.findall(r'<nav class="pager" aria-label="([^"]+)">', page)
    assert labels == ["More accounts", "More chats"]


def test_growth_leaves_out_earlier_days(visitor: Visitor, look: Look) -> None:
    """Earlier days are in the sum before the first day."""
    daemon = visitor.site.daemon
    daemon.call("memory.add", scope=look(), content="Anna keeps bees.")
    grown = daemon.call("db.growth", days=400)
    counts = daemon.call("db.stats")["counts"]

    added = sum(day["memories"] for day in grown["days"])

    assert grown["before"]["memories"] + added == counts["memories"]


def test_jobs_are_listed_by_state(visitor: Visitor) -> None:
    """A state that there is not is an error with a remedy."""
    assert visitor.get("/jobs").status == 200
    assert visitor.get("/jobs?state=done").status == 200
    assert visitor.get("/jobs?state=nonsense").status == 400


def test_job_that_was_set_aside_runs_again() -> None:
    """The list names the account, the conversation and the reason; the button tries once more."""
    endpoint, daemon = Endpoint(), Daemon()
    daemon.config(f'[embedding]\nprovider = "none"\n{endpoint.llm_config}')
    try:
        with opened(daemon.start(wait_for="daemon_ready")) as site:
            visitor = site.log_in()
            wrong = {"facts": [{"content": "Anna drinks coffee."}]}
            endpoint.script("extract_facts", *[wrong] * policy.MOST_FAILURES)
            daemon.call(
                *("conversation.ingest",),
                scope={"provider": "test", "user_id": "anna"},
                conversation_id="tea time",
                messages=[{"content": "I like tea."}],
            )
            daemon.call("jobs.flush")

            failed = visitor.get("/jobs?state=set_aside")
            number = re.search(r'name="id" value="([^"]+)"', failed.text)[1]
            visitor.post("/jobs/retry", id=number)
            daemon.call("jobs.flush")

            assert "anna" in failed.words
            assert "tea time" in failed.words
            assert "set aside" in failed.words
            assert "stored 1" in visitor.get("/jobs?state=done").words
    finally:
        daemon.remove()
        endpoint.end()


def test_learned_profile_says_where_its_sentences_come_from() -> None:
    """A sentence has the words of the person, or is named as the model's own."""
    endpoint, daemon = Endpoint(), Daemon()
    daemon.config(f'[embedding]\nprovider = "none"\n{endpoint.llm_config}')
    said, user = "I am a nurse in Graz.", {"provider": "test", "user_id": "anna"}
    statement = {"statement": "Anna is a nurse in Graz.", "turn": 1, "quote": said}
    endpoint.script("extract_facts", {"facts": [], "profile": [statement]})
    endpoint.script("update_profile", {"profile": "Anna is a nurse. Anna adores opera."})
    try:
        with opened(daemon.start(wait_for="daemon_ready")) as site:
            visitor = site.log_in()
            messages = [{"content": said}]
            daemon.call(
                "conversation.ingest", scope=user, conversation_id="work", messages=messages
            )
            daemon.call("jobs.flush")
            daemon.call("profile.rebuild", scope=user)
            daemon.call("jobs.flush")

            visitor.post("/viewing", account="test:anna", chat="", chat_type="", back="/")
            words = visitor.get("/profile").words.partition("Where each sentence comes from")[2]

            nurse, own = words.partition("Anna adores opera.")[::2]
            assert nurse.strip().startswith(f"Anna is a nurse. {said}")
            assert own.strip().startswith("Of no statement: the language model\u2019s own words.")
    finally:
        daemon.remove()
        endpoint.end()


def test_audit_is_filtered_and_paged(visitor: Visitor, look: Look) -> None:
    """The audit is filtered by outcome, a page at a time."""
    user = look()
    for number in range(60):
        visitor.site.daemon.call("memory.add", scope=user, content=f"Anna has {number} bees.")

    first = visitor.get("/audit?outcome=ok").text
    following = re.search(r'href="(/audit\?[^"]+)" rel="next"', first)[1].replace("&amp;", "&")

    assert "outcome=ok" in following
    assert "memory: add" in visitor.get(following).text
    assert "memory: add" not in visitor.get("/audit?outcome=scope_is_bound").text


def test_owner_is_erased_after_two_questions(own: Visitor) -> None:
    """The first question shows what would go, the second wants the name; a receipt follows."""
    daemon = own.site.daemon
    user = {"provider": "test", "user_id": "anna"}
    daemon.call("memory.add", scope=user, content="Anna keeps bees.")
    daemon.call("db.backup")

    asked = own.post("/danger/erase", field="owner", name="test:anna").text
    assert "1 memories and messages" in asked
    assert "ash-20" in asked
    key = key_in(asked)
    refused = own.post("/danger/confirmed", key=key, name="test:bob")
    assert refused.status == 400
    assert daemon.call("memory.list", scope=user)["total"] == 1

    receipt = own.post("/danger/confirmed", key=key, name="test:anna").text

    assert "Erased" in receipt
    assert daemon.call("account.list")["accounts"] == []
    assert own.post("/danger/confirmed", key=key, name="test:anna").status == 410


def test_an_erasure_is_made_for_the_account_that_saw_it(own: Visitor) -> None:
    """Two accounts may have a conversation of one name: another's is not erased in its place."""
    daemon = own.site.daemon
    turns = [{"user": "Bees?", "assistant": "Bees."}]
    for user in ("anna", "bob"):
        scope = {"provider": "test", "user_id": user}
        daemon.call("conversation.ingest", scope=scope, conversation_id="talk", turns=turns)
    own.post("/viewing", account="test:anna")
    key = key_in(own.post("/danger/erase", field="conversation_id", name="talk").text)
    own.post("/viewing", account="test:bob")

    refused = own.post("/danger/confirmed", key=key, name="talk")

    assert refused.status == 409
    assert daemon.call("conversation.list", scope=scope)["total"] == 1
    own.post("/viewing", account="test:anna")
    assert "Erased" in own.post("/danger/confirmed", key=key, name="talk").text


def test_everything_is_erased_after_the_word_was_typed_twice(own: Visitor) -> None:
    """A wrong word, or the first form alone, erases nothing."""
    daemon = own.site.daemon
    daemon.call("memory.add", content="Anna keeps bees.")

    assert own.post("/danger/clear", name="all").status == 400
    key = key_in(own.post("/danger/clear", name="everything").text)
    assert daemon.call("db.stats")["counts"]["memories"] == 1
    assert own.post("/danger/confirmed", key=key, name="").status == 400
    assert daemon.call("db.stats")["counts"]["memories"] == 1

    own.post("/danger/confirmed", key=key, name="everything")

    assert daemon.call("db.stats")["counts"]["memories"] == 0


def test_backup_is_made_and_named(own: Visitor) -> None:
    """The danger zone then shows it as the newest."""
    assert "There is no backup." in own.get("/danger").text

    page = own.post("/danger/backup").text

    assert "Backed up and verified" in page
    assert "There is no backup." not in page


def test_panel_of_a_call_that_fails_leaves_the_others(own: Visitor) -> None:
    """A daemon that is gone is an error in every panel, and the page still comes."""
    own.site.daemon.stop()

    page = own.get("/system")

    assert page.status == 200
    assert page.text.count('class="problem"') == 4
    assert "ashd serve" in page.text
