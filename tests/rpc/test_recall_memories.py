"""memory.search: what comes back, how it is ranked, and why. Budget: 8 s."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from asking import add, found, refusal
from daemons import Daemon

from ashd.memory.cutoff import FILLED_TO

Scope = Callable[..., dict[str, Any]]


def results(daemon: Daemon, query: str, **params: Any) -> list[dict[str, Any]]:
    """Return the contents of a search's results, best first."""
    answer: list[dict[str, Any]] = daemon.call("memory.search", query=query, **params)["results"]
    return answer


# Nothing is better than the least bad (D7) --------------------------------------------------------


_HOUSE = [
    "The spare key hangs behind the boiler",
    "The boiler was serviced by Harald in spring",
    "Rubbish is collected on Thursdays",
    "The wifi is called Nautilus",
    "Bread is baked on Sunday mornings",
]


@pytest.fixture
def house(any_daemon: Daemon, scope: Scope) -> tuple[Daemon, dict[str, Any]]:
    """A daemon and a user who knows five things about a house, and some others."""
    mine = scope()
    others = [f"The {thing} was a present" for thing in ("kite", "harp", "globe", "sledge")]
    facts = [{"content": text} for text in (*_HOUSE, *others)]
    any_daemon.call("memory.add", scope=mine, facts=facts)
    return any_daemon, mine


def test_what_answers_comes_first_and_the_rest_is_withheld(
    house: tuple[Daemon, dict[str, Any]],
) -> None:
    """Withheld results are counted; with `min_score` 0 nothing is withheld."""
    daemon, mine = house

    answer = daemon.call("memory.search", scope=mine, query="Where is the spare key?")
    everything = daemon.call(
        "memory.search", scope=mine, query="Where is the spare key?", min_score=0
    )

    assert answer["results"][0]["memory"]["content"] == _HOUSE[0]
    assert len(answer["results"]) == min(FILLED_TO, len(everything["results"]))
    assert all(one["weak"] for one in answer["results"][2:])
    assert everything["withheld"]["below_threshold"] == 0
    assert len(everything["results"]) == (
        len(answer["results"]) + answer["withheld"]["below_threshold"]
    )


@pytest.mark.parametrize(
    "query", ["What did the dentist say about my teeth?", "quarterly revenue forecast", "xyzzy"]
)
def test_a_question_that_nothing_answers_gets_nothing(
    house: tuple[Daemon, dict[str, Any]], query: str
) -> None:
    """Empty, not the least bad (row D7)."""
    daemon, mine = house
    assert results(daemon, query, scope=mine) == []


def test_scores_lie_between_0_and_1_and_fall(house: tuple[Daemon, dict[str, Any]]) -> None:
    """Scores fall in every mode; a caller's minimum score cuts exactly there."""
    daemon, mine = house
    modes = ["hybrid", "lexical"]
    if daemon.call("system.status")["embedder"] != "off":
        modes.append("vector")
    for mode in modes:
        ranked = results(daemon, "boiler service", scope=mine, mode=mode, min_score=0)
        scores = [entry["score"] for entry in ranked]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert ranked[0]["memory"]["content"] in _HOUSE[:2]
    cut = scores[0]
    kept = results(daemon, "boiler service", scope=mine, mode=mode, min_score=cut)
    assert [entry["score"] for entry in kept] == [score for score in scores if score >= cut]


def test_no_embedder_means_words_and_says_so_only_when_it_should(
    with_embedder: Callable[[str], Daemon], scope: Scope
) -> None:
    """Configured as "none" it is no degradation, but vector search is refused."""
    daemon, mine = with_embedder("none"), scope()
    add(daemon, "The spare key hangs behind the boiler", scope=mine)

    assert daemon.call("memory.search", scope=mine, query="spare key")["degraded"] == []
    error = refusal(daemon, "memory.search", scope=mine, query="spare key", mode="vector")
    assert error.kind == "embedding_unavailable"


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("What is the name of the wireless network?", "The wifi is called Nautilus"),
        ("When is garbage picked up?", "Rubbish is collected on Thursdays"),
        ("fresh loaves weekend", "Bread is baked on Sunday mornings"),
    ],
)
def test_other_words_for_the_same_are_found_by_meaning(
    with_embedder: Callable[[str], Daemon], scope: Scope, query: str, answer: str
) -> None:
    """MiniLM finds a memory without any common word."""
    daemon, mine = with_embedder("minilm"), scope()
    daemon.call("memory.add", scope=mine, facts=[{"content": text} for text in _HOUSE])

    assert found(daemon, query, scope=mine)[0] == answer


