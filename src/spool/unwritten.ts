import { join } from "node:path";

const records = new Map<string, Buffer>();
const keyOf = join;

/**
 * The newest records of events that found no room on the disk when they were settled, by spool and id. They live as
 * long as this process: without them an event whose state cannot be written would be sent again to everybody.
 */
export const unwritten = {
  get: (spool: string, id: string): Buffer | undefined => records.get(keyOf(spool, id)),
  keep: (spool: string, id: string, record: Buffer): void => void records.set(keyOf(spool, id), record),
  forget: (spool: string, id: string): void => void records.delete(keyOf(spool, id)),
};
