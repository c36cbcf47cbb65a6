import { type Part, readParts, readText, type Schema } from "./conversation.ts";
import { errorType, newId, openStream, sendJson, usage, type Wire } from "./wire.ts";

/** OpenAI's chat completions. https://platform.openai.com/docs/api-reference/chat-streaming */
export const chat: Wire = {
  speaks: (path) => path.includes("/chat/completions"),
  read: (body) => ({
    stream: body["stream"] === true,
    model: String(body["model"]),
    turns: readParts(body["messages"])
      .filter(({ role }) => role !== "system")
      .map(({ role, content }) => ({ role: String(role), text: readText(content) })),
    tools: readParts(body["tools"]).map((tool) => {
      const { name, parameters } = tool["function"] as Part;
      return { name: String(name), schema: (parameters ?? {}) as Schema };
    }),
    answerSchema: (body["response_format"] as { readonly json_schema?: { readonly schema?: Schema } } | undefined)
      ?.json_schema?.schema,
  }),
  answer(response, { stream, model }, { text, calls = [] }) {
    const tool_calls = calls.map(({ tool: { name }, input }, index) => {
      return { index, id: newId("call"), type: "function", function: { name, arguments: JSON.stringify(input) } };
    });
    const content = text === undefined ? {} : { content: text };
    const said = { role: "assistant", ...content, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
    const finish_reason = tool_calls.length > 0 ? "tool_calls" : "stop";
    const head = { id: newId("chatcmpl"), created: Math.floor(Date.now() / 1000), model };
    const { input, output } = usage;
    const counts = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
    if (!stream) {
      const choices = [{ index: 0, message: { content: null, ...said }, finish_reason }];
      return sendJson(response, { ...head, object: "chat.completion", choices, usage: counts });
    }
    const send = openStream(response);
    const chunk = { ...head, object: "chat.completion.chunk" };
    send({ ...chunk, choices: [{ index: 0, delta: said, finish_reason: null }] });
    send({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] });
    send({ ...chunk, choices: [], usage: counts });
    response.end("data: [DONE]\n\n");
  },
  error: (status, message) => ({ error: { message, type: errorType(status), code: errorType(status) } }),
};
