import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Link as LinkOutput, RelayStatus, Relay as RelayViewOutput } from "../../../docs/output.d.ts";
import type { Config } from "../../config/config.ts";
import { resolveReferences } from "../../config/references.ts";
import { BeckonError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { ExecPort } from "../../core/ports.ts";
import { readStateFile } from "../../files/atomic-file.ts";
import type { Paths } from "../../files/paths.ts";
import type { LinkStatus } from "../../relay/relay-status.ts";
import { shortDuration } from "../../text/time.ts";
import { formatInstant, toInstant } from "../output/json-line.ts";

/** Connections to other machines and their states. */
export interface RelayView {
  /** Machines and servers to fetch from. `link` has the state of the connection while `beckon relay run` is running. */
  readonly sources: readonly { readonly name: string; readonly link?: LinkStatus }[];
  readonly receiver?: { readonly pid: number; readonly problem?: string };
  readonly handingOver?: HandingOver;
}

/**
 * Notifier that sends this machine's events, with the servers that keep them or, without servers, the events that wait
 * on this machine to be fetched.
 */
type HandingOver = NonNullable<RelayViewOutput["handingOver"]>;

/** Collects the connections to other machines. If there are none, returns undefined and loads no relay code. */
export async function viewRelay(paths: Paths, config: Config, nowMs: number): Promise<RelayView | undefined> {
  const { sourceName } = config.relay ? await import("../../config/relay-table.ts") : {};
  const names = [...new Set(sourceName && config.relay?.from.map(sourceName))];
  const relaying = [...config.notifiers.values()].find(({ notifier }) => notifier.relays);
  if (names.length === 0 && relaying === undefined) return undefined;
  const [{ relayFiles, readRelayStatus }, { Outbox }] = await Promise.all([
    import("../../relay/relay-status.ts"),
    import("../../relay/outbox.ts"),
  ]);
  const files = relayFiles(paths);
  const receiver = readRelayStatus(paths, nowMs);
  const findLink = (name: string) => receiver?.links.find((link) => link.name === name);
  const handingOver = ({ name, settings }: NonNullable<typeof relaying>): HandingOver => {
    const { servers } = settings as { readonly servers?: readonly string[] };
    if (servers) return { notifier: name, servers, waiting: 0 };
    const waiting = new Outbox(files.outbox).entries();
    const oldestAtMs = waiting.length > 0 ? Math.min(...waiting.map(({ atMs }) => atMs)) : undefined;
    const fetched = readStateFile(files.fetched, () => z.object({ atMs: z.number() }).optional(), undefined);
    const times = { oldestAt: formatInstant(oldestAtMs), fetchedAt: formatInstant(fetched?.atMs) };
    return { notifier: name, waiting: waiting.length, ...omitUndefined(times) };
  };
  return {
    sources: names.map((name) => ({ name, ...omitUndefined({ link: findLink(name) }) })),
    ...omitUndefined({
      receiver: receiver && { pid: receiver.pid, ...omitUndefined({ problem: receiver.problem }) },
      handingOver: relaying && handingOver(relaying),
    }),
  };
}

/** Describes the connections for programs. */
export function describeRelay({ sources, receiver, handingOver }: RelayView): RelayViewOutput {
  return {
    sources: sources.map(({ name, link }) => ({ name, ...(link && { link: describeLink(link) }) })),
    ...omitUndefined({ receiver, handingOver }),
  };
}

/** Describes a connection for programs. */
function describeLink({ name: _, sinceMs, lastEventAtMs, nextTryAtMs, machines, ...link }: LinkStatus): LinkOutput {
  const times = { lastEventAt: formatInstant(lastEventAtMs), nextTryAt: formatInstant(nextTryAtMs) };
  const list = machines && listMachines({ machines }).map(([host, atMs]) => ({ host, lastEventAt: toInstant(atMs) }));
  return omitUndefined<LinkOutput>({ ...link, sinceAt: toInstant(sinceMs), ...times, machines: list });
}

/** Lists the machines behind a server, by name, with the times of their last events. */
export function listMachines({ machines = {} }: Pick<LinkStatus, "machines">): [name: string, lastEventAtMs: number][] {
  return Object.entries(machines).toSorted(([name], [other]) => (name < other ? -1 : 1));
}

/** Formats a link as `connected, beckon 0.1.0` or `not connected: Could not resolve hostname devbox`. */
export function linkText(link: LinkStatus | undefined): string {
  if (!link) return "not connected: `beckon relay run` is not running";
  const { state, via, version, waiting = 0, problem } = link;
  if (state === "connected") {
    const what = version === undefined ? "" : `, ${via === "nats" ? version : `beckon ${version}`}`;
    return `connected${what}${waiting === 0 ? "" : `, ${waiting} more waiting there`}`;
  }
  return problem === undefined ? state : `not connected: ${problem}`;
}

/** Formats the state of sending as `last fetched 3 min ago, none waiting`. */
export function handingOverText({ servers, waiting, oldestAt, fetchedAt }: HandingOver, nowMs: number): string {
  if (servers) return `sent to ${servers.join(", ")}`;
  const when = fetchedAt === undefined ? "never fetched yet" : `last fetched ${agoText(Date.parse(fetchedAt), nowMs)}`;
  if (oldestAt === undefined) return `${when}, none waiting`;
  return `${when}, ${waiting} waiting, the oldest for ${briefly(nowMs - Date.parse(oldestAt))}`;
}

/** Formats an instant as `3 min ago`. */
export function agoText(atMs: number, nowMs: number): string {
  return `${briefly(nowMs - atMs)} ago`;
}

/** Formats a duration. A shorter one than a second counts as a second. */
function briefly(ms: number): string {
  return shortDuration(Math.max(1_000, ms));
}

/** Status of this machine's server: its NATS version or, if it cannot be reached, the reason; waiting events by person. */
export type ServerView = NonNullable<RelayStatus["server"]>;

/** Queries this machine's NATS server. Without a server, returns undefined and loads no server code. */
export async function viewServer(paths: Pick<Paths, "relay">): Promise<ServerView | undefined> {
  if (!existsSync(join(paths.relay, "server", "server.json"))) return undefined;
  const [{ listOwnAddresses, readServer }, { describeUser, readServerStatus, readUsers }] = await Promise.all([
    import("../../relay/server/server-settings.ts"),
    import("../../relay/server/users.ts"),
  ]);
  const server = readServer(paths);
  if (!server) return undefined;
  const users = readUsers(server.files.users).map((user) => ({
    name: describeUser(user),
    ...omitUndefined({ expiresAt: user.expiresAt }),
  }));
  const view = { addresses: listOwnAddresses(server.settings), users };
  return readServerStatus(server).then(
    (status) => ({ ...view, ...status }),
    (error: unknown) => ({ ...view, problem: describeProblem(error) }),
  );
}

/** Formats a server's status as `NATS 2.15.1 at tls://127.0.0.1:4222, 3 waiting for alice`. */
export function serverText({ addresses, version, problem, waiting = {} }: ServerView): string {
  const where = addresses.join(", ");
  if (version === undefined) return `no answer at ${where}: ${problem}`;
  const counts = Object.entries(waiting).filter(([, count]) => count > 0);
  const waits = counts.map(([person, count]) => `${count} waiting for ${person}`);
  return [`NATS ${version} at ${where}`, ...(waits.length > 0 ? waits : ["none waiting"])].join(", ");
}

/** Result of connecting to the server for this machine's events. */
type Reached = NonNullable<RelayStatus["reached"]>;

/** Formats a connection test as `connected to the server (NATS 2.15.1)`. */
export function reachedText({ version, problem }: Reached): string {
  return problem === undefined
    ? `connected to the server (NATS ${version})`
    : `cannot connect to the server: ${problem}`;
}

/** Connects to the servers for this machine's events; undefined if there are none. */
export async function tryServers(config: Config, ports: { readonly exec: ExecPort }): Promise<Reached | undefined> {
  const relaying = [...config.notifiers.values()].find(({ notifier }) => notifier.relays);
  const { servers } = (relaying?.settings ?? {}) as { readonly servers?: readonly string[] };
  if (!relaying || !servers) return undefined;
  try {
    const { value } = await resolveReferences(relaying.settings, `notifiers.${relaying.name}`, ports.exec);
    const { tryConnect } = await import("../../relay/nats/connect.ts");
    return { version: await tryConnect(servers, (value as { readonly creds: string }).creds) };
  } catch (error) {
    return { problem: describeProblem(error) };
  }
}

function describeProblem(error: unknown): string {
  if (error instanceof BeckonError) return error.message;
  throw error;
}
