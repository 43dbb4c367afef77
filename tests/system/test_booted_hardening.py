"""Forbidden acts, tried in the system unit on a booted systemd. Budget: 10 s.

Each attempt is made three times: in a unit without restrictions, where it succeeds; in a unit with
nothing but the directive as the system unit has it; and in the system unit as it is.
"""

import json
import shutil
from pathlib import Path

import forbidden
import pytest
from booted import BIN, Machine

SCRIPT = "/opt/forbidden.py"
RESULTS = "/run/forbidden"
UNIT = Path(__file__).parents[2] / "systemd/system/ashd.service"
NOT_TRIED = {
    # Behind RestrictAddressFamilies; the second wall for whoever opens the network.
    "IPAddressDeny",
    # They change nothing that the daemon uses, so no test can show their effect.
    *("AmbientCapabilities", "DevicePolicy", "PrivateMounts", "RemoveIPC"),
    # Needs a program of another architecture.
    "SystemCallArchitectures",
    # The kind of refusal by the filter, shown by each attempt against it.
    "SystemCallErrorNumber",
}


def lines_of(directive: str) -> list[str]:
    """The lines of the system unit for a directive, and how its filter refuses."""
    key = directive.partition(" ")[0]
    wanted = {key, "SystemCallErrorNumber"} if key == "SystemCallFilter" else {key}
    return [line for line in UNIT.read_text().splitlines() if line.partition("=")[0] in wanted]


@pytest.fixture(scope="module")
def answers(installed: Machine) -> dict[str, dict[str, str]]:
    """The answer to each attempt: with nothing, with its directive alone, in the unit itself."""
    service = installed
    service.systemctl("reset-failed")
    for place, mode in ((forbidden.OPEN_TO_ALL, 0o1777), (forbidden.HOME_FILE.parent, 0o755)):
        service.path(str(place)).mkdir(parents=True, exist_ok=True)
        service.path(str(place)).chmod(mode)
    for file in (forbidden.HOME_FILE, forbidden.TMP_FILE, forbidden.MODULE):
        service.path(str(file)).parent.mkdir(parents=True, exist_ok=True)
        service.path(str(file)).write_text("")
    service.run("mknod", "-m", "666", str(forbidden.DEVICE), "c", "1", "3")
    service.path(RESULTS).mkdir()
    shutil.copy(forbidden.__file__, service.path(SCRIPT))
    own = [
        service.run("readlink", f"/proc/self/ns/{name}").stdout.strip() for name in ("net", "ipc")
    ]
    command = f"{BIN}/python -I -S {SCRIPT} {' '.join(own)}"

    def write(name: str, *lines: str, start: str) -> str:
        text = ["[Service]", "Type=oneshot", "TasksMax=infinity", *lines, f"ExecStart={start}"]
        text += [f"StandardOutput=append:{RESULTS}/{name}"]
        service.path(f"/run/systemd/system/{name}.service").write_text("\n".join(text) + "\n")
        return f"{name}.service"

    units = [write("forbidden-nothing", start=command)]
    for number, directive in enumerate(forbidden.ATTEMPTS):
        # One percent sign would be a specifier.
        start = f'{command} "{directive}"'
        units.append(write(f"forbidden-{number}", *lines_of(directive), start=start))
    service.drop_in(
        "ashd.service",
        "forbidden",
        "[Service]",
        f"ExecStartPre={command}",
        f"StandardOutput=append:{RESULTS}/itself",
        "StandardError=journal",
    )
    try:
        service.systemctl("start", *units)
        service.systemctl("restart", "ashd.service")
    finally:
        service.remove_drop_in("ashd.service", "forbidden")
        service.systemctl("restart", "ashd.service")

    def read(name: str) -> dict[str, str]:
        said: dict[str, str] = json.loads(service.path(f"{RESULTS}/{name}").read_text())
        return said

    alone: dict[str, str] = {}
    for number in range(len(forbidden.ATTEMPTS)):
        alone |= read(f"forbidden-{number}")
    return {"nothing": read("forbidden-nothing"), "alone": alone, "itself": read("itself")}


@pytest.mark.parametrize("directive", forbidden.ATTEMPTS)
def test_directive_prevents_what_it_is_for(
    directive: str, answers: dict[str, dict[str, str]]
) -> None:
    """The directive blocks its attack by itself and in the unit; without it the attack works."""
    said = {where: given[directive].split()[0] for where, given in answers.items()}

    assert said == {"nothing": "allowed", "alone": "refused", "itself": "refused"}, answers


def test_no_directive_is_left_untried() -> None:
    """A new one gets an attempt, or a reason."""
    hardening = UNIT.read_text().partition("UMask=")[2]
    present = {line.partition("=")[0] for line in hardening.splitlines() if line[:1].isupper()}
    tried = {name.split()[0] for name in forbidden.ATTEMPTS}

    assert present - tried - {"", "WantedBy", "Also", "0077"} == NOT_TRIED
