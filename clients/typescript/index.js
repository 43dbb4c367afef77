// The client of the daemon for Node: every method of the daemon under its name, over the Unix
// socket or over `ashd http`. A result is the method's; a failure is an `AshError`.

import { AshError, errorOf } from "./errors.js";
import { METHODS } from "./methods.js";
import { HttpTransport } from "./http.js";
import { SocketTransport } from "./socket.js";

export { AshError };

const CALL_TIMEOUT_MS = 60_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1; // a longer one of Node's ends at once

export class Client {
  #scope;
  #timeoutMs;
  #transport;
  #lastId = 0;

  constructor(options = {}) {
    const { scope, timeoutMs = CALL_TIMEOUT_MS, url, ...place } = options;
    this.#scope = scope;
    this.#timeoutMs = timeoutMs > LONGEST_TIMER_MS ? null : timeoutMs;
    this.#transport =
      url === undefined ? new SocketTransport(place) : new HttpTransport({ url, ...place });
    for (const [namespace, names] of Object.entries(METHODS)) {
      this[namespace] = Object.fromEntries(
        names.map((name) => [name, (...given) => this.call(`${namespace}.${name}`, ...given)]),
      );
    }
  }

  /** Call a method by its name on the wire. */
  async call(method, params = {}, { signal } = {}) {
    signal?.throwIfAborted();
    const given = this.#scope === undefined ? params : { scope: this.#scope, ...params };
    const id = ++this.#lastId;
    const request = JSON.stringify({ jsonrpc: "2.0", id, method, params: given });
    const reply = await this.#transport.exchange(request, method, this.#timeoutMs, signal);
    // The reply to what the daemon could not read, and that of the gateway itself, has no id.
    if (reply?.error && (reply.id ?? id) === id) throw errorOf(reply.error);
    if (reply?.result && reply.id === id) return reply.result;
    this.close();
    throw AshError.lost("what came back is no reply to this call");
  }

  /** Close the connection; a later call opens a new one. */
  close() {
    this.#transport.close();
  }
}
