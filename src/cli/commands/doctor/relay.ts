import { dayMs, hourMs } from "../../../text/time.ts";
import { handingOverText, linkText, type RelayView, viewRelay } from "../../status/relay-view.ts";
import { reachedText, serverText, tryServers, viewServer } from "../../status/server-view.ts";
import { type Check, check, fail, named, type Observed, ok, warn } from "./check.ts";

/** What waits for longer was not fetched for a reason. */
const longMs = 3 * dayMs;
/** In the reason of an event that the server has no room for, see `relay/nats/publisher.ts`. */
const fullText = "too many events wait at the server";

/** Other machines, for those who have set some up. */
export const relayChecks: readonly Check[] = [
  async ({ paths, config, nowMs }) => {
    const view = await viewRelay(paths, config, nowMs);
    if (!view) return [];
    return [
      ...named("relay", fetching(view)),
      ...named("relay: this machine's events", view.handingOver && handingOver(view.handingOver, nowMs)),
    ];
  },
  check("relay: the way to the server", async ({ config, ports }) => {
    const reached = await tryServers(config, ports);
    if (!reached) return undefined;
    const cure = "What is to be sent waits here until it expires; `beckon relay join` takes a new invitation.";
    return reached.problem === undefined ? ok(reachedText(reached)) : fail(reachedText(reached), cure);
  }),
  check("relay: room at the server", ({ journal, nowMs }) => {
    const full = journal.findLast(({ reason }) => reason?.includes(fullText));
    if (full?.reason === undefined || nowMs - Date.parse(full.at) > hourMs) return undefined;
    const later = journal.slice(journal.indexOf(full));
    if (later.some(({ status, notifier }) => status === "sent" && notifier === full.notifier)) return undefined;
    return warn(full.reason, "On your own machine, `beckon relay status` says whether they are fetched.");
  }),
  check("relay: the server here", async ({ paths }) => {
    const server = await viewServer(paths);
    if (!server) return undefined;
    const text = serverText(server);
    return server.problem === undefined ? ok(text) : fail(text, "`beckon relay up` shows how it is started.");
  }),
];

function fetching({ receiver, sources }: RelayView): Observed {
  if (sources.length === 0) return undefined;
  if (!receiver) {
    const names = sources.map(({ name }) => name).join(", ");
    return fail(
      `nothing is fetched from ${names}: \`beckon relay run\` is not running`,
      "Run it, or have it run from every login on: `beckon relay run --service`.",
    );
  }
  if (receiver.problem !== undefined) return fail(receiver.problem, "`beckon config check` says more.");
  return sources.map(({ name, link }) =>
    link?.state === "connected"
      ? ok(`${name}: ${linkText(link)}`)
      : warn(`${name}: ${linkText(link)}`, "It is tried again and again; what its agents say waits there meanwhile."),
  );
}

function handingOver(given: NonNullable<RelayView["handingOver"]>, nowMs: number): Observed {
  const { oldestAtMs = nowMs } = given;
  const text = handingOverText(given, nowMs);
  if (nowMs - oldestAtMs < longMs) return ok(text);
  return warn(text, "On your own machine, `beckon relay status` says whether they are fetched.");
}
