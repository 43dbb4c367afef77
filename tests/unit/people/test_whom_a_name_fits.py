"""Matches of names, handles and roles with people who are known, and how those are told apart."""

import pytest
from known_people import CHAT, GROUP, ME, account, alias, claim, known, speaker

from ashd.language.people.references import MatchKind, Reference
from ashd.people import alternatives, reference_candidates, reference_matching
from ashd.people.model import Known
from ashd.people.reference_candidates import KnownPeople
from ashd.people.reference_matching import Wanted

ANN, BO, CY, OTHER = 2, 3, 4, 9
SPEAKER = speaker()


def wanted(name: str | None = None, word: str | None = None, **fields: object) -> Wanted:
    """A person to look for: by a name, a role of the speaker's, or both."""
    reference = Reference(name=name, relationship=word)
    return Wanted(reference, name, ME if word else None, None, **fields)  # type: ignore[arg-type]  # of Wanted


def own(looked_for: Wanted, *people: Known) -> list[int]:
    """The speaker's own people who fit."""
    fits, _ = reference_matching.among_own(SPEAKER, looked_for, list(people))
    return [one.person.id for one in fits]


@pytest.mark.parametrize(
    ("looked_for", "people", "fits"),
    [
        # A first name is enough where nothing else is known of either.
        (wanted("Tom"), [known(ANN, "Tom"), known(BO, "Kim")], [ANN]),
        (wanted("Tom"), [known(ANN, "Tom"), known(BO, "Tom")], [ANN, BO]),
        (wanted("Tom"), [known(ANN, "Tom"), known(BO, "Tom Lang")], [ANN]),
        (wanted("Tom Lang"), [known(ANN, "Tom")], [ANN]),
        (wanted("Tom Lang"), [known(ANN, "Tom", claim(ANN, "son"))], []),
        (wanted("Tom Lang"), [known(ANN, "Tom", claim(ANN, "son", ended=True))], [ANN]),
        (wanted("Tom"), [known(ANN, "Tom Lang", claim(ANN, "son"))], [ANN]),
        # The coworker Sarah is neither the wife Sarah nor Sarah Miller; a whole name is enough.
        (wanted("Sarah", "coworker"), [known(ANN, "Sarah", claim(ANN, "wife"))], []),
        (wanted("Sarah", "coworker"), [known(ANN, "Sarah Miller")], []),
        (wanted("Sarah", "coworker"), [known(ANN, "Sarah")], [ANN]),
        (
            wanted("Sarah Miller", "coworker"),
            [known(ANN, "Sarah Miller", claim(ANN, "friend"))],
            [ANN],
        ),
        (
            wanted("Sarah", "coworker"),
            [known(ANN, "Sarah Miller", accounts=[account(7, "s")])],
            [ANN],
        ),
        # The speaker's own words count, not those of others.
        (wanted("Tom"), [known(ANN, "Tom", by=OTHER)], []),
        (wanted("Tom"), [known(ANN, "Kim", aliases=[alias(ANN, "Tom")])], [ANN]),
        (wanted("Tom"), [known(ANN, "Kim", aliases=[alias(ANN, "Tom", by=OTHER)])], []),
        (wanted("Tom"), [known(ANN, "Tom", knows_name=False)], []),
        # Another name in the sentence serves where the first finds nobody.
        (wanted("Bella", other_names=("Isa",)), [known(ANN, "Isa"), known(BO, "Kim")], [ANN]),
        (wanted("Bo", other_names=("Isa",)), [known(ANN, "Isa"), known(BO, "Bo")], [BO]),
        # Roles, and the names of who has them.
        (wanted(word="friend"), [known(ANN, "Tom", claim(ANN, "friend"))], [ANN]),
        (wanted(word="friend"), [known(ANN, "Tom", claim(ANN, "friend", by=OTHER))], []),
        (wanted(word="friend"), [known(ANN, "Tom", claim(ANN, "friend", BO))], []),
        (wanted(word="friend"), [known(ANN, "Tom", claim(ANN, "friend", ended=True))], []),
        (wanted(word="sister"), [known(ANN, "Ida", claim(ANN, "older sister"))], [ANN]),
        (wanted("Tom", "friend"), [known(ANN, "Kim", claim(ANN, "friend"))], []),
        (
            wanted("Tom", "friend"),
            [known(ANN, "Tom", claim(ANN, "friend")), known(BO, "Tom Lang", claim(BO, "friend"))],
            [ANN],
        ),
        (wanted("Anna", "wife"), [known(ANN, "Sarah", claim(ANN, "wife"))], []),
        # A wife without a name gets it, a friend does not: there may be more friends.
        (
            wanted("Anna", "wife", names_it=True),
            [known(ANN, "wife", claim(ANN, "wife"), named=False)],
            [ANN],
        ),
        (
            wanted("Anna", "friend"),
            [known(ANN, "friend", claim(ANN, "friend"), named=False)],
            [],
        ),
        # Relatives: by a short form, and by the first name whatever the surname.
        (wanted("Bob", "uncle"), [known(ANN, "Robert", claim(ANN, "uncle"))], [ANN]),
        (wanted("Bob", "friend"), [known(ANN, "Robert", claim(ANN, "friend"))], []),
        (
            wanted("Julia Berg", "sister"),
            [known(ANN, "Julia Lang", claim(ANN, "sister"))],
            [ANN],
        ),
        (wanted("Julia Berg", "friend"), [known(ANN, "Julia Lang", claim(ANN, "friend"))], []),
        (wanted("Julia Berg", "sister"), [known(ANN, "Ida Lang", claim(ANN, "sister"))], []),
        # A new holder of a role is the latest.
        (
            wanted(word="new boss"),
            [
                known(ANN, "Tom", claim(ANN, "boss", ended=True)),
                known(BO, "Uma", claim(BO, "new boss", at=6)),
            ],
            [BO],
        ),
        (wanted(word="new boss"), [known(ANN, "Tom", claim(ANN, "boss"))], []),
        (
            wanted(word="boss"),
            [
                known(ANN, "Tom", claim(ANN, "boss", at=6)),
                known(BO, "Uma", claim(BO, "boss", at=7)),
            ],
            [BO],
        ),
        # A role is somebody's wherever it is held.
        (
            wanted(word="goalkeeper"),
            [known(ANN, "Tom", claim(ANN, "goalkeeper of the team"))],
            [ANN],
        ),
        (
            wanted(word="goalkeeper"),
            [known(ANN, "Tom", claim(ANN, "goalkeeper of the team", by=OTHER))],
            [],
        ),
        (
            wanted(word="goalkeeper"),
            [known(ANN, "Tom", claim(ANN, "goalkeeper of the team", ended=True))],
            [],
        ),
        (
            wanted(word="goalkeeper"),
            [
                known(ANN, "Tom", claim(ANN, "goalkeeper of the team")),
                known(BO, "Uma", claim(BO, "goalkeeper of the club")),
            ],
            [ANN, BO],
        ),
        # Nobody is their own father, and no woman is one.
        (wanted(word="father"), [known(ME, "Me", claim(ME, "father"))], []),
        (
            wanted("Kim", "father"),
            [known(ANN, "Kim", claim(ANN, "wife", BO))],
            [],
        ),
    ],
)
def test_own_people_are_found_by_the_speakers_words(
    looked_for: Wanted, people: list[Known], fits: list[int]
) -> None:
    """A name, a role, or both: whoever a careful listener would think of."""
    assert own(looked_for, *people) == fits


