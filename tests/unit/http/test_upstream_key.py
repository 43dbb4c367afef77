"""The place of the upstream's key, in a unit of systemd and elsewhere."""

from pathlib import Path

import pytest

from ashd.http.upstream import key_path


def test_a_credential_of_the_daemons_is_read_as_the_gateways_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A unit cannot see the credentials of another; without one of that name the setting stays."""
    own = tmp_path / "ashd-http.service"
    own.mkdir()
    (own / "key").write_text("key-of-the-endpoint")
    daemons = tmp_path / "ashd.service" / "key"
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(own))

    assert key_path(str(daemons)) == own / "key"
    assert key_path(str(daemons.with_name("other"))) == daemons.with_name("other")


def test_any_other_file_is_read_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing but a credential is looked for among the credentials."""
    own = tmp_path / "credentials" / "ashd-http.service"
    own.mkdir(parents=True)
    (own / "key").write_text("key-of-the-endpoint")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(own))
    assert key_path("/etc/ashd/key") == Path("/etc/ashd/key")
    monkeypatch.delenv("CREDENTIALS_DIRECTORY")
    assert key_path("~/key") == Path.home() / "key"
