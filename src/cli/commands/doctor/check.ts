import type { Config } from "../../../config/config.ts";
import type { Ports } from "../../../core/ports.ts";
import type { JournalLine } from "../../../pipeline/journal.ts";
import type { CliContext } from "../../context.ts";
import type { Overview } from "../../overview/overview.ts";
import type { SpoolState } from "../../status/spool-state.ts";

/** What a check found. */
export interface CheckResult {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it. */
  readonly cure?: string;
}

/** What all checks look at, read once. */
export interface Scene extends Pick<CliContext, "paths" | "place"> {
  readonly ports: Ports;
  /** Folder of the package this command line belongs to. */
  readonly packageRoot: string;
  readonly config: Config;
  readonly overview: Overview;
  readonly spool: SpoolState;
  /** The journal of the last 7 days, oldest first. */
  readonly journal: readonly JournalLine[];
  readonly nowMs: number;
}

/** One look at one thing. Returns a finding also when all is well; none where there is nothing to look at. */
export type Check = (scene: Scene) => Promise<readonly CheckResult[]> | readonly CheckResult[];

export function ok(name: string, detail: string): CheckResult {
  return { name, status: "ok", detail };
}

export function warn(name: string, detail: string, cure: string): CheckResult {
  return { name, status: "warn", detail, cure };
}

export function fail(name: string, detail: string, cure: string): CheckResult {
  return { name, status: "fail", detail, cure };
}
