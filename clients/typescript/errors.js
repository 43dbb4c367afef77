// The error of a call: decide on its `kind`.

const UNAVAILABLE_CODE = -32_000; // the first of the codes that JSON-RPC leaves to programs

export class AshError extends Error {
  constructor(message, { kind, code, hint = "", retryable = false, data = {}, cause } = {}) {
    super(message, { cause });
    this.name = "AshError";
    this.kind = kind;
    this.code = code;
    this.hint = hint;
    this.retryable = retryable;
    this.data = data;
  }

  /** Milliseconds after which the same call may succeed; undefined if waiting does not help. */
  get retryAfterMs() {
    const wait = this.data.retry_after_ms;
    if (typeof wait === "number" && wait > 0) return wait;
    return this.retryable ? 1_000 : undefined;
  }

  static unavailable(message, hint, cause) {
    return new AshError(message, {
      kind: "unavailable",
      code: UNAVAILABLE_CODE,
      hint,
      retryable: true,
      cause,
    });
  }

  static lost(reason, cause) {
    return AshError.unavailable(
      `The connection to the daemon ended before its answer: ${reason}.`,
      "The call may have taken effect: look before you repeat it.",
      cause,
    );
  }

  static timedOut(method, timeoutMs) {
    return AshError.unavailable(
      `The daemon did not answer ${method} within ${timeoutMs / 1_000} seconds.`,
      "The call may still take effect: look before you repeat it, or give it more time.",
    );
  }
}

/** Return the error that the daemon answered, or `ashd http`, whose codes are words. */
export function errorOf(error) {
  const data = error.data ?? {};
  const ofGateway = typeof error.code === "string";
  return new AshError(error.message || "The daemon refused without saying why.", {
    kind: data.kind ?? (ofGateway ? error.code : "internal_error"),
    code: ofGateway ? UNAVAILABLE_CODE : (error.code ?? UNAVAILABLE_CODE),
    hint: data.hint ?? "",
    retryable: data.retryable === true,
    data,
  });
}
