import { shellWord } from "../installer/agents/command-line.ts";
import type { CliContext } from "./context.ts";

/** Shortens a path for people: `~` for the home folder. */
export function shortPath(path: string, { home }: Pick<CliContext["environment"], "home">): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** Shortens and quotes a path as a word of a POSIX shell line. Leaves `~` outside the quotes, so that it expands. */
export function shellPath(path: string, environment: Pick<CliContext["environment"], "home">): string {
  const short = shortPath(path, environment);
  return short.startsWith("~/") ? `~/${shellWord(short.slice(2))}` : shellWord(short);
}

/** Shortens every path in a text for people. Do not use this for commands, because `~` does not expand in quotes. */
export function shortPaths(text: string, { home }: Pick<CliContext["environment"], "home">): string {
  return text.replaceAll(`${home}/`, (found, at: number) => (/[\w/.-]/.test(text[at - 1] ?? "") ? found : "~/"));
}
