import { join } from "node:path";
import type { Config, ConfiguredNotifier } from "../../config/config.ts";
import { secretsIn } from "../../config/secrets.ts";
import type { Paths } from "../../core/paths.ts";
import type { Ports } from "../../core/ports.ts";
import { redactor, referencePattern } from "../../core/secret.ts";
import { BrokenNotifiers, brokenFile } from "../../pipeline/broken-notifiers.ts";
import { Pauses } from "../../pipeline/pauses.ts";
import { whyDisabled } from "../overview/notifier-findings.ts";

export interface NotifierOverview {
  readonly name: string;
  /** Absent where an error hides it. */
  readonly type?: string;
  readonly usable: boolean;
  readonly problem?: string;
  /** Since when its receiver does not know it any more; the problem says why. */
  readonly brokenSince?: string;
  /** Until when its receiver wants to be left alone. */
  readonly pausedUntil?: string;
}

const checkMs = 3_000;

/** Every notifier of the configuration, and whether it can work on this machine as far as that can be told here. */
export async function lookAtNotifiers(
  config: Config,
  paths: Pick<Paths, "state">,
  ports: Ports,
): Promise<NotifierOverview[]> {
  const pauses = new Pauses(join(paths.state, "pauses.json"));
  const broken = new BrokenNotifiers(brokenFile(paths));
  const configured = [...config.notifiers.values()].map(async (one): Promise<NotifierOverview> => {
    const { name, notifier } = one;
    const refusal = broken.of(one);
    const problem = refusal?.reason ?? (await obstacleOf(one, ports));
    const untilMs = pauses.untilMs(one);
    return {
      name,
      type: notifier.name,
      usable: problem === undefined,
      ...(problem !== undefined && { problem }),
      ...(refusal && { brokenSince: new Date(refusal.sinceMs).toISOString() }),
      ...(untilMs > Date.now() && { pausedUntil: new Date(untilMs).toISOString() }),
    };
  });
  const disabled = config.disabled.map((name) => ({ name, usable: false, problem: whyDisabled(name, config).message }));
  return [...(await Promise.all(configured)), ...disabled];
}

/** Asked of itself only where its settings hold no reference: to look must not run the command of one. */
async function obstacleOf({ notifier, settings }: ConfiguredNotifier, ports: Ports): Promise<string | undefined> {
  const { platforms } = notifier;
  if (platforms !== "any" && !platforms.includes(process.platform)) return `does not work on ${process.platform}`;
  const parsed = notifier.settings.safeParse(settings);
  if (!notifier.check || !parsed.success || holdsReference(settings)) return undefined;
  try {
    const problem = await notifier.check({ settings: parsed.data, ports, signal: AbortSignal.timeout(checkMs) });
    return problem && redactor(secretsIn(notifier.settings, settings))(problem);
  } catch {
    return undefined; // nothing is known then; `doctor` says that its check failed
  }
}

function holdsReference(value: unknown): boolean {
  if (typeof value === "string") return referencePattern.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsReference);
}
