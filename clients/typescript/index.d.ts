import type { CallOptions, ErrorKind, Methods, Scope } from "./methods.js";

export type * from "./methods.js";

export interface Options {
  /** Sent with every call that has none: on whose behalf it acts. */
  scope?: Scope;
  /** The time of a call, 60,000 by default; null: as long as it takes. */
  timeoutMs?: number | null;
}

export interface SocketOptions extends Options {
  /** The control socket, or a sandbox's; without it the daemon's places are tried in turn. */
  socket?: string;
  /** The daemon's home, if not ~/.ash. */
  home?: string;
  /** The program that asks. */
  name?: string;
  /** The daemon denies every change on this connection. */
  readOnly?: boolean;
}

export interface HttpOptions extends Options {
  /** The address of `ashd http`. */
  url: string;
  /** A key of `ash key create`. */
  key?: string;
  /** The agent to act as; a key for one agent needs none. */
  agent?: string;
}

export interface Client extends Methods {}

/**
 * A client of the daemon: every method under its name, as `client.memory.search({ query: "tea" })`.
 * Over the Unix socket it has one connection and makes one call at a time.
 */
export class Client {
  constructor(options?: SocketOptions | HttpOptions);
  /** Call a method by its name on the wire. */
  call(method: string, params?: object, options?: CallOptions): Promise<unknown>;
  /** Close the connection; a later call opens a new one. */
  close(): void;
}

/** A call that failed: decide on its `kind`. */
export class AshError extends Error {
  readonly kind: ErrorKind | (string & {});
  readonly code: number;
  /** The remedy. */
  readonly hint: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The whole `error.data`. */
  readonly data: Record<string, unknown>;
  /** Milliseconds after which the same call may succeed; undefined if waiting does not help. */
  get retryAfterMs(): number | undefined;
}
