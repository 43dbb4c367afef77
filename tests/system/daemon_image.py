"""The daemon's image, made as docs/install.md says, and the services of the compose file.

Nothing is fetched: the base is this machine's python3, and the libraries come from wheels that are
made of what is installed here.
"""

import re
import shlex
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml
from containers import Podman, base_tree
from packaging.requirements import Requirement
from wheels import REPOSITORY, built, copy_sources

FOLDER = REPOSITORY / "container"
IMAGE = "localhost/ashd"
USER = 10001
HOME = "/var/lib/ashd"
RUN = "/run/ash"
SECRETS = "/run/secrets"
PIP = Path("/usr/share/python-wheels")
"""Wheels by which Debian's python3 makes an environment."""
INSTALL = "/usr/bin/install"
LINKED = (
    *("libdl.so.2", "libgcc_s.so.1", "libpthread.so.0", "libresolv.so.2", "librt.so.1"),
    *("libstdc++.so.6", "libutil.so.1", "libz.so.1"),
)
"""Libraries that the libraries in wheels need."""
BUILD_S = 600


def documented(program: str) -> list[str]:
    """The arguments of a command of the page, word by word."""
    text = (REPOSITORY / "docs" / "install.md").read_text().replace("\\\n", "")
    [line] = re.findall(rf"^podman {program} .*$", text, re.MULTILINE)
    return shlex.split(line)[1:]


def build(podman: Podman, folder: Path) -> None:
    """Make the image in an empty folder, without a model."""
    system = Path("/usr/lib", sys.implementation._multiarch)
    base = folder / "base.tar"
    base_tree(base, [INSTALL, *(str(system / name) for name in LINKED)])
    with tarfile.open(base, "a") as tree:
        tree.add(PIP, PIP)
    assert podman.call("import", str(base), "daemon-base") is None
    (folder / "sources").mkdir()
    built(copy_sources(folder / "sources"), folder / "dist")
    (folder / "wheels").mkdir()
    for name in needed("ashd", "postgres"):
        wheel_of(metadata.distribution(name), folder / "wheels")
    (folder / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n")
    *command, context = documented("build")
    command[command.index("container/Containerfile")] = str(FOLDER / "Containerfile")
    offline = [
        *("--pull=never", "--build-arg", "BASE=localhost/daemon-base", "--build-arg", "MODEL="),
        *("--volume", f"{folder}/wheels:/wheels:ro"),
        *("--volume", f"{folder}/pip.conf:/etc/pip.conf:ro"),
    ]
    problem = podman.call(*command, *offline, str(folder / context), timeout=BUILD_S)
    assert problem is None, problem


def needed(name: str, extra: str) -> set[str]:
    """The distributions that one needs with an extra, and those that they need."""
    found: set[str] = set()
    left = [(name, extra)]
    while left:
        one, wanted = left.pop()
        for line in metadata.requires(one) or ():
            requirement = Requirement(line)
            marker = requirement.marker
            if marker and not any(marker.evaluate({"extra": extra}) for extra in (wanted, "")):
                continue
            if requirement.name not in found:
                found.add(requirement.name)
                left += [(requirement.name, extra) for extra in requirement.extras or {""}]
    return found


def wheel_of(distribution: metadata.Distribution, folder: Path) -> None:
    """Make the wheel of an installed distribution, without its programs."""
    files = [file for file in distribution.files or () if file.parts[0] != ".."]
    [described] = [
        file.parts[0] for file in files if file.name == "METADATA" and len(file.parts) == 2
    ]
    # The last one: the first may be for Python 2.
    *_, tag = re.findall(r"^Tag: (\S+)$", distribution.read_text("WHEEL") or "", re.MULTILINE)
    stem = described.removesuffix(".dist-info")
    with zipfile.ZipFile(folder / f"{stem}-{tag}.whl", "w") as wheel:
        for file in files:
            if "__pycache__" not in file.parts:
                wheel.write(distribution.locate_file(file), str(file))


def compose_file() -> dict[str, Any]:
    """The compose file, with its references resolved."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    return read


def own_services() -> dict[str, dict[str, Any]]:
    """The services of our image, by name."""
    services = compose_file()["services"]
    return {name: one for name, one in services.items() if one["image"] == IMAGE}


def options(service: dict[str, Any], secrets: Path) -> list[str]:
    """The options of `podman run` for a service; no port is published."""
    given = ["--network", "none"]
    given += [f"--env={name}={value}" for name, value in service["environment"].items()]
    given += [f"--cap-drop={one}" for one in service["cap_drop"]]
    given += [f"--security-opt={one.replace(':true', '')}" for one in service["security_opt"]]
    given += [f"--tmpfs={one}" for one in service["tmpfs"]]
    given += ["--read-only"] * service["read_only"]
    for volume in service["volumes"]:
        given.append(f"--volume={volume.replace('./', f'{FOLDER}/', 1)}")
    for name in service.get("secrets", ()):
        given.append(f"--volume={secrets / name}:{SECRETS}/{name}:ro")
    if "hostname" in service:
        given.append(f"--hostname={service['hostname']}")
    return given
