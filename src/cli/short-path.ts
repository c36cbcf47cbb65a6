import type { CliContext } from "./context.ts";

/** A path for people: `~` for the home folder. */
export function shortPath(path: string, { home }: Pick<CliContext["environment"], "home">): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
