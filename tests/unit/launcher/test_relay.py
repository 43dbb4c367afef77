"""The target of a request to the relay's proxy."""

import pytest

from ashd.launcher.relay import Relay, Target, wanted


@pytest.mark.parametrize(
    ("line", "target"),
    [
        (b"CONNECT api.example.com:443 HTTP/1.1", (Target("api.example.com", 443), True)),
        (b"CONNECT API.Example.com:443 HTTP/1.1", (Target("api.example.com", 443), True)),
        (b"CONNECT [::1]:8080 HTTP/1.1", (Target("::1", 8080), True)),
        (b"GET http://localhost:11434/api HTTP/1.1", (Target("localhost", 11434), False)),
        (b"GET http://me@example.com/ HTTP/1.1", (Target("example.com", 80), False)),
        (b"CONNECT api.example.com HTTP/1.1", None),
        (b"CONNECT api.example.com:99999 HTTP/1.1", None),
        (b"GET /api HTTP/1.1", None),
        (b"GET ftp://example.com/ HTTP/1.1", None),
        (b"GET https://example.com/ HTTP/1.1", None),
        (b"\xff\xfe", None),
        (b"", None),
    ],
)
def test_a_request_names_its_target(line: bytes, target: tuple[Target, bool] | None) -> None:
    """A request without a target is refused."""
    assert wanted(line + b"\r\nHost: other.example.com") == target


def test_the_proxy_leaves_the_ports_of_targets_free() -> None:
    """A target on the host's loopback is reached by its own."""
    relay = Relay([Target("localhost", 3128), Target("api.example.com", 3129)])
    relay.close()

    assert relay.proxy_port == 3129
