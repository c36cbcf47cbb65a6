import { asText, isObject, parseJson } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type ProjectFolders, readProjectFolders } from "../core/project-variables.ts";
import { recordedTerminal, type TerminalEnvironment } from "../core/terminal-environment.ts";

/**
 * One event in the spool. Version 1, written by the launcher and the entrypoints: a header line, the payload byte for
 * byte as the agent sent it, and an end line that proves the record complete. The file's modification time is when the
 * hook stored it.
 *
 *     {"v":1,"event":"Stop","agent":"droid","cwd":"/home/me/shop"}
 *     {"hook_event_name":"Stop", …}
 *     {"end":0}
 *
 * Version 2, an event that another machine's beckon has already judged, with that machine's name. Its payload is one of
 * the types in `core/relayed.ts`, with the time `atMs`.
 *
 *     {"v":2,"event":"Stop","agent":"droid","host":"devbox","judged":true}
 */
export interface SpoolRecord {
  readonly header: RecordHeader;
  readonly payload: Buffer;
  /** Result of reading the payload, as in `inputEnd`; any other number counts as truncated. */
  readonly end: number;
}

/** Process that called a hook: its number and name, empty if the name has special characters. */
export type Caller = readonly [pid: number, name: string];

export interface RecordHeader {
  readonly v: 1 | 2;
  /** Event the hook was installed for. An event named in the payload takes precedence. */
  readonly event: string;
  readonly agent?: string;
  readonly cwd?: string;
  /** Process numbers of the hook's parent and, if known, its grandparent. */
  readonly processes?: readonly number[];
  /** Processes that called the hook, nearest first, at most eight; only if the platform lists them. */
  readonly callers?: readonly Caller[];
  /** Folders in which agents say the session started. */
  readonly projects?: ProjectFolders;
  /** Terminal variables from the hook's environment; malformed values are dropped on decoding. */
  readonly terminal?: TerminalEnvironment;
  /** Seconds for which the hook waits for the delivery, if it was installed with `--wait`. */
  readonly wait?: number;
  /** Machine that sent the event, and a sign that it is already parsed, looked up and judged; version 2 only. */
  readonly host?: string;
  readonly judged?: true;
  /** Results of earlier attempts; absent in a fresh record. Only the worker writes and reads them. */
  readonly state?: unknown;
}

/**
 * Results of reading a payload, as exit codes that the launcher records: from `timeout`, from `cat` at its file size
 * limit, and from `cat` when it cannot read.
 */
export const inputEnd = { complete: 0, unreadable: 1, timeout: 124, tooLarge: 153 } as const;

/** Largest accepted payload, in bytes: 1 MiB. The worker rejects larger ones. */
export const maxPayloadBytes = 1024 * 1024;

/**
 * Size at which the launcher stops writing a record, in bytes: 2 MiB. Bounds the disk space of endless input. Above
 * `maxPayloadBytes` because the launcher's limit applies to the whole file, header included.
 */
export const maxStoredBytes = 2 * maxPayloadBytes;

/** Largest record that is read, in bytes: 4 MiB. Leaves room for a run's state, which is smaller than the payload. */
export const maxRecordBytes = 2 * maxStoredBytes;

const newestVersion = 2;
/** First bytes of a record that hold its version. */
export const versionBytes = 16;
const newline = 0x0a;
const endLine = /\n\{"end":(\d{1,3})\}\n$/;
/** Last bytes of a record that hold its end line. */
export const maxEndLineBytes = 14;

const completeEndLine = '\n{"end":0}\n';
/** End line after a complete payload. */
export const endOfRecord: Buffer = Buffer.from(completeEndLine);

/** Encodes a record in version 1 or 2, with its end line. */
export function encodeRecord(header: RecordHeader, payload: Buffer, end = 0): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload, Buffer.from(`\n{"end":${end}}\n`)]);
}

/** True if bytes begin like a record written by a newer version of beckon. */
export function isNewerVersion(bytes: Buffer): boolean {
  const [, found] = /^\{"v":(\d{1,9})[,}]/.exec(bytes.toString("latin1", 0, versionBytes)) ?? [];
  return Number(found) > newestVersion;
}

/**
 * True if bytes are a record without its end line: a header and one complete JSON object. Launchers leave such records
 * when they are killed while the agent keeps standard input open.
 */
export function lacksOnlyEnd(bytes: Buffer): boolean {
  const record = decodeRecord(Buffer.concat([bytes, endOfRecord]));
  return record !== undefined && isObject(parseJson(record.payload.toString("utf8")));
}

/** True if bytes end with a record's end line. */
export function hasEnd(bytes: Buffer): boolean {
  return findEnd(bytes) !== null;
}

/** Decodes a record; undefined if it is incomplete, malformed, or of a newer version. */
export function decodeRecord(bytes: Buffer): SpoolRecord | undefined {
  const tail = findEnd(bytes);
  const headerEnd = bytes.indexOf(newline);
  const payloadEnd = bytes.length - (tail?.[0].length ?? 0);
  if (!tail || headerEnd < 0 || headerEnd >= payloadEnd) return undefined;
  const header = decodeHeader(bytes.subarray(0, headerEnd).toString("utf8"));
  if (!header) return undefined;
  return { header, payload: bytes.subarray(headerEnd + 1, payloadEnd), end: readEnd(Number(tail[1])) };
}

/** Maps other exit codes for a timeout to GNU's 124. BusyBox `timeout` exits with 143, and perl with 142. */
function readEnd(end: number): number {
  return end > 128 && end !== inputEnd.tooLarge ? inputEnd.timeout : end;
}

function findEnd(bytes: Buffer): RegExpExecArray | null {
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
 * Decodes the fields that only this machine's hooks write. The launcher writes variables as `env`, an entrypoint as
 * `projects` and `terminal`.
 */
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
