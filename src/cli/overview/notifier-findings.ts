import type { Config, Finding } from "../../config/config.ts";
import { showPath } from "../../config/did-you-mean.ts";

/** What is wrong with one notifier's part of the configuration. */
export function findingsOf(name: string, { findings }: Pick<Config, "findings">): readonly Finding[] {
  const place = showPath(["notifiers", name]);
  return findings.filter(({ path }) => path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`));
}

/** Why an error switched a notifier off, in one line, with what to do about it. */
export function whyDisabled(name: string, config: Pick<Config, "findings">): { message: string; hint: string } {
  const first = findingsOf(name, config).find(({ level }) => level === "error");
  const line = first?.line === undefined ? "" : ` (line ${first.line})`;
  return {
    message: first ? `${first.path}${line}: ${first.message}` : "its configuration has an error",
    hint: first?.hint ?? "`beckon config check` says more.",
  };
}
