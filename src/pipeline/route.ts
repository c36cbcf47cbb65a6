import picomatch from "picomatch";
import type { Config, Route } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { homeDirectory } from "../core/paths.ts";

/** The names of the notifiers that are to be told of an event, each once, in the order of the routes. */
export function route(event: AgentEvent, { routes }: Pick<Config, "routes">): readonly string[] {
  return [...new Set(routes.filter((one) => matches(one, event)).flatMap(({ to }) => to))];
}

function matches({ on, kinds, agents, projects, reasons }: Route, event: AgentEvent): boolean {
  return (
    (!on || on.includes(event.event) || on.includes(event.nativeEvent)) &&
    (!kinds || kinds.includes(event.kind)) &&
    (!agents || agents.includes(event.agent)) &&
    (!reasons || (event.reason !== undefined && reasons.includes(event.reason))) &&
    (!projects || (event.cwd !== undefined && isInProjects(event.cwd, projects)))
  );
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
