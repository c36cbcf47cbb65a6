import { join } from "node:path";
import picomatch from "picomatch";
import type { Config, Route } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { homeDirectory } from "../core/paths.ts";

/** The names of the notifiers that should hear of an event, each once, in the order of the routes. */
export function route(event: AgentEvent, { routes }: Pick<Config, "routes">): readonly string[] {
  return [...new Set(routes.filter((one) => matches(one, event)).flatMap(({ to }) => to))];
}

function matches({ on, kinds, agents, projects, reasons }: Route, event: AgentEvent): boolean {
  return (
    (!on || on.includes(event.event) || on.includes(event.firing)) &&
    (!kinds || kinds.includes(event.kind)) &&
    (!agents || agents.includes(event.agent)) &&
    (!reasons || (event.reason !== undefined && reasons.includes(event.reason))) &&
    (!projects || (event.cwd !== undefined && isInProjects(event.cwd, projects)))
  );
}

function isInProjects(cwd: string, globs: readonly string[]): boolean {
  const absolute = globs.map((glob) => (glob.startsWith("~/") ? join(homeDirectory(), glob.slice(2)) : glob));
  // A glob for what is below a folder means the folder itself too.
  return picomatch.isMatch(cwd, [...absolute, ...absolute.map((glob) => glob.replace(/\/\*\*$/, ""))], { dot: true });
}
