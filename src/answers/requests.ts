import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { answerChoices } from "../core/permission-reply.ts";
import type { ClockPort } from "../core/ports.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { type AskFile, readAskFile, removeAskFile } from "./ask-files.ts";

/** Ending of the file in which a command asks the worker to answer a permission request. */
export const requestEnding = ".request";
/** Ending of the file in which the worker replies to a command. */
export const replyEnding = ".reply";

const requestSchema = once(() =>
  z.object({
    pid: z.int().positive(),
    ask: z.string().max(200),
    /** See `hashShown`. */
    hash: z.string(),
    choice: z.enum(answerChoices),
    reason: z.string().max(2_000).optional(),
    via: z.enum(["terminal", "board"]),
  }),
);
/** User's answer that a command or the board passes to the worker. */
export type AnswerRequest = Readonly<z.output<ReturnType<typeof requestSchema>>>;

const outcomeSchema = once(() => z.object({ isDone: z.boolean(), text: z.string() }));
/** Result of an answer, with a sentence that describes it to the user. */
export type AnswerOutcome = Readonly<z.output<ReturnType<typeof outcomeSchema>>>;

/** Parses a command's request; undefined if it is malformed. */
export function parseRequest({ text }: AskFile): AnswerRequest | undefined {
  return requestSchema().safeParse(parseJson(text ?? "")).data;
}

/** Writes the worker's reply to a command. @param request name of the file with the command's request */
export function writeOutcome(paths: Pick<Paths, "asks">, request: string, outcome: AnswerOutcome): void {
  replaceQuietly(join(paths.asks, request.replace(requestEnding, replyEnding)), JSON.stringify(outcome));
}

/** Maximum time to wait for the worker, in milliseconds. */
const timeoutMs = 5_000;
const pollMs = 20;

/**
 * Asks the worker to answer a permission request, and waits for the result. Keeps its request file open meanwhile, so
 * that the worker can check which process wrote the file.
 * @throws the file system's error if the file cannot be written
 */
export async function sendRequest(
  request: Omit<AnswerRequest, "pid">,
  paths: Pick<Paths, "asks">,
  clock: ClockPort,
): Promise<AnswerOutcome> {
  const name = `${randomBytes(12).toString("hex")}`;
  const file = join(paths.asks, name + requestEnding);
  const descriptor = openSync(file, "wx", 0o600);
  try {
    writeSync(descriptor, JSON.stringify({ ...request, pid: process.pid }));
    const endsAtMs = clock.uptimeMs() + timeoutMs;
    while (clock.uptimeMs() < endsAtMs) {
      const reply = readAskFile(paths, name + replyEnding);
      const outcome = outcomeSchema().safeParse(parseJson(reply?.text ?? "")).data;
      if (outcome) return outcome;
      await clock.wait(pollMs);
    }
    return { isDone: false, text: "No worker is running, so nothing was answered. Answer in the agent." };
  } finally {
    rmSync(file, { force: true });
    closeSync(descriptor);
    removeAskFile(paths, name + replyEnding);
  }
}
