import { createHash, randomBytes } from "node:crypto";
import { closeSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { type Answer, answerChoices } from "../core/permission-reply.ts";
import type { ClockPort } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { createFile, readStateFile, replaceQuietly } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { listQuietly, readOwnText } from "../files/read-file.ts";

type AskPaths = Pick<Paths, "asks">;

/** Maximum size of a file that is read from the `asks` folder, in bytes. */
const maxBytes = 64 * 1024;

const askSchema = once(() =>
  z.object({
    id: z.string(),
    agent: z.string(),
    project: z.string(),
    cwd: z.string(),
    sessionId: z.string(),
    /** Lines that describe the request. They are complete unless `denyOnly` is set; then secrets are masked. */
    lines: z.array(z.string()).readonly(),
    /** SHA-256 of agent, session, folder, tool and input, in hexadecimal digits. */
    hash: z.string(),
    choices: z.array(z.enum(answerChoices)).readonly(),
    /** Labels of the options that a form offers, numbered from 1; absent for any other request. */
    options: z.array(z.string()).readonly().optional(),
    /** True if several options of a question may be chosen, so that the answer has to be sent afterwards. */
    isMultiple: z.boolean().optional(),
    /** Numbers of the options that have been chosen so far. */
    picked: z.array(z.number()).readonly().optional(),
    /** Reason why the request can only be refused outside the agent, not allowed. */
    denyOnly: z.string().optional(),
    /** Time of the request, Unix milliseconds. */
    atMs: z.number(),
    /** Time when the wait for an answer ends, Unix milliseconds. */
    untilMs: z.number(),
    /** Process id of the worker that holds it. Another worker cannot answer it. */
    worker: z.number(),
  }),
);

/** Open permission request, as its file describes it for `beckon answer` and the board. It contains no button token. */
export type Ask = Readonly<z.output<ReturnType<typeof askSchema>>>;

/** Reads the open permission requests, oldest first. */
export function readOpenAsks({ asks }: AskPaths): readonly Ask[] {
  return listQuietly(asks)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readStateFile<Ask | undefined>(join(asks, name), askSchema, undefined) ?? [])
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * Hash of everything that a reader of an open request was shown, in hexadecimal digits. The worker compares it with the
 * request that it holds, because another program may have changed the file.
 */
export function hashShown({ agent, project, cwd, lines, hash }: Ask): string {
  return createHash("sha256")
    .update(JSON.stringify([agent, project, cwd, lines, hash]))
    .digest("hex");
}

/** Writes the description of an open request. */
export function writeOpenAsk({ asks }: AskPaths, ask: Ask): void {
  replaceQuietly(join(asks, `${ask.id}.json`), JSON.stringify(askSchema().parse(ask))); // without what the file lacks
}

/**
 * Writes an answer where its hook waits for it. The file is complete as soon as it appears.
 * @param text reply for the agent; empty if the agent's own dialog decides
 * @returns false if a file is there already
 * @throws the file system's error
 */
export function placeAnswer({ asks }: AskPaths, id: string, text: string): boolean {
  return createFile(join(asks, id), text);
}

/** File in the `asks` folder. */
export interface AskFile {
  readonly name: string;
  readonly modifiedAtMs: number;
  /** Text; undefined unless the file is a regular file of this user with at most 64 KiB. */
  readonly text: string | undefined;
}

/** Reads a file in the `asks` folder without following a link; undefined if it cannot be found. */
export function readAskFile({ asks }: AskPaths, name: string): AskFile | undefined {
  const path = join(asks, name);
  const stats = quietly(() => lstatSync(path));
  if (!stats) return undefined;
  return { name, modifiedAtMs: stats.mtimeMs, text: stats.isFile() ? readOwnText(path, maxBytes) : undefined };
}

/** Removes a file or folder from the `asks` folder. Ignores errors. */
export function removeAskFile({ asks }: AskPaths, name: string): void {
  quietly(() => rmSync(join(asks, name), { force: true, recursive: true })); // may be another user's
}

const offSchema = once(() => z.object({ reason: z.string(), at: z.string() }));
/** Reason why answers are switched off, and since when (ISO 8601). */
export type OffSwitch = Readonly<z.output<ReturnType<typeof offSchema>>>;

/** Name of the file that switches answers off. Hooks that wait for an answer check for it too. */
export const offFile = "off";

/** Reads why answers are switched off; undefined while they are on. If the file cannot be read, answers are off. */
export function readOffSwitch({ asks }: AskPaths): OffSwitch | undefined {
  const file = join(asks, offFile);
  const isAbsent = quietly(() => lstatSync(file, { throwIfNoEntry: false }) === undefined);
  return isAbsent ? undefined : readStateFile<OffSwitch>(file, offSchema, { reason: "unknown", at: "" });
}

/** Switches answers off. Returns false if the file cannot be written. */
export function switchOff({ asks }: AskPaths, off: OffSwitch): boolean {
  return replaceQuietly(join(asks, offFile), JSON.stringify(off));
}

/** Switches answers on again. @throws the file system's error */
export function switchOn({ asks }: AskPaths): void {
  rmSync(join(asks, offFile), { force: true });
}

/** Ending of the file in which a command asks the worker to answer a permission request. */
export const requestEnding = ".request";
/** Ending of the file in which the worker replies to a command. */
const replyEnding = ".reply";

/** Maximum length of a reason or of own words, in UTF-16 units: that of a message in Telegram. */
export const maxTypedChars = 4_096;

const requestSchema = once(() =>
  z.object({
    pid: z.int().positive(),
    ask: z.string().max(200),
    /** See `hashShown`. */
    hash: z.string(),
    choice: z.enum(answerChoices),
    pick: z.int().positive().optional(),
    picks: z.array(z.int().nonnegative()).readonly().optional(),
    text: z.string().min(1).max(maxTypedChars).optional(),
    reason: z.string().max(maxTypedChars).optional(),
    via: z.enum(["terminal", "board"]),
  }),
);

const resultSchema = once(() => z.object({ isDone: z.boolean(), text: z.string() }));

/** Result of an answer, with a sentence that describes it to the user. */
export type AnswerResult = Readonly<z.output<ReturnType<typeof resultSchema>>>;

/** Parses a command's request to answer; undefined if it is malformed. */
export function parseRequest({ text }: AskFile) {
  return requestSchema().safeParse(parseJson(text ?? "")).data;
}

/** Writes the worker's reply to a command. @param request name of the file with the command's request */
export function writeResult({ asks }: AskPaths, request: string, result: AnswerResult): void {
  replaceQuietly(join(asks, request.replace(requestEnding, replyEnding)), JSON.stringify(result));
}

/** Maximum time to wait for the worker, in milliseconds. */
const timeoutMs = 5_000;
const pollMs = 20;

/**
 * Asks the worker to answer a permission request, and waits for the result. Keeps its request file open meanwhile, so
 * that the worker can check which process wrote the file.
 * @throws the file system's error if the file cannot be written
 */
export async function sendRequest(ask: Ask, answer: Answer, paths: AskPaths, clock: ClockPort): Promise<AnswerResult> {
  const name = `${randomBytes(12).toString("hex")}`;
  const file = join(paths.asks, name + requestEnding);
  const descriptor = openSync(file, "wx", 0o600);
  try {
    const [text, reason] = [answer.text, answer.reason].map((typed) => typed?.slice(0, maxTypedChars));
    const request = { ...answer, text, reason, ask: ask.id, hash: hashShown(ask), pid: process.pid };
    writeSync(descriptor, JSON.stringify(request));
    const endsAtMs = clock.uptimeMs() + timeoutMs;
    while (clock.uptimeMs() < endsAtMs) {
      const reply = readAskFile(paths, name + replyEnding);
      const result = resultSchema().safeParse(parseJson(reply?.text ?? "")).data;
      if (result) return result;
      await clock.wait(pollMs);
    }
    return { isDone: false, text: "No worker is running, so nothing was answered. Answer in the agent." };
  } finally {
    rmSync(file, { force: true });
    closeSync(descriptor);
    removeAskFile(paths, name + replyEnding);
  }
}
