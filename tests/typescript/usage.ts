// Compiled, never run: how the types of the client are used.

import { AshError, Client, type Memory, type MemorySearchResult } from "../../clients/typescript/index.js";

const client = new Client({ scope: { provider: "local", user_id: "ann" }, readOnly: true });
export const remote = new Client({ url: "http://127.0.0.1:1337", key: "ash-…", agent: "notes" });

export async function usage(): Promise<string> {
  const found: MemorySearchResult = await client.memory.search({ query: "tea", limit: 3 });
  const memory: Memory | undefined = found.results[0]?.memory;
  await client.db.import({ path: "/tmp/all.jsonl" });
  await client.memory.list();
  await client.memory.search({ query: "tea" }, { signal: AbortSignal.timeout(50) });
  // @ts-expect-error: a signal is no number
  await client.memory.search({ query: "tea" }, { signal: 50 });
  // @ts-expect-error: the query is missing
  await client.memory.search({ limit: 3 });
  // @ts-expect-error: there is no such param
  await client.memory.search({ query: "tea", limt: 3 });
  // @ts-expect-error: there is no such method
  await client.memory.serch({ query: "tea" });
  try {
    await client.memory.delete({ id: memory?.id ?? "" });
  } catch (error) {
    if (error instanceof AshError && error.kind === "not_found") return error.hint;
    throw error;
  }
  return memory?.content ?? "";
}
