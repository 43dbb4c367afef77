"""A viewer knows who is "you" only while the pages are the local user's own."""

from typing import Any

import anyio

from ashd.web.sessions import Session
from ashd.web.viewer import Viewer


class _Elsewhere:
    """Calls during which another tab chooses another account."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def call(self, method: str, **_: Any) -> dict[str, Any]:
        """Answer after the choice."""
        assert method == "person.resolve"
        scope: Any = {"provider": "telegram", "user_id": "7"}
        self._session.look(scope, all_scopes=False)
        return {"person_id": "p1"}


def test_nobody_is_you_in_a_view_that_was_chosen_meanwhile() -> None:
    """The answer of the former view comes late."""
    session = Session(local_user="ada")
    viewer = Viewer(_Elsewhere(session), session)  # type: ignore[arg-type]  it has one method

    anyio.run(viewer.meet)

    assert viewer.own_person is None
    session.look(None, all_scopes=False)
    assert viewer.own_person is None
