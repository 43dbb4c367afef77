"""People in the graph are the people that are known: by any name, and only where they may be known.

Budget: 10 s.
"""

from collections.abc import Callable
from typing import Any

import pytest
from asking import add
from daemons import CallFailed, Daemon
from graph_words import found, group, relate

Scope = Callable[..., dict[str, Any]]


def known(daemon: Daemon, scope: dict[str, Any], reference: str) -> str:
    """The id of the person, known from now on."""
    resolved = daemon.call("person.resolve", scope=scope, reference=reference)
    return str(resolved["person_id"])


def entities(daemon: Daemon, scope: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the entities that a name means."""
    answer = daemon.call("graph.search", scope=scope, name=name)
    return list(answer["entities"])


@pytest.mark.parametrize("told", ["my wife", "Sarah", "my wife Sarah"])
def test_what_is_told_of_a_person_is_found_by_every_name(
    daemon: Daemon, scope: Scope, told: str
) -> None:
    """A person is one entity, with the person's id."""
    mine = scope()
    wife = known(daemon, mine, "my wife Sarah")
    relate(daemon, f"{told} / works at / Acme", scope=mine)
    relate(daemon, "Sarah / lives in / Rome", scope=mine)

    for name in ("Sarah", "my wife", "sarah"):
        assert {f"{told} works at Acme", "Sarah lives in Rome"} == found(
            daemon, scope=mine, name=name
        )
        assert [wife] == [entity["person_id"] for entity in entities(daemon, mine, name)]


def test_one_value_at_a_time_is_of_the_person(daemon: Daemon, scope: Scope) -> None:
    """The new employer replaces the old one under every name."""
    mine = scope()
    known(daemon, mine, "my wife Sarah")
    relate(daemon, "my wife / works at / Acme", scope=mine)
    relate(daemon, "Sarah / works at / Initech", scope=mine)

    assert {"Sarah works at Initech"} == found(daemon, scope=mine, name="my wife")


def test_two_of_one_name_are_two(daemon: Daemon, scope: Scope) -> None:
    """A person identified by more than the name is not confused with the other."""
    mine = scope()
    wife, coworker = known(daemon, mine, "my wife Sarah"), known(daemon, mine, "my coworker Sarah")
    relate(daemon, "my wife / lives in / Rome", scope=mine)
    relate(daemon, "my coworker / lives in / Oslo", scope=mine)

    assert {"my wife lives in Rome"} == found(daemon, scope=mine, name="my wife", depth=1)
    assert {"my coworker lives in Oslo"} == found(daemon, scope=mine, name="my coworker", depth=1)
    ids = [entities(daemon, mine, name)[0]["person_id"] for name in ("my wife", "my coworker")]
    assert [wife, coworker] == ids


def test_a_known_person_is_no_concept(daemon: Daemon, scope: Scope) -> None:
    """Relations without types use known persons; unknown names stay concepts."""
    mine = scope()
    known(daemon, mine, "my wife Sarah")
    known_one = relate(daemon, "Sarah / plays / tennis", scope=mine)["relation"]
    unknown = relate(daemon, "Zelda / plays / chess", scope=mine)["relation"]

    assert ("person", "concept") == (known_one["source"]["type"], known_one["target"]["type"])
    assert "concept" == unknown["source"]["type"]


def test_telling_the_graph_makes_nobody_known(daemon: Daemon, scope: Scope) -> None:
    """An entity becomes a person only when somebody of that name is known."""
    mine = scope()
    relate(daemon, "Walter / works at / Acme", scope=mine)
    alone = entities(daemon, mine, "Walter")[0]["person_id"]
    people = daemon.call("person.list", scope=mine, query="Walter")["people"]
    walter = known(daemon, mine, "Walter")
    relate(daemon, "Walter / lives in / Rome", scope=mine)

    assert (alone, people) == (None, [])
    assert [walter] == [entity["person_id"] for entity in entities(daemon, mine, "Walter")]


def test_a_merged_person_is_one_in_the_graph(daemon: Daemon, scope: Scope) -> None:
    """Statements about both are found by either name, and after a split by each one's own."""
    mine = scope()
    anna, bea = known(daemon, mine, "Anna"), known(daemon, mine, "Bea")
    relate(daemon, "Anna / lives in / Rome", scope=mine)
    relate(daemon, "Bea / speaks / Greek", scope=mine)
    daemon.call("person.merge", scope=mine, id=bea, into=anna)
    merged = found(daemon, scope=mine, name="Bea", depth=1)
    ids = {entity["person_id"] for entity in entities(daemon, mine, "Bea")}
    daemon.call("person.split", scope=mine, id=bea)

    assert {"Anna lives in Rome", "Bea speaks Greek"} == merged
    assert {anna} == ids
    assert {"Bea speaks Greek"} == found(daemon, scope=mine, name="Bea", depth=1)


def test_the_way_leads_through_a_merged_person(daemon: Daemon, scope: Scope) -> None:
    """A path crosses a merged person, until the split."""
    mine = scope()
    anna, zoe = known(daemon, mine, "Anna"), known(daemon, mine, "Zoe")
    relate(daemon, "Anna / works at / Acme", scope=mine)
    relate(daemon, "Zoe / lives in / Ghent", scope=mine)
    before = found(daemon, scope=mine, name="Acme", depth=3)
    daemon.call("person.merge", scope=mine, id=zoe, into=anna)
    both = {"Anna works at Acme", "Zoe lives in Ghent"}

    assert {"Anna works at Acme"} == before
    assert both == found(daemon, scope=mine, name="Acme", depth=3)
    assert both == found(daemon, scope=mine, name="Ghent", depth=3)
    daemon.call("person.split", scope=mine, id=zoe)
    assert {"Anna works at Acme"} == found(daemon, scope=mine, name="Acme", depth=3)


@pytest.mark.parametrize(("first", "then"), [("Anna", "Zoe"), ("Zoe", "Anna")])
def test_one_value_at_a_time_is_of_those_who_are_one(
    daemon: Daemon, scope: Scope, first: str, then: str
) -> None:
    """Earlier values end under whichever name is used."""
    mine = scope()
    anna, zoe = known(daemon, mine, "Anna"), known(daemon, mine, "Zoe")
    relate(daemon, f"{first} / works at / Acme", scope=mine)
    relate(daemon, f"{then} / speaks / Greek", scope=mine)
    daemon.call("person.merge", scope=mine, id=zoe, into=anna)
    relate(daemon, f"{then} / works at / Initech", scope=mine)

    named = found(daemon, scope=mine, name="Anna", relation="works at")
    assert {f"{then} works at Initech"} == named


def test_one_value_at_a_time_of_two_is_of_each(daemon: Daemon, scope: Scope) -> None:
    """People who were not merged end nothing of each other's."""
    mine = scope()
    known(daemon, mine, "my wife Sarah")
    known(daemon, mine, "my coworker Sarah")
    relate(daemon, "my wife / works at / Acme", scope=mine)
    relate(daemon, "my coworker / works at / Initech", scope=mine)

    assert {"my wife works at Acme"} == found(daemon, scope=mine, name="my wife", depth=1)


def test_in_a_group_each_has_a_wife_of_ones_own(daemon: Daemon, scope: Scope) -> None:
    """The same words of two speakers mean two people."""
    alice, bob = group(scope(), scope())
    hers, his = known(daemon, alice, "my sister Eva"), known(daemon, bob, "my sister Ida")
    relate(daemon, "my sister / lives in / Rome", scope=alice)
    relate(daemon, "my sister / lives in / Oslo", scope=bob)

    assert {"my sister lives in Rome"} == found(daemon, scope=alice, name="my sister", depth=1)
    assert {"my sister lives in Oslo"} == found(daemon, scope=bob, name="my sister", depth=1)
    assert {"my sister lives in Oslo"} == found(daemon, scope=alice, name="Ida", depth=1)
    assert hers != his


def test_a_name_told_in_private_finds_nothing_in_a_group(daemon: Daemon, scope: Scope) -> None:
    """The ids of people unknown to the group are not shown either."""
    david = scope()
    in_group, other = group(david, scope())
    daemon.call("memory.list", scope=other)
    relate(daemon, "my therapist / lives in / Rome", scope=in_group)
    known(daemon, david, "my therapist Sigmund")
    relate(daemon, "my therapist / works at / Acme", scope=david)

    for asker in (in_group, other):
        assert set() == found(daemon, scope=asker, name="Sigmund")
        shown = entities(daemon, asker, "my therapist")
        assert all(entity["person_id"] is None for entity in shown)
    assert {"my therapist works at Acme"} <= found(daemon, scope=david, name="Sigmund", depth=1)


def test_known_person_is_found_without_an_entity(daemon: Daemon, scope: Scope) -> None:
    """The graph's search, and the tool of a model, find the people whom memories are about."""
    mine = scope(username="david")
    told = {"content": "My sister Judit lives in Pecs", "subjects": ["my sister Judit"]}
    daemon.call("memory.add", scope=mine, **told)

    found = daemon.call("graph.search", scope=mine, name="Judit")
    answer = daemon.call("tools.call", scope=mine, name="search_graph", arguments={"name": "Judit"})

    assert ([], []) == (found["entities"], found["notices"])
    assert ["Judit"] == [one["name"] for one in found["people"]]
    assert "Judit: sister of" in answer["content"]


def test_thing_is_one_entity_whatever_its_label(daemon: Daemon, scope: Scope) -> None:
    """It is shown once, and what is beyond it is reached."""
    mine = scope()
    daemon.call("graph.add_entity", scope=mine, name="Acme", type="company")
    acme = {"name": "Acme", "type": "company"}
    daemon.call("graph.add_entity", scope=mine, **acme, sensitivity="sensitive")
    works = {"source": "Zed", "source_type": "person", "relation": "works at", "target": "Acme"}
    daemon.call("graph.relate", scope=mine, **works, target_type="company")
    daemon.call("graph.relate", scope=mine, source="Acme", relation="uses", target="Debian")

    found = daemon.call("graph.search", scope=mine, name="Acme")
    beyond = daemon.call("graph.search", scope=mine, name="Zed", depth=2)

    assert ["Acme"] == [one["name"] for one in found["entities"]]
    assert ["Acme", "Debian"] == [one["target"]["name"] for one in beyond["relations"]]


@pytest.mark.parametrize(
    "word", ["Today", "Lesson", "Monday", "heute", "Marathon", "project", "Arbeit", "École", "Dog"]
)
def test_word_becomes_no_person(daemon: Daemon, scope: Scope, word: str) -> None:
    """People are called Grace and June all the same."""
    mine = scope()
    with pytest.raises(CallFailed, match="a word, not a name"):
        daemon.call("memory.add", scope=mine, content="It was long.", subjects=[word])
    daemon.call("memory.add", scope=mine, content="Grace met June.", subjects=["Grace", "June"])
    people = daemon.call("person.list", scope=mine)["people"]
    assert {"Grace", "June"} <= {one["name"] for one in people}
    assert word not in {one["name"] for one in people}


def test_relatives_are_found_by_the_person_and_the_word(daemon: Daemon, scope: Scope) -> None:
    """Nothing has to be in the graph for it; another user's son is not found."""
    mine, theirs = scope(display_name="Olga"), scope(display_name="Olga")
    add(daemon, "My son Pavel plays chess", scope=mine)
    add(daemon, "My sister Ida rows", scope=mine)
    add(daemon, "Pavel's trainer Novak limps", scope=mine)
    add(daemon, "My son Quido sings", scope=theirs)

    def people(**asked: Any) -> list[str]:
        found = daemon.call("graph.search", scope=mine, **asked)
        assert found["notices"] == []
        return sorted(one["name"] for one in found["people"])

    assert people(relation="son") == ["Pavel"]
    assert people(relation="children") == ["Pavel"]
    assert people(relation="cousin") == []
    assert people(name="me", relation="sister") == ["Ida", "Olga"]
    assert people(name="Olga") == ["Ida", "Olga", "Pavel"]
    assert people(name="Pavel") == ["Novak", "Pavel"]
    assert people(name="Pavel", direction="out") == ["Pavel"]
    told = daemon.call("tools.call", scope=mine, name="search_graph", arguments={"relation": "son"})
    assert "- Pavel: son of Olga" in told["content"]
