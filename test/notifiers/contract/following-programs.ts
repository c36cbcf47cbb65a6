import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import type { Ports } from "../../../src/core/ports.ts";
import { freshFolder } from "../../world/fresh-folder.ts";
import { answer, type Behaviour, openHostileServer } from "../../world/hostile-server.ts";
import type { ChangeCase } from "./notifier-case.ts";
import { canary, type Reading } from "./notifier-case.ts";
import { readRecord, recordIn } from "./otlp-record.ts";

/** Input of a program: a line of JSON per call. */
interface StateNote {
  readonly type?: string;
  readonly state?: string;
  readonly data: { readonly id: string; readonly title: string; readonly body: string; readonly state?: string };
}

/** A program that follows message states until the end of the test. */
export interface FollowingProgram {
  /** The notifier's settings for the program. */
  readonly settings: object;
  /** The file in which the program records its input. */
  readonly log: string;
}

/** Reads the lines of a program's file. */
export const readLogLines = (log: string) => readFileSync(log, "utf8").split("\n").filter(Boolean);
/** Reads the inputs of a program, oldest first. */
export const readNotes = ({ log }: FollowingProgram): StateNote[] => readLogLines(log).map((line) => JSON.parse(line));

function openMessages(program: FollowingProgram): Reading[] {
  const open = new Map<string, Reading>();
  for (const { state, data } of readNotes(program)) {
    const now = state ?? data.state;
    const isKnown = open.has(data.id);
    if (now === undefined || (now === "updated" && isKnown)) open.set(data.id, { title: data.title, body: data.body });
    else open.delete(data.id);
  }
  return [...open.values()];
}

/** Makes the case of a notifier whose program tracks open messages, at ports if the network's are not enough. */
export function changesAt(start: () => Promise<FollowingProgram>, ports?: Ports): ChangeCase {
  return {
    withdrawn: "nothing",
    foreign: [{}, { id: 7 }, { id: "../x" }, { sequence: "x" }],
    async start() {
      const program = await start();
      const forget = async () => writeFileSync(program.log, "");
      const settings = { ...program.settings, states: true };
      const listActive = async () => openMessages(program);
      const close = async () => {}; // a program ends with its test
      return { settings, ...(ports && { ports }), listActive, removeAll: forget, beginAnew: forget, close };
    },
  };
}

async function inFolder(settingsFor: (folder: string, log: string) => object): Promise<FollowingProgram> {
  const folder = freshFolder();
  const log = join(folder, "log");
  writeFileSync(log, "");
  return { settings: settingsFor(folder, log), log };
}

/** Makes a program for `command`. */
export const followingCommand = () => inFolder((_, log) => ({ run: ["/bin/sh", "-c", 'exec /bin/cat >> "$0"', log] }));

/** Makes a module for `module`. */
export const followingModule = () =>
  inFolder((folder, log) => {
    const path = join(folder, "lamp.mjs");
    const source = `import { appendFileSync } from "node:fs";
      export default { async send({ message, state, settings }) {
        appendFileSync(settings.log, JSON.stringify({ state, data: message }) + "\\n");
      } };`;
    writeFileSync(path, source, { mode: 0o600 });
    return { path, settings: { log } };
  });

/** Starts a server for `webhook` that drops duplicates, as Standard Webhooks requires. */
export function followingServer(): Promise<FollowingProgram> {
  const seen = new Set<unknown>();
  return atServer({
    settings: (origin) => ({ url: `${origin}/${canary}` }),
    reply: answer(204),
    toLine(body, { "webhook-id": id }) {
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew ? body : undefined;
    },
  });
}

/** Starts a collector for `otlp`. */
export function followingCollector(): Promise<FollowingProgram> {
  return atServer({
    settings: (origin) => ({ endpoint: origin, headers: { "x-key": canary } }),
    reply: answer(200, {}, "{}"),
    toLine(body) {
      const record = recordIn(body);
      const data = { id: record.attributes["beckon.id"], ...readRecord(record) };
      return JSON.stringify({ state: record.attributes["beckon.state"], data });
    },
  });
}

/** A server's way of recording requests, and its answer. */
interface FollowingServer {
  settings(origin: string): object;
  readonly reply: Behaviour;
  /** Returns the line for the server's file; undefined for a duplicate. */
  toLine(body: string, headers: IncomingHttpHeaders): string | undefined;
}

async function atServer({ settings, reply, toLine }: FollowingServer): Promise<FollowingProgram> {
  const program = await inFolder(() => ({}));
  const record: Behaviour = (request, response) => {
    const line = toLine(server.requests.at(-1)?.body ?? "", request.headers);
    if (line !== undefined) appendFileSync(program.log, `${line}\n`);
    reply(request, response);
  };
  const server = await openHostileServer({ "*": record });
  return { ...program, settings: settings(server.origin) };
}
