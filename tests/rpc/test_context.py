"""context.get over the daemon. Budget: 5 s."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from daemons import CallFailed, Client, Daemon

Scope = Callable[..., dict[str, Any]]
_ENDINGS = ("ban", "dor", "fin", "gar", "len", "mir", "nok", "pel", "rus", "sten", "tov", "win")


_FURNITURE = [
    "desk",
    "lamp",
    "shelf",
    "sofa",
    "mirror",
    "chest",
    "stool",
    "bench",
    "piano",
    "clock",
    "rug",
    "globe",
    "easel",
]


def _sections(result: dict[str, Any]) -> list[str]:
    return [section["name"] for section in result["sections"]]


def test_what_is_known_is_told(daemon: Daemon, scope: Scope) -> None:
    """Memories, people and past messages come together, attributed and dated."""
    mine = scope(display_name="David")
    daemon.call(
        "memory.add", scope=mine, content="My wife Sarah likes Italian food", subjects=["my wife"]
    )
    daemon.call(
        "conversation.ingest",
        scope=mine,
        conversation_id="c1",
        turns=[
            {
                "user": "We ate at the Italian place on Elm Street",
                "assistant": "How was the pasta?",
                "at": "2026-03-01T19:00:00Z",
            }
        ],
    )

    told = daemon.call("context.get", scope=mine, message="Where does my wife like to eat Italian?")

    assert {"date", "people", "memories", "excerpts"} <= set(_sections(told))
    assert "- **Sarah** (wife)" in told["text"]
    assert "(about Sarah)" in told["text"]
    assert "2026-03-01" in told["text"]


def test_the_first_memories_come_whatever_is_asked(daemon: Daemon, scope: Scope) -> None:
    """The scope's memories are shown even if none answers the question (D7)."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="I am allergic to peanuts")

    told = daemon.call("context.get", scope=mine, message="Let us talk about quantum physics")

    assert ["I am allergic to peanuts"] == [memory["content"] for memory in told["memories"]]


