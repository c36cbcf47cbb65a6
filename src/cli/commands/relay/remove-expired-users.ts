import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClock } from "../../../io/clock.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";

const expiryCheckMs = 60_000;

/** Removes expired users from this machine's server. Does nothing if this machine has no server. */
export async function removeExpiredUsers({ paths, printError, now }: CliContext): Promise<void> {
  if (!existsSync(join(paths.relay, "server", "users.json"))) return;
  try {
    const { removeExpiredUsers } = await import("../../../relay/server/users.ts");
    const { describeUser } = await import("../../../relay/server/users.ts");
    for (const user of await removeExpiredUsers(paths, { ...createClock(), ...(now && { now }) }))
      printError(`The invitation of ${describeUser(user)} has expired.`);
  } catch (error) {
    // Not worth failing the command: commands that need the server report the problem.
    printError(`Cannot check for expired invitations: ${cleanLine(String(error)).slice(0, 200)}`);
  }
}

/** Removes expired users from this machine's server every minute, until the signal aborts. */
export async function removeExpiredEachMinute(context: CliContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(expiryCheckMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await removeExpiredUsers(context);
  }
}