def test_explain_says_what_made_a_score(plain: Daemon, scope: Scope) -> None:
    """The legs and factors as numbers; nothing without `explain`."""
    mine = scope()
    add(plain, "Anna collects stamps", scope=mine, subjects=["Anna"], type="event")

    entry = results(plain, "Does Anna collect stamps?", scope=mine, explain=True)[0]

    assert {"logit", "bias", "words", "cosine", "named"} <= set(entry["signals"])
    assert all(isinstance(value, float) for value in entry["signals"].values())
    assert "signals" not in results(plain, "stamps", scope=mine)[0]


# Filters ------------------------------------------------------------------------------------------


@pytest.fixture
def trips(plain: Daemon, scope: Scope) -> dict[str, Any]:
    """A user with five trips."""
    mine = scope()
    facts = [
        {"content": "Trip to Oslo by train", "observed_at": "2023-05-10", "tags": ["work"]},
        {"content": "Trip to Rome by train", "observed_at": "2024-05-10", "tags": ["work", "x"]},
        {"content": "Trip to Bonn by train", "observed_at": "2024-08-01", "type": "decision"},
        {"content": "Trip to Graz by train", "subjects": ["Anna"]},
        {"content": "Trip to Nice by train", "subjects": ["Bert"], "type": "preference"},
    ]
    plain.call("memory.add", scope=mine, facts=facts)
    return mine


@pytest.mark.parametrize(
    ("filters", "towns"),
    [
        ({}, "Oslo Rome Bonn Graz Nice"),
        ({"types": ["decision", "preference"]}, "Bonn Nice"),
        ({"types": ["skill"]}, ""),
        ({"tags": ["work"]}, "Oslo Rome"),
        ({"tags": ["work", "x"]}, "Rome"),
        ({"about": "Anna"}, "Graz"),
        ({"about": "anna"}, "Graz"),
        ({"since": "2024-01-01", "until": "2024-12-31"}, "Rome Bonn"),
        ({"since": "2024-05-10", "until": "2024-05-10"}, "Rome"),
        ({"until": "2023-12-31"}, "Oslo"),
        ({"since": "2025-01-01"}, "Graz Nice"),
        ({"since": "2024-01-01", "types": ["knowledge"], "tags": ["work"]}, "Rome"),
    ],
)
def test_filters_narrow_before_the_limit(
    plain: Daemon, trips: dict[str, Any], filters: dict[str, Any], towns: str
) -> None:
    """Every one alone and together; days are whole days in UTC."""
    contents = found(plain, "trip by train", scope=trips, **filters)
    assert sorted(text.split()[2] for text in contents) == sorted(towns.split())

    one = found(plain, "trip by train", scope=trips, limit=1, **filters)
    assert len(one) == min(1, len(towns.split()))


def test_about_that_matches_nobody_filters_nothing_and_says_so(
    plain: Daemon, trips: dict[str, Any]
) -> None:
    """The reply has a notice, and everything that answers."""
    answer = plain.call("memory.search", scope=trips, query="trip by train", about="Zoltan")
    assert len(answer["results"]) == 5
    assert [notice["kind"] for notice in answer["notices"]] == ["about_not_found"]


# Signals ------------------------------------------------------------------------------------------


def test_a_person_named_anywhere_brings_what_is_about_them(
    any_daemon: Daemon, scope: Scope
) -> None:
    """A person's name suffices without a common word; memories about related people rank lower
    (D2)."""
    mine = scope()
    add(any_daemon, "My wife is called Sarah", scope=mine, subjects=["my wife Sarah"])
    add(any_daemon, "Loves the opera", scope=mine, subjects=["Sarah"])
    add(any_daemon, "Loves the ballet", scope=mine, subjects=["Sarah's mother Ines"])
    add(any_daemon, "Loves the circus", scope=mine, subjects=["Tobias"])

    for query in ("What might please Sarah on Friday?", "A surprise for my wife?"):
        ranked = found(any_daemon, query, scope=mine, min_score=0)
        assert "Loves the opera" in ranked[:2]
        if "Loves the circus" in ranked:
            assert ranked.index("Loves the opera") < ranked.index("Loves the circus")
        if "Loves the ballet" in ranked:
            assert ranked.index("Loves the opera") < ranked.index("Loves the ballet")