def test_a_participant_is_meant_before_others() -> None:
    """An account with this very name says more than a name that somebody told."""
    shown = known(ANN, "T", accounts=[account(7, "x", display_name="Tom")])
    user = known(BO, "Tom", accounts=[account(8, "y", username="tom")])
    told = known(CY, "Tom", accounts=[account(9, "Tom", display_name="Tom Lang")])

    for people in ([shown, told], [told, shown]):
        assert [shown] == reference_matching.participants_first(people, "Tom")
    assert [user] == reference_matching.participants_first([told, user], "Tom")
    assert [told] == reference_matching.participants_first([told], "Tom")
    assert [shown, told] == reference_matching.participants_first([shown, told], None)


@pytest.mark.parametrize(
    ("name", "called", "kind"),
    [
        ("Petra", ["Petra"], MatchKind.EXACT),
        ("Petra", ["Petra Hahn"], MatchKind.SHORTER),
        ("Petra Vogel", ["Petra"], MatchKind.LONGER),
        ("Petra Vogel", ["Petra", "Petra Hahn"], None),
        ("Petra Vogel", ["Petra", "Vogel"], MatchKind.LONGER),
        ("Petra", ["Kim", "Petra Hahn", "Petra"], MatchKind.EXACT),
        ("Petra", ["Kim"], None),
        ("Petra", [], None),
    ],
)
def test_the_best_of_somebodys_names_counts(
    name: str, called: list[str], kind: MatchKind | None
) -> None:
    """Petra Vogel is not the Petra who is Petra Hahn."""
    assert reference_candidates.best_kind(name, called) is kind


