import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config, Finding } from "../config/config.ts";
import { loadConfig } from "../config/load.ts";
import { showFinding } from "../config/show-finding.ts";
import type { Paths } from "../core/paths.ts";
import type { Ports } from "../core/ports.ts";
import { redactor } from "../core/secret.ts";
import { BrokenNotifiers, brokenFile } from "../pipeline/broken-notifiers.ts";
import type { RunContext } from "../pipeline/context.ts";
import { type Journal, openJournal } from "../pipeline/journal.ts";
import { Pauses } from "../pipeline/pauses.ts";
import { RecentFirings } from "../pipeline/recent-events.ts";

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
  const broken = new BrokenNotifiers(brokenFile(paths));
  const config = configCache(paths.config, (findings) =>
    journalFindings(findings, join(paths.state, "findings"), journal),
  );
  const keepSecret = (values: readonly string[]): void => {
    const known = secrets.size;
    for (const value of values) secrets.add(value);
    if (secrets.size > known) redact = redactor(secrets);
  };
  return {
    recent,
    journal,
    context: async () => ({
      config: await config(),
      ports,
      journal,
      recent,
      pauses,
      broken,
      redact: (text) => redact(text),
      keepSecret,
    }),
  };
}

/** Reads the configuration again only when the file has changed. */
function configCache(file: string, loaded: (findings: readonly Finding[]) => void): () => Promise<Config> {
  let seen = "never";
  let config: Promise<Config>;
  const load = async (): Promise<Config> => {
    const fresh = await loadConfig(file);
    loaded(fresh.findings);
    return fresh;
  };
  return () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    const now = stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size}` : "none";
    if (now !== seen) config = load();
    seen = now;
    return config;
  };
}

/** Tells of what is wrong in the configuration once, not at every start of a worker. */
function journalFindings(findings: readonly Finding[], told: string, journal: Journal): void {
  const lines = findings.filter(({ level }) => level === "error").map(showFinding);
  if (readQuietly(told) === lines.join("\n")) return;
  for (const reason of lines) journal.write({ id: "config", status: "rejected", reason });
  mkdirSync(dirname(told), { recursive: true, mode: 0o700 });
  writeFileSync(told, lines.join("\n"), { mode: 0o600 });
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // nothing was wrong so far
  }
}
