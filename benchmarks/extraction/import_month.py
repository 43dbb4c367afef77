"""Import a month of conversations that a slow local model then reads; measure what happens.

    python -m benchmarks.extraction.import_month [--scale 20] [--write]

The model is the scripted one of the tests: it states a window of 4,096 tokens, answers rightly, and
takes 6 seconds for each answer, divided by `--scale`; hours are those times multiplied again. An
agent's turn comes while half of the import is unread.
"""

import argparse
import datetime as dt
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from ashd.token_estimate import estimate
from benchmarks import readme
from benchmarks.extraction import month_table
from benchmarks.extraction.scripted import ModelWorld, faulty
from benchmarks.speed import machine

ANSWER_SECONDS = 6.0
WINDOW = 4_096
DAYS = 30
A_DAY = 3
"""Conversations a day."""
TURNS = 6
"""Turns of the user in a conversation, each with an answer."""
REPLY = "That is interesting. " * 30
SCOPE = {"provider": "bench", "user_id": "david", "username": "david"}


def export() -> tuple[list[dict[str, Any]], set[str]]:
    """Return the conversations as ChatGPT exports them, and the facts in them."""
    began = dt.datetime(2026, 1, 1, 9, tzinfo=dt.UTC)
    made, facts = [], set()
    for number in range(DAYS * A_DAY):
        at = (began + dt.timedelta(hours=number * 24 / A_DAY)).timestamp()
        mapping: dict[str, Any] = {}
        before = None
        for turn in range(TURNS):
            told = number * TURNS + turn
            facts.add(faulty.content_of(told))
            for role, text in (("user", faulty.said(told)), ("assistant", REPLY)):
                name = f"{turn}-{role}"
                mapping[name] = {"message": _message(f"{number}-{name}", role, text, at)}
                mapping[name]["parent"] = before
                before = name
        made.append({"id": f"talk {number}", "mapping": mapping, "current_node": before})
    return made, facts


def _message(name: str, role: str, text: str, at: float) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"id": name, "author": {"role": role}, "content": content, "create_time": at}


def measure(world: ModelWorld, folder: Path, scale: float) -> dict[str, Any]:
    """Import it, wait until all is read, and return the figures."""
    conversations, facts = export()
    file = folder / "conversations.json"
    file.write_text(json.dumps(conversations), encoding="utf-8")
    endpoint, daemon = world.endpoint, world.daemon
    endpoint.states = {"/props": {"default_generation_settings": {"n_ctx": WINDOW}}}
    endpoint.delay_seconds = ANSWER_SECONDS / scale
    endpoint.always("extract_facts", lambda request: faulty.text(faulty.right(request)))
    began = time.monotonic()
    done = daemon.call("db.import", scope=SCOPE, path=str(file), format="chatgpt")
    imported = time.monotonic() - began
    progress, live = [done["to_be_read"]], None
    while (left := _left(world, file)) > 0:
        progress.append(left)
        if live is None and left <= done["to_be_read"] // 2:
            live = _live_seconds(world, scale)
        time.sleep(1.0)
    asked = endpoint.asked_for("extract_facts")
    return {
        "messages": done["imported"],
        "import_s": round(imported, 1),
        "parts": done["to_be_read"],
        "progress_never_rises": progress == sorted(progress, reverse=True),
        "facts": len(facts),
        "stored": len(facts & _stored(world)),
        "calls": len(asked),
        "largest_question_tokens": max(map(_tokens, asked)),
        "window_tokens": WINDOW,
        "answer_s": ANSWER_SECONDS,
        "scale": scale,
        "hours": round((time.monotonic() - began) * scale / 3600, 2),
        "live_turn_s": live,
    }


def _left(world: ModelWorld, file: Path) -> int:
    """Return the parts that are unread, as the same import says again."""
    again = world.daemon.call("db.import", scope=SCOPE, path=str(file), format="chatgpt")
    assert again["imported"] == 0
    return int(again["to_be_read"])


def _live_seconds(world: ModelWorld, scale: float) -> float:
    """Return the scaled seconds until a turn that comes meanwhile was read."""
    began = time.monotonic()
    messages = [{"role": "user", "content": faulty.said(180 + number)} for number in range(10)]
    told = world.daemon.call(
        "conversation.ingest", scope=SCOPE, conversation_id="live", messages=messages
    )
    while world.daemon.call("jobs.get", id=told["job_id"])["job"]["state"] != "done":
        time.sleep(0.01)
    return round((time.monotonic() - began) * scale, 1)


def _tokens(request: dict[str, Any]) -> int:
    said = sum(estimate(message["content"]) for message in request["messages"])
    return said + estimate(json.dumps(request.get("response_format", {})))


def _stored(world: ModelWorld) -> set[str]:
    found: set[str] = set()
    page: dict[str, Any] = {"next_cursor": None}
    while True:
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
        page = world.daemon.call(
            "memory.list", scope=SCOPE, include_superseded=True, limit=100, **cursor
        )
        found |= {one["content"] for one in page["memories"]}
        if page["next_cursor"] is None:
            return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=20.0, help="divides the 6 s of an answer")
    parser.add_argument("--write", action="store_true", help="keep the figures in the README")
    options = parser.parse_args()
    described = machine.describe(("ashd",))
    with ModelWorld.running() as world, tempfile.TemporaryDirectory() as folder:
        result = measure(world, Path(folder), options.scale)
    result["machine"] = described
    print(month_table.page(result))
    if options.write:
        readme.keep_month(result)


if __name__ == "__main__":
    main()
