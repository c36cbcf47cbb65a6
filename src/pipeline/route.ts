import picomatch from "picomatch";
import type { Config, Route } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { homeDirectory } from "../core/paths.ts";
import { promptEvent } from "../core/vocabulary.ts";

/** Who is to be told of an event. */
export interface Routed {
  /** Names of notifiers, each once, in the order of the routes; none if no route matches. */
  readonly to: readonly string[];
  /** Why it is these, for the journal, where it is not as the routes say. */
  readonly note?: string;
}

/** Who is to be told of an event: whom the routes name, or who stands in for those that an error took away; of a prompt, nobody. */
export function route(event: AgentEvent, config: Pick<Config, "routes" | "standInRoutes">): Routed {
  if (event.event === promptEvent) return { to: [] };
  const to = namesFor(event, config.routes);
  if (to.length > 0) return { to };
  const standIns = namesFor(event, config.standInRoutes);
  return standIns.length === 0 ? { to } : { to: standIns, note: "an error in the configuration left it no notifier" };
}

function namesFor(event: AgentEvent, routes: readonly Route[]): string[] {
  return [...new Set(routes.filter((one) => matches(one, event)).flatMap(({ to }) => to))];
}

function matches({ on, kinds, agents, projects, reasons }: Route, event: AgentEvent): boolean {
  return (
    (!on || on.some((name) => isNamed(event, name))) &&
    (!kinds || kinds.includes(event.kind)) &&
    (!agents || agents.includes(event.agent)) &&
    (!reasons || (event.reason !== undefined && reasons.includes(event.reason))) &&
    (!projects || (event.cwd !== undefined && isInProjects(event.cwd, projects)))
  );
}

/** In any case: agents write their events differently. */
function isNamed({ event, nativeEvent }: AgentEvent, name: string): boolean {
  return [event, nativeEvent].some((one) => one.toLowerCase() === name.toLowerCase());
}

function isInProjects(cwd: string, globs: readonly string[]): boolean {
  const absolute = globs.map((glob) => glob.replace(/^~(?=\/|$)/, homeGlob));
  // A glob for everything below a folder means the folder itself, too.
  const all = [...absolute, ...absolute.map((glob) => glob.replace(/\/\*\*$/, ""))];
  return picomatch.isMatch(
    cwd.replace(/(?<=.)\/+$/, ""),
    all.map((glob) => glob.replace(/(?<=.)\/$/, "")).filter((glob) => glob !== ""),
    { dot: true },
  );
}

/** The home folder as a glob that matches nothing else. */
function homeGlob(): string {
  const home = process.platform === "win32" ? homeDirectory().replaceAll("\\", "/") : homeDirectory();
  return home.replace(/[\\()[\]{}*?!+@|^$]/g, "\\$&");
}
