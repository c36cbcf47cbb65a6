import { statSync } from "node:fs";
import { join } from "node:path";
import type { Config, Finding } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import type { Paths } from "../core/paths.ts";
import type { Ports } from "../core/ports.ts";
import { redactor } from "../core/secret.ts";
import type { RunContext } from "../pipeline/context.ts";
import { openJournal } from "../pipeline/journal.ts";
import { Pauses } from "../pipeline/pauses.ts";
import { RecentFirings } from "../pipeline/recent.ts";

/** Everything a worker keeps between events. */
export interface Desk {
  /** The context for a run, with the configuration as it is on the disk now. */
  context(): Promise<RunContext>;
  readonly recent: RecentFirings;
  readonly journal: RunContext["journal"];
}

/** Lays out what a run needs. Secrets that pass through are kept out of the journal from then on. */
export function openDesk(paths: Paths, ports: Ports): Desk {
  const secrets = new Set<string>();
  let redact = redactor(secrets);
  const journal = openJournal(paths.journal, ports.clock.now, (text) => redact(text));
  const recent = new RecentFirings(join(paths.state, "recent.json"));
  const pauses = new Pauses(join(paths.state, "pauses.json"));
  const config = configCache(paths.config);
  const keepSecret = (values: readonly string[]): void => {
    const known = secrets.size;
    for (const value of values) secrets.add(value);
    if (secrets.size > known) redact = redactor(secrets);
  };
  return {
    recent,
    journal,
    context: async () => ({ config: await config(), ports, journal, recent, pauses, keepSecret }),
  };
}

/** Reads the configuration again only when the file has changed. */
function configCache(file: string): () => Promise<Config> {
  let seen = "never";
  let config: Promise<Config>;
  return () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    const now = stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "none";
    if (now !== seen) config = loadConfig(file);
    seen = now;
    return config;
  };
}

/** One line for people: `notifiers.team.url (line 7): must be an http(s) URL. Did you mean …?` */
export function showFinding({ path, line, message, hint }: Finding): string {
  const place = [path, line === undefined ? "" : `(line ${line})`].filter(Boolean).join(" ");
  return [place && `${place}:`, message, hint && `— ${hint}`].filter(Boolean).join(" ");
}
