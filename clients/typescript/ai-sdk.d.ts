import type { Client } from "./index.js";

export interface MemoryOptions {
  /** The most that the block in the prompt may take, 1,000 by default. */
  maxTokens?: number;
  /** Keep the turns in this conversation; without it nothing is kept. Needs the control socket. */
  conversationId?: string;
  /**
   * Called with an error of the daemon; the call of the model goes on without memory. Without it the
   * console shows a warning.
   */
  onError?: (error: unknown) => void;
}

/** A middleware of the AI SDK, for `wrapLanguageModel`; its types are those of `ai`. */
export interface MemoryMiddleware {
  readonly specificationVersion: "v3";
  transformParams(options: { type: "generate" | "stream"; params: any; model: any }): Promise<any>;
  wrapGenerate(options: { doGenerate: () => PromiseLike<any>; params: any; [name: string]: any }): Promise<any>;
  wrapStream(options: { doStream: () => PromiseLike<any>; params: any; [name: string]: any }): Promise<any>;
}

/** Put what is known into the prompt, and keep the turn. */
export function memory(client: Client, options?: MemoryOptions): MemoryMiddleware;
