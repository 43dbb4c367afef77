"""People, profile, pinned facts, conversations and grants as a person uses them. Budget: 20 s."""

import re
from collections.abc import Callable
from typing import Any, Literal

import pytest
from browsers import WIDTHS, overflow, violations
from playwright.sync_api import Page, expect
from sites import Visitor

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(visitor: Visitor, look: Callable[..., dict[str, Any]]) -> Ask:
    """Calls the daemon for an account of the test's own, as which the page looks."""
    mine = look(display_name="Dana Weiß")

    def call(method: str, **params: Any) -> dict[str, Any]:
        result: dict[str, Any] = visitor.site.daemon.call(method, **{"scope": mine, **params})
        return result

    return call


@pytest.fixture
def people(ask: Ask) -> dict[str, str]:
    """The ids of some people, by name, in several languages and scripts."""
    told = {
        "Sarah": ("my wife Sarah", "Sarah teaches chemistry in Łódź."),
        "Bob": ("my colleague Bob", "Bob runs the build server."),
        "Robert": ("my colleague Robert", "Robert ist bis Juli im Urlaub."),
        "خالد": ("my friend خالد", "خالد يعيش في دمشق."),
    }
    ids = {}
    for name, (reference, content) in told.items():
        ids[name] = ask("person.resolve", reference=reference)["person_id"]
        ask("memory.add", content=content, subjects=[name])
    return ids


def undo(page: Page) -> None:
    """Press the button beside the notice."""
    page.get_by_role("status").get_by_role("button").click()


def notice(page: Page, text: str) -> None:
    """Expect the notice of what was done."""
    expect(page.get_by_role("status")).to_contain_text(text)


def test_somebody_is_found_renamed_and_renamed_back(page: Page, people: dict[str, str]) -> None:
    """The search field leads to the list, the list to the person; the address names nobody."""
    page.goto("/people")
    page.get_by_label("Name", exact=True).first.fill("خالد")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("link", name="Sarah")).to_have_count(0)
    assert re.fullmatch(r".*/people\?f=[\w-]+", page.url)

    page.get_by_role("link", name="خالد", exact=True).click()
    expect(page).to_have_url(re.compile(f".*/people/{people['خالد']}$"))
    page.get_by_text("Rename, or add a name").click()
    page.get_by_label("New name").fill("خالد الحسن")
    page.get_by_role("button", name="Rename").click()

    notice(page, "خالد is called خالد الحسن now.")
    undo(page)
    notice(page, "خالد الحسن is called خالد now.")


def test_two_entries_are_made_one_and_two_again(page: Page, people: dict[str, str]) -> None:
    """The merge goes from the suggestion over the comparison; the undo goes back."""
    page.goto("/people/duplicates")
    page.get_by_role("button", name=re.compile("Compare .*Bob")).click()
    expect(page.get_by_role("heading", name="would be this person")).to_be_visible()
    page.get_by_role("button", name="Make them one person").click()
    notice(page, "are one person now.")
    expect(page.get_by_text("Bob runs the build server.")).to_be_visible()
    expect(page.get_by_text("Robert ist bis Juli im Urlaub.")).to_be_visible()

    undo(page)

    notice(page, "is a person of their own again.")
    for name, content in (("Bob", "Bob runs"), ("Robert", "Robert ist")):
        page.goto(f"/people/{people[name]}")
        expect(page.get_by_role("main").get_by_text(content)).to_be_visible()


def test_a_memory_is_about_somebody_else_and_back(
    page: Page, ask: Ask, people: dict[str, str]
) -> None:
    """A selected memory's change of person is previewed first."""
    ask("memory.add", content="Sarah likes the sea.", subjects=["Sarah"])
    page.goto(f"/people/{people['Sarah']}")
    page.get_by_role("listitem").filter(has_text="the sea").get_by_role("checkbox").check()
    page.get_by_role("button", name="Look at the outcome").click()
    expect(page.get_by_text("1 memory would be about a new person")).to_be_visible()
    page.get_by_role("button", name="Correct it").click()

    expect(page.get_by_text("Sarah likes the sea.")).to_be_visible()
    expect(page.get_by_text("Sarah teaches chemistry")).to_have_count(0)
    undo(page)
    expect(page.get_by_text("Sarah teaches chemistry")).to_be_visible()


def test_a_person_is_forgotten_and_remembered(page: Page, people: dict[str, str]) -> None:
    """The counts are shown before; Undo brings the memories back."""
    page.goto(f"/people/{people['Robert']}")
    page.get_by_role("button", name="Look at what would go").click()
    expect(page.get_by_text("1 memory would no longer be shown")).to_be_visible()
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("No memory is about this person.")).to_be_visible()
    undo(page)
    expect(page.get_by_text("Robert ist bis Juli im Urlaub.")).to_be_visible()