def test_a_wider_word_for_relatives_names_each_of_them(plain: Daemon, scope: Scope) -> None:
    """Siblings are sisters and brothers: what is about them is found without a word in common."""
    mine = scope()
    add(plain, "Loves the opera", scope=mine, subjects=["my sister Nuala"])
    add(plain, "Loves the ballet", scope=mine, subjects=["my brother Rein"])
    add(plain, "Loves the circus", scope=mine, subjects=["my friend Tobias"])

    for query in ("Presents for my siblings?", "What would my sibling like?"):
        assert set(found(plain, query, scope=mine)) == {"Loves the opera", "Loves the ballet"}
    assert found(plain, "What would my child like?", scope=mine) == []


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Presents for my children?", {"my son Rein", "my daughter Nuala"}),
        ("A treat for the kids?", {"my son Rein", "my daughter Nuala"}),
        ("Presents for my friends?", {"my best friend Ilse", "my friend Tobias"}),
        ("What would please my grandparents?", {"my grandmother Oda"}),
        (
            "What would please my family?",
            {"my son Rein", "my daughter Nuala", "my grandmother Oda", "my wife Yrsa"},
        ),
        ("What does our family doctor like?", set()),
        ("What would please Tobias' family?", {"my friend Tobias"}),
    ],
)
def test_a_word_for_several_people_names_each_of_them(
    plain: Daemon, scope: Scope, question: str, meant: set[str]
) -> None:
    """A question about "my children" or "my family" is about each son, daughter or wife."""
    mine = scope()
    people = ["my son Rein", "my daughter Nuala", "my grandmother Oda", "my wife Yrsa"]
    people += ["my best friend Ilse", "my friend Tobias", "my tailor Kuno"]
    loved = ("opera", "ballet", "circus", "rowing", "chess", "fog", "ice")
    likes = dict(zip(people, loved, strict=True))
    for person, liked in likes.items():
        add(plain, f"Loves {liked}", scope=mine, subjects=[person])

    shown = set(found(plain, question, scope=mine))

    assert shown == {f"Loves {likes[one]}" for one in meant}


def test_time_words_bring_what_was_said_then(any_daemon: Daemon, scope: Scope) -> None:
    """Between two equal facts, the one from the time in the question ranks first (D6)."""
    mine = scope()
    for year in (2021, 2022, 2023):
        add(
            *(any_daemon, f"We rented a cabin with {year - 2018} rooms"),
            scope=mine,
            observed_at=f"{year}-05-20",
            type="decision",
        )

    for question, rooms in (
        ("Which cabin did we rent in 2022?", 4),
        ("Which cabin did we rent in May 2021?", 3),
        ("Which cabin did we rent in 2023?", 5),
    ):
        best = found(any_daemon, question, scope=mine, min_score=0)[0]
        assert best == f"We rented a cabin with {rooms} rooms"


def test_a_number_is_not_mistaken_for_the_day_of_a_date(any_daemon: Daemon, scope: Scope) -> None:
    """On the 20th of a month "locker 20" still means the locker, not that day."""
    mine = scope()
    told = add(any_daemon, "Towels are in the trunk", scope=mine)
    day = int(told["created_at"][8:10])
    for number in (day + 40, day + 41, day, day + 42):
        add(any_daemon, f"Locker {number} is rented by the club", scope=mine, type="decision")

    best = found(any_daemon, f"Who rents locker {day}?", scope=mine, min_score=0)[0]

    assert best == f"Locker {day} is rented by the club"


def test_trust_orders_what_is_equal(any_daemon: Daemon, scope: Scope) -> None:
    """A fact about oneself comes before hearsay that fits as well, newer or not (A8, A13)."""
    mine = scope()
    add(any_daemon, "Plays the cello", scope=mine)
    add(any_daemon, "Plays the cello", scope=mine, subjects=["Anna"])

    ranked = results(any_daemon, "who plays the cello?", scope=mine, min_score=0, explain=True)

    assert [entry["trust"] for entry in ranked] == ["fact", "hearsay"]
    assert ranked[1]["score"] == ranked[0]["score"]


def test_what_fades_ranks_lower_with_age_and_what_lasts_does_not(
    any_daemon: Daemon, scope: Scope
) -> None:
    """A newer event ranks above an older one; knowledge does not age (D3)."""
    mine = scope()
    now = any_daemon.call("memory.add", scope=mine, content="Clock")["memories"][0]["memory"]
    today = now["created_at"][:10]
    earlier = str(date.fromisoformat(today) - timedelta(days=9))
    for kind in ("event", "knowledge"):
        for when in (earlier, today):
            other = {"observed_at": when, "type": kind}
            add(any_daemon, f"The {kind} hall was swept on {when}", scope=mine, **other)

    ranked = results(any_daemon, "hall swept", scope=mine, min_score=0, explain=True)

    aged = {e["memory"]["content"]: e["signals"].get("age", 0.0) for e in ranked}
    assert aged[f"The knowledge hall was swept on {earlier}"] == pytest.approx(0.0)
    assert (
        aged[f"The event hall was swept on {today}"]
        >= (aged[f"The event hall was swept on {earlier}"])
    )
    assert aged[f"The event hall was swept on {earlier}"] < 0.0


