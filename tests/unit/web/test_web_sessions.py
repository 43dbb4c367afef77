"""The one-time token and the session: once, in time, and over after an idle hour."""

import pytest

from ashd.web.sessions import IDLE_SECONDS, LOGIN_SECONDS, Session, Sessions


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_token_opens_one_session(clock: Clock) -> None:
    """A second use, or another token, opens none."""
    sessions = Sessions(clock)

    assert sessions.log_in("A" * 43) is None
    cookie = sessions.log_in(sessions.login_token)

    assert sessions.of_cookie(cookie) is not None
    assert sessions.log_in(sessions.login_token) is None


def test_token_expires(clock: Clock) -> None:
    """A token opens nothing after a minute, and no new visitor can sign in."""
    sessions = Sessions(clock)
    clock.at += LOGIN_SECONDS

    assert sessions.seconds_left() == 0
    assert sessions.log_in(sessions.login_token) is None


@pytest.mark.parametrize("cookie", [None, "", "x", "ä", "A" * 43])
def test_other_cookies_have_no_session(clock: Clock, cookie: str | None) -> None:
    """An unknown cookie has no session before or after a login."""
    sessions = Sessions(clock)
    assert sessions.of_cookie(cookie) is None
    sessions.log_in(sessions.login_token)

    assert sessions.of_cookie(cookie) is None


def test_session_ends_after_an_idle_hour(clock: Clock) -> None:
    """Each use begins the hour anew."""
    sessions = Sessions(clock)
    cookie = sessions.log_in(sessions.login_token)
    clock.at += IDLE_SECONDS - 1
    assert sessions.of_cookie(cookie) is not None
    clock.at += IDLE_SECONDS - 1
    assert sessions.of_cookie(cookie) is not None
    clock.at += IDLE_SECONDS

    assert sessions.of_cookie(cookie) is None


def test_session_keeps_the_values_used_last() -> None:
    """An old search is forgotten before one that is still read."""
    session = Session()
    first = session.keep("first")
    second = session.keep("second")
    keys = []
    for number in range(199):
        session.kept(first)
        keys.append(session.keep(number))

    assert session.kept(first) == "first"
    assert session.kept(second) is None
    assert [session.kept(key) for key in keys] == [*range(199)]
    assert session.kept(None) is None
    session.drop(first)
    session.drop(first)
    assert session.kept(first) is None
