// A middleware of Vercel's AI SDK: memory in the prompt, and the turn kept afterwards.
//
//   const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: memory(client) });
//
// What is known stands before the person's newest message, as a text of its own in it: earlier
// messages stay as they were, so an endpoint's prompt cache holds. A call goes on without memory if
// the daemon does not answer.

/** Return a middleware for `wrapLanguageModel`. */
export function memory(client, options = {}) {
  const { maxTokens = 1_000, conversationId, onError = () => {} } = options;

  async function attempt(call) {
    try {
      return await call();
    } catch (error) {
      onError(error);
      return undefined;
    }
  }

  async function keep(prompt, answer) {
    const at = newest(prompt);
    const user = at < 0 ? "" : said(prompt[at]);
    if (conversationId !== undefined && user && answer) {
      const turn = { conversation_id: conversationId, turns: [{ user, assistant: answer }] };
      await attempt(() => client.conversation.ingest(turn));
    }
  }

  return {
    specificationVersion: "v3",

    async transformParams({ params }) {
      const at = newest(params.prompt);
      const message = at < 0 ? "" : said(params.prompt[at]);
      if (!message) return params;
      const ask = { message, max_tokens: maxTokens };
      const found = await attempt(() => client.context.get(ask));
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
      let answer = "";
      const listener = new TransformStream({
        transform(part, controller) {
          if (part.type === "text-delta") answer += part.delta;
          controller.enqueue(part);
        },
        flush: () => keep(params.prompt, answer),
      });
      return { stream: stream.pipeThrough(listener), ...rest };
    },
  };
}

const BLOCKS = new WeakSet();

/** Return the place of the person's newest message; -1 if there is none. */
function newest(prompt) {
  return prompt.findLastIndex((message) => message.role === "user");
}

/** Return the text of a message, without the block that stands before it. */
function said(message) {
  return message.content
    .filter((part) => part.type === "text" && !BLOCKS.has(part))
    .map((part) => part.text)
    .join("\n")
    .trim();
}
