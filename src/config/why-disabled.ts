import { showPath } from "../text/jsonc.ts";
import type { Config } from "./config.ts";

/** Explains the error that disabled a notifier, on one line, with its cure. */
export function whyDisabled(
  name: string,
  { findings }: Pick<Config, "findings">,
): { readonly message: string; readonly hint: string } {
  const entry = showPath(["notifiers", name]);
  const first = findings.find(
    ({ level, path }) =>
      level === "error" && (path === entry || path.startsWith(`${entry}.`) || path.startsWith(`${entry}[`)),
  );
  const line = first?.line === undefined ? "" : ` (line ${first.line})`;
  return {
    message: first ? `${first.path}${line}: ${first.message}` : "its configuration has an error",
    hint: first?.hint ?? "For details: beckon config check",
  };
}
