import { readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { parseEntry } from "./entry.ts";
import { decodeRecord, type RecordHeader } from "./record.ts";
import { listWithStats, spoolBounds } from "./sweep.ts";

export interface Evicted {
  readonly id: string;
  readonly header: RecordHeader | undefined;
}

/** By the event the hook was installed for, under any agent's name for it: what people wait for stays longest. */
const worth: Readonly<Record<string, number>> = {
  Notification: 2,
  PermissionRequest: 2,
  Stop: 1,
  StopFailure: 1,
  AfterAgent: 1,
  "agent-turn-complete": 1,
};

/** Brings the spool back within its bounds: 1,000 events and 10 MiB. The least urgent go first, among them the oldest. */
export function evict(spool: string): readonly Evicted[] {
  const files = ["new", "cur"]
    .flatMap((folder) => listWithStats(join(spool, folder)))
    .filter(({ file, path }) => {
      const entry = parseEntry(file);
      return entry && (path.includes(`${join(spool, "new")}`) || entry.dueAtMs !== undefined);
    });
  let bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let count = files.length;
  if (count <= spoolBounds.files && bytes <= spoolBounds.bytes) return [];
  const evicted: Evicted[] = [];
  const candidates = files
    .map((file) => ({ ...file, header: decodeRecord(readFileSync(file.path))?.header }))
    .sort((a, b) => worthOf(a.header) - worthOf(b.header) || a.modifiedAtMs - b.modifiedAtMs);
  for (const { file, path, sizeBytes, header } of candidates) {
    if (count <= spoolBounds.files && bytes <= spoolBounds.bytes) break;
    unlinkSync(path);
    evicted.push({ id: parseEntry(file)?.id ?? file, header });
    count -= 1;
    bytes -= sizeBytes;
  }
  return evicted;
}

function worthOf(header: RecordHeader | undefined): number {
  return worth[header?.event ?? ""] ?? 0;
}
