"""Our plugin for OpenCode, which has no hooks that are commands: a file of its own, in JavaScript.

It hands over to `ash hook` what a person wrote and what was answered, and adds what that knows.
Agents beside the conversation, whose sessions have a parent, are left alone.
"""

import json
from typing import Final

from ashd.cli.host_entries import CannotEdit, File

_FIRST: Final = "// Made by `ash connect opencode --hooks`; `ash disconnect opencode` deletes it.\n"
_PLUGIN: Final = """\
import { spawnSync } from "node:child_process"

const COMMAND = %s
const MOST_TURNS = 20

/**
 * Run a hook on an event, and return its answer; an empty one if it fails.
 * It is waited for: `opencode run` ends with the turn, and would end the hook with it.
 */
function hook(event, given) {
  const [program, ...options] = [...COMMAND, "hook", event, "opencode"]
  const input = JSON.stringify(given)
  const done = spawnSync(program, options, { input, timeout: 15000, encoding: "utf8" })
  try {
    return JSON.parse(done.stdout) ?? {} // null if the command is gone, as after it was moved
  } catch {
    return {}
  }
}

/** Return the words of a message itself, without what was added to it. */
function words(parts) {
  const own = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
  return own.map((part) => part.text).join("\\n")
}

export const Ash = async ({ client, directory }) => {
  /** What is known for the last prompt of a session, and its last turns, by the session's id. */
  const sessions = new Map()
  /** The texts of an answer, by the ids of its message and of the part. */
  const answers = new Map()

  async function isOfPerson(id) {
    if (sessions.has(id)) return true
    const found = await client.session.get({ path: { id } })
    return Boolean(found.data) && !found.data.parentID
  }

  /** Hand over the last turns of a session; those that are known already are not stored again. */
  function keep(id) {
    const turns = sessions.get(id).turns.map((turn) => ({
      generation_id: turn.id,
      prompt: turn.prompt,
      prompt_response: turn.answers
        .map((one) => [...(answers.get(one)?.values() ?? [])].join("\\n"))
        .filter(Boolean)
        .join("\\n\\n"),
    }))
    hook("session.idle", { session_id: id, cwd: directory, turns })
  }

  return {
    "chat.message": async (input, output) => {
      const id = input.sessionID
      const prompt = words(output.parts)
      if (!prompt || !(await isOfPerson(id))) return
      const answer = hook("chat.message", { session_id: id, cwd: directory, prompt })
      const turns = sessions.get(id)?.turns ?? []
      turns.push({ id: output.message.id, prompt, answers: [] })
      const text = answer.hookSpecificOutput?.additionalContext
      sessions.set(id, { text, turns: turns.slice(-MOST_TURNS) })
    },
    "experimental.chat.system.transform": async (input, output) => {
      const text = sessions.get(input.sessionID)?.text
      if (text) output.system.push(text)
    },
    event: async ({ event }) => {
      const { info, part, sessionID } = event.properties ?? {}
      if (event.type === "message.updated" && info.role === "assistant" && !info.summary) {
        const turn = sessions.get(info.sessionID)?.turns.find((one) => one.id === info.parentID)
        if (turn && !turn.answers.includes(info.id)) turn.answers.push(info.id)
      } else if (event.type === "message.part.updated" && part.type === "text") {
        if (!sessions.has(part.sessionID) || part.synthetic) return
        if (!answers.has(part.messageID)) answers.set(part.messageID, new Map())
        answers.get(part.messageID).set(part.id, part.text)
      } else if (event.type === "session.compacted") {
        hook("session.compacted", { session_id: sessionID, cwd: directory })
      } else if (event.type === "session.idle" && sessions.has(sessionID)) {
        keep(sessionID)
      }
    },
  }
}
"""


def opencode_plugin(path: str) -> File:
    """Return the file of our plugin."""
    return File(path, _add, _remove, lambda text: not text)


def _add(text: str, command: list[str]) -> str:
    if text.strip() and not _is_ours(text):
        raise CannotEdit("It is a plugin that `ash connect` did not write.")
    return f"{_FIRST}{_PLUGIN % json.dumps(command[:-1])}"


def _remove(text: str) -> str:
    return "" if _is_ours(text) else text


def _is_ours(text: str) -> bool:
    return text.startswith(_FIRST)
