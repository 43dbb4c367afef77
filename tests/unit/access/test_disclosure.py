"""The stories of features.md, section C, told to the policy function. Budget: 1 s."""

import itertools
from dataclasses import replace
from typing import NamedTuple

import pytest

from ashd.access.disclosure import (
    Asker,
    Audience,
    Decision,
    Memory,
    decide,
    may_change,
    require_changeable,
    sides,
    stricter,
)
from ashd.errors import Denied
from ashd.store.visibility import EVERY_PROJECT, Viewer

# Accounts; the person of account n is n + 100.
DAVID, SARAH, ALICE, BOB, CAROL, ALICE_AT_WORK = range(1, 7)
DAVIDS_DM, BOBS_DM, ALICES_DM, FAMILY, WORK, HOST = range(10, 16)


def person(account: int) -> int:
    """The person whose account it is."""
    return account + 100


def asks(*accounts: int) -> Asker:
    """A user with joined accounts, or nobody for the chat itself, asks."""
    return Asker(frozenset(accounts), frozenset({person(accounts[0])} if accounts else ()))


def privately(account: int) -> Audience:
    """Return a viewer in the asker's private chat."""
    return Audience(ALICES_DM, group=False, accounts=frozenset({account}))


def in_group(chat: int, *accounts: int, known: bool = True) -> Audience:
    """Return a viewer in a group with these current participants."""
    return Audience(
        chat,
        group=True,
        accounts=frozenset(accounts),
        persons=frozenset(map(person, accounts)),
        known=known,
    )


def told_in_private(chat: int, by: int, *about: int, **more: object) -> Memory:
    """A fact told in a private chat."""
    made = Memory(chat, "private", owner=by, stated_by=by, subjects=frozenset(map(person, about)))
    return replace(made, **more)


def stated_in(chat: int, by: int, *about: int, present: tuple[int, ...], **more: object) -> Memory:
    """A fact told in a group."""
    made = Memory(
        chat,
        "group",
        owner=by,
        stated_by=by,
        subjects=frozenset(map(person, about)),
        present=frozenset(present),
    )
    return replace(made, **more)


class Story(NamedTuple):
    """A scenario, the policy's decision, and the rule that made it."""

    name: str
    asker: Asker
    audience: Audience
    memory: Memory
    decision: Decision


SARAHS_ILLNESS = told_in_private(DAVIDS_DM, DAVID, SARAH)
GUITAR = told_in_private(BOBS_DM, BOB, ALICE)
DIABETES = stated_in(FAMILY, ALICE, ALICE, present=(ALICE, BOB), sensitivity="personal")
CAROLS_JOB = stated_in(WORK, BOB, CAROL, present=(ALICE, BOB))
LAUNCH = stated_in(WORK, BOB, present=(ALICE, BOB), owner=None)
ABOUT_CAROL = stated_in(WORK, BOB, CAROL, present=(ALICE, BOB), sensitivity="personal")
SECRET_OF_ALICE = stated_in(WORK, BOB, ALICE, present=(ALICE, BOB), sensitivity="sensitive")

