import { rmSync } from "node:fs";
import type { RelayLeave as LeftOutput } from "../../../../docs/output.d.ts";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { removeNotifier, removeRelaySource, withoutEmpty } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { type RelaySource, sourceName } from "../../../config/relay-table.ts";
import { CommandError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { Outbox } from "../../../relay/outbox.ts";
import { relayFiles } from "../../../relay/relay-status.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say, shortPath } from "../../say.ts";
import type { ConsentOptions } from "./hand-over-setup.ts";
import { hostCredentialsFile, removeCredentials } from "./own-server.ts";
import { runRemote } from "./remote.ts";
import { removeService } from "./user-service.ts";

/** Time limit for notifying the other machine, in milliseconds. */
const leaveTimeoutMs = 30_000;

/**
 * Runs `beckon relay leave`. With a name, stops fetching events from that machine; without one, stops sending events.
 */
export async function runLeave(
  host: string | undefined,
  options: ConsentOptions,
  context: CliContext,
): Promise<number> {
  requireOwnRoot(context);
  return host === undefined ? stopHandingOver(options, context) : stopFetching(host, options, context);
}

async function stopFetching(host: string, { yes, json }: ConsentOptions, context: CliContext): Promise<number> {
  const { paths, print, environment } = context;
  const { relay } = await loadConfig(paths.config);
  const sources = relay?.from.filter((source) => sourceName(source) === host) ?? [];
  await editConfig(paths, (text) => removeRelaySource(text, paths.config, host));
  for (const source of sources) if ("creds" in source) removeCredentials(source.creds, context);
  const isLast = (relay?.from.length ?? 0) === sources.length;
  const service = isLast ? await removeService(context) : undefined;
  if (!json) {
    say(`This machine no longer receives events from ${host}.`, context);
    if (service !== undefined)
      say(`Removed ${shortPath(service, environment)}: no machines are left to fetch from.`, context);
  }
  const problem = await notifyRemote(sources, yes === true);
  if (json) print(jsonLine({ host, ...omitUndefined({ service, problem }) } satisfies LeftOutput));
  else if (problem !== undefined)
    say(`${host} still keeps events for you: ${problem}. To stop that, run \`beckon relay leave\` there.`, context);
  return 0;
}

/** Asks the other machine to stop keeping events. Returns the reason if that failed. */
async function notifyRemote(sources: readonly RelaySource[], yes: boolean): Promise<string | undefined> {
  let problem = "it could not be reached";
  for (const source of sources) {
    if (!("via" in source)) return undefined; // a server needs no notice: its events expire
    const result = await runRemote(source.via, `beckon_ relay leave${yes ? " --yes" : ""}\n`, leaveTimeoutMs).catch(
      () => undefined,
    );
    if (result?.exitCode === 0) return undefined;
    problem =
      result?.stderr.split("\n").flatMap((line) => /^beckon: (.+)/.exec(cleanLine(line))?.[1] ?? [])[0] ?? problem;
  }
  return problem;
}

async function stopHandingOver({ yes, json }: ConsentOptions, context: CliContext): Promise<number> {
  const { paths } = context;
  const { notifiers } = await loadConfig(paths.config);
  const names = [...notifiers.values()].filter(({ notifier }) => notifier.relays).map(({ name }) => name);
  if (names.length === 0) {
    throw new CommandError("this machine does not send its events anywhere", "To see the setup: beckon relay status");
  }
  const { outbox } = relayFiles(paths);
  const waiting = new Outbox(outbox).entries().length;
  if (waiting > 0 && !yes) {
    throw new CommandError(
      `${waiting} events are waiting to be fetched`,
      "To delete them, add --yes. They stay in `beckon log`.",
    );
  }
  await editConfig(paths, (text) => {
    const left = names.reduce((rest, name) => removeNotifier(rest, paths.config, name), text);
    return withoutEmpty(left, paths.config, ["notifiers"]); // without any notifier, the defaults apply again
  });
  rmSync(outbox, { recursive: true, force: true });
  rmSync(hostCredentialsFile(paths), { force: true });
  if (json) context.print(jsonLine({ notifiers: names, deleted: waiting } satisfies LeftOutput));
  else say("This machine no longer sends its events.", context);
  return 0;
}
