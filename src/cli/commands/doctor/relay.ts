import { dayMs, hourMs } from "../../../text/time.ts";
import {
  handingOverText,
  linkText,
  type RelayView,
  reachedText,
  serverText,
  tryServers,
  viewServer,
} from "../../status/relay-view.ts";
import { type Check, check, fail, type Observed, ok, warn } from "./check.ts";
import { serverFullReason } from "./events.ts";

/** Time after which a waiting event suggests a problem with fetching. */
const staleAfterMs = 3 * dayMs;

/** Checks of the connections to other machines, if any are set up. */
export const relayChecks: readonly Check[] = [
  check("relay", ({ relay }) => relay && fetching(relay)),
  check("relay: this machine's events", ({ relay, nowMs }) =>
    relay?.handingOver ? handingOver(relay.handingOver, nowMs) : undefined,
  ),
  check("relay: connection to the server", async ({ config, ports }) => {
    const reached = await tryServers(config, ports);
    if (!reached) return undefined;
    const cure = "Events wait here until they expire. To use a new invitation: beckon relay join";
    return reached.problem === undefined ? ok(reachedText(reached)) : fail(reachedText(reached), cure);
  }),
  check("relay: space on the server", ({ journal, nowMs }) => {
    const full = journal.findLast(({ reason }) => reason?.includes(serverFullReason));
    if (full?.reason === undefined || nowMs - Date.parse(full.at) > hourMs) return undefined;
    const later = journal.slice(journal.indexOf(full));
    if (later.some(({ status, notifier }) => status === "sent" && notifier === full.notifier)) return undefined;
    return warn(full.reason, "To see if they are fetched, run `beckon relay status` on your own machine.");
  }),

  check("relay: server on this machine", async ({ paths }) => {
    const server = await viewServer(paths);
    if (!server) return undefined;
    const text = serverText(server);
    return server.problem === undefined ? ok(text) : fail(text, "For the command that starts it: beckon relay up");
  }),
];

function fetching({ receiver, sources }: RelayView): Observed {
  if (sources.length === 0) return undefined;
  if (!receiver) {
    const names = sources.map(({ name }) => name).join(", ");
    return fail(
      `no events are fetched from ${names}, because \`beckon relay run\` is not running`,
      "To start it at every login: beckon relay run --service",
    );
  }
  if (receiver.problem !== undefined) return fail(receiver.problem, "For details: beckon config check");
  return sources.map(({ name, link }) =>
    link?.state === "connected"
      ? ok(`${name}: ${linkText(link)}`)
      : warn(`${name}: ${linkText(link)}`, "beckon keeps trying; events wait on that machine in the meantime."),
  );
}

function handingOver(given: NonNullable<RelayView["handingOver"]>, nowMs: number): Observed {
  const { oldestAt } = given;
  const text = handingOverText(given, nowMs);
  if (oldestAt === undefined || nowMs - Date.parse(oldestAt) < staleAfterMs) return ok(text);
  return warn(text, "To see if they are fetched, run `beckon relay status` on your own machine.");
}
