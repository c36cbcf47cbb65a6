import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { parseJson } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { answerChoices } from "../core/permission-reply.ts";
import type { ClockPort } from "../core/ports.ts";
import { quietly } from "../core/quietly.ts";
import { createFile, readStateFile, replaceQuietly } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { listQuietly } from "../files/read-file.ts";

type AskPaths = Pick<Paths, "asks">;

/** Maximum size of a file that is read from the `asks` folder, in bytes. */
const maxBytes = 64 * 1024;

const openAskSchema = once(() =>
  z.object({
    id: z.string(),
    agent: z.string(),
    project: z.string(),
    cwd: z.string(),
    sessionId: z.string(),
    lines: z.array(z.string()),
    hash: z.string(),
    choices: z.array(z.enum(answerChoices)),
    denyOnly: z.string().optional(),
    /** Time of the request, Unix milliseconds. */
    atMs: z.number(),
    /** Time when the wait for an answer ends, Unix milliseconds. */
    untilMs: z.number(),
    /** Process id of the worker that holds it. Another worker cannot answer it. */
    worker: z.number(),
  }),
);

/** Open permission request, as `beckon answer` and the board show it. It contains no button token. */
export type OpenAsk = Readonly<z.output<ReturnType<typeof openAskSchema>>>;

/** Reads the open permission requests, oldest first. */
export function readOpenAsks({ asks }: AskPaths): readonly OpenAsk[] {
  const empty = undefined as OpenAsk | undefined;
  return listQuietly(asks)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readStateFile<OpenAsk | undefined>(join(asks, name), openAskSchema, empty) ?? [])
    .sort((a, b) => a.atMs - b.atMs);
}

/**
 * Hash of everything that a reader of an open request was shown, in hexadecimal digits. The worker compares it with the
 * request that it holds, because another program may have changed the file.
 */
export function hashShown({ agent, project, cwd, lines, hash }: Omit<OpenAsk, "id">): string {
  return createHash("sha256")
    .update(JSON.stringify([agent, project, cwd, lines, hash]))
    .digest("hex");
}

/** Writes the description of an open request. */
export function writeOpenAsk({ asks }: AskPaths, ask: OpenAsk): void {
  replaceQuietly(join(asks, `${ask.id}.json`), JSON.stringify(ask));
}

export function removeOpenAsk(paths: AskPaths, id: string): void {
  removeAskFile(paths, `${id}.json`);
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
  /** Device and inode, which tell the file from a later one with the same name. */
  readonly identity: string;
  readonly modifiedAtMs: number;
  /** Text; undefined unless the file is a regular file of this user with at most 64 KiB. */
  readonly text: string | undefined;
}

/** Reads a file in the `asks` folder without following a link; undefined if it cannot be found. */
export function readAskFile({ asks }: AskPaths, name: string): AskFile | undefined {
  const path = join(asks, name);
  const stats = quietly(() => lstatSync(path, { bigint: true }));
  if (!stats) return undefined;
  const text = stats.isFile() ? quietly(() => readOwnText(path)) : undefined;
  return { name, identity: `${stats.dev} ${stats.ino}`, modifiedAtMs: Number(stats.mtimeMs), text };
}

function readOwnText(path: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    const isOwn = process.getuid === undefined || stats.uid === process.getuid();
    if (!stats.isFile() || !isOwn || stats.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(stats.size);
    return buffer.toString("utf8", 0, readSync(descriptor, buffer));
  } finally {
    closeSync(descriptor);
  }
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
