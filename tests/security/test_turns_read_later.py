"""Whoever joins between a turn and its extraction learns nothing of it. Budget: 90 s."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "rpc"))

from scripted_model import ModelWorld

from ashd.clock import SystemClock, to_text
from tests.endpoint import Status, reader

Scope = Callable[..., dict[str, Any]]
SAID = "I am treated for depression by my therapist Verena Holl since March."
FACT = "Ana Ruiz is treated for depression by her therapist Verena Holl"
WORDS = ("depress", "verena", "holl", "therapist")


class Group:
    """Ana, Ben and Cy in a group on a daemon with a language model."""

    def __init__(self, world: ModelWorld, scope: Scope) -> None:
        self.world = world
        names = {"ana": "Ana Ruiz", "ben": "Ben", "cy": "Cy"}
        self.of = {who: scope(display_name=name) for who, name in names.items()}
        self.chat = f"group-{self.of['ana']['user_id']}"

    def user(self, who: str) -> str:
        return str(self.of[who]["user_id"])

    def there(self, who: str, *members: str) -> dict[str, Any]:
        """The group as somebody's scope; with members, they are all who take part."""
        place = {**self.of[who], "chat_id": self.chat, "chat_type": "group"}
        return {**place, "participants": [self.user(one) for one in members]} if members else place

    def roster(self, *members: str) -> None:
        """Let these and nobody else take part from now on."""
        self.world.daemon.call("memory.list", scope=self.there(members[0], *members))

    def named(self) -> dict[str, Any]:
        """The group as a host names it."""
        return {"provider": "test", "chat_id": self.chat, "chat_type": "group"}

    def say(self, who: str, text: str, conversation: str = "talk", **fields: Any) -> None:
        """Say something in the group; nothing reads it yet."""
        message = {"content": text, "user_id": self.user(who), **fields}
        message.setdefault("speaker", self.of[who]["display_name"])
        self.world.daemon.call(
            "conversation.ingest",
            scope=self.there(who),
            conversation_id=conversation,
            messages=[message],
        )

    def answer(self, *relations: tuple[str, str, str], turn: int = 1, **fact: Any) -> None:
        """Let the model find the fact and these relations."""
        found = {
            "content": FACT,
            "subjects": ["my therapist Verena Holl"],
            "type": "knowledge",
            "speaker": f"@{self.user('ana')}",
            "turn": turn,
            "quote": "treated for depression",
            "confidence": 1,
            **fact,
        }
        ends = [
            {"subject": one, "relation": kind, "object": other, "confidence": 1}
            for one, kind, other in relations
        ]
        entities = [
            {"name": "Verena Holl", "type": "person"},
            {"name": "depression", "type": "concept"},
        ]
        self.world.endpoint.script(
            "extract_facts", {"facts": [found], "relations": ends, "entities": entities}
        )

    def read(self) -> None:
        """Let the model read what waits."""
        assert 0 == self.world.daemon.call("jobs.flush")["waiting"]

    def surfaces(self, scope: dict[str, Any]) -> dict[str, str]:
        """Every reply that could tell the scope of the turn."""
        call = self.world.daemon.call
        replies = {
            "memory.list": call("memory.list", scope=scope, limit=100),
            "graph": call("graph.search", scope=scope, limit=100, include_ended=True),
            "graph of": call("graph.search", scope=scope, name="depression", depth=3),
            "graph by part": call("graph.search", scope=scope, name="Holl", depth=3),
            "person.list": call("person.list", scope=scope, limit=100, count=True),
            "context.get": call("context.get", scope=scope, message="How is Ana Ruiz?"),
            "tool": call(
                "tools.call", scope=scope, name="search_graph", arguments={"name": "Ana Ruiz"}
            ),
            "memory.search": call("memory.search", scope=scope, query="Ana Ruiz is treated"),
        }
        people = replies["person.list"]["people"]
        for one in people:
            replies[f"person.get {one['id']}"] = call(
                "person.get", scope=scope, id=one["id"], related=True
            )
        # What was asked for is echoed in a notice, not learned.
        return {name: str(reply).lower() for name, reply in replies.items()}

    def leaks(self, scope: dict[str, Any]) -> dict[str, list[str]]:
        """The words of the turn that the scope gets, by reply."""
        found = {
            name: [word for word in WORDS if word in reply]
            for name, reply in self.surfaces(scope).items()
        }
        return {name: words for name, words in found.items() if words}


