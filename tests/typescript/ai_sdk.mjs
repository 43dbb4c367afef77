// The middleware in the real AI SDK, against a daemon, with its scripted model.

import assert from "node:assert/strict";

import { Client } from "@ashd/client";
import { memory } from "@ashd/client/ai-sdk";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import * as scripted from "ai/test";

const { simulateReadableStream } = scripted;
const Model = scripted.MockLanguageModelV4 ?? scripted.MockLanguageModelV3;

const scope = { provider: "test", user_id: process.env.ASH_USER };
const client = new Client({ socket: process.env.ASHD_SOCKET, scope });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const done = { unified: "stop", raw: "stop" };
const answer = (text) => ({
  content: [{ type: "text", text }],
  finishReason: done,
  usage,
  warnings: [],
});

// Nothing known: the prompt stays as it was.
const first = new Model({ doGenerate: answer("Noted.") });
const kept = { conversationId: "trip" };
await generateText({
  model: wrapLanguageModel({ model: first, middleware: memory(client, kept) }),
  prompt: "My flight to Lisbon is in May",
});
assert.deepEqual(
  first.doGenerateCalls[0].prompt.map((one) => one.content.map((part) => part.text)),
  [["My flight to Lisbon is in May"]],
);
const stored = await client.conversation.get({ conversation_id: "trip" });
assert.deepEqual(
  stored.messages.map((one) => [one.role, one.content]),
  [["user", "My flight to Lisbon is in May"], ["assistant", "Noted."]],
);

// What is known stands before the newest message, at every step of a loop of tools; earlier messages
// stay as they were; the turn is kept once, without the block.
await client.memory.add({ content: "I am allergic to walnuts" });
const call = { type: "tool-call", toolCallId: "c1", toolName: "shop", input: "{}" };
const second = new Model({
  doGenerate: [
    { ...answer(""), content: [call], finishReason: { unified: "tool-calls", raw: "tool_calls" } },
    answer("No walnuts."),
  ],
});
const result = await generateText({
  model: wrapLanguageModel({ model: second, middleware: memory(client, { conversationId: "food" }) }),
  system: "Answer briefly.",
  messages: [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Good day" },
    { role: "user", content: "What can I not eat?" },
  ],
  tools: {
    shop: tool({
      inputSchema: jsonSchema({ type: "object", properties: {} }),
      execute: async () => "open",
    }),
  },
  stopWhen: stepCountIs(3),
});
assert.equal(result.text, "No walnuts.");
assert.equal(second.doGenerateCalls.length, 2);
for (const { prompt } of second.doGenerateCalls) {
  assert.deepEqual(prompt[0], { role: "system", content: "Answer briefly." });
  assert.deepEqual(prompt[1].content.map((part) => part.text), ["Hello"]);
  assert.equal(prompt[3].content.length, 2);
  assert.match(prompt[3].content[0].text, /data that was remembered[^]*allergic to walnuts/);
  assert.equal(prompt[3].content[1].text, "What can I not eat?");
}
const food = await client.conversation.get({ conversation_id: "food" });
assert.deepEqual(
  food.messages.map((one) => one.content),
  ["What can I not eat?", "No walnuts."],
);

// A stream passes unchanged, and its turn is kept.
const third = new Model({
  doStream: {
    stream: simulateReadableStream({
      chunks: [
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "No wal" },
        { type: "text-delta", id: "1", delta: "nuts." },
        { type: "text-end", id: "1" },
        { type: "finish", finishReason: done, usage },
      ],
    }),
  },
});
const streamed = streamText({
  model: wrapLanguageModel({ model: third, middleware: memory(client, { conversationId: "live" }) }),
  prompt: "May I have a walnut?",
});
let text = "";
for await (const piece of streamed.textStream) text += piece;
assert.equal(text, "No walnuts.");
const live = await client.conversation.get({ conversation_id: "live" });
assert.deepEqual(
  live.messages.map((one) => one.content),
  ["May I have a walnut?", "No walnuts."],
);

// Words beside a call of a tool are kept, and the person's once.
const talks = { type: "text", text: "Let me look." };
const loop = new Model({
  doGenerate: [
    {
      ...answer(""),
      content: [talks, { ...call, toolCallId: "c2" }],
      finishReason: { unified: "tool-calls", raw: "tool_calls" },
    },
    answer("It is open."),
  ],
});
await generateText({
  model: wrapLanguageModel({ model: loop, middleware: memory(client, { conversationId: "shop" }) }),
  prompt: "Is the shop open?",
  tools: {
    shop: tool({
      inputSchema: jsonSchema({ type: "object", properties: {} }),
      execute: async () => "open",
    }),
  },
  stopWhen: stepCountIs(3),
});
const said = async (conversation_id) =>
  (await client.conversation.get({ conversation_id })).messages.map((one) => one.content);
