"""Our plugin for OpenCode, on Node, with a host and a command that only take notes. Budget: 5 s."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from node import NODE, needs_node

from ashd.cli.opencode_plugin import opencode_plugin

COMMAND = """#!{python}
import json, sys
with open({log!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], json.load(sys.stdin)]) + "\\n")
print(json.dumps({{"hookSpecificOutput": {{"additionalContext": "What is known"}}}}))
"""
HOST = """
import { Ash } from "./ash.mjs"

const parents = { sub: "s" }
const client = {
  session: { get: async ({ path }) => ({ data: { id: path.id, parentID: parents[path.id] } }) },
}
const hooks = await Ash({ client, directory: "/work" })
const event = (type, properties) => hooks.event({ event: { type, properties } })
const text = (value, more = {}) => ({ type: "text", text: value, ...more })

async function turn(id, number) {
  const asked = { id: `m${number}` }
  const parts = [text(`Question ${number}`), text("a file", { synthetic: true })]
  await hooks["chat.message"]({ sessionID: id }, { message: asked, parts })
  const system = []
  await hooks["experimental.chat.system.transform"]({ sessionID: id }, { system })
  for (const answer of ["I look.", `Answer ${number}`]) {
    const info = { id: `${answer}${number}`, role: "assistant", sessionID: id, parentID: asked.id }
    await event("message.updated", { info })
    const part = { id: "p", messageID: info.id, sessionID: id }
    await event("message.part.updated", { part: { ...part, ...text("Answ") } })
    await event("message.part.updated", { part: { ...part, ...text(answer) } })
  }
  await event("session.idle", { sessionID: id })
  return system
}

const given = [...(await turn("s", 1)), ...(await turn("s", 2)), ...(await turn("sub", 3))]
await event("session.compacted", { sessionID: "s" })
console.log(JSON.stringify(given))
"""


@needs_node
def test_turns_of_the_person_are_handed_over(tmp_path: Path) -> None:
    """Each prompt gets what is known, each end of a turn hands over the last ones."""
    log, command = tmp_path / "log", tmp_path / "ash"
    command.write_text(COMMAND.format(python=sys.executable, log=str(log)))
    command.chmod(0o700)
    (tmp_path / "ash.mjs").write_text(opencode_plugin("x").add("", [str(command), "mcp"]))
    (tmp_path / "host.mjs").write_text(HOST)
    assert NODE is not None
    done = subprocess.run(
        [NODE, "host.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    calls = [json.loads(line) for line in log.read_text().splitlines()]

    def turns(*numbers: int) -> list[dict[str, Any]]:
        return [
            {
                "generation_id": f"m{number}",
                "prompt": f"Question {number}",
                "prompt_response": f"I look.\n\nAnswer {number}",
            }
            for number in numbers
        ]

    session = {"session_id": "s", "cwd": "/work"}
    assert json.loads(done.stdout) == ["What is known"] * 2
    assert calls == [
        [["hook", "chat.message", "opencode"], {**session, "prompt": "Question 1"}],
        [["hook", "session.idle", "opencode"], {**session, "turns": turns(1)}],
        [["hook", "chat.message", "opencode"], {**session, "prompt": "Question 2"}],
        [["hook", "session.idle", "opencode"], {**session, "turns": turns(1, 2)}],
        [["hook", "session.compacted", "opencode"], session],
    ]


@needs_node
@pytest.mark.parametrize("command", [None, "echo null", "echo nonsense", "exit 3", "cat"])
def test_a_command_that_fails_stops_no_turn(tmp_path: Path, command: str | None) -> None:
    """Nor one that is gone, as after its environment was moved: the host goes on without it."""
    program = tmp_path / "ash"
    if command is not None:
        program.write_text(f"#!/bin/sh\n{command}\n")
        program.chmod(0o700)
    (tmp_path / "ash.mjs").write_text(opencode_plugin("x").add("", [str(program), "mcp"]))
    (tmp_path / "host.mjs").write_text(HOST)
    assert NODE is not None
    done = subprocess.run(
        [NODE, "host.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )

    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
