import { asText, isObject } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type ProjectFolders, readProjectFolders } from "../core/project-variables.ts";
import { recordedTerminal, type TerminalEnvironment } from "../core/terminal-environment.ts";

/**
 * One event in the spool. In version 1, as the launcher and the entrypoints write it: a header line, the payload byte
 * for byte as the agent sent it, and an end line that proves the record complete. The file's modification time is when
 * the hook stored it.
 *
 *     {"v":1,"event":"Stop","agent":"droid","cwd":"/home/me/shop"}
 *     {"hook_event_name":"Stop", …}
 *     {"end":0}
 *
 * In version 2, what the beckon of another machine has judged, with that machine's name: its payload is one of those in
 * `core/relayed.ts`, with the time `atMs`.
 *
 *     {"v":2,"event":"Stop","agent":"droid","host":"devbox","judged":true}
 */
export interface SpoolRecord {
  readonly header: RecordHeader;
  readonly payload: Buffer;
  /** How reading the payload ended, as in `endOf`; any other number counts as cut off. */
  readonly end: number;
}

/** A process that called a hook: its number and its name, which is empty if it is not plain. */
export type Caller = readonly [pid: number, name: string];

export interface RecordHeader {
  readonly v: 1 | 2;
  /** The event the hook was installed for; an event that the payload names takes precedence. */
  readonly event: string;
  readonly agent?: string;
  readonly cwd?: string;
  /** Process numbers of the hook's parent and, where the platform tells, of the parent's parent. */
  readonly processes?: readonly number[];
  /** Processes that called the hook, the nearest first, up to the eighth; where the platform tells. */
  readonly callers?: readonly Caller[];
  /** Folders in which agents say that the session was begun. */
  readonly projects?: ProjectFolders;
  /** What the hook's environment says of its terminal; decoded, only values that look as they should. */
  readonly terminal?: TerminalEnvironment;
  /** Seconds for which the hook waits for the delivery, where it was installed with `--wait`. */
  readonly wait?: number;
  /** The machine it comes from, and that it is not to be parsed, judged or looked up again; in version 2 alone. */
  readonly host?: string;
  readonly judged?: true;
  /** What earlier attempts came to; absent in a fresh record. Written and read by the worker alone. */
  readonly state?: unknown;
}

/**
 * How reading a payload ended. The launcher notes exit codes: of `timeout`, of `cat` at its file size limit, of a `cat`
 * that could not read.
 */
export const endOf = { complete: 0, unreadable: 1, timeout: 124, tooLarge: 153 } as const;

/** Largest payload that is accepted, in bytes: 1 MiB. The worker rejects a longer one. */
export const maxPayloadBytes = 1024 * 1024;

/**
 * Size at which the launcher stops writing a record, in bytes: 2 MiB. This bounds the disk that an endless input takes,
 * and not the payload: the record has a header, and the launcher's limit is that of a file.
 */
export const maxStoredBytes = 2 * maxPayloadBytes;

/** Largest record that is read, in bytes: 4 MiB. It may hold a run's state, which is smaller than the payload. */
export const maxRecordBytes = 2 * maxStoredBytes;

const newestVersion = 2;
/** A record's version is in this many of its first bytes. */
export const versionBytes = 16;
const newline = 0x0a;
const endLine = /\n\{"end":(\d{1,3})\}\n$/;
/** The end line is in this many of a record's last bytes. */
export const maxEndLineBytes = 14;

const wholeEnd = '\n{"end":0}\n';
/** What follows a payload that is whole. */
export const endOfRecord: Buffer = Buffer.from(wholeEnd);

/** The bytes of a record. */
export function encodeRecord(header: RecordHeader, payload: Buffer, end = 0): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload, Buffer.from(`\n{"end":${end}}\n`)]);
}

/** Whether bytes begin like a record that a newer version of beckon wrote, which it alone can read. */
export function isOfNewerVersion(bytes: Buffer): boolean {
  const [, found] = /^\{"v":(\d{1,9})[,}]/.exec(bytes.toString("latin1", 0, versionBytes)) ?? [];
  return Number(found) > newestVersion;
}

/**
 * Whether bytes are a record but for its end line: a header and one whole JSON object. A launcher leaves them that was
 * killed while its agent kept standard input open.
 */
export function lacksOnlyEnd(bytes: Buffer): boolean {
  const record = decodeRecord(Buffer.concat([bytes, endOfRecord]));
  if (!record) return false;
  try {
    return isObject(JSON.parse(record.payload.toString("utf8")));
  } catch {
    return false; // part of an object
  }
}

/** Whether bytes end with the line that proves a record whole. */
export function hasEnd(bytes: Buffer): boolean {
  return findEnd(bytes) !== null;
}

/** Decodes a record; undefined if it is incomplete, no record, or of a newer version. */
export function decodeRecord(bytes: Buffer): SpoolRecord | undefined {
  const tail = findEnd(bytes);
  const headerEnd = bytes.indexOf(newline);
  const payloadEnd = bytes.length - (tail?.[0].length ?? 0);
  if (!tail || headerEnd < 0 || headerEnd >= payloadEnd) return undefined;
  const header = decodeHeader(bytes.subarray(0, headerEnd).toString("utf8"));
  if (!header) return undefined;
  return { header, payload: bytes.subarray(headerEnd + 1, payloadEnd), end: readEnd(Number(tail[1])) };
}

/** BusyBox' `timeout` ends with 143, and perl with 142: by signals, where GNU's ends with 124. */
function readEnd(end: number): number {
  return end > 128 && end !== endOf.tooLarge ? endOf.timeout : end;
}

function findEnd(bytes: Buffer): RegExpExecArray | null {
  return endLine.exec(bytes.subarray(-maxEndLineBytes).toString("latin1"));
}

function isProcesses(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= 8 && value.every((one) => Number.isInteger(one) && one > 1);
}

function isCallers(value: unknown): value is Caller[] {
  const isCaller = (one: unknown) =>
    Array.isArray(one) && one.length === 2 && Number.isInteger(one[0]) && one[0] > 0 && typeof one[1] === "string";
  return Array.isArray(value) && value.length <= 8 && value.every(isCaller);
}

function decodeHeader(line: string): RecordHeader | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // not a record's first line
  }
  const { v, event, agent, cwd, state, ...others } = (value ?? {}) as Record<string, unknown>;
  if (typeof event !== "string") return undefined;
  const env = Object(others["env"]) as Record<string, unknown>;
  const common = { event, agent: asText(agent), cwd: asText(cwd) ?? asText(env["PWD"]), state };
  if (v === 1) return omitUndefined<RecordHeader>({ v, ...common, ...decodeHook(others) });
  const host = asText(others["host"]);
  if (v !== 2 || host === undefined || others["judged"] !== true) return undefined;
  return omitUndefined<RecordHeader>({ v, ...common, host, judged: true });
}

/** Decodes what only a hook of this machine knows. The launcher writes variables as `env`, an entrypoint by their use. */
function decodeHook({ processes, callers, env, projects, terminal, wait }: Record<string, unknown>) {
  const called = isCallers(callers) && callers.length > 0 ? callers : undefined;
  const nearest = called?.slice(0, 2).map(([pid]) => pid);
  return {
    processes: isProcesses(processes) ? processes : nearest,
    callers: called,
    projects: readProjectFolders(Object(projects ?? env) as Record<string, unknown>),
    terminal: recordedTerminal(Object(terminal ?? env) as Record<string, unknown>),
    wait: typeof wait === "number" && Number.isFinite(wait) && wait > 0 ? wait : undefined,
  };
}
