"""Report the daemon's state to the service manager, in systemd's notification protocol.

One datagram a message, to the socket that the manager names in the environment. Without a manager
nothing is sent. A failure to send never stops the daemon: the manager's own timeouts decide then.
"""

import os
import socket
from typing import Final

_SEND_TIMEOUT_S: Final = 1.0
_PINGS_PER_INTERVAL: Final = 2


def notify(state: str) -> bool:
    """Send ``state`` (``READY=1``, ``STOPPING=1``, ``WATCHDOG=1``, ``STATUS=…``) to the manager.

    Several assignments are separated by newlines. Returns whether it was sent: False without a
    manager, and if the manager could not be reached.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):  # the abstract namespace: "@" stands for its leading NUL
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.settimeout(_SEND_TIMEOUT_S)
            sender.connect(address)
            sender.send(state.encode())
    except OSError:
        return False
    return True


def watchdog_interval() -> float | None:
    """Return the seconds between two ``WATCHDOG=1``: half of what the manager allows.

    None if the manager sets no watchdog, or sets it for another process (``WATCHDOG_PID``).
    """
    allowed_us = os.environ.get("WATCHDOG_USEC", "")
    if not allowed_us.isdecimal() or int(allowed_us) == 0:
        return None
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    return int(allowed_us) / 1_000_000 / _PINGS_PER_INTERVAL
