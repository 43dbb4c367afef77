"""The pages about people, without a browser: lists, one person, who is who. Budget: 6 s."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sites import Visitor, opened

HOSTILE = '<img src=x onerror="alert(1)">\u202eevil'


@pytest.fixture
def somebody(look: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """The scope of an account that no other test has, and that the visitor looks as."""
    return look()


def call(visitor: Visitor, mine: dict[str, Any], method: str, **params: Any) -> dict[str, Any]:
    """A call of the daemon for this account."""
    result: dict[str, Any] = visitor.site.daemon.call(method, scope=mine, **params)
    return result


def resolve(visitor: Visitor, mine: dict[str, Any], reference: str) -> str:
    """The id of the person that is meant."""
    found: str = call(visitor, mine, "person.resolve", reference=reference)["person_id"]
    return found


def remember(visitor: Visitor, mine: dict[str, Any], content: str, *subjects: str) -> str:
    """The id of a new memory."""
    added = call(visitor, mine, "memory.add", content=content, subjects=list(subjects))
    found: str = added["memories"][0]["memory"]["id"]
    return found


def test_people_are_filtered_without_names_in_the_url(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """The search leads to a page whose address has a key alone, and which lists who fits."""
    for reference in ("my wife Žofie", "my friend Hiroshi"):
        resolve(visitor, somebody, reference)

    everybody = visitor.get("/people")
    answer = visitor.site.request(
        *("POST", "/people"),
        {"token": visitor.form_token, "query": "Hiroshi", "relationship": "", "order": "name"},
        visitor.headers,
    )
    found = visitor.get(answer.headers["location"])
    wives = visitor.post("/people", query="", relationship="wife", order="")

    assert "Žofie" in everybody.text
    assert "Hiroshi" in everybody.text
    assert "Hiroshi" not in answer.headers["location"]
    assert ("Hiroshi" in found.text, "Žofie" in found.text) == (True, False)
    assert ("Hiroshi" in wives.text, "Žofie" in wives.text) == (False, True)


def test_the_key_of_a_search_is_no_filter_of_people(visitor: Visitor) -> None:
    """Whoever edits the address sees everybody."""
    fields = {"token": visitor.form_token, "query": "tea"}
    answer = visitor.site.request("POST", "/search", fields, visitor.headers)
    _, _, key = answer.headers["location"].partition("key=")

    assert key
    assert visitor.get(f"/people?f={key}").status == 200


def test_many_people_come_page_by_page(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """The last page has no next one, and no person is on two pages."""
    for number in range(55):
        call(visitor, somebody, "person.create", name=f"Person {number:02}")

    first = visitor.get("/people")
    more = re.search(r'href="(/people\?cursor=[^"]+)" rel="next"', first.text)
    assert more
    second = visitor.get(more[1])

    names = [set(re.findall(r"Person \d\d", page.text)) for page in (first, second)]
    assert 55 == len(names[0] | names[1])
    assert set() == names[0] & names[1]
    assert 'rel="next"' not in second.text


def test_a_picture_says_what_it_leaves_out(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """A person related to nobody is not drawn; the table says the same as the picture."""
    resolve(visitor, somebody, "my wife Žofie")
    call(visitor, somebody, "person.create", name="Nobody's Friend")

    page = visitor.get("/people/picture")

    assert "2 of 3 people and 1 of 1 relationships are drawn" in page.words
    assert page.text.count("<rect") == 2
    assert "Nobody" not in page.text
    assert "style=" not in page.text
    assert "wife" in page.text.partition("The same as a table")[2]


def test_a_new_name_can_be_undone(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """Renaming, an alias and a relationship each come with a button that takes them back."""
    sara = resolve(visitor, somebody, "Sara")

    renamed = visitor.post(f"/people/{sara}/rename", name="Sarah")
    again = visitor.undo(renamed)
    called = visitor.post(f"/people/{sara}/alias", alias="Sally")
    not_called = visitor.undo(called)
    related = visitor.post(f"/people/{sara}/relate", relationship="sister", to_name="")
    visitor.undo(related)
    person = call(visitor, somebody, "person.get", id=sara)["person"]

    assert "Sara is called Sarah now." in renamed.words
    assert "Sarah is called Sara now." in again.words
    assert "“Sally” means Sara now." in called.words
    assert "“Sally” no longer means Sara." in not_called.words
    assert ("Sara", []) == (person["name"], person["aliases"])
    assert [True] == [one["ended_at"] is not None for one in person["relationships"]]


def test_a_person_shows_who_stated_what_and_when(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """The page has both directions of a relationship, the memories, and their kind."""
    resolve(visitor, somebody, "my boss Ines")
    remember(visitor, somebody, "Ines prefers short reports.", "Ines")
    me, ines = resolve(visitor, somebody, "me"), resolve(visitor, somebody, "Ines")

    own, other = visitor.get(f"/people/{ines}"), visitor.get(f"/people/{me}")

    assert "Ines prefers short reports." in own.text
    for page in (own, other):
        row = re.search(r"<tr>(?:(?!</tr>).)*boss.*?</tr>", page.text, re.DOTALL)
        assert row
        assert somebody["user_id"] in row[0]
        assert "<time" in row[0]


def test_a_merge_is_compared_made_and_undone(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """The merge needs a second button, and Undo separates the two again."""
    remember(visitor, somebody, "Rob plays chess.", "Rob")
    rob, robert = resolve(visitor, somebody, "Rob"), resolve(visitor, somebody, "Robert Oduya")

    compared = visitor.post(f"/people/{rob}/merge", name="Robert Oduya")
    still = call(visitor, somebody, "person.get", id=rob)["person"]["name"]
    before = visitor.get(f"/people/{robert}")
    merged = visitor.post(f"/people/{rob}/merge/make", into=robert)
    parted = visitor.undo(merged)

    assert "1 memory about Rob would be about Robert Oduya." in compared.words
    assert "Rob" == still
    assert "Undo the latest merge" not in before.text
    assert "Rob and Robert Oduya are one person now." in merged.words
    assert "Rob plays chess." in merged.text
    assert "Undo the latest merge" in merged.text
    assert "Rob is a person of their own again." in parted.words
    assert rob == call(visitor, somebody, "person.get", id=rob)["person"]["id"]


def test_one_of_several_people_of_a_name_is_chosen(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """A name that fits two leads to a page that asks which is meant."""
    kim = call(visitor, somebody, "person.create", name="Kim Park")["person"]["id"]
    twins = [
        call(visitor, somebody, "person.create", name="Kim Lee")["person"]["id"] for _ in range(2)
    ]

    page = visitor.post(f"/people/{kim}/merge", name="Kim Lee")

    assert "Who is the same person as Kim Park?" in page.words
    assert all(f'name="other" value="{twin}"' in page.text for twin in twins)
    unknown = visitor.post(f"/people/{kim}/merge", name="Quentin")
    assert "Nobody is known by this name." in unknown.words


def test_an_identification_is_undone_for_one_memory_and_for_all(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """The outcome is shown first; Undo brings the memories back."""
    first = remember(visitor, somebody, "Jun paints.", "Jun")
    remember(visitor, somebody, "Jun lives in Kyoto.", "Jun")
    jun = resolve(visitor, somebody, "Jun")
    here = f"/people/{jun}/misidentified"

    one = visitor.post(here, reference="Jun", memory=first)
    every = visitor.post(here, reference="Jun")
    none = visitor.post(here, reference="my painter")
    before = visitor.get(f"/people/{jun}")
    moved = visitor.post(f"{here}/make", reference="Jun", memory=first)
    back = visitor.undo(moved)

    assert "1 memory would be about a new person, Jun" in one.words
    assert "2 memories would be about a new person, Jun" in every.words
    assert "Correct it" in every.words
    assert "nothing would change" in none.words
    assert "Correct it" not in none.words
    assert "2 memories, newest first" in before.words
    assert "1 memory, newest first" in moved.words
    assert "2 memories, newest first" in back.words


def test_a_person_is_forgotten_after_a_look_and_comes_back(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """Archiving comes with Undo; erasing asks for a check in a box, and leaves nothing."""
    remember(visitor, somebody, "Ida sings.", "Ida")
    ida = resolve(visitor, somebody, "Ida")

    look = visitor.post(f"/people/{ida}/forget")
    gone = visitor.post(f"/people/{ida}/forget/make", how="archive")
    back = visitor.undo(gone)
    unsure = visitor.post(f"/people/{ida}/forget/make", how="erase")
    kept = visitor.get(f"/people/{ida}")
    erased = visitor.post(f"/people/{ida}/forget/make", how="erase", sure="yes")

    assert "1 memory would no longer be shown" in look.words
    assert "Ida sings." not in gone.text
    assert "Ida sings." in back.text
    assert (400, True) == (unsure.status, "Ida sings." in kept.text)
    assert "erased for good: 1" in erased.words
    assert visitor.get(f"/people/{ida}").status == 404


def test_what_names_a_person_is_listed_before_it_is_erased(
    visitor: Visitor, somebody: dict[str, Any]
) -> None:
    """A box of its own takes it along; without it the texts stay."""
    ida = resolve(visitor, somebody, "Idalina Brumm")
    call(visitor, somebody, "memory.add", content="I heard Idalina Brumm sing")

    look = visitor.post(f"/people/{ida}/forget")
    visitor.post(f"/people/{ida}/forget/make", how="erase", sure="yes", mentions="yes")

    assert "name the person without being linked" in look.words
    assert call(visitor, somebody, "memory.list")["total"] == 0


@pytest.mark.usefixtures("somebody")
def test_a_person_added_by_mistake_is_deleted_again(visitor: Visitor) -> None:
    """Adding somebody comes with Undo."""
    page = visitor.post("/person/add", name="Zé", relationship="neighbour")

    assert "Zé was added." in page.words
    assert "Zé was deleted." in visitor.undo(page).words


def test_names_are_shown_inert(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """Markup and reversed text in a name, an alias and a relationship act on no page."""
    person = call(visitor, somebody, "person.create", name=HOSTILE)["person"]["id"]
    call(visitor, somebody, "person.add_alias", id=person, alias=f"{HOSTILE}2")
    call(visitor, somebody, "person.relate", id=person, relationship=f"{HOSTILE}3")
    other = call(visitor, somebody, "person.create", name=f"{HOSTILE}4")["person"]["id"]
    remember(visitor, somebody, f"{HOSTILE}5 is here.", HOSTILE)

    pages = [
        *(visitor.get(path) for path in ("/people", "/people/picture", "/people/duplicates")),
        visitor.get(f"/people/{person}"),
        visitor.post(f"/people/{person}/merge", other=other),
        visitor.post(f"/people/{person}/misidentified", reference=HOSTILE),
        visitor.post(f"/people/{person}/forget"),
        visitor.post(f"/people/{other}/merge", name="onerror"),
        visitor.post(f"/people/{person}/rename", name=f"{HOSTILE}6"),
    ]

    for page in pages:
        assert page.status == 200, page.words
        assert "<img" not in page.text
        assert "\u202e" not in page.text
    assert "&lt;img" in pages[0].text


@pytest.mark.usefixtures("somebody")
def test_another_accounts_people_are_not_shown(visitor: Visitor) -> None:
    """The account that looks sees its own people alone, by list and by id."""
    stranger = {"provider": "people", "user_id": "a stranger"}
    hidden = resolve(visitor, stranger, "my aunt Leopoldine")

    assert "Leopoldine" not in visitor.get("/people").text
    for path in ("", "/merge", "/forget"):
        page = visitor.post(f"/people/{hidden}{path}") if path else visitor.get(f"/people/{hidden}")
        assert page.status == 404
        assert "Leopoldine" not in page.text


def test_reading_alone_offers_no_change(visitor: Visitor, somebody: dict[str, Any]) -> None:
    """With --read-only no form or button for a change is shown."""
    sarah = resolve(visitor, somebody, "my wife Sarah")
    account = f"{somebody['provider']}:{somebody['user_id']}"

    with opened(visitor.site.daemon, "--read-only") as site:
        reader = site.log_in()
        reader.post("/viewing", account=account, back="/")
        pages = [
            reader.get(path)
            for path in ("/people", f"/people/{sarah}", "/profile", "/overrides", "/grants")
        ]

    for page in pages:
        assert page.status == 200
        content = page.text.partition("<main")[2]
        assert set(re.findall(r'<form method="post" action="([^"]+)"', content)) <= {"/people"}
        assert set(re.findall(r"<summary>([^<]*)", content)) <= {"Filter and sort"}
