"""The container recipe, built and run as sandbox/README.md says. Budget: 15 s."""

from containers import IMAGE_USER, Podman, documented
from sandboxed_host import Host, contained


def test_container_sees_only_its_grant(podman: Podman, host: Host) -> None:
    """The image builds offline, and a hostile script in it gets no further than the socket."""
    host.give_to(IMAGE_USER)  # so that nothing but the mount keeps it from writing there
    run = [word.replace("$GRANT_DIRECTORY", str(host.grant)) for word in documented("run")]
    report = host.try_everything(contained(lambda argv: podman.command([*run, *argv])))

    own = host.grant / "rpc.sock"
    assert report["answer"] == f"{own}: hello"
    assert report["answer_after"] == f"{own}: still here"
    assert report["sockets"] == ["/run/ash/rpc.sock"]
    assert report["databases"] == []
    assert set(report["hidden"].values()) == {"FileNotFoundError"}
    assert report["interfaces"] == ["lo"]
    assert report["tcp"] != "done"
    assert report["abstract"] == "ConnectionRefusedError"
    stopped = ("unlink", "replace", "chmod", "create", "write_root", "write_usr")
    assert [name for name in stopped if report[name] == "done"] == []
    assert report["root_is_read_only"]
    assert report["write_tmp"] == "done"
    assert report["signal"] == ["ProcessLookupError"] * 2
    assert report["processes"] == 1
    assert [text for text in report["environments"] if "ASH_TEST_KEY" in text] == []
    assert report["capabilities"] == ["0000000000000000"] * 3
    assert report["no_new_privileges"] == "1"
    assert report["kernel_settings"] == []
    assert report["uid"] == IMAGE_USER
    assert podman.call(*run, "ash-sb", "--version") is None
