// The client against `ashd http`: URL and KEY name it.

import assert from "node:assert/strict";
import { createServer } from "node:net";

import { Client } from "../../clients/typescript/index.js";

const { ASH_URL: url, ASH_KEY: key } = process.env;
const client = new Client({ url, key, agent: "notes" });

const added = await client.memory.add({ content: "I parked the car on level four" });
const found = await client.memory.search({ query: "where is the car" });
assert.equal(found.results[0].memory.id, added.memories[0].memory.id);
assert.equal((await new Client({ url, key, agent: "other" }).memory.list()).total, 0);

// An agent may have any name, and a call any time.
const cook = new Client({ url, key, agent: "料理 josé", timeoutMs: Infinity });
await cook.memory.add({ content: "I like soup" });
assert.equal((await cook.memory.list()).total, 1);
assert.equal((await client.memory.list()).total, 1);
await assert.rejects(client.memory.add({ content: "" }), { kind: "invalid_params" });

await assert.rejects(new Client({ url, key: "ash-wrong", agent: "notes" }).memory.list(), {
  name: "AshError",
  kind: "key_unknown",
  message: /This key is not known here/,
});
await assert.rejects(new Client({ url, agent: "notes" }).memory.list(), {
  kind: "key_missing",
  message: /A key is needed/,
});
await assert.rejects(new Client({ url: "http://127.0.0.1:9", key }).memory.list(), {
  kind: "unavailable",
});
await assert.rejects(new Client({ url: "http://127.0.0.1:9", key }).memory.list(), {
  message: /^Nothing answers at/,
});

// A call ends when its signal is given.
const silent = createServer(() => {});
await new Promise((resolve) => silent.listen(0, "127.0.0.1", resolve));
const asked = new Client({ url: `http://127.0.0.1:${silent.address().port}`, key, timeoutMs: null });
const stop = new AbortController();
setTimeout(() => stop.abort(new Error("enough")), 20);
await assert.rejects(asked.memory.list({}, { signal: stop.signal }), /enough/);
silent.close();
assert.equal((await client.memory.list({}, { signal: new AbortController().signal })).total, 1);

// A connection that dies in the middle of a call: it may have taken effect.
for (const begun of ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"]) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(begun));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const dying = new Client({ url: `http://127.0.0.1:${server.address().port}`, key });
  await assert.rejects(dying.memory.list(), {
    kind: "unavailable",
    message: /ended before its answer/,
    hint: /may have taken effect/,
  });
  server.close();
}
console.log("done");
