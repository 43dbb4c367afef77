"""`@ashd/client` on Node, through `ashd http`. Budget: 2 s."""

import node
from gateways import Gateway


@node.needs_node
def test_the_typescript_client_calls_over_http(gateway: Gateway) -> None:
    """Calls, an agent of its own, errors of the daemon and of the gateway, nobody there."""
    node.run(
        "over_http.mjs", ASH_URL=f"http://127.0.0.1:{gateway.port}", ASH_KEY=gateway.key_for("*")
    )
