import { asText, isObject, parseJson } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type ProjectFolders, readProjectFolders } from "../core/project-variables.ts";
import { recordedTerminal, type TerminalEnvironment } from "../core/terminal-environment.ts";
import type { Caller } from "../files/process-table.ts";

/**
 * Record of one event in the spool. Launcher and entrypoints write version 1: a header line, the payload byte for byte
 * as the agent sent it, and an end line, which shows that the record is complete. The file's modification time is the
 * time when the hook stored the record.
 *
 *     {"v":1,"event":"Stop","agent":"droid","cwd":"/home/me/shop"}     {"hook_event_name":"Stop", …}     {"end":0}
 *
 * Version 2 is for an event that beckon on another machine has already judged. Its header names that machine. Its
 * payload follows one of the schemas in `core/relayed.ts`, with the additional field `atMs`.
 *
 *     {"v":2,"event":"Stop","agent":"droid","host":"devbox","judged":true}
 */
export interface SpoolRecord {
  readonly header: RecordHeader;
  readonly payload: Buffer;
  /** Result of reading the payload, a value of `inputEnd`. Any other number means that the payload was cut off. */
  readonly end: number;
}

/** Header of a spool record. */
export interface RecordHeader {
  readonly v: 1 | 2;
  /** Event for which the hook was installed. If the payload names another event, the payload counts. */
  readonly event: string;
  readonly agent?: string;
  readonly cwd?: string;
  /** Process ids of the hook's parent and, if known, its grandparent. */
  readonly processes?: readonly number[];
  /** Processes that called the hook, nearest first, eight at most. Absent if the platform does not list processes. */
  readonly callers?: readonly Caller[];
  /** Folders in which the session started, according to variables that agents set. */
  readonly projects?: ProjectFolders;
  /** Terminal variables from the hook's environment. Malformed values are dropped when the record is decoded. */
  readonly terminal?: TerminalEnvironment;
  /** Longest time that the hook waits for the delivery, in seconds; set if the hook was installed with `--wait`. */
  readonly wait?: number;
  /** Names of the notifiers for a sample or for `beckon send --to`, in place of the routes' choice. No hook sets them. */
  readonly to?: readonly string[];
  /** Longest time that the hook waits for an answer, in seconds; set if the hook was installed with `--ask`. */
  readonly ask?: number;
  /** Set if the hook was installed with `--form`: it asks about a form of the agent. */
  readonly form?: true;
  /** Process id of the hook; set if the hook waits. */
  readonly hook?: number;
  /** Name of the machine that sent the event; only in version 2. */
  readonly host?: string;
  /** Set if the machine that sent the event has already judged it; only in version 2. */
  readonly judged?: true;
  /** Progress of the event, such as earlier attempts; absent in a new record. Only the worker writes and reads it. */
  readonly state?: unknown;
}

/**
 * Codes for the ways in which reading a payload can end. They are exit codes that the launcher records: 124 of
 * `timeout`, 153 of `cat` at its file size limit, and 1 of `cat` if it cannot read.
 */
export const inputEnd = { complete: 0, unreadable: 1, timeout: 124, tooLarge: 153 } as const;

/** Maximum size of a payload, in bytes: 1 MiB. The worker rejects a larger payload. */
export const maxPayloadBytes = 1024 * 1024;

/**
 * Maximum size of a record that the launcher writes, in bytes: 2 MiB. This limits the disk space that endless input
 * takes. A record may be larger than a payload, because it includes the header.
 */
export const maxStoredBytes = 2 * maxPayloadBytes;

/** Maximum size of a record that the worker reads: 4 MiB. Such a record includes the results of earlier attempts. */
export const maxRecordBytes = 2 * maxStoredBytes;

const newestVersion = 2;
/** Number of bytes at the beginning of a record that are enough to read its version. */
export const versionBytes = 16;
const newline = 0x0a;
const endLine = /\n\{"end":(\d{1,3})\}\n$/;
/** Maximum length of the end line, in bytes. */
export const maxEndLineBytes = 14;

const completeEndLine = '\n{"end":0}\n';
/** End line after a complete payload. */
export const endOfRecord: Buffer = Buffer.from(completeEndLine);

