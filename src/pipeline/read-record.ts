import { InputError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Claim } from "../spool/claim.ts";
import type { SpoolRecord } from "../spool/record.ts";
import type { RunContext } from "./context.ts";
import { parse } from "./parse.ts";
import type { ReadEvent, ReadStates } from "./read-relayed.ts";

/**
 * Reads an event, or states from another machine, from a spool record. Undefined if the record is rejected; the reason
 * is then journalled.
 * @param atMs arrival time, Unix milliseconds
 */
export async function readRecord(
  record: SpoolRecord | undefined,
  claim: Claim,
  atMs: number,
  { journal, ports }: Pick<RunContext, "journal" | "ports">,
): Promise<ReadEvent | ReadStates | undefined> {
  try {
    if (!record) throw new InputError("input.torn", "not a whole spool record");
    if (record.header.v === 2) return (await import("./read-relayed.ts")).readRelayed(record, claim.id);
    return { event: { ...parse(record, claim.id, atMs), ...omitUndefined({ host: ports.host.elsewhere() }) } };
  } catch (error) {
    const reason = error instanceof InputError ? `${error.code}: ${error.message}` : "a fault in reading it";
    const { event, agent, host } = record?.header ?? {};
    journal.write({ id: claim.id, ...omitUndefined({ event, agent, host }), status: "rejected", reason });
    return undefined;
  }
}
