/**
 * One event in the spool, as the launcher and the entrypoints write it: a header line, the payload byte by byte as the
 * agent sent it, and an end line that proves the record whole. The file's modification time is when the hook took it in.
 *
 *     {"v":1,"event":"Stop","agent":"droid","cwd":"/home/me/shop"}
 *     {"hook_event_name":"Stop", …}
 *     {"end":0}
 */
export interface SpoolRecord {
  readonly header: RecordHeader;
  readonly payload: Buffer;
  /** How reading the payload ended: 0 well, 124 at the deadline, anything else cut off. */
  readonly end: number;
}

export interface RecordHeader {
  readonly v: 1;
  /** The event the hook was installed for; the payload's own word counts more. */
  readonly event: string;
  readonly agent?: string;
  readonly cwd?: string;
  /** Who fired the hook: its parent's process number and the parent's parent's. Where the platform tells. */
  readonly processes?: readonly number[];
  /** What earlier attempts left behind; absent in a fresh record. Written and read by the worker alone. */
  readonly state?: unknown;
}

const newline = 0x0a;
const endLine = /\n\{"end":(\d{1,3})\}\n$/;
const longestEndLine = 14;

/** The bytes of a record. */
export function encodeRecord(header: RecordHeader, payload: Buffer, end = 0): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), payload, Buffer.from(`\n{"end":${end}}\n`)]);
}

/** Reads a record; undefined if it is not whole or not one. A record of a newer version is not one. */
export function decodeRecord(bytes: Buffer): SpoolRecord | undefined {
  const tail = endLine.exec(bytes.subarray(-longestEndLine).toString("latin1"));
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

function decodeHeader(line: string): RecordHeader | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // not a record's first line
  }
  const { v, event, agent, cwd, processes, state } = (value ?? {}) as Record<string, unknown>;
  if (v !== 1 || typeof event !== "string") return undefined;
  return {
    v,
    event,
    ...(typeof agent === "string" && agent !== "" && { agent }),
    ...(typeof cwd === "string" && cwd !== "" && { cwd }),
    ...(isProcesses(processes) && { processes }),
    ...(state !== undefined && { state }),
  };
}