/** Encodes a record in version 1 or 2, with its end line. */
export function encodeRecord(header: RecordHeader, payload: Buffer, end = 0): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload, Buffer.from(`\n{"end":${end}}\n`)]);
}

/** True if a newer version of beckon wrote a record. */
export function isNewerVersion(bytes: Buffer): boolean {
  const [, found] = /^\{"v":(\d{1,9})[,}]/.exec(bytes.toString("latin1", 0, versionBytes)) ?? [];
  return Number(found) > newestVersion;
}

/**
 * True if a record has a header and a complete JSON object, and lacks only the end line. A launcher leaves such a
 * record if it is killed while the agent keeps standard input open.
 */
export function lacksOnlyEnd(bytes: Buffer): boolean {
  const record = decodeRecord(Buffer.concat([bytes, endOfRecord]));
  return record !== undefined && isObject(parseJson(record.payload.toString("utf8")));
}

/** Decodes a record; undefined if it is incomplete, malformed, or of a newer version. */
export function decodeRecord(bytes: Buffer): SpoolRecord | undefined {
  const tail = findEnd(bytes);
  const headerEnd = bytes.indexOf(newline);
  const payloadEnd = bytes.length - (tail?.[0].length ?? 0);
  if (!tail || headerEnd < 0 || headerEnd >= payloadEnd) return undefined;
  const header = decodeHeader(bytes.subarray(0, headerEnd).toString("utf8"));
  if (!header) return undefined;
  const code = Number(tail[1]);
  // BusyBox's `timeout` exits with 143 and perl with 142, GNU's with 124.
  const end = code > 128 && code !== inputEnd.tooLarge ? inputEnd.timeout : code;
  return { header, payload: bytes.subarray(headerEnd + 1, payloadEnd), end };
}

/** Finds the end line of a record at the end of its bytes; null for an incomplete record. */
export function findEnd(bytes: Buffer): RegExpExecArray | null {
  return endLine.exec(bytes.subarray(-maxEndLineBytes).toString("latin1"));
}

function isProcesses(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= 8 && value.every((pid) => Number.isInteger(pid) && pid > 1);
}

function isCallers(value: unknown): value is Caller[] {
  const isCaller = (caller: unknown) =>
    Array.isArray(caller) &&
    caller.length === 2 &&
    Number.isInteger(caller[0]) &&
    caller[0] > 0 &&
    typeof caller[1] === "string";
  return Array.isArray(value) && value.length <= 8 && value.every(isCaller);
}

function readPositive(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

function decodeHeader(line: string): RecordHeader | undefined {
  const { v, event, agent, cwd, state, ...others } = (parseJson(line) ?? {}) as Record<string, unknown>;
  if (typeof event !== "string") return undefined;
  const env = Object(others["env"]) as Record<string, unknown>;
  const common = { event, agent: asText(agent), cwd: asText(cwd) ?? asText(env["PWD"]), state };
  if (v === 1) return omitUndefined<RecordHeader>({ v, ...common, ...decodeHook(others) });
  const host = asText(others["host"]);
  if (v !== 2 || host === undefined || others["judged"] !== true) return undefined;
  return omitUndefined<RecordHeader>({ v, ...common, host, judged: true });
}

/**
 * Decodes the fields that only this machine's hooks write. The launcher stores variables in `env`; an entrypoint stores
 * `projects` and `terminal`.
 */
function decodeHook({ processes, callers, env, projects, terminal, to, ...waiting }: Record<string, unknown>) {
  const called = isCallers(callers) && callers.length > 0 ? callers : undefined;
  const nearest = called?.slice(0, 2).map(([pid]) => pid);
  return {
    processes: isProcesses(processes) ? processes : nearest,
    callers: called,
    projects: readProjectFolders(Object(projects ?? env) as Record<string, unknown>),
    terminal: recordedTerminal(Object(terminal ?? env) as Record<string, unknown>),
    wait: readPositive(waiting["wait"]),
    ask: readPositive(waiting["ask"]),
    form: waiting["form"] === true ? (true as const) : undefined,
    hook: readPositive(waiting["hook"]),
    to: Array.isArray(to) ? to.filter((name): name is string => typeof name === "string") : undefined,
  };
}
