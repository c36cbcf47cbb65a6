import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveModel } from "./server.ts";

const bash = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const execute = { type: "function", function: { name: "Execute", parameters: bash } };
let server: Server;
beforeAll(async () => {
  server = await serveModel(join(process.env["HOME"] ?? "", "model.jsonl"), 0);
});
afterAll(() => server.close());

async function ask(path: string, body: object): Promise<{ status: number; text: string }> {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

/** Functions that send a request with this last prompt, one for each wire format. */
const formats: Readonly<Record<string, (prompt: string) => Promise<{ status: number; text: string }>>> = {
  "Anthropic's Messages": (content) =>
    ask("/v1/messages?beta=true", {
      ...{ stream: true, tools: [{ name: "Bash", input_schema: bash }] },
      messages: [{ role: "user", content: [{ type: "text", text: content }] }],
    }),
  "OpenAI's chat completions": (content) =>
    ask("/v1/chat/completions", { stream: true, messages: [{ role: "user", content }], tools: [execute] }),
  "OpenAI's Responses": (text) =>
    ask("/v1/responses", {
      input: [{ type: "message", role: "user", content: [{ type: "input_text", text }] }],
      tools: [{ type: "function", name: "shell_command", parameters: bash }],
    }),
  "Gemini's generateContent": (text) =>
    ask("/v1beta/models/gemini-3:streamGenerateContent?alt=sse", {
      contents: [{ role: "user", parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ name: "run_shell_command", parametersJsonSchema: bash }] }],
    }),
};

test.each(Object.entries(formats))("%s: the model answers, calls the offered shell, and refuses", async (_, say) => {
  expect(await say("PLAY-PLAIN please")).toEqual({ status: 200, text: expect.stringContaining("All done") });
  expect((await say("PLAY-SHELL please")).text).toMatch(/rm -rf made-by-agent\.txt/);
  const refusal = expect.stringContaining("refused this request (400)");
  expect(await say("PLAY-REFUSED please")).toEqual({ status: 400, text: refusal });
});

test("a script continues from the agent's current step", async () => {
  const { text } = await ask("/v1/chat/completions", {
    messages: [
      { role: "user", content: "PLAY-PLAIN please" },
      { role: "assistant", content: "All done." },
      { role: "user", content: "PLAY-SHELL please" },
      { role: "assistant", tool_calls: [] },
      { role: "tool", content: "" },
    ],
    tools: [execute],
  });
  expect(text).toContain("The command ran.");
});

test("two requests are answered with 503, then the script continues", async () => {
  const flaky = () => formats["Anthropic's Messages"]?.("PLAY-FLAKY please");
  expect([(await flaky())?.status, (await flaky())?.status, (await flaky())?.status]).toEqual([503, 503, 200]);
});

test("a title generator gets a title, not the script's answer", async () => {
  const generator = { role: "system", content: "You are a title generator." };
  const { text } = await ask("/v1/chat/completions", {
    messages: [generator, { role: "user", content: "PLAY-PLAIN please" }],
  });
  expect(text).toContain("Sample title");
});
