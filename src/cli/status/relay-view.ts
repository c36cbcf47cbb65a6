import * as z from "zod";
import type { Config } from "../../config/config.ts";
import { sourceName } from "../../config/relay-table.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { Paths } from "../../files/paths.ts";
import { readStateFile } from "../../files/state-file.ts";
import type { LinkStatus } from "../../relay/relay-status.ts";
import { shortDuration } from "../../text/local-time.ts";

/** What is set up with other machines, and how it goes. */
export interface RelayView {
  /** The machines and servers that are fetched from; a link where the receiver runs. */
  readonly sources: readonly { readonly name: string; readonly link?: LinkStatus }[];
  readonly receiver?: { readonly pid: number; readonly problem?: string | undefined };
  /** The notifier by which this machine's events are handed over. */
  readonly handingOver?: HandingOver;
}

interface HandingOver {
  readonly notifier: string;
  /** Servers that keep them; without any, they wait here. */
  readonly servers?: readonly string[];
  /** How many wait to be fetched. */
  readonly waiting: number;
  /** When the oldest of them came in, Unix milliseconds. */
  readonly oldestAtMs?: number;
  /** When they were last fetched, Unix milliseconds. */
  readonly fetchedAtMs?: number;
}

const fetchedSchema = z.object({ atMs: z.number() });

/** What is set up with other machines; undefined where nothing is, and none of the relay's code is loaded then. */
export async function viewRelay(paths: Paths, config: Config, nowMs: number): Promise<RelayView | undefined> {
  const names = [...new Set(config.relay?.from.map(sourceName))];
  const relaying = [...config.notifiers.values()].find((one) => one.notifier.relays);
  if (names.length === 0 && relaying === undefined) return undefined;
  const [{ relayFiles }, { Outbox }, { readRelayStatus }] = await Promise.all([
    import("../../relay/relay-files.ts"),
    import("../../relay/outbox.ts"),
    import("../../relay/relay-status.ts"),
  ]);
  const files = relayFiles(paths);
  const receiver = readRelayStatus(paths, nowMs);
  const linkOf = (name: string) => receiver?.links.find((one) => one.name === name);
  const handingOver = ({ name, settings }: NonNullable<typeof relaying>): HandingOver => {
    const { servers } = settings as { readonly servers?: readonly string[] };
    if (servers) return { notifier: name, servers, waiting: 0 };
    const waiting = new Outbox(files.outbox).entries();
    const oldestAtMs = waiting.length > 0 ? Math.min(...waiting.map(({ atMs }) => atMs)) : undefined;
    const fetchedAtMs = readStateFile(files.fetched, () => fetchedSchema.optional(), undefined)?.atMs;
    return { notifier: name, waiting: waiting.length, ...omitUndefined({ oldestAtMs, fetchedAtMs }) };
  };
  return {
    sources: names.map((name) => ({ name, ...omitUndefined({ link: linkOf(name) }) })),
    ...omitUndefined({
      receiver: receiver && { pid: receiver.pid, problem: receiver.problem },
      handingOver: relaying && handingOver(relaying),
    }),
  };
}

/** `connected, beckon 0.1.0`; `not connected: Could not resolve hostname devbox` */
export function linkText(link: LinkStatus | undefined): string {
  if (!link) return "not fetched: `beckon relay run` is not running";
  const { state, via, version, waiting = 0, problem } = link;
  if (state === "connected") {
    const what = version === undefined ? "" : `, ${via === "nats" ? version : `beckon ${version}`}`;
    return `connected${what}${waiting === 0 ? "" : `, ${waiting} more wait there`}`;
  }
  return problem === undefined ? state : `not connected: ${problem}`;
}

/** `last fetched 3 min ago, nothing waits` */
export function handingOverText({ servers, waiting, oldestAtMs, fetchedAtMs }: HandingOver, nowMs: number): string {
  if (servers) return `kept for their person by ${servers.join(", ")}`;
  const when = fetchedAtMs === undefined ? "never fetched yet" : `last fetched ${agoText(fetchedAtMs, nowMs)}`;
  if (oldestAtMs === undefined) return `${when}, nothing waits`;
  return `${when}, ${waiting} wait${waiting === 1 ? "s" : ""}, the oldest for ${briefly(nowMs - oldestAtMs)}`;
}

/** `3 min ago` */
export function agoText(atMs: number, nowMs: number): string {
  return `${briefly(nowMs - atMs)} ago`;
}

/** A second at least. */
function briefly(ms: number): string {
  return shortDuration(Math.max(1_000, ms));
}
