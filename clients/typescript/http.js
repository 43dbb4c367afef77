// Calls over HTTP: `POST /rpc` of `ashd http`, with a key of `ash key create`.

import { AshError } from "./errors.js";

/** Codes of failures after a request was sent, or some of it: it may have taken effect. */
const SENT = /^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT)|HPE_.*)$/;

export class HttpTransport {
  #url;
  #headers;

  constructor({ url, key, agent }) {
    this.#url = new URL("rpc", url.endsWith("/") ? url : `${url}/`);
    this.#headers = {
      "Content-Type": "application/json",
      ...(key && { Authorization: `Bearer ${key}` }),
      // A header has bytes, which `fetch` takes as the characters of these numbers.
      ...(agent && { "X-Ash-Agent-Id": Buffer.from(agent).toString("latin1") }),
    };
  }

  /** Send a request and return its reply. */
  async exchange(request, method, timeoutMs, signal) {
    const timeout = timeoutMs === null ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [signal, timeout].filter(Boolean);
    try {
      const answer = await fetch(this.#url, {
        method: "POST",
        headers: this.#headers,
        body: request,
        signal: AbortSignal.any(signals),
      });
      return await answer.json();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (timeout?.aborted) throw AshError.timedOut(method, timeoutMs);
      if (error instanceof SyntaxError) throw AshError.lost("what came back is no JSON", error);
      const reason = error.cause?.message ?? error.message;
      if (SENT.test(error.cause?.code)) throw AshError.lost(reason, error);
      throw AshError.unavailable(
        `Nothing answers at ${this.#url.origin} (${reason}).`,
        "Start it with `ashd http`, or name its address with `url`.",
        error,
      );
    }
  }

  close() {}
}
