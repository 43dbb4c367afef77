"""Run the scripted endpoint: ``python -m tests.endpoint --port 8081``.

It prints the lines for config.toml, then a line for each request, until Ctrl-C.
"""

import argparse
import json
import sys
import threading
from pathlib import Path
from typing import Any

from . import WRAPS, Answer, Body, Cut, Endpoint, Hang, Status
from .poison import POISON

FAULTS: dict[str, Answer] = {
    "429": Status(429, retry_after=2),
    "500": Status(500),
    "401": Status(401),
    "hang": Hang(),
    "cut": Cut(after=3),
    "malformed": '{"facts": [',
    "wrong-shape": {"unexpected": True},
    "body": Body(),
    **POISON,
}
REFUSABLE = ("json_schema", "json_object", "tools", "stream_options")


def say(text: str) -> None:
    """Print a line now."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.endpoint", description=__doc__)
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--fault", choices=FAULTS, help="what goes wrong")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="with each Nth request")
    parser.add_argument("--refuse", choices=REFUSABLE, action="append", default=[])
    parser.add_argument("--wrap", choices=WRAPS, default="plain", help="what is around the JSON")
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help='scripted answers: {"extract_facts": [{"facts": …}, …], "chat": ["text", …]}',
    )
    options = parser.parse_args()
    endpoint = Endpoint(options.port)
    endpoint.refused = set(options.refuse)
    endpoint.wrap = WRAPS[options.wrap]
    endpoint.delay_seconds = options.delay
    if options.fault:
        endpoint.every = (options.every, FAULTS[options.fault])
    if options.answers:
        scripted: dict[str, list[Any]] = json.loads(options.answers.read_text(encoding="utf-8"))
        for task, answers in scripted.items():
            endpoint.script(task, *answers)
    say(f"{endpoint.llm_config}\nCtrl-C ends it.")
    seen = 0
    ended = threading.Event()
    try:
        while not ended.wait(0.2):
            for request in endpoint.requests[seen:]:
                seen += 1
                say(f"{seen}: {request['task']}, {len(request['messages'])} messages")
    except KeyboardInterrupt:
        endpoint.end()


main()
