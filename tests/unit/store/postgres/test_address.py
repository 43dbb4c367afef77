"""The address of the server, as an operator writes it."""

from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from ashd import errors
from ashd.store.postgres.address import conninfo


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:///ash",
        "postgresql:///ash?host=/run/postgresql",
        "postgresql://ash@localhost/ash",
        "postgresql://ash@127.0.0.1:5433/ash",
        "postgresql://ash@[::1]/ash",
    ],
)
def test_this_machine_needs_no_encryption(url: str) -> None:
    """A socket and the loopback addresses leave the machine to nobody."""
    assert "sslmode" not in conninfo_to_dict(conninfo(url, None))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ash@db.example/ash",
        "postgresql://ash@192.0.2.1/ash",
        "postgresql://ash@localhost,db.example/ash",
        "postgresql://ash@/ash?hostaddr=192.0.2.1",
        "postgresql://ash@localhost/ash?hostaddr=127.0.0.1,192.0.2.1",
        "postgresql:///ash?service=elsewhere",
    ],
)
def test_a_network_is_encrypted_and_the_server_verified(url: str) -> None:
    """Nobody on the way reads anything or takes the server's place."""
    found = conninfo_to_dict(conninfo(url, None))

    assert found["sslmode"] == "verify-full"
    assert found["sslrootcert"] == "system"


@pytest.mark.parametrize("name", ["PGHOST", "PGHOSTADDR", "PGSERVICE"])
def test_a_server_that_the_environment_names_is_verified(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The client library takes what the URL leaves out from there."""
    monkeypatch.setenv(name, "192.0.2.1")

    assert conninfo_to_dict(conninfo("postgresql:///ash", None))["sslmode"] == "verify-full"


def test_encryption_is_as_the_operator_says() -> None:
    """A server with a certificate of its own authority is named with it."""
    found = conninfo_to_dict(
        conninfo("postgresql://ash@db.example/ash?sslmode=verify-ca&sslrootcert=/etc/ca.pem", None)
    )

    assert (found["sslmode"], found["sslrootcert"]) == ("verify-ca", "/etc/ca.pem")


def test_host_that_takes_writes_is_used_among_several() -> None:
    """The others are its standbys, until one of them is promoted."""
    for hosts in ("one.example,two.example", "one.example"):
        found = conninfo_to_dict(conninfo(f"postgresql://ash@{hosts}/ash", None))
        assert found["target_session_attrs"] == "read-write"


@pytest.mark.parametrize("kind", ["any", "standby", "prefer-standby", "read-only"])
def test_a_server_that_may_be_behind_is_refused(kind: str) -> None:
    """Revoked grants and erased memories may still be there."""
    url = f"postgresql://ash@one.example/ash?target_session_attrs={kind}"
    with pytest.raises(errors.StartError, match="need not take writes"):
        conninfo(url, None)


@pytest.mark.parametrize(
    "url", ["postgresql://ash:hunter2@localhost/ash", "postgresql:///ash?password=hunter2"]
)
def test_a_password_in_the_url_is_refused(url: str) -> None:
    """The configuration and the environment are read by others; the message does not repeat it."""
    with pytest.raises(errors.StartError, match="password_file") as refused:
        conninfo(url, None)

    assert "hunter2" not in str(refused.value)


def test_a_url_that_is_none_is_refused() -> None:
    """The message shows the form, not what was given: it may hold a password."""
    with pytest.raises(errors.StartError, match="postgresql://USER@HOST") as refused:
        conninfo("postgresql://a:hunter2@[/x", None)

    assert "hunter2" not in str(refused.value)


def test_the_password_comes_from_a_private_file(tmp_path: Path) -> None:
    """Its line end is not part of it."""
    file = tmp_path / "password"
    file.write_text("s3 cret'\n")
    file.chmod(0o600)

    assert conninfo_to_dict(conninfo("postgresql:///ash", file))["password"] == "s3 cret'"


def test_a_password_that_others_may_read_is_refused(tmp_path: Path) -> None:
    """As the key of an encrypted database is."""
    file = tmp_path / "password"
    file.write_text("s3cret")
    file.chmod(0o640)

    with pytest.raises(errors.StartError, match="chmod 600"):
        conninfo("postgresql:///ash", file)


def test_a_missing_password_file_is_said(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(errors.StartError, match="cannot be read"):
        conninfo("postgresql:///ash", tmp_path / "absent")
