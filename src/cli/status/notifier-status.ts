import type { Config, ConfiguredNotifier } from "../../config/config.ts";
import { whyDisabled } from "../../config/notifier-entry.ts";
import { secretsIn } from "../../config/secrets.ts";
import { findObstacle } from "../../core/notifier.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { Ports } from "../../core/ports.ts";
import { redactor } from "../../core/redactor.ts";
import { referencePattern } from "../../core/secret.ts";
import type { Paths } from "../../files/paths.ts";
import { readStoredField } from "../../journal/journal-files.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { findNewest } from "../../journal/read-journal.ts";
import { NotifierQueues } from "../../pipeline/notifier-queue.ts";

/** Status of a configured notifier. Instants are ISO 8601. */
export interface NotifierStatus {
  readonly name: string;
  /** Type of the notifier; absent if its configuration has an error. */
  readonly type?: string;
  readonly usable: boolean;
  readonly problem?: string;
  /** Time since when the receiver has refused the address or key. `problem` has the reason. */
  readonly brokenSince?: string;
  /** Failure in the notifier's newest journal line; absent if that line is not a failure. */
  readonly trouble?: Trouble;
  /** End of a pause that the receiver asked for, or that beckon makes because the receiver is slow. */
  readonly pausedUntil?: string;
}

/** Time limit for checking one notifier, milliseconds. */
const checkTimeoutMs = 3_000;

/** Collects the status of every configured notifier, without sending anything. */
export async function collectNotifierStatus(
  config: Config,
  paths: Pick<Paths, "state" | "journal">,
  ports: Ports,
): Promise<NotifierStatus[]> {
  const lines = findNewest(paths.journal, {
    by: ["notifier"],
    only: [...config.notifiers.keys()],
    isWanted: (line) => readStoredField(line, "status") !== "retrying",
  });
  const queues = new NotifierQueues(paths, ports.clock);
  const configured = [...config.notifiers.values()].map(async (entry): Promise<NotifierStatus> => {
    const { name, notifier } = entry;
    const queue = queues.of(name);
    const refusal = queue.findBroken(entry);
    const problem = refusal?.reason ?? (await findProblem(entry, ports));
    const untilMs = queue.pausedUntilMs(entry);
    return {
      name,
      type: notifier.name,
      usable: problem === undefined,
      ...omitUndefined({ problem, trouble: lastTrouble(name, lines) }),
      ...(refusal && { brokenSince: new Date(refusal.sinceMs).toISOString() }),
      ...(untilMs > Date.now() && { pausedUntil: new Date(untilMs).toISOString() }),
    };
  });
  const disabled = config.disabled.map((name) => ({ name, usable: false, problem: whyDisabled(name, config).message }));
  return [...(await Promise.all(configured)), ...disabled];
}

/** Finds a notifier's problem. Does not check settings with references, because resolving them may run commands. */
async function findProblem({ notifier, settings }: ConfiguredNotifier, ports: Ports): Promise<string | undefined> {
  const { platforms } = notifier;
  if (platforms && !platforms.includes(process.platform)) return `does not work on ${process.platform}`;
  const parsed = notifier.settings.safeParse(settings);
  if (!notifier.verification?.check || !parsed.success || holdsReference(settings)) return undefined;
  try {
    const call = { settings: parsed.data, ports, signal: AbortSignal.timeout(checkTimeoutMs) };
    const problem = (await findObstacle(notifier, call))?.message;
    return problem && redactor(secretsIn(notifier.settings, settings))(problem);
  } catch {
    return undefined; // `doctor` reports the failed check
  }
}

function holdsReference(value: unknown): boolean {
  if (typeof value === "string") return referencePattern.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsReference);
}

/** Failed delivery. */
interface Trouble {
  /** Time of the failure, ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/**
 * Finds the failure in a notifier's newest journal line, without counting lines about retries; undefined if that line
 * is not a failure. A notifier may fail although its programs are installed, such as `sound` without a sound server.
 */
export function lastTrouble(name: string, journal: readonly JournalLine[]): Trouble | undefined {
  const last = journal.findLast(({ notifier, status }) => notifier === name && status !== "retrying");
  const isUnsupported = last?.status === "skipped" && last.reason?.startsWith("unsupported:");
  if (!last || (!isUnsupported && last.status !== "failed")) return undefined;
  return { at: last.at, reason: last.reason ?? last.status };
}
