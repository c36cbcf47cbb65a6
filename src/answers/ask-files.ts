import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { readErrno } from "../core/errors.ts";
import { once } from "../core/once.ts";
import { answerChoices } from "../core/permission-reply.ts";
import { quietly } from "../core/quietly.ts";
import { replaceQuietly } from "../files/atomic-file.ts";
import type { Paths } from "../files/paths.ts";
import { listQuietly } from "../files/read-file.ts";
import { readStateFile } from "../files/state-file.ts";

type AskPaths = Pick<Paths, "asks">;

/** Largest file in the folder of asks that is read, in bytes. */
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
    /** Time of the request, and the end of the wait for an answer, Unix milliseconds. */
    atMs: z.number(),
    untilMs: z.number(),
  }),
);
/** Open permission request, as `beckon answer` and the board show it. Contains no token. */
export type OpenAsk = Readonly<z.output<ReturnType<typeof openAskSchema>>>;

/** Reads the open permission requests, oldest first. */
export function readOpenAsks({ asks }: AskPaths): readonly OpenAsk[] {
  const empty = undefined as OpenAsk | undefined;
  return listQuietly(asks)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readStateFile<OpenAsk | undefined>(join(asks, name), openAskSchema, empty) ?? [])
    .sort((a, b) => a.atMs - b.atMs);
}

/** Writes the description of an open request. */
export function writeOpenAsk({ asks }: AskPaths, ask: OpenAsk): void {
  replaceQuietly(join(asks, `${ask.id}.json`), JSON.stringify(ask));
}

export function removeOpenAsk({ asks }: AskPaths, id: string): void {
  rmSync(join(asks, `${id}.json`), { force: true });
}

/**
 * Puts an answer in the place where a hook waits for it, complete at once.
 * @param text reply for the agent; empty if the agent's own dialog decides
 * @returns false if something is there already
 * @throws the system's error
 */
export function placeAnswer({ asks }: AskPaths, id: string, text: string): boolean {
  const temporary = join(asks, `${id}.${process.pid}.tmp`);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  try {
    linkSync(temporary, join(asks, id));
    return true;
  } catch (error) {
    if (readErrno(error) === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(temporary);
  }
}

/** File in the folder of asks. */
export interface AskFile {
  readonly name: string;
  /** Device and inode; tells a file from another one of the same name. */
  readonly identity: string;
  readonly modifiedAtMs: number;
  /** Text of a regular file of this user; undefined for anything else, or a larger file. */
  readonly text: string | undefined;
}

/** Reads a file in the folder of asks without following a link; undefined if it is gone. */
export function readAskFile({ asks }: AskPaths, name: string): AskFile | undefined {
  const path = join(asks, name);
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
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

/** Removes a file from the folder of asks, whatever it is. */
export function removeAskFile({ asks }: AskPaths, name: string): void {
  quietly(() => rmSync(join(asks, name), { force: true, recursive: true })); // may be another user's
}

const offSchema = once(() => z.object({ reason: z.string(), at: z.string() }));
/** Reason and time (ISO 8601) for which answers are switched off. */
export type OffSwitch = Readonly<z.output<ReturnType<typeof offSchema>>>;

/** Name of the file that switches answers off, also for hooks that wait. */
export const offFile = "off";

/** Reads the switch; undefined while answers are on. */
export function readOffSwitch({ asks }: AskPaths): OffSwitch | undefined {
  const file = join(asks, offFile);
  if (!lstatSync(file, { throwIfNoEntry: false })) return undefined;
  return readStateFile<OffSwitch>(file, offSchema, { reason: "unknown", at: "" });
}

/** Switches answers off. Returns false if the file cannot be written. */
export function switchOff({ asks }: AskPaths, off: OffSwitch): boolean {
  return replaceQuietly(join(asks, offFile), JSON.stringify(off));
}

/** Switches answers on again. @throws the system's error */
export function switchOn({ asks }: AskPaths): void {
  rmSync(join(asks, offFile), { force: true });
}
