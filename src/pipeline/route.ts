import picomatch from "picomatch";
import { isShortTurn } from "../attention/rules.ts";
import { isSampleSession } from "../attention/session-memory.ts";
import { type Config, type Route, readAudience, showFinding } from "../config/config.ts";
import { type AgentEvent, relayedFrom } from "../core/event.ts";
import type { Facts } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { silentEvents } from "../core/vocabulary.ts";
import { homeDirectory } from "../files/paths.ts";
import { lostReason } from "../journal/journal-line.ts";

/** Name of this machine in the `hosts` of a route. */
const thisHost = "localhost";

/** Planned message about an event to one notifier. */
export interface Step {
  readonly notifier: string;
  /**
   * Number of this message among the notifier's messages about the event; 0 if it is sent at once. Messages with higher
   * numbers are sent only while the concern is open.
   */
  readonly number: number;
  /** Delay of the message after the event, in milliseconds. */
  readonly afterMs: number;
  /** Required presence of the user; absent: any. */
  readonly when?: "away" | "here";
}

/** Deliveries chosen for an event. */
export interface RouteResult {
  /** Planned messages by notifier, in the order of the routes and then by time; empty if no route matches. */
  readonly steps: readonly Step[];
  /** Remark for the journal if something else than the event's own routes decided. */
  readonly note?: string;
}

type RouteConfig = Pick<Config, "routes" | "standInRoutes"> & Partial<Pick<Config, "findings" | "notifiers">>;

/**
 * Plans an event's messages by the routes, or by the stand-in routes if configuration errors left no notifier. A notice
 * of a usage limit that no route matches goes where finished turns go. Samples of `install` and `demo` reach only the
 * user, and others only by name.
 */
export function route(event: AgentEvent, config: RouteConfig, facts: Pick<Facts, "turnMs"> = {}): RouteResult {
  if (silentEvents.includes(event.event)) return { steps: [] };
  if (event.to) return { steps: event.to.map((notifier) => ({ notifier, number: 0, afterMs: 0 })) };
  const routed = routeByConfig(event, config, facts);
  if (!isSampleSession(event.sessionId)) return routed;
  const own = routed.steps.filter(({ notifier }) => isForUser(notifier, config));
  const note = own.length === 0 && routed.steps.length > 0 ? "samples go only to your own notifiers" : routed.note;
  return omitUndefined<RouteResult>({ steps: own, note });
}

function isForUser(name: string, { notifiers }: Pick<RouteConfig, "notifiers">): boolean {
  const configured = notifiers?.get(name);
  // The machine behind a relay chooses again.
  return !configured || configured.notifier.relays === true || readAudience(configured) === "person";
}

/** Remark about a notice of a usage limit. */
const likeFinished = "no route matches a usage limit, so it goes where finished turns go";

function routeByConfig(event: AgentEvent, config: RouteConfig, facts: Pick<Facts, "turnMs">): RouteResult {
  const steps = stepsFor(event, facts, config.routes);
  if (steps.length > 0) return { steps };
  const { limit, ...others } = event;
  if (limit) {
    const { steps, note = likeFinished } = routeByConfig({ ...others, event: "Stop", kind: "finished" }, config, facts);
    return steps.length > 0 ? { steps, note } : { steps };
  }
  const standIns = stepsFor(event, facts, config.standInRoutes);
  const error = config.findings?.find(({ level }) => level === "error");
  const note = error === undefined ? lostReason : `${lostReason}: ${showFinding(error)}`;
  const isLost = config.routes.some((route) => route.to.length === 0 && matches(route, event, facts));
  return standIns.length > 0 || (error && isLost) ? { steps: standIns, note } : { steps };
}

type UnnumberedStep = Omit<Step, "number">;

function stepsFor(event: AgentEvent, facts: Pick<Facts, "turnMs">, routes: readonly Route[]): Step[] {
  const unnumbered = routes.filter((route) => matches(route, event, facts)).flatMap(listSteps);
  const names = [...new Set(unnumbered.map(({ notifier }) => notifier))];
  return names.flatMap((name) => numberSteps(unnumbered.filter(({ notifier }) => notifier === name)));
}

