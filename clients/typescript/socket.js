// One connection over the Unix socket, one call at a time: calls wait for each other. It is opened
// by the first call, and anew after it was lost. A call that failed or ran out of time closes it,
// so that a late reply is never taken for that of another call.

import { connect } from "node:net";

import { AshError, errorOf } from "./errors.js";
import { places } from "./places.js";

const CONNECT_TIMEOUT_MS = 5_000;
const NEWLINE = 0x0a;

export class SocketTransport {
  #options;
  #socket = null;
  #last = Promise.resolve();

  constructor(options) {
    this.#options = options;
  }

  /** Send a request and return its reply. */
  exchange(request, method, timeoutMs, signal) {
    const reply = this.#last.then(async () => {
      signal?.throwIfAborted();
      if (this.#socket === null || this.#socket.destroyed) await this.#open();
      return exchanged(this.#socket, request, method, timeoutMs, signal);
    });
    this.#last = reply.catch(() => {});
    return unlessAborted(reply, signal);
  }

  close() {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #open() {
    const tried = [];
    for (const path of places(this.#options)) {
      try {
        this.#socket = await connected(path);
      } catch (error) {
        tried.push([path, error]);
        continue;
      }
      return this.#greet();
    }
    throw noDaemon(tried);
  }

  async #greet() {
    const { name, readOnly } = this.#options;
    if (name === undefined && !readOnly) return;
    const params = { ...(name && { client: name }), ...(readOnly && { read_only: true }) };
    const request = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "session.hello", params });
    const reply = await exchanged(this.#socket, request, "session.hello", CONNECT_TIMEOUT_MS);
    if (reply.error) {
      this.close();
      throw errorOf(reply.error);
    }
  }
}

function connected(path) {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error("it does not answer")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      socket.on("error", () => {}); // an idle connection that ends is opened anew
      socket.unref(); // nor does it keep the process alive
      resolve(socket);
    });
  });
}

/** Return what a promise becomes, or fail at once when a signal is given. */
function unlessAborted(promise, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Send a line and return the document in the next one. */
function exchanged(socket, request, method, timeoutMs, signal) {
  return new Promise((resolve, reject) => {
    const parts = [];
    const timer =
      timeoutMs === null
        ? undefined
        : setTimeout(() => failed(AshError.timedOut(method, timeoutMs)), timeoutMs);

    function over() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      socket.off("data", took).off("error", broke).off("close", broke);
      socket.unref();
    }
    function failed(error) {
      over();
      socket.destroy();
      reject(error);
    }
    function abort() {
      failed(signal.reason);
    }
    function broke(error) {
      failed(AshError.lost((error instanceof Error && error.message) || "it was closed", error));
    }
    function took(part) {
      parts.push(part);
      // All that comes is the reply, for nothing follows it.
      if (part[part.length - 1] !== NEWLINE) return;
      try {
        resolve(JSON.parse(Buffer.concat(parts).toString()));
        over();
      } catch (error) {
        failed(AshError.lost("what came back is no JSON", error));
      }
    }

    signal?.addEventListener("abort", abort);
    socket.on("data", took).on("error", broke).on("close", broke);
    socket.ref();
    socket.write(`${request}\n`);
  });
}

/** Return the error when no place answered; a socket that refuses says more than a missing one. */
function noDaemon(tried) {
  const there = tried.find(([, error]) => !["ENOENT", "ENOTDIR"].includes(error.code));
  if (there === undefined) {
    return AshError.unavailable(
      `No daemon runs here: there is no socket at ${tried.map(([path]) => path).join(", ")}.`,
      "Start it with `ashd serve`, or name its socket with `socket` or ASHD_SOCKET.",
    );
  }
  const [path, error] = there;
  if (error.code === "EACCES") {
    return AshError.unavailable(
      `The socket ${path} does not let you in (permission denied).`,
      "Run as the daemon's own user, or ask its operator to add you to its group.",
      error,
    );
  }
  return AshError.unavailable(
    `No daemon answers at ${path} (${error.message}).`,
    "It has stopped or is starting: start it with `ashd serve`, or try again in a moment.",
    error,
  );
}
