// Types of the middleware: `wrapLanguageModel` takes it, and a wrong option must not compile.
import { wrapLanguageModel } from "ai";
import type { LanguageModelMiddleware } from "ai";

import { Client } from "@ashd/client";
import { memory } from "@ashd/client/ai-sdk";

declare const model: Parameters<typeof wrapLanguageModel>[0]["model"];
const middleware: LanguageModelMiddleware = memory(new Client(), { maxTokens: 500 });
wrapLanguageModel({ model, middleware: memory(new Client(), { conversationId: "trip" }) });
wrapLanguageModel({ model, middleware });
// @ts-expect-error no such option
memory(new Client(), { tokens: 500 });