function listSteps({ to, when, after = 0, repeat }: Route): UnnumberedStep[] {
  const timesMs = Array.from({ length: 1 + (repeat?.times ?? 0) }, (_, index) => after + index * (repeat?.every ?? 0));
  return timesMs.flatMap((afterMs) => to.map((notifier) => ({ notifier, afterMs, ...omitUndefined({ when }) })));
}

/** Merges and numbers a notifier's messages that are due together. Keeps `when` only if the merged messages agree. */
function numberSteps(unnumbered: readonly UnnumberedStep[]): Step[] {
  const timesMs = [...new Set(unnumbered.map(({ afterMs }) => afterMs))].sort((a, b) => a - b);
  return timesMs.map((afterMs, index) => {
    const [first, ...others] = unnumbered.filter((telling) => telling.afterMs === afterMs);
    const isSame = others.every(({ when }) => when === first?.when);
    const number = timesMs[0] === 0 ? index : index + 1;
    return {
      notifier: first?.notifier ?? "",
      number,
      afterMs,
      ...omitUndefined({ when: isSame ? first?.when : undefined }),
    };
  });
}

function matches(route: Route, event: AgentEvent, facts: Pick<Facts, "turnMs">): boolean {
  return findMismatch(route, event, facts) === undefined;
}

/** Finds the first condition of a route that an event does not meet, as a text for people; undefined if all are met. */
export function findMismatch(
  { on, kinds, agents, hosts, projects, reasons, minTurn = 0 }: Route,
  event: AgentEvent,
  { turnMs }: Pick<Facts, "turnMs"> = {},
): string | undefined {
  if (event.event === "Stop" && isShortTurn(turnMs, minTurn)) return "the turn was shorter than its `minTurn`";
  if (on && !on.some((name) => matchesName(event, name))) return `its \`on\` has no ${event.event}`;
  if (kinds && !kinds.includes(event.kind)) return `its \`kinds\` have no ${event.kind}`;
  if (agents && !agents.includes(event.agent)) return `its \`agents\` have no ${event.agent}`;
  const host = relayedFrom(event) ?? thisHost;
  if (hosts && !picomatch.isMatch(host, [...hosts])) return `its \`hosts\` do not match ${host}`;
  const isEnd = !reasons || (event.reason !== undefined && reasons.includes(event.reason));
  if (!isEnd) return `its \`reasons\` have no ${event.reason ?? "such end"}`;
  const folders = [event.projectDir ?? event.cwd ?? "", ...(event.otherPaths ?? [])];
  const isFolderMatch = !projects || folders.some((folder) => isInProjects(folder, projects));
  return isFolderMatch ? undefined : "the folder is in none of its `projects`";
}

/** Compares names without regard to case, because agents write names differently. */
function matchesName({ event, nativeEvent }: AgentEvent, name: string): boolean {
  return [event, nativeEvent].some((candidate) => candidate.toLowerCase() === name.toLowerCase());
}

/** True if a folder matches one of the globs. A glob for everything below a folder also matches the folder itself. */
export function isInProjects(cwd: string, globs: readonly string[]): boolean {
  const absolute = globs.map((glob) => glob.replace(/^~(?=\/|$)/, homeGlob));
  const all = [...absolute, ...absolute.map((glob) => glob.replace(/\/\*\*$/, ""))];
  return picomatch.isMatch(
    cwd.replace(/(?<=.)\/+$/, ""),
    all.map((glob) => glob.replace(/(?<=.)\/$/, "")).filter((glob) => glob !== ""),
    { dot: true },
  );
}

/** Escapes the home folder for use in a glob. */
function homeGlob(): string {
  const home = process.platform === "win32" ? homeDirectory().replaceAll("\\", "/") : homeDirectory();
  return home.replace(/[\\()[\]{}*?!+@|^$]/g, "\\$&");
}
