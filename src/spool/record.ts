import { omitUndefined } from "../core/omit-undefined.ts";

/**
 * One event in the spool, as the launcher and the entrypoints write it: a header line, the payload byte for byte as the
 * agent sent it, and an end line that proves the record complete. The file's modification time is when the hook stored it.
 *
 *     {"v":1,"event":"Stop","agent":"droid","cwd":"/home/me/shop"}
 *     {"hook_event_name":"Stop", …}
 *     {"end":0}
 */
export interface SpoolRecord {
  readonly header: RecordHeader;
  readonly payload: Buffer;
  /** How reading the payload ended: 0 complete, 124 at the deadline, anything else cut off. */
  readonly end: number;
}

export interface RecordHeader {
  readonly v: 1;
  /** The event the hook was installed for; an event that the payload names takes precedence. */
  readonly event: string;
  readonly agent?: string;
  readonly cwd?: string;
  /** Process numbers of the hook's parent and, where the platform tells, of the parent's parent. */
  readonly processes?: readonly number[];
  /** What earlier attempts came to; absent in a fresh record. Written and read by the worker alone. */
  readonly state?: unknown;
}

/** Largest payload, in bytes: 1 MiB. A longer one is read up to this point and rejected by the worker. */
export const maxPayloadBytes = 1024 * 1024;

const newline = 0x0a;
const endLine = /\n\{"end":(\d{1,3})\}\n$/;
const maxEndLineBytes = 14;

/** The bytes of a record. */
export function encodeRecord(header: RecordHeader, payload: Buffer, end = 0): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload, Buffer.from(`\n{"end":${end}}\n`)]);
}

/** Decodes a record; undefined if it is incomplete, no record, or of a newer version. */
export function decodeRecord(bytes: Buffer): SpoolRecord | undefined {
  const tail = endLine.exec(bytes.subarray(-maxEndLineBytes).toString("latin1"));
  const headerEnd = bytes.indexOf(newline);
  const payloadEnd = bytes.length - (tail?.[0].length ?? 0);
  if (!tail || headerEnd < 0 || headerEnd >= payloadEnd) return undefined;
  const header = decodeHeader(bytes.subarray(0, headerEnd).toString("utf8"));
  if (!header) return undefined;
  return { header, payload: bytes.subarray(headerEnd + 1, payloadEnd), end: Number(tail[1]) };
}

function isProcesses(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= 8 && value.every((one) => Number.isInteger(one) && one > 1);
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function decodeHeader(line: string): RecordHeader | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // not a record's first line
  }
  const { v, event, agent, cwd, processes, state } = (value ?? {}) as Record<string, unknown>;
  if (v !== 1 || typeof event !== "string") return undefined;
  return omitUndefined<RecordHeader>({
    v,
    event,
    agent: nonEmptyText(agent),
    cwd: nonEmptyText(cwd),
    processes: isProcesses(processes) ? processes : undefined,
    state,
  });
}
