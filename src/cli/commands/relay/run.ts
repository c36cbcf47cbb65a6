import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { loadConfig } from "../../../config/load.ts";
import { CommandError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { createClock } from "../../../io/clock.ts";
import { createExec } from "../../../io/exec.ts";
import { type LinkStatus, readRelayStatus } from "../../../relay/relay-status.ts";
import { runRelay } from "../../../relay/run-relay.ts";
import type { CliContext } from "../../context.ts";
import { toInstant } from "../../output/instant.ts";
import { jsonLine } from "../../output/json-line.ts";
import type { LinkChange } from "../../output/relay-outputs.ts";
import { linkText } from "../../status/relay-view.ts";
import { removeExpiredEachMinute } from "./remove-expired-users.ts";
import { requireSources } from "./sources.ts";
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
