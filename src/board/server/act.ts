import type { IncomingMessage } from "node:http";
import * as z from "zod";
import type { BoardActions } from "../../actions/board-actions.ts";
import { parseJson } from "../../core/json-value.ts";
import { answerChoices } from "../../core/permission-reply.ts";

const maxBodyBytes = 8_192;
const text = z.string().max(1_024);
const session = z.strictObject({ key: text });

/** Actions that a page may run, by path. */
const acts = {
  "/seen": (body: unknown, actions: BoardActions) => actions.seen(session.parse(body).key),
  "/focus": (body: unknown, actions: BoardActions) => actions.focus(session.parse(body).key),
  "/snooze": (body: unknown, actions: BoardActions) => actions.snooze(snooze.parse(body)),
  "/answer": (body: unknown, actions: BoardActions) => actions.answer(answer.parse(body)),
  "/test": (body: unknown, actions: BoardActions) =>
    actions.test(z.strictObject({ notifier: text }).parse(body).notifier),
} as const;
const answer = z.strictObject({ id: text, hash: text, choice: z.enum(answerChoices) });
const snooze = z.strictObject({
  time: text,
  key: text.optional(),
  project: text.optional(),
  session: text.optional(),
  notifier: text.optional(),
});

/** Runs an action and returns its result; undefined for an unknown action or a malformed request. */
export async function act(path: string, request: IncomingMessage, actions: BoardActions) {
  const found = Object.hasOwn(acts, path) ? acts[path as keyof typeof acts] : undefined;
  const isJson = request.headers["content-type"] === "application/json";
  const body = found && isJson ? parseJson((await readBody(request)) ?? "") : undefined;
  if (!found || body === undefined) return undefined;
  try {
    const { isDone, text: message } = await found(body, actions);
    return { type: "application/json", text: JSON.stringify({ isDone, text: message }) } as const;
  } catch (error) {
    if (error instanceof z.ZodError) return undefined;
    throw error;
  }
}

/** Reads the request body; undefined if the body is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
