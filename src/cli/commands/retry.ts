import { existsSync } from "node:fs";
import { requireOwnRoot, requireStoring } from "../../actions/require-own-root.ts";
import { findDead, listDeliverable, listNotRetried, minIdChars, requeue } from "../../actions/retry.ts";
import { UsageError } from "../../core/errors.ts";
import { readSpool } from "../../spool/spool-state.ts";
import { wake } from "../../spool/wake.ts";
import { counted } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { shownIdChars } from "../journal/view.ts";
import { jsonLine } from "../output/json-line.ts";
import { say } from "../say.ts";

/** Declares `beckon retry`: puts failed events back into the spool. */
export const registerRetry: RegisterCommand = (command, run) => {
  command
    .argument("[id...]", `event ids from \`beckon log\`, or at least their first ${minIdChars} characters`)
    .option("--failed", "redeliver all failed events that can still be delivered")
    .option("--json", "print one JSON object")
    .action((ids: string[], options: RetryOptions) => run((context) => runRetry(ids, options, context)));
};

interface RetryOptions {
  readonly failed?: boolean;
  readonly json?: boolean;
}

async function runRetry(
  ids: readonly string[],
  { failed = false, json }: RetryOptions,
  cli: CliContext,
): Promise<number> {
  const context = json ? { ...cli, print: () => {} } : cli;
  const { paths, print } = context;
  if (failed === ids.length > 0) {
    throw new UsageError(
      "give event ids, or --failed to retry all of them",
      "To list failed events: beckon log --failed",
    );
  }
  requireOwnRoot(context);
  const spool = readSpool(paths.spool, paths.lock);
  const chosen = failed ? listDeliverable(spool, paths) : ids.map((id) => findDead(id, spool));
  const retried = [...new Set(chosen)];
  const left = failed ? listNotRetried(retried, spool, paths) : [];
  if (retried.length === 0) print("Nothing to retry.");
  else requireStoring(context);
  for (const id of retried) {
    const names = requeue(id, paths);
    print(`retrying ${id.slice(0, shownIdChars)}${names.length > 0 ? ` for ${names.join(", ")}` : ""}`);
  }
  for (const { count, why } of left) say(`${counted(count, "failed event")} left out: ${why}`, context, 2);
  if (retried.length > 0 && existsSync(paths.worker)) await wake(paths);
  else if (retried.length > 0) print("No worker is installed. To deliver now: beckon flush");
  if (json) cli.print(jsonLine({ retried, left }));
  return 0;
}
