"""The page *System*: how the daemon is, what it holds, what was done last, and *sync now*."""

import re

from sites import Visitor


def test_system_shows_counts_and_the_last_changes(visitor: Visitor) -> None:
    """A stored memory is counted, and its audit row is among the last."""
    visitor.site.daemon.call("memory.add", content="Anna keeps bees.")

    page = visitor.get("/system")

    assert page.status == 200
    assert "memory: add" in page.text
    assert "bees" not in page.text


def test_sync_runs_the_waiting_jobs_and_says_so_once(visitor: Visitor) -> None:
    """The answer is a redirect to the system's page, which shows the outcome, and not again."""
    page = visitor.post("/sync")

    assert "Synced: 0 jobs done" in page.text
    assert "Synced" not in visitor.get("/system").text


def test_audit_tells_the_page_from_the_command_line(visitor: Visitor) -> None:
    """An action of the page is recorded with the actor "web" and the process's id."""
    visitor.post("/sync")

    entries = visitor.site.daemon.call("audit.list", limit=2)["entries"]
    # The system's page, which is shown next, may be the page's first look at everybody's accounts.
    entry = next(one for one in entries if one["outcome"] == "ok")

    assert (entry["actor"], entry["method"]) == ("web", "jobs.flush")
    assert entry["peer_pid"] == visitor.site.process.pid


def test_view_of_another_account_lasts_until_it_is_changed(visitor: Visitor) -> None:
    """The chosen account is on every page."""
    page = visitor.post("/viewing", account="telegram:77", chat="-100", chat_type="group", back="/")

    assert "telegram:77, in the group chat -100" in page.text
    assert "telegram:77" in visitor.get("/").text
    assert "you, in private" in visitor.post("/viewing", back="/").text


def test_form_of_a_former_view_changes_nothing(visitor: Visitor) -> None:
    """A page left open in another tab shows another account than its form would act for."""
    former = visitor.form_token
    visitor.post("/viewing", account="telegram:77", back="/")

    answer = visitor.post("/sync", token=former)

    assert answer.status == 403
    assert "Open the page again" in answer.words
    assert visitor.post("/sync").status == 200
    visitor.post("/viewing", back="/")


def test_view_of_an_account_without_memories_says_so(visitor: Visitor) -> None:
    """A name that is spelt wrong is not taken for somebody about whom nothing is known."""
    visitor.site.daemon.call(
        "memory.add", scope={"provider": "test", "user_id": "known"}, content="Keeps bees."
    )

    assert "spelt right?" in visitor.post("/viewing", account="test:knwon", back="/").text
    assert "spelt right?" not in visitor.post("/viewing", account="test:known", back="/").text


def test_look_at_everybodys_memories_is_announced(visitor: Visitor) -> None:
    """The switch says what it does, and that it is recorded."""
    page = visitor.post("/viewing", all_scopes="yes", back="/").text

    assert "each such look is in the audit" in page
    assert "each such look" not in visitor.post("/viewing", back="/").text


def test_first_load_is_small(visitor: Visitor) -> None:
    """A page with its style sheet, script and icon has 30 kB at most, all of it ours."""
    page = visitor.get("/").text
    assets = {path: visitor.get(path).text for path in re.findall(r'"(/static/[^"]+)"', page)}

    assert len(assets) == 3
    assert len(page.encode()) + sum(len(text.encode()) for text in assets.values()) <= 30_000
    assert next(len(text) for path, text in assets.items() if "/ash." in path) <= 6_000
    assert "://" not in page
