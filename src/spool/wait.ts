import { readdirSync } from "node:fs";
import { join } from "node:path";

const pollMs = 50;

/** Whether an event is still on its way: in `new/`, claimed, or waiting for a retry. */
export function isPending(spool: string, id: string): boolean {
  // In the order in which an event moves, so that none is missed between two looks.
  return ["new", "cur"].some((folder) => readdirSync(join(spool, folder)).some((file) => file.startsWith(`${id}.`)));
}

/** Resolves when the event is settled or the time is up. */
export async function untilSettled(spool: string, id: string, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline && isPending(spool, id)) await new Promise((resolve) => setTimeout(resolve, pollMs));
}
