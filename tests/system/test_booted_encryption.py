"""`ashd install --encrypted` on a booted systemd, with its own `systemd-creds`. Budget: 30 s."""

from booted import Machine
from encrypted import needs_ciphers

HOME = "/var/lib/ashd"
SEALED = "/etc/credstore.encrypted/ashd.key"
ALICE = {"provider": "test", "user_id": "alice"}
MARKER = "wubbzolite"


def known(service: Machine) -> list[str]:
    """The memories of Alice."""
    listed = service.call("memory.list", scope=ALICE)["memories"]
    return [memory["content"] for memory in listed]


@needs_ciphers
def test_systemd_seals_the_key_of_the_service(service: Machine) -> None:
    """The database that is there is encrypted, once; there is a way back."""
    install = ("ashd", "install", "--system", "--encrypted", "--no-phrase")
    fact = f"The {MARKER} is in the attic"
    service.call("memory.add", scope=ALICE, content=fact)
    database = service.path(f"{HOME}/data/ash.db")
    config = service.path(f"{HOME}/config.toml")

    done = service.run(*install)

    assert [fact] == known(service)
    assert MARKER.encode() not in database.read_bytes()
    key = service.run("systemd-creds", "decrypt", "--name=ashd.key", SEALED, "-").stdout.strip()
    assert 64 == len(key)
    process = service.path(f"/proc/{service.main_pid()}")
    shown = [
        *(done.stdout, done.stderr, service.journal(), config.read_text()),
        *(service.path(SEALED).read_text(), (process / "environ").read_text()),
    ]
    assert not [text for text in shown if key in text]
    assert database.stat().st_uid == config.stat().st_uid == service.path(HOME).stat().st_uid

    before = service.main_pid()
    again = service.run(*install)
    assert "wrote" not in again.stdout
    assert before == service.main_pid()
    service.systemctl("restart", "ashd.service")
    assert [fact] == known(service)

    service.systemctl("stop", "ashd.socket", "ashd.service")
    service.run("ash", "--home", HOME, "db", "decrypt", "--yes")
    config.unlink()
    service.systemctl("start", "ashd.socket", "ashd.service")
    assert [fact] == known(service)
