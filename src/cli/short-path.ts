import { shellWord } from "../installer/agents/command-line.ts";
import type { CliContext } from "./context.ts";

/** A path for people: `~` for the home folder. */
export function shortPath(path: string, { home }: Pick<CliContext["environment"], "home">): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The same as one word of a POSIX shell line, in which `~` keeps its meaning. */
export function shellPath(path: string, environment: Pick<CliContext["environment"], "home">): string {
  const short = shortPath(path, environment);
  return short.startsWith("~/") ? `~/${shellWord(short.slice(2))}` : shellWord(short);
}

/** A text for people with `~` for the home folder in each path. Not for commands: in quotes, `~` would mean itself. */
export function shortPaths(text: string, { home }: Pick<CliContext["environment"], "home">): string {
  return text.replaceAll(`${home}/`, (found, at: number) => (/[\w/.-]/.test(text[at - 1] ?? "") ? found : "~/"));
}
