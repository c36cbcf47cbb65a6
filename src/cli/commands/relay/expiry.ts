import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClock } from "../../../io/clock.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";

const everyMs = 60_000;

/** Removes users whose time is over from the server that this machine looks after; most look after none. */
export async function endExpired({ paths, printError, now }: CliContext): Promise<void> {
  if (!existsSync(join(paths.relay, "server", "users.json"))) return;
  try {
    const { dismissExpired } = await import("../../../relay/server/change-users.ts");
    const { describeUser } = await import("../../../relay/server/users.ts");
    for (const user of await dismissExpired(paths, { ...createClock(), ...(now && { now }) }))
      printError(`The invitation of ${describeUser(user)} is over.`);
  } catch (error) {
    // The command itself is worth more; what is wrong is told by those that need the server.
    printError(`What is over could not be looked for: ${cleanLine(String(error)).slice(0, 200)}`);
  }
}

/** Does it each minute, until the signal aborts. */
export async function endExpiredEachMinute(context: CliContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(everyMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await endExpired(context);
  }
}
