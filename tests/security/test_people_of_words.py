"""Being named by the words of a fact opens it to nobody; what its caller says of it does. 60 s."""

from collections.abc import Callable
from typing import Any

import pytest
from daemons import Daemon

Json = dict[str, Any]
WORDS = "The tutor is Nora Feld"
GIVEN = "She teaches Greek"


class Group:
    """A group of Ann and Ben on a daemon; Nora is outside, with an account of her own."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.call("ben", "memory.list")
        self.call("nora", "person.resolve", alone=True, reference="me")
        told = self.call("ann", "memory.add", content=WORDS)["memories"][0]
        self.person: str = told["people"][0]["id"]
        self.read: str = told["memory"]["id"]
        self.call("ann", "memory.add", content=GIVEN, subjects=["Nora Feld"])

    def call(self, user: str, method: str, *, alone: bool = False, **params: Any) -> Any:
        """A call by somebody, in the group or alone."""
        scope: Json = {"provider": "p", "user_id": user, "display_name": user.title()}
        if not alone:
            scope |= {"chat_id": "g", "chat_type": "group"}
        return self.daemon.call(method, scope=scope, **params)

    def account(self, what: str) -> None:
        """Link or unlink Nora's account and the person Ann told of."""
        account = {"provider": "p", "user_id": "nora"}
        self.daemon.call(f"person.{what}_account", id=self.person, account=account)

    def shown(self) -> set[str]:
        """Return what Nora is shown alone, by listing, search, context and export."""
        listed = self.call("nora", "memory.list", alone=True)["memories"]
        found = self.call("nora", "memory.search", alone=True, query="tutor Nora", min_score=0)
        prompt = self.call("nora", "context.get", alone=True, message="Who is the tutor?")["text"]
        texts = {one["content"] for one in listed}
        texts |= {one["memory"]["content"] for one in found["results"]}
        return texts | {one for one in (WORDS, GIVEN) if one in prompt}


def _without_embedder(new_daemon: Callable[..., Daemon]) -> Daemon:
    daemon = new_daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    return daemon.start()


@pytest.fixture
def group(new_daemon: Callable[..., Daemon]) -> Group:
    return Group(_without_embedder(new_daemon))


def test_an_account_that_is_linked_later_sees_what_it_is_the_subject_of(group: Group) -> None:
    """The fact whose caller named her, and not the one whose words do."""
    assert group.shown() == set()
    group.account("link")
    assert group.shown() == {GIVEN}
    group.account("unlink")
    assert group.shown() == set()


def test_a_merge_and_its_undoing_open_nothing(group: Group) -> None:
    """Her own person is merged with the one who was told of, and split again."""
    own = group.call("nora", "person.resolve", alone=True, reference="me")["person_id"]
    group.call("ann", "person.merge", id=group.person, into=own, all_scopes=True)
    assert group.shown() == {GIVEN}
    group.call("ann", "person.split", id=group.person, all_scopes=True)
    assert group.shown() == set()


def test_an_identification_that_is_undone_opens_nothing(group: Group) -> None:
    """Another person is meant: the fact is still only read to be about them."""
    undone = group.call(
        "ann",
        "person.undo_identification",
        person_id=group.person,
        reference="Nora Feld",
        memory_ids=[group.read],
    )
    group.person = undone["person"]["id"]
    group.account("link")
    assert group.shown() == set()


def test_a_caller_that_names_the_subject_opens_it(group: Group) -> None:
    """Naming them in a change says it; leaving them out again takes it back."""
    group.account("link")
    for subjects, shown in ((["Nora Feld"], {GIVEN, WORDS}), ([], {GIVEN})):
        group.call("ann", "memory.update", id=group.read, changes={"subjects": subjects})
        assert group.shown() == shown


def test_a_parting_closes_facts_that_the_joined_account_opened(group: Group) -> None:
    """The fact is only read to be about her again."""
    group.call("twin", "memory.list")
    own = group.call("ann", "person.resolve", alone=True, reference="me")["person_id"]
    joined = {"id": own, "account": {"provider": "p", "user_id": "twin"}}
    group.daemon.call("person.link_account", **joined)
    group.call("twin", "memory.update", id=group.read, changes={"subjects": ["Nora Feld"]})
    group.account("link")
    assert group.shown() == {GIVEN, WORDS}
    group.daemon.call("person.unlink_account", **joined)
    assert group.shown() == {GIVEN}


def test_a_change_of_tags_opens_nothing(group: Group) -> None:
    """A change of something else leaves the people as they were."""
    group.account("link")
    group.call("ann", "memory.update", id=group.read, changes={"tags": ["school"]})
    assert group.shown() == {GIVEN}


def test_the_explanation_of_readers_follows_the_same_rule(group: Group) -> None:
    """The operator is not told that Nora may read it, nor that she is its subject."""
    group.account("link")
    found = group.call("ann", "memory.get", id=group.read, explain=True, all_scopes=True)
    roles = {one["user_id"]: one["roles"] for one in found["explained"]["readers"]}
    assert "nora" not in roles


def test_an_import_leaves_it_closed(group: Group, new_daemon: Callable[..., Daemon]) -> None:
    """The whole file says which people were only read."""
    group.account("link")
    path = group.daemon.home / "all.ndjson"
    group.daemon.call("db.export", path=str(path))
    other = _without_embedder(new_daemon)
    other.call("db.import", path=str(path))
    group.daemon = other
    assert group.shown() == {GIVEN}


def test_forgetting_takes_and_counts_it(group: Group) -> None:
    """The fact is about her as its subject: both ways count, and nothing is left."""
    forget = {"person_id": group.person, "erase": True, "all_scopes": True}
    dry = group.call("ann", "memory.forget_person", **forget, dry_run=True)
    done = group.call("ann", "memory.forget_person", **forget)
    assert (dry["erased"], done["erased"]) == (2, 2)
    assert group.call("ann", "memory.list")["memories"] == []
