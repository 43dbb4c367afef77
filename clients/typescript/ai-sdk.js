// A middleware of Vercel's AI SDK: memory in the prompt, and the turn kept afterwards.
//
//   const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: memory(client) });
//
// What is known stands before the person's newest message, as a text of its own in it: earlier
// messages stay as they were, so an endpoint's prompt cache holds. A call goes on without memory if
// the daemon does not answer.

import { fitted } from "./fitting.js";

const RECENT = 10; // messages before the newest, for a short question is read with them

/** Return a middleware for `wrapLanguageModel`. */
export function memory(client, options = {}) {
  const { maxTokens = 1_000, conversationId, onError } = options;

  async function attempt(call, failure, signal) {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      if (onError) onError(error);
      else console.warn(`${failure}: ${error.message} ${error.hint ?? ""}`.trim());
      return undefined;
    }
  }

  /** Keep a turn. In a loop of tools the person's words come with the first step alone. */
  async function keep(prompt, answer) {
    const at = newest(prompt);
    const user = at < 0 ? "" : said(prompt[at]);
    if (conversationId === undefined || !user) return;
    const isLater = prompt.slice(at).some((message) => message.role === "tool");
    const messages = [
      ...(isLater ? [] : [{ role: "user", content: fitted(user) }]),
      ...(answer.trim() ? [{ role: "assistant", content: fitted(answer) }] : []),
    ];
    if (messages.length === 0) return;
    const turn = { conversation_id: conversationId, messages };
    await attempt(() => client.conversation.ingest(turn), "The turn is not kept");
  }

  return {
    specificationVersion: "v3",

    async transformParams({ params }) {
      const at = newest(params.prompt);
      const message = at < 0 ? "" : said(params.prompt[at]);
      if (!message) return params;
      const ask = {
        message: fitted(message),
        recent: recent(params.prompt.slice(0, at)),
        max_tokens: maxTokens,
      };
      const signal = params.abortSignal;
      const get = () => client.context.get(ask, { signal });
      const found = await attempt(get, "The model is asked without memory", signal);
      if (!found?.sections.some((section) => section.name !== "date")) return params;
      const asked = params.prompt[at];
      const block = { type: "text", text: found.text };
      BLOCKS.add(block);
      const prompt = [...params.prompt];
      prompt[at] = { ...asked, content: [block, ...asked.content] };
      return { ...params, prompt };
    },

    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      const texts = result.content.filter((part) => part.type === "text");
      await keep(params.prompt, texts.map((part) => part.text).join(""));
      return result;
    },

    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      return { stream: listened(stream, (answer) => keep(params.prompt, answer)), ...rest };
    },
  };
}

/**
 * Return a stream as it is, and call `ended` once with its text: at its end, or with what came until
 * it broke off or its reader left.
 */
function listened(stream, ended) {
  const reader = stream.getReader();
  let answer = "";
  let keep = ended;

  async function end(isWhole) {
    const call = isWhole || answer.trim() ? keep : () => {};
    keep = () => {};
    await call(answer);
  }

  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          await end(true);
          controller.close();
          return;
        }
        if (value.type === "text-delta") answer += value.delta;
        controller.enqueue(value);
      } catch (error) {
        await end(false);
        controller.error(error);
      }
    },
    async cancel(reason) {
      await Promise.all([reader.cancel(reason), end(false)]);
    },
  });
}

const BLOCKS = new WeakSet();

/** Return the place of the person's newest message; -1 if there is none. */
function newest(prompt) {
  return prompt.findLastIndex((message) => message.role === "user");
}

/** Return the last messages that have text. */
function recent(messages) {
  return messages
    .filter((message) => message.role === "user" || message.role === "assistant")
    .slice(-RECENT)
    .map((message) => ({ role: message.role, content: fitted(said(message)) }))
    .filter((message) => message.content);
}

/** Return the text of a message, without the block that stands before it. */
function said(message) {
  return message.content
    .filter((part) => part.type === "text" && !BLOCKS.has(part))
    .map((part) => part.text)
    .join("\n")
    .trim();
}
