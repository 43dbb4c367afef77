"""The compose file names what the image, the daemon and the gateway accept. Budget: 5 s.

`test_daemon_image.py` runs its services.
"""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from daemon_image import FOLDER, HOME, RUN, SECRETS, USER, compose_file, own_services

from ashd import config
from ashd.cli.ashd import main

CONTAINERFILE = (FOLDER / "Containerfile").read_text()
COMPOSE = compose_file()
DATABASE = COMPOSE["services"]["database"]
DAEMONS = {name: one for name, one in own_services().items() if one["command"][1] == "serve"}
GATEWAYS = {name: one for name, one in own_services().items() if one["command"][1] == "http"}


def mounts(service: dict[str, Any]) -> dict[str, str]:
    """The volume or file at each place."""
    return {one.split(":")[1]: one.split(":")[0] for one in service["volumes"]}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> config.Settings:
    """The settings that the services read."""
    monkeypatch.delenv("ASH_STORAGE_URL", raising=False)
    return config.load(FOLDER / "config.toml", required=True)


def test_there_are_two_daemons_with_a_gateway_each() -> None:
    """A gateway has the run directory of the daemon that it waits for, and of no other."""
    assert len(DAEMONS) == len(GATEWAYS) == 2
    runs = {name: mounts(one)[RUN] for name, one in DAEMONS.items()}
    assert len(set(runs.values())) == 2
    served = {name for one in GATEWAYS.values() for name in one["depends_on"]}
    assert served == set(DAEMONS)
    for gateway in GATEWAYS.values():
        [daemon] = gateway["depends_on"]
        assert mounts(gateway)[RUN] == runs[daemon]


def test_a_daemon_has_a_home_of_its_own() -> None:
    """A daemon's lock is there; the gateways keep nothing, for their keys are in the database."""
    homes = [mounts(one)[HOME] for one in DAEMONS.values()]
    assert len(set(homes)) == 2
    assert [name for name, one in GATEWAYS.items() if HOME in mounts(one)] == []
    assert len({one["hostname"] for one in DAEMONS.values()}) == 2


def test_the_places_are_those_of_the_image() -> None:
    """The home and the run directory are volumes of the image, owned by its user."""
    assert f"ASH_HOME={HOME} ASH_RUN_DIR={RUN}\n" in CONTAINERFILE
    assert f'VOLUME ["{HOME}", "{RUN}"]\n' in CONTAINERFILE
    assert f"install -d -o {USER} -g {USER} -m 700 {HOME} {RUN}\n" in CONTAINERFILE
    assert re.search(rf"ashd:x:{USER}:{USER}::{HOME}:", CONTAINERFILE)
    assert "\nUSER ashd\n" in CONTAINERFILE


@pytest.mark.parametrize("name", own_services())
def test_a_service_is_a_command_of_ashd(name: str) -> None:
    """Its configuration is mounted where the variable says, read-only."""
    service = own_services()[name]
    program, *arguments = service["command"]
    context = main.make_context(program, list(arguments))
    command, *options = arguments
    assert program == "ashd"
    assert main.commands[command].make_context(command, options, parent=context).args == []
    file = service["environment"]["ASH_CONFIG"]
    assert f"./config.toml:{file}:ro" in service["volumes"]
    assert set(service["environment"]) == {"ASH_CONFIG"}


def test_the_daemons_find_the_server_and_its_password(settings: config.Settings) -> None:
    """The socket is in a volume of both, and the secret is where the settings look."""
    url = urlsplit(settings.storage.url)
    assert url.username == DATABASE["environment"]["POSTGRES_USER"]
    assert url.path == f"/{DATABASE['environment']['POSTGRES_USER']}"  # the image names it so
    [folder] = parse_qs(url.query)["host"]
    secret = settings.storage.password_file.removeprefix(f"{SECRETS}/")
    assert DATABASE["environment"]["POSTGRES_PASSWORD_FILE"] == settings.storage.password_file
    assert set(COMPOSE["secrets"]) == {secret}
    for daemon in DAEMONS.values():
        assert mounts(daemon)[folder] == mounts(DATABASE)["/var/run/postgresql"]
        assert daemon["secrets"] == DATABASE["secrets"] == [secret]
    assert [name for name, one in GATEWAYS.items() if "secrets" in one] == []


def test_only_the_gateways_publish_a_port_and_only_on_the_loopback(
    settings: config.Settings,
) -> None:
    """The server and the daemons have no network at all."""
    for service in (DATABASE, *DAEMONS.values()):
        assert service["network_mode"] == "none"
        assert "ports" not in service
    published = [one.rsplit(":", 2) for gateway in GATEWAYS.values() for one in gateway["ports"]]
    assert [host for host, _, _ in published] == ["127.0.0.1"] * 2
    assert len({outer for _, outer, _ in published}) == 2
    assert {inner for _, _, inner in published} == {str(settings.http.port)}
    assert settings.http.host == "0.0.0.0"
    assert not settings.http.open_loopback


def test_whoever_is_waited_for_has_a_health_check() -> None:
    """And every volume and secret that is named is declared."""
    services = COMPOSE["services"]
    for service in services.values():
        assert service["healthcheck"]["test"][0] == "CMD"
        for name, wanted in service.get("depends_on", {}).items():
            assert wanted == {"condition": "service_healthy"}
            assert name in services
    named = {one.split(":")[0] for service in services.values() for one in service["volumes"]}
    assert {name for name in named if not name.startswith("./")} == set(COMPOSE["volumes"])


def test_our_services_can_change_nothing_but_their_volumes() -> None:
    """They have no capability and gain none, and their root is read-only."""
    for service in own_services().values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_no_secret_is_in_a_file_of_the_repository() -> None:
    """The password's file is made by whoever runs it, and git does not take it."""
    [secret] = COMPOSE["secrets"].values()
    assert not any(path.name == secret["file"] for path in FOLDER.iterdir())
    ignored = (FOLDER.parent / ".gitignore").read_text().split()
    assert f"container/{secret['file'].removeprefix('./')}" in ignored


def test_the_page_names_services_ports_and_files_that_are_there() -> None:
    """Its commands make the password's file, and call services by their names."""
    page = (FOLDER.parent / "docs" / "postgresql.md").read_text()
    part = page.partition("### With compose\n")[2].partition("\n## ")[0]
    [secret] = COMPOSE["secrets"].values()
    file = secret["file"].removeprefix("./")

    called = re.findall(r"docker compose exec (\S+) (\S+)", part)
    assert {name for name, _ in called} <= set(COMPOSE["services"])
    assert {program for _, program in called} == {"ash"}
    assert f"(umask 077; head -c 24 /dev/urandom | base64 >{file})" in part
    assert set(re.findall(r"chown (\d+) (\S+)", part)) == {(str(USER), file)}
    published = {one.split(":")[1] for gateway in GATEWAYS.values() for one in gateway["ports"]}
    assert set(re.findall(r"127\.0\.0\.1:(\d+)", part)) <= published
    assert published <= set(re.findall(r"\b\d{4}\b", part))