def test_a_handle_is_its_owners() -> None:
    """A participant comes before whoever is only called so, and the speaker's own before others."""
    here = known(ANN, "Tom", accounts=[account(7, "x", username="Tomas")])
    own_one = known(BO, "Tomas")
    near = known(CY, "Tomas", by=OTHER)

    def owners(own: list[Known], near: list[Known]) -> list[int]:
        people = KnownPeople(own, near)
        found = reference_candidates.with_handle(SPEAKER, people, "tomas")
        return [one.person.id for one in found]

    assert owners([own_one], [here, near]) == [ANN]
    assert owners([here, own_one], [near]) == [ANN]
    assert owners([own_one], [near]) == [BO]
    assert owners([known(BO, "Kim")], [near]) == [CY]
    assert owners([known(BO, "Kim")], [known(CY, "Uma")]) == []


def test_names_of_another_chat_are_not_said_here() -> None:
    """Names of this chat, those told in no chat, and all that an account shows."""
    in_group = speaker(group=True)
    shown = account(7, "x1", username="tomas", display_name="Tom L.")
    aliases = [alias(ANN, "Tim", chat=GROUP), alias(ANN, "Tam", chat=CHAT)]

    here = known(ANN, "Tom", chat=GROUP, aliases=aliases, accounts=[shown])
    elsewhere = known(ANN, "Tom", chat=CHAT, aliases=aliases)
    unnamed = known(ANN, "boss", named=False, chat=GROUP)
    of_account = known(ANN, "Tom", chat=None)

    names = reference_candidates.names_here
    assert names(in_group, here) == ["Tim", "Tom", "Tom L.", "tomas", "x1"]
    assert names(in_group, elsewhere) == ["Tim"]
    assert names(in_group, unnamed) == []
    assert names(in_group, of_account) == ["Tom"]


def test_a_relationship_is_told_in_the_speakers_words() -> None:
    """The latest that lasts, an own one before another's."""
    claims = [
        claim(ANN, "friend"),
        claim(ANN, "boss"),
        claim(ANN, "aunt", by=OTHER),
        claim(ANN, "wife", ended=True),
    ]
    told = alternatives.relationship

    assert told(SPEAKER, known(ANN, "Ann", *claims)) == "boss"
    assert told(SPEAKER, known(ANN, "Ann", *claims[2:])) == "aunt"
    assert told(SPEAKER, known(ANN, "Ann", *claims[3:])) is None


def test_many_alternatives_are_counted() -> None:
    """Five are named, the others are only counted."""
    fits = [known(number, f"Tom {number}", claim(number, "friend")) for number in range(10, 17)]

    assert (
        alternatives.listed(SPEAKER, fits[:2]) == "Tom 10 (friend, id-10), Tom 11 (friend, id-11)"
    )
    assert alternatives.listed(SPEAKER, fits[:5]).endswith("Tom 14 (friend, id-14)")
    assert alternatives.listed(SPEAKER, fits).endswith("Tom 14 (friend, id-14) and 2 more")
    assert alternatives.listed(SPEAKER, [known(ANN, "Ann")]) == "Ann (id-2)"
    assert [one.id for one in alternatives.shown(SPEAKER, fits)] == [
        f"id-{n}" for n in range(10, 15)
    ]


def test_whom_else_a_reference_could_mean() -> None:
    """Others of the name, of its forms, and of the role without a name; not who was excluded."""
    sarah = known(ANN, "Sarah Lang")
    around = KnownPeople(
        own=[
            sarah,
            known(BO, "Sara"),
            known(CY, "Kim"),
            known(ME, "Sarah"),
            known(6, "sister", claim(6, "sister"), by=OTHER),
            known(7, "Ida", claim(7, "sister")),
        ],
        near=[known(5, "Sarah", by=OTHER), known(8, "Sarah", by=OTHER, chat=GROUP)],
    )

    def others(looked_for: Wanted, *, is_found: bool = True) -> list[str]:
        found = alternatives.others(SPEAKER, around, looked_for, ANN, is_found=is_found)
        return [one.id for one in found]

    assert others(wanted("Sarah")) == ["id-3", "id-5"]
    assert others(wanted("Sarah", not_these=frozenset({BO}))) == ["id-5"]
    assert others(wanted(word="sister"), is_found=False) == ["id-6", "id-7"]
    assert others(wanted(word="wife"), is_found=False) == []
    assert others(wanted("Uma", "sister"), is_found=False) == ["id-6"]
    assert others(wanted("Uma")) == []