assert.deepEqual(await said("shop"), ["Is the shop open?", "Let me look.", "It is open."]);

// A text that is longer than the daemon takes, or that was cut in the middle of a sign, is read and
// kept as far as it goes.
const long = `${"Is a walnut a nut? ".repeat(2_000)}\ud83d`;
const fifth = new Model({ doGenerate: answer("Yes. ".repeat(4_000)) });
const told = [];
await generateText({
  model: wrapLanguageModel({
    model: fifth,
    middleware: memory(client, { conversationId: "long", onError: (error) => told.push(error) }),
  }),
  prompt: long,
});
assert.deepEqual(told, []);
assert.match(fifth.doGenerateCalls[0].prompt[0].content[0].text, /allergic to walnuts/);
const longs = await said("long");
assert.equal(longs.length, 2);
for (const one of longs) assert.match(one, /cut: the text has [\d,]+ characters\)$/);

// A short question is read with what was said before.
await client.memory.add({ content: "Kirsten keeps bees in Oslo", subjects: ["Kirsten"] });
const asked = [];
const listening = {
  context: { get: (params, options) => (asked.push(params), client.context.get(params, options)) },
  conversation: client.conversation,
};
const sixth = new Model({ doGenerate: answer("In Oslo.") });
await generateText({
  model: wrapLanguageModel({ model: sixth, middleware: memory(listening) }),
  messages: [
    { role: "user", content: "Do you know Kirsten?" },
    { role: "assistant", content: "Yes, she keeps bees." },
    { role: "user", content: "Where?" },
  ],
});
assert.deepEqual(asked[0].recent, [
  { role: "user", content: "Do you know Kirsten?" },
  { role: "assistant", content: "Yes, she keeps bees." },
]);

// A turn is kept in whatever way its stream ends: the reader leaves, or the model breaks off.
const delta = (text) => ({ type: "text-delta", id: "1", delta: text });
const raw = (source, conversationId) =>
  memory(client, { conversationId }).wrapStream({
    doStream: async () => ({ stream: new ReadableStream(source) }),
    params: { prompt: [{ role: "user", content: [{ type: "text", text: "Go on" }] }] },
  });
let cancelled;
const left = await raw(
  { pull: (controller) => controller.enqueue(delta("word ")), cancel: (why) => (cancelled = why) },
  "left",
);
const reader = left.stream.getReader();
await reader.read();
await reader.cancel("enough");
assert.equal(cancelled, "enough");
assert.match((await said("left")).join("|"), /^Go on\|word( word)*$/);
let pulls = 0;
const broken = await raw(
  {
    pull(controller) {
      if (pulls++ === 0) controller.enqueue(delta("half"));
      else controller.error(new Error("cut"));
    },
  },
  "broken",
);
const other = broken.stream.getReader();
await other.read();
await assert.rejects(other.read(), /cut/);
assert.deepEqual(await said("broken"), ["Go on", "half"]);
const nothing = await raw({ start: (controller) => controller.error(new Error("no")) }, "nothing");
await assert.rejects(nothing.stream.getReader().read(), /no/);
await assert.rejects(said("nothing"), { kind: "not_found" });

// Without a daemon the model is asked all the same, and the program is told.
const failures = [];
const nobody = new Client({ socket: "/nowhere/ashd.sock" });
const fourth = new Model({ doGenerate: answer("Hello.") });
await generateText({
  model: wrapLanguageModel({
    model: fourth,
    middleware: memory(nobody, { conversationId: "x", onError: (error) => failures.push(error) }),
  }),
  prompt: "Hello",
});
assert.deepEqual(failures.map((error) => error.kind), ["unavailable", "unavailable"]);

// A program that does not ask to be told reads a warning.
const warned = [];
console.warn = (warning) => warned.push(warning);
await generateText({
  model: wrapLanguageModel({ model: fourth, middleware: memory(nobody, { conversationId: "x" }) }),
  prompt: "Hello",
});
assert.equal(warned.length, 2);
assert.match(warned[0], /without memory.*no socket at \/nowhere\/ashd.sock.*`ashd serve`/);
assert.match(warned[1], /turn is not kept.*no socket at \/nowhere\/ashd.sock/);

// A call that is aborted while memory is asked ends there: the model is not asked, and nothing failed.
const leaving = new AbortController();
const waiting = {
  context: {
    async get(params, { signal }) {
      leaving.abort();
      signal.throwIfAborted();
    },
  },
};
const seventh = new Model({ doGenerate: answer("Too late.") });
await assert.rejects(
  generateText({
    model: wrapLanguageModel({
      model: seventh,
      middleware: memory(waiting, { onError: (error) => failures.push(error) }),
    }),
    prompt: "Hello",
    abortSignal: leaving.signal,
  }),
  { name: "AbortError" },
);
assert.deepEqual([seventh.doGenerateCalls.length, failures.length], [0, 2]);

client.close();
console.log("done");
