// The client against a daemon, over its socket: SOCKET and USER name them.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AshError, Client } from "../../clients/typescript/index.js";

const scope = { provider: "test", user_id: process.env.ASH_USER };
const client = new Client({ socket: process.env.ASHD_SOCKET, name: "a test", scope });

const added = await client.memory.add({ content: "I am allergic to peanuts", tags: ["food"] });
const memory = added.memories[0].memory;
assert.equal(memory.source, "rpc");

// Calls at the same time wait for each other, and each gets its own answer.
const [found, listed, got] = await Promise.all([
  client.memory.search({ query: "peanut allergy" }),
  client.memory.list(),
  client.memory.get({ id: memory.id }),
]);
assert.equal(found.results[0].memory.content, "I am allergic to peanuts");
assert.equal(listed.total, 1);
assert.equal(got.memory.id, memory.id);

// An error has its kind, and the connection goes on.
const missing = client.memory.get({ id: "00000000-0000-4000-8000-000000000000" });
await assert.rejects(missing, (error) => {
  assert.ok(error instanceof AshError);
  assert.deepEqual([error.kind, error.code, error.retryable], ["not_found", 200, false]);
  assert.ok(error.hint);
  return true;
});

// Text of any script, and a reply of many parts.
const long = "Ä€🌙".repeat(3_000);
const kept = await client.memory.add({ content: long });
assert.equal((await client.memory.get({ id: kept.memories[0].memory.id })).memory.content, long);

await client.memory.delete({ id: memory.id });
assert.equal((await client.memory.list()).total, 1);
await assert.rejects(client.call("memory.nothing"), { kind: "method_not_found" });

// A closed client opens a new connection.
client.close();
assert.equal((await client.memory.list()).total, 1);

// A call that is not answered in time is an error.
const folder = mkdtempSync(join(tmpdir(), "ash-"));
const silent = createServer().listen(join(folder, "silent.sock"));
const hurried = new Client({ socket: join(folder, "silent.sock"), scope, timeoutMs: 20 });
await assert.rejects(hurried.memory.list(), { kind: "unavailable", retryable: true });
hurried.close();
silent.close();

// A call ends when its signal is given, also one that waits for another; the next call is answered.
const muted = createServer().listen(join(folder, "muted.sock"));
const waiting = new Client({ socket: join(folder, "muted.sock"), timeoutMs: null });
const stop = new AbortController();
const calls = [1, 2].map(() => waiting.memory.list({}, { signal: stop.signal }));
setTimeout(() => stop.abort(new Error("enough")), 20);
for (const call of calls) await assert.rejects(call, /enough/);
await assert.rejects(waiting.memory.list({}, { signal: stop.signal }), /enough/);
muted.close();
const aborted = new AbortController();
const ended = client.memory.search({ query: "tea" }, { signal: aborted.signal });
setImmediate(() => aborted.abort());
await Promise.allSettled([ended]);
assert.equal((await client.memory.list({}, { signal: new AbortController().signal })).total, 1);

const patient = new Client({ socket: process.env.ASHD_SOCKET, scope, timeoutMs: 3_000_000_000 });
assert.equal((await patient.memory.list()).total, 1);
rmSync(folder, { recursive: true });

const careful = new Client({ socket: process.env.ASHD_SOCKET, scope, readOnly: true });
await assert.rejects(careful.memory.add({ content: "tea" }), { kind: "denied" });
assert.equal((await careful.memory.list()).total, 1);

const nobody = new Client({ socket: "/nowhere/ashd.sock" });
await assert.rejects(nobody.memory.list(), (error) => {
  assert.equal(error.kind, "unavailable");
  assert.match(error.message, /nowhere/);
  assert.equal(error.retryAfterMs, 1_000);
  return true;
});
// Nothing is closed here: an idle connection keeps no process alive.
console.log("done");
