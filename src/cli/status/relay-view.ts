import * as z from "zod";
import type { Config } from "../../config/config.ts";
import { sourceName } from "../../config/relay-table.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { readStateFile } from "../../files/atomic-file.ts";
import type { Paths } from "../../files/paths.ts";
import type { LinkStatus } from "../../relay/relay-status.ts";
import { shortDuration } from "../../text/time.ts";
import { formatInstant, toInstant } from "../output/instant.ts";
import type { LinkOutput, RelayViewOutput } from "../output/relay-outputs.ts";

/** Connections to other machines and their states. */
export interface RelayView {
  /** Machines and servers to fetch from. `link` has the state of the connection while `beckon relay run` is running. */
  readonly sources: readonly { readonly name: string; readonly link?: LinkStatus }[];
  readonly receiver?: { readonly pid: number; readonly problem?: string | undefined };
  /** Notifier that sends this machine's events, and its state. */
  readonly handingOver?: HandingOver;
}

interface HandingOver {
  readonly notifier: string;
  /** Servers that keep the events; absent if the events wait on this machine. */
  readonly servers?: readonly string[];
  /** Number of events that wait on this machine to be fetched. */
  readonly waiting: number;
  /** Time of the oldest waiting event, Unix milliseconds. */
  readonly oldestAtMs?: number;
  /** Time of the last fetch, Unix milliseconds. */
  readonly fetchedAtMs?: number;
}

const fetchedSchema = z.object({ atMs: z.number() });

/** Collects the connections to other machines. If there are none, returns undefined and loads no relay code. */
export async function viewRelay(paths: Paths, config: Config, nowMs: number): Promise<RelayView | undefined> {
  const names = [...new Set(config.relay?.from.map(sourceName))];
  const relaying = [...config.notifiers.values()].find(({ notifier }) => notifier.relays);
  if (names.length === 0 && relaying === undefined) return undefined;
  const [{ relayFiles }, { Outbox }, { readRelayStatus }] = await Promise.all([
    import("../../relay/relay-status.ts"),
    import("../../relay/outbox.ts"),
    import("../../relay/relay-status.ts"),
  ]);
  const files = relayFiles(paths);
  const receiver = readRelayStatus(paths, nowMs);
  const findLink = (name: string) => receiver?.links.find((link) => link.name === name);
  const handingOver = ({ name, settings }: NonNullable<typeof relaying>): HandingOver => {
    const { servers } = settings as { readonly servers?: readonly string[] };
    if (servers) return { notifier: name, servers, waiting: 0 };
    const waiting = new Outbox(files.outbox).entries();
    const oldestAtMs = waiting.length > 0 ? Math.min(...waiting.map(({ atMs }) => atMs)) : undefined;
    const fetchedAtMs = readStateFile(files.fetched, () => fetchedSchema.optional(), undefined)?.atMs;
    return { notifier: name, waiting: waiting.length, ...omitUndefined({ oldestAtMs, fetchedAtMs }) };
  };
  return {
    sources: names.map((name) => ({ name, ...omitUndefined({ link: findLink(name) }) })),
    ...omitUndefined({
      receiver: receiver && { pid: receiver.pid, problem: receiver.problem },
      handingOver: relaying && handingOver(relaying),
    }),
  };
}

/** Describes the connections for programs. */
export function describeRelay({ sources, receiver, handingOver }: RelayView): RelayViewOutput {
  return {
    sources: sources.map(({ name, link }) => ({ name, ...(link && { link: describeLink(link) }) })),
    ...omitUndefined({ receiver }),
    ...(handingOver && { handingOver: describeHandingOver(handingOver) }),
  };
}

function describeHandingOver({ oldestAtMs, fetchedAtMs, ...others }: HandingOver) {
  const times = { oldestAt: formatInstant(oldestAtMs), fetchedAt: formatInstant(fetchedAtMs) };
  return { ...others, ...omitUndefined(times) };
}

/** Describes a connection for programs. */
function describeLink({ name: _, sinceMs, lastEventAtMs, nextTryAtMs, machines, ...link }: LinkStatus): LinkOutput {
  const times = { lastEventAt: formatInstant(lastEventAtMs), nextTryAt: formatInstant(nextTryAtMs) };
  const list = machines && listMachines({ machines }).map(([host, atMs]) => ({ host, lastEventAt: toInstant(atMs) }));
  return { ...link, sinceAt: toInstant(sinceMs), ...omitUndefined({ ...times, machines: list }) };
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
export function handingOverText({ servers, waiting, oldestAtMs, fetchedAtMs }: HandingOver, nowMs: number): string {
  if (servers) return `sent to ${servers.join(", ")}`;
  const when = fetchedAtMs === undefined ? "never fetched yet" : `last fetched ${agoText(fetchedAtMs, nowMs)}`;
  if (oldestAtMs === undefined) return `${when}, none waiting`;
  return `${when}, ${waiting} waiting, the oldest for ${briefly(nowMs - oldestAtMs)}`;
}

/** Formats an instant as `3 min ago`. */
export function agoText(atMs: number, nowMs: number): string {
  return `${briefly(nowMs - atMs)} ago`;
}

/** Formats a duration. A shorter one than a second counts as a second. */
function briefly(ms: number): string {
  return shortDuration(Math.max(1_000, ms));
}