STORIES = [
    Story(
        "the operator sees all",
        Asker(all_scopes=True),
        privately(BOB),
        SARAHS_ILLNESS,
        Decision(True, 1),
    ),
    Story(
        "nowhere learned",
        asks(DAVID),
        privately(DAVID),
        replace(SARAHS_ILLNESS, learned_in=None),
        Decision(False, 2),
    ),
    Story(
        "of an unknown type",
        asks(DAVID),
        privately(DAVID),
        replace(SARAHS_ILLNESS, learned_type="channel"),
        Decision(False, 2),
    ),
    Story(
        "without a type",
        asks(DAVID),
        privately(DAVID),
        replace(SARAHS_ILLNESS, learned_type=None),
        Decision(False, 2),
    ),
    Story(
        "David's DM on Sarah, asked by David",
        asks(DAVID),
        privately(DAVID),
        SARAHS_ILLNESS,
        Decision(True, 3),
    ),
    Story(
        "the same, asked by Sarah",
        asks(SARAH),
        privately(SARAH),
        SARAHS_ILLNESS,
        Decision(False, 3),
    ),
    Story(
        "the same, asked by David in a group",
        asks(DAVID),
        in_group(WORK, DAVID),
        SARAHS_ILLNESS,
        Decision(False, 3),
    ),
    Story(
        "Bob's DM on the guitar, asked by Alice",
        asks(ALICE),
        privately(ALICE),
        GUITAR,
        Decision(False, 3),
    ),
    Story(
        "a fact of the host, asked on the host",
        asks(ALICE),
        Audience(HOST, group=False),
        told_in_private(HOST, ALICE),
        Decision(True, 3),
    ),
    Story(
        "who said it may read it, whoever owns it",
        asks(BOB),
        privately(BOB),
        told_in_private(ALICES_DM, ALICE, stated_by=BOB),
        Decision(True, 3),
    ),
    Story(
        "a joined account's own",
        asks(ALICE, ALICE_AT_WORK),
        privately(ALICE),
        told_in_private(ALICES_DM, ALICE_AT_WORK),
        Decision(True, 3),
    ),
    Story(
        "diabetes in the family group, all were there",
        asks(BOB),
        in_group(FAMILY, ALICE, BOB),
        DIABETES,
        Decision(True, 4),
    ),
    Story(
        "the same, somebody has joined since",
        asks(BOB),
        in_group(FAMILY, ALICE, BOB, CAROL),
        DIABETES,
        Decision(False, 4),
    ),
    Story(
        "the same, hidden even from who said it",
        asks(ALICE),
        in_group(FAMILY, ALICE, BOB, CAROL),
        DIABETES,
        Decision(False, 4),
    ),
    Story(
        "the same, somebody unknown listens",
        asks(BOB),
        in_group(FAMILY, ALICE, BOB, known=False),
        DIABETES,
        Decision(False, 4),
    ),
    Story(
        "a leaver does not hear it, the others do",
        asks(ALICE),
        in_group(FAMILY, ALICE),
        DIABETES,
        Decision(True, 4),
    ),
    Story(
        "sensitive is never shown in its group",
        asks(ALICE),
        in_group(WORK, ALICE, BOB),
        SECRET_OF_ALICE,
        Decision(False, 4),
    ),
    Story(
        "public in its group, asked by who came late",
        asks(CAROL),
        in_group(WORK, ALICE, BOB, CAROL),
        LAUNCH,
        Decision(True, 4),
    ),
    Story(
        "public in its group, asked by the group",
        asks(),
        in_group(WORK, ALICE, BOB),
        LAUNCH,
        Decision(True, 4),
    ),
    Story(
        "public in its group, portable or not",
        asks(BOB),
        in_group(WORK, ALICE, BOB),
        replace(LAUNCH, portable=False),
        Decision(True, 4),
    ),
    Story(
        "Bob on absent Carol's job, Alice asks there",
        asks(ALICE),
        in_group(WORK, ALICE, BOB),
        CAROLS_JOB,
        Decision(True, 4),
    ),
    Story(
        "a joiner and an earlier fact about him",
        asks(CAROL),
        in_group(WORK, ALICE, BOB, CAROL),
        ABOUT_CAROL,
        Decision(False, 4),
    ),
    Story(
        "a shared date, asked by a member in a DM",
        asks(ALICE),
        privately(ALICE),
        LAUNCH,
        Decision(True, 5),
    ),
    Story("the same, after leaving", asks(ALICE), privately(ALICE), LAUNCH, Decision(True, 5)),
    Story("the same, by who came late", asks(CAROL), privately(CAROL), LAUNCH, Decision(False, 5)),
    Story(
        "personal, to who was there", asks(ALICE), privately(ALICE), ABOUT_CAROL, Decision(True, 5)
    ),
    Story(
        "personal and not portable, to who was there",
        asks(ALICE),
        privately(ALICE),
        replace(ABOUT_CAROL, portable=False),
        Decision(True, 5),
    ),
    Story(
        "personal, to its absent subject",
        asks(CAROL),
        privately(CAROL),
        ABOUT_CAROL,
        Decision(False, 5),
    ),
    Story(
        "public, to its absent subject",
        asks(CAROL),
        privately(CAROL),
        CAROLS_JOB,
        Decision(True, 5),
    ),
    Story(
        "public and not portable, to its absent subject",
        asks(CAROL),
        privately(CAROL),
        replace(CAROLS_JOB, portable=False),
        Decision(False, 5),
    ),
    Story(
        "sensitive, to its subject who was there",
        asks(ALICE),
        privately(ALICE),
        SECRET_OF_ALICE,
        Decision(True, 5),
    ),
    Story(
        "sensitive, to its subject who was not",
        asks(ALICE),
        privately(ALICE),
        replace(SECRET_OF_ALICE, present=frozenset({BOB})),
        Decision(False, 5),
    ),
    Story(
        "sensitive, to another who was there",
        asks(CAROL),
        privately(CAROL),
        replace(SECRET_OF_ALICE, present=frozenset({ALICE, BOB, CAROL})),
        Decision(False, 5),
    ),
    Story(
        "sensitive, to who said it", asks(BOB), privately(BOB), SECRET_OF_ALICE, Decision(True, 5)
    ),
    Story(
        "a label that nobody knows is sensitive",
        asks(CAROL),
        privately(CAROL),
        replace(LAUNCH, sensitivity="odd", present=frozenset({CAROL})),
        Decision(False, 5),
    ),
    Story(
        "one's own public fact in another group",
        asks(BOB),
        in_group(FAMILY, ALICE, BOB),
        LAUNCH,
        Decision(True, 6),
    ),
    Story(
        "one's own, but not portable",
        asks(BOB),
        in_group(FAMILY, ALICE, BOB),
        replace(LAUNCH, portable=False),
        Decision(False, 7),
    ),
    Story(
        "diabetes, asked at work",
        asks(ALICE),
        in_group(WORK, ALICE, BOB),
        DIABETES,
        Decision(False, 7),
    ),
    Story(
        "about one who listens, in another group",
        asks(ALICE),
        in_group(FAMILY, ALICE, CAROL),
        CAROLS_JOB,
        Decision(True, 6),
    ),
    Story(
        "about nobody there, in another group",
        asks(ALICE),
        in_group(FAMILY, ALICE, DAVID),
        CAROLS_JOB,
        Decision(False, 6),
    ),
    Story(
        "in a chat where nothing was ever said",
        asks(ALICE),
        Audience(None, group=True),
        LAUNCH,
        Decision(False, 6),
    ),
    Story(
        "of a project, asked in another one",
        replace(asks(DAVID), project="blog"),
        privately(DAVID),
        replace(SARAHS_ILLNESS, project="shop"),
        Decision(False, 8),
    ),
    Story(
        "of a project, asked in none",
        asks(DAVID),
        privately(DAVID),
        replace(SARAHS_ILLNESS, project="shop"),
        Decision(False, 8),
    ),
    Story(
        "of a project, asked in it",
        replace(asks(DAVID), project="shop"),
        privately(DAVID),
        replace(SARAHS_ILLNESS, project="shop"),
        Decision(True, 3),
    ),
    Story(
        "of a project, asked in all of them",
        replace(asks(DAVID), project=EVERY_PROJECT),
        privately(DAVID),
        replace(SARAHS_ILLNESS, project="shop"),
        Decision(True, 3),
    ),
    Story(
        "of no project, asked in one",
        replace(asks(DAVID), project="blog"),
        privately(DAVID),
        SARAHS_ILLNESS,
        Decision(True, 3),
    ),
]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_story(story: Story) -> None:
    """Each story ends as features.md tells it, by the rule that it is told for."""
    assert story.decision == decide(story.asker, story.audience, story.memory)


