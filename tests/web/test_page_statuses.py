"""HTTP statuses of the daemon's errors on the page. Budget: 20 s."""

from collections.abc import Iterator

import pytest
from failing_daemon import FailingDaemon, failing
from sites import Site, opened

from ashd import errors

KINDS = {cls.kind: cls for cls in errors.all_kinds()}


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FailingDaemon]:
    with failing(tmp_path_factory.mktemp("f") / "s") as daemon:
        yield daemon


@pytest.fixture(scope="module")
def signed_in(behind: FailingDaemon) -> Iterator[tuple[Site, str]]:
    """The page in front of it, and the cookie of a browser that signed in."""
    with opened(behind) as site:
        headers = {"Origin": "null", "Sec-Fetch-Site": "cross-site"}
        answer = site.request("POST", "/login", {"token": site.token}, headers)
        yield site, answer.headers["set-cookie"].partition(";")[0]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_an_error_has_the_status_of_its_class(
    signed_in: tuple[Site, str], behind: FailingDaemon, kind: type[errors.AshError]
) -> None:
    """The page that shows an error of the daemon is answered with the same status as by HTTP."""
    site, cookie = signed_in
    behind.error = {"code": kind.code, "message": "It failed.", "data": {"kind": kind.kind}}
    answer = site.request(
        "GET", "/memories", None, {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
    )

    assert answer.status == kind.http_status
    assert "It failed." in answer.words