def test_the_picture_leads_to_a_person(page: Page, people: dict[str, str]) -> None:
    """The boxes of the picture are links, by mouse and by keyboard."""
    page.goto("/people/picture")
    page.locator("svg").get_by_role("link", name="Sarah").click()
    expect(page).to_have_url(re.compile(people["Sarah"]))


def test_a_profile_is_edited_compared_and_restored(page: Page, ask: Ask) -> None:
    """The words that changed are marked on each side."""
    ask("profile.set", notes="Trinkt grünen Tee.")
    page.goto("/profile")
    page.get_by_text("Edit Notes").click()
    page.get_by_label("Notes").fill("Trinkt schwarzen Tee.")
    page.get_by_role("button", name="Save").locator("visible=true").click()
    notice(page, "saved, as version 2.")

    page.get_by_role("link", name="What changed in version 2").click()
    expect(page.locator("del")).to_have_text(re.compile("grünen"))
    expect(page.locator("ins")).to_have_text(re.compile("schwarzen"))
    page.get_by_role("button", name="Restore version 1").click()
    notice(page, "is again as in version 1")
    undo(page)
    expect(page.get_by_text("Trinkt schwarzen Tee.").first).to_be_visible()


def test_a_fact_is_pinned_and_its_removal_undone(page: Page, ask: Ask) -> None:
    """A fact is on the list while it is pinned."""
    page.goto("/overrides")
    page.get_by_label("Fact").fill("Antworte auf Deutsch.")
    page.get_by_role("button", name="Pin it").click()
    row = page.get_by_role("row", name="Antworte auf Deutsch.")
    row.get_by_role("button").click()
    expect(row).to_have_count(0)
    undo(page)
    expect(row).to_be_visible()
    assert len(ask("override.list")["overrides"]) == 1


def test_a_conversation_is_read_and_deleted(page: Page, ask: Ask) -> None:
    """Deleting asks twice: for a look and for a check in a box."""
    turns = [{"user": "Kde je Anna?", "assistant": "V Brně."}]
    ask("conversation.ingest", conversation_id="rozhovor", turns=turns)
    page.goto("/conversations")
    page.get_by_role("link", name="rozhovor").click()
    expect(page.get_by_text("V Brně.")).to_be_visible()
    page.get_by_role("button", name="Delete this conversation").click()
    expect(page.get_by_text("2 messages and their summaries would go.")).to_be_visible()
    page.get_by_label("I know that this cannot be undone").first.check()
    page.get_by_role("button", name="Delete the conversation").click()
    notice(page, "deleted: 2.")
    expect(page.get_by_role("link", name="rozhovor")).to_have_count(0)


@pytest.fixture
def grant(visitor: Visitor, ask: Ask) -> str:
    """The id of a grant through which a memory came."""
    made = ask("grant.create")
    with visitor.site.daemon.client(made["socket"]) as sandbox:
        sandbox.call("memory.add", content="リリースは金曜日です。")
    found: str = made["grant_id"]
    return found


def test_what_came_through_a_grant_is_withdrawn_and_restored(page: Page, grant: str) -> None:
    """The grant is revoked too."""
    page.goto("/grants")
    page.get_by_role("link", name=grant).click()
    page.get_by_role("button", name="Withdraw all 1").click()
    expect(page.get_by_text("リリースは金曜日です。")).to_have_count(0)
    undo(page)
    expect(page.get_by_text("リリースは金曜日です。")).to_be_visible()
    page.get_by_label("Close it for good").check()
    page.get_by_role("button", name="Revoke").click()
    notice(page, "is revoked")


@pytest.mark.parametrize(("theme", "width"), [("light", "wide"), ("dark", "narrow")])
def test_inner_pages_are_accessible(
    page: Page,
    ask: Ask,
    people: dict[str, str],
    grant: str,
    theme: Literal["light", "dark"],
    width: str,
) -> None:
    """No rule of accessibility is broken on the pages that the navigation does not name."""
    for notes in ("a" * 200, "b" * 200):
        ask("profile.set", notes=notes)
    turns = [{"user": "Kde je Anna? " + "n" * 200, "assistant": "V Brně."}]
    ask("conversation.ingest", conversation_id="rozhovor" * 20, turns=turns)
    talk = ask("conversation.list")["conversations"][0]["id"]
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": WIDTHS[width], "height": 800})

    for path in (
        *("/people/picture", "/people/duplicates", f"/people/{people['Sarah']}"),
        *("/profile/versions?version=2&against=1", f"/conversations/{talk}", f"/grants/{grant}"),
    ):
        page.goto(path)
        assert violations(page) == [], path
        assert overflow(page) == 0, path
    page.goto(f"/people/{people['Sarah']}")
    page.get_by_role("button", name="Look at what would go").click()
    expect(page.get_by_role("heading", name="Forget a person")).to_be_visible()
    assert violations(page) == []
    assert overflow(page) == 0
