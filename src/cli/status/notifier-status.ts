import { join } from "node:path";
import type { Config, ConfiguredNotifier } from "../../config/config.ts";
import { secretsIn } from "../../config/secrets.ts";
import { whyDisabled } from "../../config/why-disabled.ts";
import { findObstacle } from "../../core/notifier.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { Ports } from "../../core/ports.ts";
import { redactor, referencePattern } from "../../core/secret.ts";
import type { Paths } from "../../files/paths.ts";
import { readJournal } from "../../journal/read-journal.ts";
import { BrokenNotifiers, brokenFile } from "../../pipeline/broken-notifiers.ts";
import { Pauses } from "../../pipeline/pauses.ts";
import { lastTrouble, type Trouble } from "./last-trouble.ts";

/** What is known of one configured notifier. Instants are ISO 8601. */
export interface NotifierStatus {
  readonly name: string;
  /** Absent where an error in the configuration hides it. */
  readonly type?: string;
  readonly usable: boolean;
  readonly problem?: string;
  /** When its receiver last stopped accepting it; `problem` says why. */
  readonly brokenSince?: string;
  /** What kept the newest event from being delivered; absent where it was. */
  readonly trouble?: Trouble;
  /** Until when nothing is sent, because its receiver asked for a pause, or was slow. */
  readonly pausedUntil?: string;
}

/** Most one notifier's check may take, milliseconds. */
const checkMs = 3_000;

/** Every configured notifier, and whether it works on this machine, as far as that is known without sending. */
export async function collectNotifierStatus(
  config: Config,
  paths: Pick<Paths, "state" | "journal">,
  ports: Ports,
): Promise<NotifierStatus[]> {
  const journal = readJournal(paths.journal, 2);
  const pauses = new Pauses(join(paths.state, "pauses.json"));
  const broken = new BrokenNotifiers(brokenFile(paths));
  const configured = [...config.notifiers.values()].map(async (one): Promise<NotifierStatus> => {
    const { name, notifier } = one;
    const refusal = broken.of(one);
    const problem = refusal?.reason ?? (await problemOf(one, ports));
    const untilMs = pauses.untilMs(one);
    return {
      name,
      type: notifier.name,
      usable: problem === undefined,
      ...omitUndefined({ problem, trouble: lastTrouble(name, journal) }),
      ...(refusal && { brokenSince: new Date(refusal.sinceMs).toISOString() }),
      ...(untilMs > Date.now() && { pausedUntil: new Date(untilMs).toISOString() }),
    };
  });
  const disabled = config.disabled.map((name) => ({ name, usable: false, problem: whyDisabled(name, config).message }));
  return [...(await Promise.all(configured)), ...disabled];
}

/** A notifier whose settings hold a reference is not checked: resolving it may run a command; `status` runs none. */
async function problemOf({ notifier, settings }: ConfiguredNotifier, ports: Ports): Promise<string | undefined> {
  const { platforms } = notifier;
  if (platforms && !platforms.includes(process.platform)) return `does not work on ${process.platform}`;
  const parsed = notifier.settings.safeParse(settings);
  if (!notifier.verification?.check || !parsed.success || holdsReference(settings)) return undefined;
  try {
    const call = { settings: parsed.data, ports, signal: AbortSignal.timeout(checkMs) };
    const problem = (await findObstacle(notifier, call))?.message;
    return problem && redactor(secretsIn(notifier.settings, settings))(problem);
  } catch {
    return undefined; // then nothing is known; `doctor` says that the check failed
  }
}

function holdsReference(value: unknown): boolean {
  if (typeof value === "string") return referencePattern.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsReference);
}
