import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { loadConfig } from "../../../config/load.ts";
import { CommandError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { createClock } from "../../../io/clock.ts";
import { createExec } from "../../../io/exec.ts";
import { type LinkStatus, readRelayStatus } from "../../../relay/relay-status.ts";
import { runRelay } from "../../../relay/run-relay.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine, toInstant } from "../../output/json-line.ts";
import type { LinkChange } from "../../output/relay-outputs.ts";
import { linkText } from "../../status/relay-view.ts";
import { requireSources } from "./status.ts";
import { startService } from "./user-service.ts";

export interface RunOptions {
  readonly service?: boolean;
  readonly json?: boolean;
}

/** Runs `beckon relay run`: fetches events, or installs the service that does so. */
export async function runReceiver({ service, json }: RunOptions, context: CliContext): Promise<number> {
  const { paths, environment } = context;
  requireOwnRoot(context);
  requireSources(await loadConfig(paths.config));
  if (service) return startService(json === true, context);
  const printedLines = new Map<string, string>();
  const stop = new AbortController();
  const signal = AbortSignal.any([context.interruption(), stop.signal]);
  void removeExpiredEachMinute(context, signal);
  const didRun = await runRelay(paths, {
    exec: createExec(environment.env),
    clock: createClock(),
    signal,
    onStatus(status) {
      const line = linkText({ ...status, waiting: 0 });
      if (printedLines.get(status.name) === line || status.state === "connecting") return;
      printedLines.set(status.name, line);
      context.print(json ? jsonLine(describeChange(status)) : `${context.colors.bold(status.name)}: ${line}`);
    },
  });
  stop.abort();
  if (didRun) return 0;
  const pid = readRelayStatus(paths, Date.now())?.pid;
  throw new CommandError(
    `beckon relay run is already running${pid === undefined ? "" : ` as process ${pid}`}`,
    "For its connections: beckon relay status",
  );
}

/** Describes the new state of a connection for programs. */
function describeChange({ name, state, sinceMs, version, problem }: LinkStatus): LinkChange {
  return { host: name, state, sinceAt: toInstant(sinceMs), ...omitUndefined({ version, problem }) };
}

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
async function removeExpiredEachMinute(context: CliContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(expiryCheckMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) await removeExpiredUsers(context);
  }
}