RELATIONS = (
    ("Ana Ruiz", "is treated for", "depression"),
    ("Ana Ruiz", "is treated by", "Verena Holl"),
)


@pytest.fixture(scope="module")
def _made() -> Iterator[ModelWorld]:
    with ModelWorld.running() as world:
        yield world


@pytest.fixture
def group(_made: ModelWorld, scope: Scope) -> Group:
    _made.endpoint.reset()
    return Group(_made, scope)


@pytest.mark.parametrize("label", [None, "personal", "sensitive"])
def test_who_joins_between_a_turn_and_its_extraction_learns_nothing(
    group: Group, label: str | None
) -> None:
    """Neither in the group, nor in private, nor as a person: the turn's time decides."""
    group.roster("ana", "ben")
    group.answer(*RELATIONS, sensitivity=label)
    group.say("ana", SAID)
    group.roster("ana", "ben", "cy")
    group.read()

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])
    # It is stored: its speaker finds it in private, and a listener unless it is sensitive.
    own = group.leaks(group.of["ana"])
    assert {"memory.list", "graph", "graph of", "person.list"} <= own.keys()
    assert (label != "sensitive") == ("graph" in group.leaks(group.of["ben"]))


def test_who_was_there_and_left_before_the_extraction_knows_it(group: Group) -> None:
    """Cy heard it, leaves, and finds it in private when the model has read it."""
    group.roster("ana", "ben", "cy")
    group.answer(*RELATIONS)
    group.say("ana", SAID)
    group.roster("ana", "ben")
    group.read()

    assert {"graph", "memory.list"} <= group.leaks(group.of["cy"]).keys()
    assert "graph" in group.leaks(group.there("ben"))


def test_who_was_away_when_it_was_said_learns_nothing_by_coming_back(group: Group) -> None:
    """Cy leaves, Ana says it, Cy rejoins before it is read."""
    group.roster("ana", "ben", "cy")
    group.roster("ana", "ben")
    group.answer(*RELATIONS)
    group.say("ana", SAID)
    group.roster("ana", "ben", "cy")
    group.read()

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])


def test_an_imported_turn_is_nobodys_who_was_not_there_then(group: Group) -> None:
    """A turn of 2023 that is imported today was heard by nobody who takes part since today."""
    group.roster("ana", "ben", "cy")
    group.answer(*RELATIONS)
    group.say("ana", SAID, at="2023-05-01T10:00:00Z")
    group.read()

    for who in ("cy", "ben"):
        assert {} == group.leaks(group.there(who))
        assert {} == group.leaks(group.of[who])
    assert "graph" in group.leaks(group.of["ana"])


def test_a_turn_dated_ahead_is_not_heard_by_those_who_join_until_then(group: Group) -> None:
    """The clock of a host is ahead: Cy joins before that time, and still was not there."""
    group.roster("ana", "ben")
    group.answer(*RELATIONS)
    group.say("ana", SAID, at="2099-01-01T10:00:00Z")
    group.roster("ana", "ben", "cy")
    group.read()

    listed = group.world.daemon.call("conversation.list", scope=group.of["cy"])
    assert [] == listed["conversations"]
    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])


def test_an_endpoint_that_was_down_changes_nothing(group: Group) -> None:
    """The first attempts fail, Cy joins, a later attempt succeeds."""
    group.roster("ana", "ben")
    group.world.endpoint.script("extract_facts", *[Status(500)] * 12)
    group.say("ana", SAID)
    group.world.daemon.call("jobs.flush")
    group.roster("ana", "ben", "cy")
    group.world.endpoint.reset()
    group.answer(*RELATIONS)
    jobs = group.world.daemon.call("jobs.list", limit=100)["jobs"]
    for job in jobs:
        if job["state"] != "done":
            group.world.daemon.call("jobs.retry", id=job["id"])
    group.read()

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])
    assert "graph" in group.leaks(group.of["ana"])