def test_every_rule_has_a_story() -> None:
    """No rule stands untold."""
    assert set(range(1, 9)) == {story.decision.rule for story in STORIES}


def test_nothing_is_shown_by_default() -> None:
    """A stranger who asks anywhere gets only what is public in the group that he asks in."""
    stranger = Asker(frozenset({99}), frozenset({199}))
    shown = [
        (audience.chat, memory.learned_in, memory.sensitivity)
        for audience in (privately(99), in_group(FAMILY, 99), in_group(WORK, 99))
        for memory in (story.memory for story in STORIES)
        if decide(stranger, audience, memory).shown
    ]

    assert {(WORK, WORK, None)} == set(shown)


def test_a_stricter_label_shows_no_more() -> None:
    """A label nearer to sensitive, or not portable, never shows more than the weaker one."""
    for story, portable in itertools.product(STORIES, (True, False)):
        shown = [
            decide(
                story.asker,
                story.audience,
                replace(story.memory, sensitivity=label, portable=portable),
            ).shown
            for label in ("public", "personal", "sensitive")
        ]
        assert sorted(shown, reverse=True) == shown
        fixed = replace(story.memory, portable=False)
        if decide(story.asker, story.audience, fixed).shown:
            free = replace(story.memory, portable=True)
            assert decide(story.asker, story.audience, free).shown


