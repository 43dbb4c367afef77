// The places of the daemon's control socket, in the order to try.

import { homedir } from "node:os";
import { join } from "node:path";

const SOCKET = "ashd.sock";
const SYSTEM_RUN_DIR = "/run/ash";

/**
 * A named socket or run directory is the only place: falling back to another daemon would read and
 * write somebody else's memories. A named home is looked in first.
 */
export function places({ socket, home }, env = process.env) {
  const runDir = expanded(env.ASH_RUN_DIR);
  const named = socket || expanded(env.ASHD_SOCKET) || (runDir && join(runDir, SOCKET));
  if (named) return [named];
  const namedHome = home || expanded(env.ASH_HOME);
  const inHome = join(namedHome || join(homedir(), ".ash"), "run");
  const inSession = env.XDG_RUNTIME_DIR ? [join(expanded(env.XDG_RUNTIME_DIR), "ash")] : [];
  const folders = namedHome ? [inHome, ...inSession] : [...inSession, inHome];
  return [...folders, SYSTEM_RUN_DIR].map((folder) => join(folder, SOCKET));
}

function expanded(path = "") {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
