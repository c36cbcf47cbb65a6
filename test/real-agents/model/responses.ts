import { type Answer, type Part, readParts, readText, type Schema, type Tool, type Turn } from "./conversation.ts";
import { errorType, newId, openStream, sendJson, usage, type Wire } from "./wire.ts";

/** OpenAI's Responses. https://platform.openai.com/docs/api-reference/responses-streaming */
export const responses: Wire = {
  speaks: (path) => /\/responses(\?|$)/.test(path),
  read: (body) => ({
    stream: body["stream"] !== false,
    model: String(body["model"]),
    turns:
      typeof body["input"] === "string"
        ? [{ role: "user", text: body["input"] }]
        : readParts(body["input"]).map(readTurn),
    tools: readParts(body["tools"]).flatMap(readTools),
    answerSchema: (body["text"] as { readonly format?: { readonly schema?: Schema } } | undefined)?.format?.schema,
  }),
  answer(response, { stream, model }, answer) {
    const id = newId("resp");
    const output = items(answer);
    const counts = {
      input_tokens: usage.input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: usage.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input + usage.output,
    };
    const whole = { id, object: "response", status: "completed", model, output, usage: counts };
    if (!stream) return sendJson(response, whole);
    const stream_ = openStream(response);
    const send = (type: string, data: object) => stream_({ type, ...data }, type);
    send("response.created", { response: { id } });
    output.forEach((item, output_index) => {
      if ("content" in item) {
        send("response.output_item.added", { output_index, item: { ...item, content: [] } });
        send("response.output_text.delta", { item_id: item.id, output_index, content_index: 0, delta: answer.text });
      }
      send("response.output_item.done", { output_index, item });
    });
    send("response.completed", { response: { id, usage: counts } });
    response.end();
  },
  error: (status, message) => ({ error: { message, type: errorType(status), code: errorType(status) } }),
};

function readTurn({ type, role, content }: Part): Turn {
  const isCall = type === "function_call" || type === "custom_tool_call";
  return { role: isCall ? "assistant" : String(role ?? "tool"), text: readText(content), isCall };
}

/** A tool, or the tools of a namespace. */
function readTools(tool: Part): Tool[] {
  if (tool["type"] !== "namespace") return [readTool(tool)];
  return readParts(tool["tools"]).map((member) => ({ ...readTool(member), namespace: String(tool["name"]) }));
}

function readTool({ name, type, parameters }: Part): Tool {
  return { name: String(name ?? type), schema: (parameters ?? {}) as Schema, takesText: type === "custom" };
}

function items({ text, calls = [] }: Answer) {
  const called = calls.map(({ tool, input }) => {
    const head = { call_id: newId("call"), name: tool.name, ...(tool.namespace ? { namespace: tool.namespace } : {}) };
    return tool.takesText
      ? { type: "custom_tool_call", id: newId("ctc"), ...head, input: JSON.stringify(input) }
      : { type: "function_call", id: newId("fc"), ...head, arguments: JSON.stringify(input) };
  });
  if (text === undefined) return called;
  const content = [{ type: "output_text", text, annotations: [] }];
  return [{ type: "message", role: "assistant", id: newId("msg"), status: "completed", content }, ...called];
}
