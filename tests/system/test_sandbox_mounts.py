"""The directory that was checked is the one mounted. Budget: 5 s."""

from pathlib import Path

import pytest
from sandboxed_host import Host, launched

from ashd.launcher import launch
from ashd.launcher.launch import Sandbox

pytestmark = pytest.mark.usefixtures("sandboxes")


@pytest.fixture
def swapped(tmp_path: Path) -> Path:
    """A directory whose parent became a link to another after somebody had looked at it."""
    (tmp_path / "secret" / "project").mkdir(parents=True)
    (tmp_path / "work").symlink_to("secret")
    return tmp_path / "work" / "project"


def test_a_directory_that_was_swapped_is_not_mounted(host: Host, swapped: Path) -> None:
    """Another agent may replace a parent directory between check and mount."""
    if not launch.takes_descriptors():
        pytest.skip("this bubblewrap has no --bind-fd")
    for sandbox in (
        Sandbox(directory=host.grant, client=b"", workspace=swapped),
        Sandbox(directory=host.grant, client=b"", read_only={swapped: swapped}),
    ):
        with pytest.raises(OSError, match="another place"):
            launched(sandbox, ["true"])


@pytest.mark.parametrize("by_descriptor", [True, False])
def test_directories_are_mounted(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_descriptor: bool
) -> None:
    """Directories are mounted by descriptor, or by name where bubblewrap is older."""
    if by_descriptor and not launch.takes_descriptors():
        pytest.skip("this bubblewrap has no --bind-fd")
    monkeypatch.setattr(launch, "takes_descriptors", lambda: by_descriptor)
    for name in ("work", "tool"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text(name)
    tool = tmp_path / "tool"
    sandbox = Sandbox(
        directory=host.grant, client=b"", workspace=tmp_path / "work", read_only={tool: tool}
    )

    script = f"cat work {tool}/tool; touch done; touch {tool}/done"
    assert launched(sandbox, ["sh", "-c", script]).stdout == "worktool"
    assert (tmp_path / "work" / "done").exists()
    assert not (tool / "done").exists()