def test_the_block_is_chosen_by_what_the_message_asks_for(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """Thanks bring nothing; to a request for a meal belongs the allergy, and how to answer."""
    daemon, mine = with_embedder("minilm"), scope()
    facts = [f"The {thing} stands in room {n}" for n, thing in enumerate(_FURNITURE)]
    told = ["I'm allergic to walnuts", "Answer me in short sentences", *facts]
    daemon.call("memory.add", scope=mine, facts=[{"content": one} for one in told])

    def block(message: str, **params: Any) -> list[str]:
        found = daemon.call("context.get", scope=mine, message=message, **params)
        return [memory["content"] for memory in found["memories"]]

    assert block("Thanks, that helps a lot") == []
    assert set(told[:2]) <= set(block("What shall I cook for supper tonight?"))
    code = block("Fix the type error in the parser")
    assert told[1] in code
    assert len(code) <= 4
    assert len(block("What shall I cook for supper tonight?", max_memories=2)) == 2
    assert block("What shall I cook for supper tonight?", max_memories=0) == []
    asked = [{"role": "assistant", "content": "Shall I order the cake with nuts?"}]
    assert block("Yes please", recent=asked) != []


def test_a_question_in_another_language_gets_its_answer(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """The classifiers read English; thanks in any language bring nothing all the same."""
    daemon, mine = with_embedder("minilm"), scope()
    for content in (
        "Oma Gertrud hat am 14. Dezember Geburtstag",
        "Guardo o ancinho na garagem",
        "Jestem uczulona na maliny",
    ):
        daemon.call("memory.add", scope=mine, content=content)

    def block(message: str) -> str:
        return str(daemon.call("context.get", scope=mine, message=message)["text"])

    assert "14. Dezember" in block("Wann hat Oma Gertrud Geburtstag?")
    assert "na garagem" in block("Onde guardo o ancinho?")
    assert "maliny" in block("Na jakie owoce jestem uczulona?")
    for thanks in ("Danke dir!", "Merci beaucoup", "dziękuję bardzo", "Are you there?"):
        assert (thanks, block(thanks).count("##")) == (thanks, 1)


def test_a_follow_up_is_looked_up_with_the_message_before_it(daemon: Daemon, scope: Scope) -> None:
    """A sandboxed agent gets it too: it takes no language model."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="Zdenka wears climbing shoes of size 38")
    daemon.call("memory.add", scope=mine, content="The boiler is serviced in October")
    asked = "What does Zdenka need for climbing?"
    grant = daemon.call("grant.create", scope=mine)

    def block(client: Any, recent: list[dict[str, str]], **scoped: Any) -> str:
        fields = {"message": "In which one?", "max_memories": 1, "recent": recent}
        return str(client.call("context.get", **fields, **scoped)["text"])

    said = [{"role": "user", "content": asked}]
    assert "size 38" in block(daemon, said, scope=mine)
    with Client(Path(grant["socket"])) as sandbox:
        assert "size 38" in block(sandbox, said)
        assert "size 38" not in block(sandbox, [])


def test_the_total_is_held(daemon: Daemon, scope: Scope) -> None:
    """The block never has more tokens than allowed."""
    mine = scope()
    facts = [{"content": f"Fact number {n}: the shelf {n} holds box {n * 7}"} for n in range(60)]
    daemon.call("memory.add", scope=mine, facts=facts)

    for size in (60, 200, 1_000):
        told = daemon.call(
            "context.get", scope=mine, message="what is in the boxes", max_tokens=size
        )
        assert size >= told["token_count"]


def test_a_change_is_told_at_once(daemon: Daemon, scope: Scope) -> None:
    """The cache never hides a memory that was stored after it was filled (F4)."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="The meeting is at nine")
    daemon.call("context.get", scope=mine, message="when is the meeting")
    daemon.call("memory.add", scope=mine, content="The meeting room is called Turing")

    told = daemon.call("context.get", scope=mine, message="when is the meeting")

    assert "Turing" in told["text"]


def test_why_an_item_is_in_or_out(daemon: Daemon, scope: Scope) -> None:
    """`explain` gives a reason for every item that was considered."""
    mine = scope()
    facts = [{"content": f"Box {n} stands on shelf {n} of the cellar"} for n in range(30)]
    daemon.call("memory.add", scope=mine, facts=facts)

    told = daemon.call(
        "context.get", scope=mine, message="boxes in the cellar", max_tokens=150, explain=True
    )

    assert {"in", "over_total"} <= {entry["why"] for entry in told["explained"]}


def test_only_the_sections_that_were_asked_for(daemon: Daemon, scope: Scope) -> None:
    """`sections` names what is wanted."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="I play the cello")

    told = daemon.call("context.get", scope=mine, message="music", sections=["memories"])

    assert ["memories"] == _sections(told)


def test_an_unknown_section_is_an_error(daemon: Daemon, scope: Scope) -> None:
    """A section that does not exist is told as such, with those that do."""
    with pytest.raises(CallFailed, match="invalid_params"):
        daemon.call("context.get", scope=scope(), message="hello", sections=["nonsense"])


def test_nothing_of_a_private_chat_is_told_in_a_group(daemon: Daemon, scope: Scope) -> None:
    """In a group the block holds no private memories, turns or contacts."""
    alice = scope(display_name="Alice")
    daemon.call("memory.add", scope=alice, content="My therapist Joan helps me", subjects=["Joan"])
    daemon.call(
        "conversation.ingest",
        scope=alice,
        conversation_id="private",
        turns=[{"user": "I saw my therapist today", "assistant": "I hope it helped."}],
    )
    group = {**alice, "chat_id": f"g-{alice['user_id']}", "chat_type": "group"}

    told = daemon.call("context.get", scope=group, message="what about the therapist Joan?")

    assert not any(word in told["text"] for word in ("Joan", "therapist"))


def test_what_expires_is_gone_from_the_kept_block(daemon: Daemon, scope: Scope) -> None:
    """A cached block holds nothing that has expired since (A2)."""
    mine = scope()
    soon = (dt.datetime.now(dt.UTC) + dt.timedelta(seconds=1.5)).isoformat()
    daemon.call("memory.add", scope=mine, content="The code word is heron", expires_at=soon)
    before = daemon.call("context.get", scope=mine, message="what is the code word")
    while daemon.call("memory.list", scope=mine)["total"]:
        pass  # until its time is over, by the daemon's own clock

    after = daemon.call("context.get", scope=mine, message="what is the code word")

    assert "heron" in before["text"]
    assert "heron" not in after["text"]


def test_the_date_is_the_askers(daemon: Daemon, scope: Scope) -> None:
    """The current date stands in the time zone that the scope names."""
    mine = scope(timezone="Pacific/Kiritimati")

    told = daemon.call("context.get", scope=mine, message="what day is it")

    there = dt.datetime.now(ZoneInfo("Pacific/Kiritimati"))
    assert f"{there:%A, %Y-%m-%d}" in told["text"]


def test_an_unknown_time_zone_is_an_error(daemon: Daemon, scope: Scope) -> None:
    """A zone that nobody knows is told as such."""
    with pytest.raises(CallFailed, match="invalid_params"):
        daemon.call("context.get", scope=scope(timezone="Mars/Olympus"), message="hello")


def test_what_the_host_has_already_is_not_told_again(daemon: Daemon, scope: Scope) -> None:
    """A message of the current conversation takes no place, and `explain` says why (E9)."""
    mine = scope()
    daemon.call(
        "conversation.ingest",
        scope=mine,
        conversation_id="c",
        turns=[{"user": "My parrot is called Rio", "assistant": "A nice name for a parrot."}],
    )

    told = daemon.call(
        "context.get",
        scope=mine,
        message="what is my parrot called",
        recent=[{"role": "user", "content": "My parrot is called Rio"}],
        max_messages=1,
        min_message_similarity=0,
        explain=True,
    )

    assert [message["content"] for message in told["messages"]] == ["A nice name for a parrot."]
    assert "echo" in {entry["why"] for entry in told["explained"]}


def test_a_memory_is_dated_by_when_it_was_so(daemon: Daemon, scope: Scope) -> None:
    """A model must see which of two facts is newer, not when they were imported."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="The roof was mended", observed_at="2019-05-04")

    told = daemon.call("context.get", scope=mine, message="was the roof mended")

    assert "2019-05-04" in told["text"]


def test_a_long_text_is_cut_and_said_to_be(daemon: Daemon, scope: Scope) -> None:
    """A text too long to fit is cut; the tool that finds it shows its beginning, too."""
    mine = scope()
    content = "The boiler manual. " + "Turn the valve and wait a moment. " * 250
    daemon.call("memory.add", scope=mine, content=content)

    told = daemon.call("context.get", scope=mine, message="boiler manual", max_tokens=2_000)
    recalled = daemon.call(
        "tools.call", scope=mine, name="recall", arguments={"query": "boiler manual"}
    )

    for text in (told["text"], recalled["content"]):
        assert "The boiler manual." in text
        assert f"of {len(content.strip()):,} characters" in text


def test_a_small_block_has_the_answer_besides_people(daemon: Daemon, scope: Scope) -> None:
    """However many people are known, the memory that answers is there."""
    mine = scope()
    of_one = {"brother": "Detlef", "mother": "Hendrika", "father": "Jurgen", "wife": "Marieke"}
    several = {
        "sister": ("Wilma", "Femke"),
        "son": ("Tijmen", "Sander"),
        "daughter": ("Roos", "Pien"),
    }
    named = [*of_one.items(), *((who, one) for who, names in several.items() for one in names)]
    for who, name in named:
        daemon.call("memory.add", scope=mine, content=f"My {who} {name} phones me on Sundays.")
    bees = "My brother Henk keeps bees on the roof of his bakery in Arnhem."
    daemon.call("memory.add", scope=mine, content=bees)

    asked = "Who in my family keeps bees?"
    told = daemon.call("context.get", scope=mine, message=asked, max_tokens=120)

    assert bees in told["text"]
    assert "people" in [section["name"] for section in told["sections"]]


def test_what_is_pinned_and_does_not_fit_is_noticed(daemon: Daemon, scope: Scope) -> None:
    """Overrides are always included; if they do not fit, the host gets a notice."""
    mine = scope()
    for number in range(12):
        text = f"Rule {number}: always greet the harbour master before anybody else speaks to him"
        daemon.call("override.add", scope=mine, content=text)

    told = daemon.call("context.get", scope=mine, message="hello", max_tokens=120)
    roomy = daemon.call("context.get", scope=mine, message="hello", max_tokens=2_000)

    assert ["overrides_left_out"] == [notice["kind"] for notice in told["notices"]]
    assert roomy["notices"] == []


def test_an_empty_message_gets_what_is_known_without_a_question(
    daemon: Daemon, scope: Callable[..., Any]
) -> None:
    """A picture without words is a message too: the newest memories are shown."""
    mine = scope()
    daemon.call("memory.add", scope=mine, content="I like tea")

    block = daemon.call("context.get", scope=mine, message="")
    assert "I like tea" in block["text"]
    assert block["degraded"] == []


def test_recent_messages_leave_the_bound_of_excerpts_as_it_is(
    daemon: Daemon, scope: Callable[..., dict[str, Any]]
) -> None:
    """The bound holds however many messages the host already has in its prompt."""
    mine = scope()
    for number in range(8):
        message = {"role": "user", "content": f"The kea of house {number} is green"}
        daemon.call(
            "conversation.ingest", scope=mine, conversation_id=f"c{number}", messages=[message]
        )
    recent = [{"role": "user", "content": f"Something else, {number}"} for number in range(4)]
    asked = {"message": "Which kea is green?", "max_messages": 2, "recent": recent}

    block = daemon.call("context.get", scope=mine, **asked)

    assert 2 == len(block["messages"])


def test_an_answer_in_a_long_text_is_cut_out_where_there_is_little_room(
    daemon: Daemon, scope: Scope
) -> None:
    """The sentence that was found is shown, marked as cut, before a lesser memory (row E11)."""
    mine = scope()
    filler = "Members paid their fees on time and the hedge was trimmed. " * 10
    report = f"{filler}\n\n{filler}\n\n{filler}The hatch is under the third flagstone. {filler}"
    daemon.call("memory.add", scope=mine, content=report)
    daemon.call("memory.add", scope=mine, content="The valve in the kitchen drips")

    block = daemon.call("context.get", scope=mine, message="where is the hatch", max_tokens=150)

    assert "…" in block["text"]
    assert "The hatch is under the third flagstone." in block["text"]
    assert block["token_count"] <= 150


def test_the_settings_bound_the_sections(new_daemon: Callable[..., Daemon], scope: Scope) -> None:
    """A section keeps to the tokens of its setting, though the block has room."""
    home = new_daemon()
    home.config(
        '[embedding]\nprovider = "none"\n'
        "[memory]\nworking_memory_budget_tokens = 60\nchunk_budget_tokens = 80\n"
    )
    home.start()
    mine = scope()
    for name in _FURNITURE:
        home.call("memory.add", scope=mine, content=f"The {name} stands in the attic since May")
    turns = [{"user": f"Where is the {name}?", "assistant": "In the attic."} for name in _FURNITURE]
    home.call("conversation.ingest", scope=mine, conversation_id="c1", turns=turns)

    asked = {"message": "What is in the attic?", "explain": True, "max_messages": 20}
    block = home.call("context.get", scope=mine, **asked)

    used = dict.fromkeys(("memories", "excerpts"), 0)
    over = set()
    for entry in block["explained"]:
        if entry["why"] == "in" and entry["section"] in used:
            used[entry["section"]] += entry["tokens"]
        elif entry["why"] == "over_section":
            over.add(entry["section"])
    assert 0 < used["memories"] <= 60
    assert 0 < used["excerpts"] <= 80
    assert {"memories", "excerpts"} == over


def test_the_half_life_of_age_is_a_setting(new_daemon: Callable[..., Daemon], scope: Scope) -> None:
    """Age takes less from the rank of a passing matter with a longer half-life."""

    mine = scope()

    def lost(days: int) -> float:
        home = new_daemon()
        home.config(
            '[embedding]\nprovider = "none"\n'
            f"[memory]\nauto_gc = false\ntemporal_decay_half_life_days = {days}\n"
        )
        home.start()
        told = {"content": "The kea flew to the mill", "type": "event"}
        at = dt.datetime.now(dt.UTC) - dt.timedelta(days=10)
        home.call("memory.add", scope=mine, **told, observed_at=at.isoformat())
        (found,) = home.call(
            "memory.search", scope=mine, query="the kea, the mill", min_score=0, explain=True
        )["results"]
        return float(found["signals"]["age"])

    quickly, slowly = lost(10), lost(365)
    assert quickly < 3 * slowly < 0


def test_a_person_whom_the_message_names_is_known_however_long_ago(
    daemon: Daemon, scope: Scope
) -> None:
    """The most recently active people are fifty; whoever is asked about comes before the last."""
    mine = scope()
    names = [f"{first}{last}" for first in ("Al", "Be", "Ce", "Do", "Eb") for last in _ENDINGS]
    facts = [{"content": f"{name} sings", "subjects": [name]} for name in ("Ottilie", *names)]
    daemon.call("memory.add", scope=mine, facts=facts)

    people = daemon.call("context.get", scope=mine, message="Call Ottilie")["people"]

    assert "Ottilie" in [one["name"] for one in people]
    assert len(people) <= 50