def test_the_strictest_label_holds() -> None:
    """A statement with several sources has the strictest of their labels (C5)."""
    assert "sensitive" == stricter(None, "sensitive", "personal")
    assert "personal" == stricter("public", "personal")
    assert "personal" == stricter(None, "personal")
    assert stricter(None) is None
    assert stricter() is None


def test_a_viewer_has_two_sides() -> None:
    """A scope's viewer gives both the asker and the audience."""
    viewer = Viewer(
        everything=False,
        account=ALICE,
        accounts=(ALICE, ALICE_AT_WORK),
        persons=(person(ALICE),),
        chat=WORK,
        group=True,
        audience=(ALICE, BOB),
        audience_persons=(person(ALICE), person(BOB)),
        audience_known=True,
    )

    assert (asks(ALICE, ALICE_AT_WORK), in_group(WORK, ALICE, BOB)) == sides(viewer)


@pytest.mark.parametrize(
    ("group", "learned_in", "learned_type", "everything", "changes"),
    [
        (False, ALICES_DM, "private", False, True),
        (False, BOBS_DM, "private", False, True),
        (True, ALICES_DM, "private", False, False),
        (True, FAMILY, "private", False, False),
        (True, FAMILY, "group", False, True),
        (True, WORK, "group", False, False),
        (False, FAMILY, "group", False, False),
        (True, None, "group", False, False),
        (True, WORK, "group", True, True),
        (False, FAMILY, "group", True, True),
        (True, ALICES_DM, "private", True, True),
    ],
)
def test_a_thing_is_changed_where_it_was_learned(
    group: bool, learned_in: int | None, learned_type: str, everything: bool, changes: bool
) -> None:
    """A group's in that group, what is private in private; the operator changes everything."""
    viewer = Viewer(
        everything=everything,
        account=ALICE,
        accounts=(ALICE,),
        persons=(person(ALICE),),
        chat=FAMILY if group else ALICES_DM,
        group=group,
        audience=(ALICE,),
        audience_persons=(person(ALICE),),
        audience_known=True,
    )
    assert may_change(viewer, learned_in, learned_type) is changes
    if changes:
        require_changeable(viewer, learned_in, learned_type)
    else:
        with pytest.raises(Denied):
            require_changeable(viewer, learned_in, learned_type)
