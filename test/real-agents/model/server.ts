import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { chooseAnswer } from "./choose-answer.ts";
import type { Part } from "./conversation.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";
import { sendJson, type Wire } from "./wire.ts";

const wires: readonly Wire[] = [anthropic, chat, responses, gemini];

/** The port of the scripted model, which is the only server in its network. */
export const modelPort = 9911;
/** The scripted model's address, without a path. */
export const modelUrl = `http://127.0.0.1:${modelPort}`;
/** Makes the message for a refused request. */
export const refusal = (status: number) => `The scripted model refused this request (${status}).`;

/**
 * Serves the scripted model on loopback.
 * @param log a file that gets a line of JSON for each request, with the model's input as `body`
 * @param port 0 for any free port
 */
export async function serveModel(log: string, port = modelPort): Promise<Server> {
  let failures = 0;
  const note = (line: object) => appendFileSync(log, `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`);
  const server = createServer((request, response) => {
    response.on("error", () => {}); // the agent left before its answer
    respond(request, response).catch((error: unknown) => {
      note({ path: request.url, error: String(error) });
      sendJson(response, { error: { message: String(error) } }, 500);
    });
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const body = await readBody(request);
    if (/count_?tokens/i.test(path)) return sendJson(response, { input_tokens: 10, totalTokens: 10 });
    const wire = wires.find((candidate) => candidate.speaks(path));
    if (!wire || request.method !== "POST") {
      note({ path, unknown: true });
      if (/\/models(\?|$)/.test(path))
        return sendJson(response, { object: "list", data: [{ id: "scripted", object: "model" }] });
      return sendJson(response, { error: { message: "not found" } }, 404);
    }
    const everything = body.replaceAll('\\"', '"');
    const conversation = { ...wire.read(JSON.parse(body) as Part, path), everything };
    const { script, status: wanted, afterMs = 0, failsFirst = 0, ...answer } = chooseAnswer(conversation);
    const isUnlucky = conversation.tools.length > 0 && failures < failsFirst;
    if (isUnlucky) failures += 1;
    const status = wanted ?? (isUnlucky ? 503 : 200);
    const calls = answer.calls?.map(({ tool }) => tool.name);
    note({ path, script, status, tools: conversation.tools.length, calls, body });
    await sleep(afterMs);
    if (status === 200) wire.answer(response, conversation, answer);
    else sendJson(response, wire.error(status, refusal(status)), status);
  }

  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return server;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
