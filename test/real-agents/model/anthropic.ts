import { type Answer, type Part, readParts, readText, type Schema } from "./conversation.ts";
import { errorType, newId, openStream, sendJson, usage, type Wire } from "./wire.ts";

/** Anthropic's Messages. https://docs.claude.com/en/api/messages-streaming */
export const anthropic: Wire = {
  speaks: (path) => path.includes("/messages"),
  read: (body) => ({
    stream: body["stream"] === true,
    model: String(body["model"]),
    turns: readParts(body["messages"]).map(({ role, content }) => ({ role: String(role), text: readText(content) })),
    tools: readParts(body["tools"]).map(({ name, input_schema = {} }) => {
      return { name: String(name), schema: input_schema as Schema };
    }),
    answerSchema: schemaIn(body["output_config"] as Part | undefined) ?? schemaIn(body),
  }),
  answer(response, { stream, model }, answer) {
    const content = blocks(answer);
    const stop_reason = answer.calls ? "tool_use" : "end_turn";
    const counts = { input_tokens: usage.input, output_tokens: usage.output };
    const message = { id: newId("msg"), type: "message", role: "assistant", model };
    if (!stream) return sendJson(response, { ...message, content, stop_reason, stop_sequence: null, usage: counts });
    const stream_ = openStream(response);
    const send = (type: string, data: object = {}) => stream_({ type, ...data }, type);
    const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: counts };
    send("message_start", { message: start });
    content.forEach((block, index) => {
      const empty = block.type === "text" ? { text: "" } : { input: {} };
      send("content_block_start", { index, content_block: { ...block, ...empty } });
      send("content_block_delta", { index, delta: buildDelta(block) });
      send("content_block_stop", { index });
    });
    send("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: counts });
    send("message_stop");
    response.end();
  },
  error(status, message) {
    return { type: "error", error: { type: errorType(status), message }, request_id: newId("req") };
  },
};

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

function blocks({ text, calls = [] }: Answer): Block[] {
  const type = "tool_use" as const;
  const tools = calls.map(({ tool, input }) => ({ type, id: newId("toolu"), name: tool.name, input }));
  return text === undefined ? tools : [{ type: "text", text }, ...tools];
}

function buildDelta(block: Block): object {
  if (block.type === "text") return { type: "text_delta", text: block.text };
  return { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
}

function schemaIn(body: Part | undefined): Schema | undefined {
  const format = (body?.["format"] ?? body?.["output_format"]) as { readonly schema?: Schema } | undefined;
  return format?.schema;
}