def test_messages_handed_over_were_said_when_they_were_handed_over(group: Group) -> None:
    """`memory.extract` of a sandbox: whoever joins until the model answers was not there."""
    daemon = group.world.daemon
    group.roster("ana", "ben")
    group.answer(*RELATIONS)
    grant = daemon.call("grant.create", scope=group.there("ana"), rights=["read", "write"])
    with daemon.client(grant["socket"]) as client:
        client.call("memory.extract", messages=[{"content": SAID}])
    group.roster("ana", "ben", "cy")
    group.read()

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])
    assert {"graph", "memory.list"} <= group.leaks(group.of["ana"]).keys()


def test_a_sandbox_does_not_date_what_it_hands_over(group: Group) -> None:
    """Cy was there at the time that the sandbox gives, not when it hands the message over."""
    daemon = group.world.daemon
    group.roster("ana", "ben", "cy")
    before = daemon.call("chat.list", chat=group.named())["participants"]
    group.roster("ana", "ben")
    group.answer(*RELATIONS)
    grant = daemon.call("grant.create", scope=group.there("ana"), rights=["read", "write"])
    with daemon.client(grant["socket"]) as client:
        at = max(one["joined_at"] for one in before)
        client.call("memory.extract", messages=[{"content": SAID, "at": at}])
    group.read()

    assert {} == group.leaks(group.of["cy"])
    assert {"graph", "memory.list"} <= group.leaks(group.of["ben"]).keys()


def test_a_later_turn_that_only_names_both_ends_does_not_open_a_relation(group: Group) -> None:
    """Ana says it, Cy joins, Ana says the words again: either turn may state it."""
    group.roster("ana", "ben")
    group.say("ana", SAID)
    group.roster("ana", "ben", "cy")
    group.answer(*RELATIONS)
    group.say("ana", "I read that depression and Verena Holl were in the news.")
    group.read()

    graph = group.world.daemon.call("graph.search", scope=group.there("cy"), limit=100)
    assert [] == graph["relations"]
    assert [] == group.world.daemon.call("graph.search", scope=group.of["cy"])["relations"]
    assert "graph" in group.leaks(group.of["ben"])


def test_a_relation_is_labelled_as_its_turn_is(group: Group) -> None:
    """A harmless relation that was said among personal words shows to no newcomer."""
    group.roster("ana", "ben")
    group.answer(("Ana Ruiz", "goes to", "Lindenhof"), subjects=[])
    group.say("ana", "I am treated for depression, so every Tuesday I go to Lindenhof.")
    group.read()
    group.roster("ana", "ben", "cy")

    shown = group.world.daemon.call("graph.search", scope=group.there("cy"), limit=100)
    assert [] == shown["relations"]


@pytest.mark.parametrize("portable", [True, False])
def test_a_relation_leaves_its_group_only_if_the_facts_of_its_turn_may(
    group: Group, *, portable: bool
) -> None:
    """What must not be told outside a group is not told there as a relation or an entity either.

    Another turn of the same reading keeps nothing in the group.
    """
    group.roster("ana", "ben")
    group.answer(
        ("Ana Ruiz", "goes to", "Lindenhof"),
        ("Ana Ruiz", "plays for", "Rotbach"),
        content="Ana Ruiz goes to Lindenhof",
        subjects=[],
        quote="I go to Lindenhof",
        portable=portable,
    )
    group.say("ana", "On Tuesdays I go to Lindenhof, where Verena Holl plays.")
    group.say("ana", "And I play for Rotbach.")
    group.read()

    other = {**group.of["ana"], "chat_id": f"other {group.chat}", "chat_type": "group"}
    found = {
        name: group.world.daemon.call("graph.search", scope=other, name=name)["entities"]
        for name in ("Lindenhof", "Verena Holl", "Rotbach")
    }
    assert [bool(one) for one in found.values()] == [portable, portable, True]
    for place in (group.there("ana"), group.there("ben"), group.of["ana"]):
        shown = group.world.daemon.call("graph.search", scope=place, limit=100)["relations"]
        assert {one["target"]["name"] for one in shown} == {"Lindenhof", "Rotbach"}


def test_a_repetition_is_not_noticed_by_who_did_not_hear_it(group: Group) -> None:
    """What a former member may see does not change when it is said again without them."""
    daemon = group.world.daemon
    scope = group.there("ana", "ana", "ben", "cy")
    held = {"source": "Ana Ruiz", "relation": "lives in", "sensitivity": "personal"}
    daemon.call("graph.relate", scope=scope, target="Oslo", **held)
    group.roster("ana", "ben")
    before = daemon.call("graph.search", scope=group.of["cy"], include_ended=True)["relations"]

    daemon.call("graph.relate", scope=group.there("ana"), target="Oslo", confidence=0.5, **held)
    daemon.call("graph.relate", scope=group.there("ana"), target="Porto", **held)

    after = daemon.call("graph.search", scope=group.of["cy"], include_ended=True)["relations"]
    assert before == after
    assert ["Oslo"] == [one["target"]["name"] for one in after]