def test_a_long_memory_is_found_by_any_part_and_comes_back_once(
    any_daemon: Daemon, scope: Scope
) -> None:
    """Cut for the index only (E11)."""
    mine = scope()
    parts = [f"Chapter {n} is about walks, weather and more of the same. " * 6 for n in range(24)]
    parts[3] += "The harbour master is called Amundsen."
    parts[20] += "The lantern came from Marseille."
    text = "\n\n".join(part.strip() for part in parts)
    add(any_daemon, text, scope=mine)

    for query in ("Amundsen harbour master", "lantern from Marseille"):
        assert found(any_daemon, query, scope=mine) == [text]


def test_what_was_superseded_deleted_or_expired_is_not_found(
    any_daemon: Daemon, scope: Scope
) -> None:
    """`include_superseded` brings the first back, in any mode."""
    mine = scope()
    red = add(any_daemon, "My favourite colour is red", scope=mine)
    add(any_daemon, "My favourite colour is blue", scope=mine)
    gone = add(any_daemon, "My favourite colour of tea is green", scope=mine)
    any_daemon.call("memory.delete", scope=mine, id=gone["id"])

    assert found(any_daemon, "favourite colour", scope=mine, min_score=0) == [
        "My favourite colour is blue"
    ]
    both = found(any_daemon, "favourite colour", scope=mine, include_superseded=True, min_score=0)
    assert sorted(both) == ["My favourite colour is blue", red["content"]]


@pytest.mark.parametrize(
    "question",
    ["Mark?", "Petersen", "What does Petersen do", "what is Mr Petersen's hobby", "Mark P."],
)
def test_a_named_person_is_found_by_either_name(
    any_daemon: Daemon, scope: Scope, question: str
) -> None:
    """Given name, family name, initial: what is about a named person is not withheld (row D2)."""
    mine = scope()
    add(any_daemon, "rides a unicycle", scope=mine, subjects=["Mark Petersen"])
    add(any_daemon, "Bread is baked on Sunday mornings", scope=mine)

    assert results(any_daemon, question, scope=mine)[0]["memory"]["content"] == "rides a unicycle"


@pytest.mark.parametrize("question", ["jean luc", "Jean Luc's hobby", "what does Jean-Luc do"])
def test_a_name_with_a_hyphen_is_found_with_a_blank(
    any_daemon: Daemon, scope: Scope, question: str
) -> None:
    """People write both."""
    mine = scope()
    add(any_daemon, "juggles at weddings", scope=mine, subjects=["Jean-Luc"])
    add(any_daemon, "Bread is baked on Sunday mornings", scope=mine)

    found_first = results(any_daemon, question, scope=mine)[0]
    assert found_first["memory"]["content"] == "juggles at weddings"


def test_a_relation_of_a_named_person_is_asked_about_not_the_person(
    any_daemon: Daemon, scope: Scope
) -> None:
    """ "Lutz's wife" means her, if she is known: her memories come before his, marked `via`."""
    mine = scope()
    ids = {
        name: any_daemon.call("person.create", name=name, scope=mine)["person"]["id"]
        for name in ("Lutz", "Berta")
    }
    related = {"id": ids["Berta"], "to": ids["Lutz"], "relationship": "wife"}
    any_daemon.call("person.relate", scope=mine, **related)
    hobbies = ["stamps", "canoes", "darts", "novels", "olives", "choirs", "vinyl", "kites", "chess"]
    for hobby in (*hobbies, "maps", "knives"):
        add(any_daemon, f"Lutz enjoys {hobby}", scope=mine, subjects=["Lutz"])
    add(any_daemon, "dances tango", scope=mine, subjects=["Berta"])

    found_ = results(any_daemon, "which dance does Lutz's wife like", scope=mine)
    assert (found_[0]["memory"]["content"], found_[0]["via"]) == (
        "dances tango",
        "Berta is Lutz's wife",
    )
    assert (
        "tango"
        not in results(any_daemon, "what does Lutz enjoy", scope=mine)[0]["memory"]["content"]
    )


def test_memories_that_are_not_valid_now_come_after_those_that_are(
    any_daemon: Daemon, scope: Scope
) -> None:
    """Facts of the past and the future are shown after today's, and the context says so."""
    mine = scope()
    add(any_daemon, "I drive a Volvo", scope=mine, valid_until="2020-01-31")
    add(any_daemon, "I drive a Saab", scope=mine, valid_from="2020-02-01")
    add(any_daemon, "I drive a Tesla", scope=mine, valid_from="2999-01-01")

    contents = [
        one["memory"]["content"]
        for one in results(any_daemon, "which car do I drive", scope=mine, min_score=0)
    ]
    assert contents[0] == "I drive a Saab"
    assert len(contents) == 3
    text = any_daemon.call("context.get", scope=mine, message="which car do I drive")["text"]
    lines = [line.split("] ") for line in text.splitlines() if "] " in line]
    said = {content: label for label, content in lines}
    assert said["I drive a Volvo"].endswith(", valid until 2020-01-31")
    assert said["I drive a Tesla"].endswith(", valid from 2999-01-01")
