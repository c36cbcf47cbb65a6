import type { RelayHosts as HostLine, RelayStatus as RelayStatusOutput } from "../../../../docs/output.d.ts";
import type { Config } from "../../../config/config.ts";
import { loadConfig } from "../../../config/load.ts";
import { CommandError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { readQuietly } from "../../../files/read-file.ts";
import { createExec } from "../../../io/exec.ts";
import { relayFiles } from "../../../relay/relay-status.ts";
import { deriveRecipient } from "../../../relay/seal.ts";
import { fitRows } from "../../columns.ts";
import { type CliContext, lineCells } from "../../context.ts";
import { formatInstant, type JsonOption, jsonLine, toInstant } from "../../output/json-line.ts";
import { say } from "../../say.ts";
import {
  agoText,
  describeRelay,
  handingOverText,
  linkText,
  listMachines,
  reachedText,
  type ServerView,
  serverText,
  tryServers,
  viewRelay,
  viewServer,
} from "../../status/relay-view.ts";

/** Runs `beckon relay status`: shows the connections in both directions. Returns exit code 1 if one is broken. */
export async function runStatus({ json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, environment, print, colors } = context;
  const nowMs = context.now();
  const config = await loadConfig(paths.config);
  const [view, server] = await Promise.all([viewRelay(paths, config, nowMs), viewServer(paths)]);
  if (!view && !server) {
    if (json) print(jsonLine({ isConfigured: false, sources: [] } satisfies RelayStatusOutput));
    else say("No other machines are set up. To get notifications from one: beckon relay add -- ssh HOST", context);
    return 0;
  }
  const { sources = [], receiver, handingOver } = view ?? {};
  const reached = await tryServers(config, { exec: createExec(environment.env) });
  const isGood =
    sources.every(({ link }) => link?.state === "connected") &&
    [receiver, reached, server].every((part) => !part?.problem);
  const identity = readQuietly(relayFiles(paths).identity)?.trim();
  const recipient = identity ? await deriveRecipient(identity) : undefined;
  if (json) {
    const connections = view ? describeRelay(view) : { sources: [] };
    const output = { isConfigured: true, ...connections, ...omitUndefined({ recipient, reached, server }) };
    print(jsonLine(output satisfies RelayStatusOutput));
    return isGood ? 0 : 1;
  }
  if (receiver?.problem !== undefined) say(`${colors.red("✗")} ${receiver.problem}`, context, 2);
  const sign = (isFine: boolean): string => (isFine ? colors.green("✓") : colors.red("✗"));
  for (const { name, link } of sources)
    say(`${sign(link?.state === "connected")} ${name}: ${linkText(link)}`, context, 2);
  if (handingOver)
    say(`This machine's events (notifier ${handingOver.notifier}): ${handingOverText(handingOver, nowMs)}`, context, 2);
  if (reached) say(`${sign(!reached.problem)} ${reachedText(reached)}`, context, 2);
  if (server) printServer(server, context);
  if (recipient !== undefined && sources.length > 0)
    say(`To encrypt texts for this machine, use the recipient ${recipient}`, context, 2);
  return isGood ? 0 : 1;
}

/** Prints the state of this machine's server and its users. */
function printServer(server: ServerView, context: CliContext): void {
  const { colors, print } = context;
  const sign = server.problem === undefined ? colors.green("✓") : colors.red("✗");
  say(`${sign} Server on this machine: ${serverText(server)}`, context, 2);
  const rows = server.users.map(({ name, expiresAt }) => [
    name,
    expiresAt === undefined ? "" : `until ${expiresAt.slice(0, "2026-12-23T14:05".length).replace("T", " ")} UTC`,
  ]);
  for (const line of fitRows(rows, lineCells(context) - 4)) print(`    ${line}`);
}

/** Runs `beckon relay hosts`: lists the configured machines and the states of their connections. */
export async function runHosts({ json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now();
  const config = await loadConfig(paths.config);
  const { sources = [] } = (await viewRelay(paths, config, nowMs)) ?? {};
  if (sources.length === 0 && !json) print(`No other machines are set up. ${howToAdd}`);
  if (json) {
    for (const { name: host, link } of sources) {
      const { state = "not-fetched", sinceMs, version, lastEventAtMs, problem } = link ?? {};
      const times = { sinceAt: formatInstant(sinceMs), lastEventAt: formatInstant(lastEventAtMs) };
      print(jsonLine({ host, state, ...omitUndefined({ version, problem, ...times }) } satisfies HostLine));
      for (const [name, atMs] of listMachines(link ?? {}))
        print(jsonLine({ host: name, by: host, lastEventAt: toInstant(atMs) } satisfies HostLine));
    }
    return 0;
  }
  const lastEvent = (atMs: number | undefined): string =>
    atMs === undefined ? "" : `last event ${agoText(atMs, nowMs)}`;
  const rows = sources.flatMap(({ name, link }) => [
    [name, linkText(link), lastEvent(link?.lastEventAtMs)],
    ...listMachines(link ?? {}).map(([machine, atMs]) => [machine, `via ${name}`, lastEvent(atMs)]),
  ]);
  for (const line of fitRows(rows, lineCells(context))) print(line);
  return 0;
}

const howToAdd = "To set one up: beckon relay add -- ssh HOST";

/** Requires at least one machine or server to fetch from. @throws {CommandError} */
export function requireSources({ relay }: Config): void {
  if (relay && relay.from.length > 0) return;
  throw new CommandError("no other machines are set up", howToAdd);
}
