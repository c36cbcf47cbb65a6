import { join } from "node:path";

const records = new Map<string, Buffer>();
const buildKey = join;

/**
 * Newest records of events that could not be written because the disk was full, by spool and id. They stay in memory,
 * so that this process does not send the messages about these events again.
 */
export const unwritten = {
  get: (spool: string, id: string): Buffer | undefined => records.get(buildKey(spool, id)),
  keep: (spool: string, id: string, record: Buffer): void => void records.set(buildKey(spool, id), record),
  forget: (spool: string, id: string): void => void records.delete(buildKey(spool, id)),
};