@pytest.mark.parametrize(
    ("content", "subject"),
    [
        (FACT, "my therapist"),
        ("Ana Ruiz is treated for depression every Monday", "my therapist Verena Holl"),
    ],
)
def test_people_of_an_old_memory_are_not_learned_by_changing_its_subjects(
    group: Group, content: str, subject: str
) -> None:
    """An operator changes the subjects while Cy is there; the memory is older than that."""
    daemon = group.world.daemon
    added = daemon.call(
        "memory.add",
        scope=group.there("ana", "ana", "ben"),
        content=content,
        sensitivity="personal",
    )
    group.roster("ana", "ben", "cy")
    daemon.call(
        "memory.update",
        scope=group.there("ana"),
        id=added["memories"][0]["memory"]["id"],
        changes={"subjects": [subject]},
        all_scopes=True,
    )

    assert {} == group.leaks(group.there("cy"))


def test_people_of_an_imported_fact_are_known_to_who_was_there_then(group: Group) -> None:
    """`memory.add` with an old `observed_at`: the names have its time, as the memory has."""
    daemon = group.world.daemon
    group.roster("ana", "ben", "cy")
    daemon.call(
        "memory.add",
        scope=group.there("ana"),
        content=FACT,
        subjects=["my therapist Verena Holl"],
        observed_at="2023-05-01",
    )

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])
    assert {"memory.list", "person.list"} <= group.leaks(group.of["ana"]).keys()


LATER = "Ana Ruiz's treatment for depression by Verena Holl started in March"


def explained(body: dict[str, Any]) -> dict[str, Any]:
    """Return an answer that explains what a turn says by what else is shown."""
    asked = str(body["messages"][-1]["content"])
    quote = "It started in March"
    content = LATER if "Verena Holl" in asked else "Something of Ana's started in March"
    fact = {"content": content, "subjects": [], "type": "knowledge", "confidence": 1}
    fact["quote"] = quote
    return {
        "facts": [
            {**fact, "turn": number, "speaker": speaker}
            for number, speaker, said in reader.turns(asked)
            if quote in said
        ]
    }


@pytest.mark.parametrize("is_read_between", [True, False])
@pytest.mark.parametrize("has_roster", [True, False])
def test_words_that_a_newcomer_did_not_hear_explain_none_that_they_heard(
    group: Group, *, is_read_between: bool, has_roster: bool
) -> None:
    """Before Cy joins Ana says what "it" is: whatever a model makes of it, Cy does not hear of it.

    A host without a roster dates the turns, and whoever speaks joins when that is stored.
    """
    group.world.endpoint.always("extract_facts", explained)
    group.roster("ana", "ben")
    group.say("ana", SAID)
    if is_read_between:
        group.read()
    if has_roster:
        group.roster("ana", "ben", "cy")
        group.say("ana", "It started in March.")
    else:
        group.say("cy", "It started in March.", at=to_text(SystemClock().now()))
    group.read()

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])
    shown = str(group.world.daemon.call("memory.list", scope=group.there("cy"))["memories"])
    assert "Something of Ana's" in shown


def test_words_handed_over_are_read_apart_where_the_roster_changed(group: Group) -> None:
    """`memory.extract` by a host that hands over what was said before and after Cy joined."""
    group.world.endpoint.always("extract_facts", explained)
    group.roster("ana", "ben")
    before = to_text(SystemClock().now())
    group.roster("ana", "ben", "cy")
    said = [{"content": SAID, "at": before}, {"content": "It started in March."}]
    group.world.daemon.call("memory.extract", scope=group.there("ana"), messages=said)
    group.read()

    assert {} == group.leaks(group.there("cy"))
    assert {} == group.leaks(group.of["cy"])
    shown = str(group.world.daemon.call("memory.list", scope=group.there("cy"))["memories"])
    assert "Something of Ana's" in shown
