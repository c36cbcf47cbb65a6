import { describeRights } from "../config/answer-rights.ts";
import type { AnswerSettings } from "../config/answers-table.ts";
import type { Config, ConfiguredNotifier } from "../config/config.ts";
import { BeckonError, failureHints } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import type { Obstacle, Ports } from "../core/ports.ts";
import { redactor } from "../core/redactor.ts";
import { referencePattern } from "../core/secret.ts";
import type { Paths } from "../files/paths.ts";
import { readStoredField, type StoredText } from "../journal/journal-files.ts";
import type { JournalLine } from "../journal/journal-line.ts";
import { findNewest } from "../journal/read-journal.ts";
import { type NotifierQueue, NotifierQueues } from "../pipeline/notifier-queue.ts";
import { resolveNotifierSettings } from "../pipeline/within-budget.ts";
import { cleanLine } from "../text/clean.ts";
import { showPath } from "../text/jsonc.ts";
import { localTime } from "../text/time.ts";

/** Time limit for checking one notifier, milliseconds. */
const checkTimeoutMs = 5_000;

/**
 * Judgement whether a notifier can ring: `ready`; `limited`, in part; `unable`, not on this machine; `failing`, as the
 * newest message showed; `unset`, because a secret or another setting is missing; `broken`, because its receiver refuses
 * it; `disabled` by an error in the configuration.
 */
type Verdict = "ready" | "limited" | "unable" | "failing" | "unset" | "broken" | "disabled";

/** Failed delivery. */
interface Trouble {
  /** Time of the failure, ISO 8601. */
  readonly at: string;
  readonly reason: string;
}

/** Ability of a notifier to ring on this machine now. No text contains a secret. */
export interface Ability {
  readonly name: string;
  readonly verdict: Verdict;
  /** False if no message can be expected to reach anybody. */
  readonly canRing: boolean;
  /** Absent for a disabled notifier. */
  readonly configured?: ConfiguredNotifier;
  /** Reason why it cannot ring, or what is missing. */
  readonly reason?: string;
  /** Instruction or command that ends the reason. */
  readonly cure?: string;
  /** Time since when the notifier is broken, Unix milliseconds. */
  readonly brokenSinceMs?: number;
  /** Failure in the notifier's newest journal line; absent if that line is not a failure. */
  readonly trouble?: Trouble;
  /** End of a pause that the receiver asked for, or that beckon makes because the receiver is slow; Unix milliseconds. */
  readonly pausedUntilMs?: number;
}

/** Inputs of an assessment. */
export interface AssessmentSources {
  readonly paths: Pick<Paths, "state" | "journal">;
  readonly ports: Ports;
  /** True also checks settings with `${command:…}`, which runs that command. */
  readonly runsCommands?: boolean;
}

/**
 * Tells of every notifier in the configuration, or of the named ones, whether it can ring here now, and why not. Every
 * command asks this function. Sends nothing.
 */
export async function assessNotifiers(
  config: Config,
  sources: AssessmentSources,
  names: readonly string[] = [...config.notifiers.keys(), ...config.disabled],
): Promise<Ability[]> {
  const records = readRecords(names, config, sources);
  return Promise.all(names.map((name) => assess(name, config, sources, records)));
}

/** Assesses one notifier as `assessNotifiers` does. */
export function assessNotifier(name: string, config: Config, sources: AssessmentSources): Promise<Ability> {
  return assess(name, config, sources, readRecords([name], config, sources));
}

/** Reads the records of earlier deliveries: the newest journal lines, pauses, and broken notifiers. */
function readRecords(names: readonly string[], config: Config, { paths, ports }: AssessmentSources) {
  const newest = findNewest(paths.journal, {
    by: ["notifier"],
    only: names.filter((name) => config.notifiers.has(name)),
    isWanted: isAttempt,
  });
  return { newest, queues: new NotifierQueues(paths, ports.clock) };
}

/** True for a delivery that was made or tried, and for one that could not be tried on this machine. */
function isAttempt(line: StoredText): boolean {
  const status = readStoredField(line, "status");
  return ["sent", "failed", "retrying"].includes(status ?? "") || line.includes('"reason":"unsupported:');
}

async function assess(
  name: string,
  config: Config,
  sources: AssessmentSources,
  { newest, queues }: ReturnType<typeof readRecords>,
): Promise<Ability> {
  const configured = config.notifiers.get(name);
  if (!configured) return { name, ...disabled(name, config) };
  const trouble = findTrouble(name, newest);
  const queue = queues.of(name);
  const untilMs = queue.pausedUntilMs(configured);
  return {
    ...{ name, configured },
    ...(findRecorded(configured, queue) ?? (await checkHere(configured, sources)) ?? judgeTrouble(name, trouble)),
    ...omitUndefined({ trouble, pausedUntilMs: untilMs > sources.ports.clock.now() ? untilMs : undefined }),
  };
}

/**
 * Finds out where an agent's requests can be answered, with the rights there, such as `desk (deny, allow)`, and which of
 * the configured notifiers have no buttons here, such as `desk: dunst shows no buttons`.
 */
export async function findAnswerPlaces(answers: AnswerSettings, config: Config, sources: AssessmentSources) {
  const names = Object.keys(answers.from);
  const obstacles = await Promise.all(names.map((name) => findAnswerObstacle(name, config, sources)));
  return {
    usable: [
      "beckon answer",
      "the board",
      ...names.flatMap((name, at) => (obstacles[at] ? [] : describeRights(answers, name))),
    ],
    unusable: names.flatMap((name, at) => (obstacles[at] ? `${name}: ${obstacles[at]}` : [])),
  };
}

/** Explains why a notifier's messages have no buttons that answer requests here; undefined if they may have some. */
export async function findAnswerObstacle(
  name: string,
  config: Config,
  sources: AssessmentSources,
): Promise<string | undefined> {
  const { configured, canRing, reason = "it cannot notify you here" } = await assessNotifier(name, config, sources);
  if (!configured || !canRing) return reason;
  const { ports } = sources;
  const settings = await resolveNotifierSettings(configured, ports.exec, () => {});
  const signal = AbortSignal.timeout(checkTimeoutMs);
  return configured.notifier.lifecycle?.answers?.obstacle?.({ settings, ports, signal });
}

type Judgement = Pick<Ability, "verdict" | "canRing" | "reason" | "cure" | "brokenSinceMs">;

const cannot = (verdict: Verdict, reason: string, cure: string) => ({ verdict, canRing: false, reason, cure });

/** Finds the error that disabled a notifier. */
function disabled(name: string, { findings }: Config): Judgement {
  const entry = showPath(["notifiers", name]);
  const first = findings.find(
    // The entry itself, or one of its parts.
    ({ level, path }) => level === "error" && path.startsWith(entry) && /^(?:$|[.[])/.test(path.slice(entry.length)),
  );
  const line = first?.line === undefined ? "" : ` (line ${first.line})`;
  const reason = first ? `${first.path}${line}: ${first.message}` : "its configuration has an error";
  return cannot("disabled", reason, first?.hint ?? "For details: beckon config check");
}

function findRecorded(configured: ConfiguredNotifier, queue: NotifierQueue): Judgement | undefined {
  const { name, notifier } = configured;
  const { platforms } = notifier;
  if (platforms && !platforms.includes(process.platform))
    return cannot("unable", `does not work on ${process.platform}`, "Events skip it on this machine.");
  const found = queue.findBroken(configured);
  if (!found) return undefined;
  const { reason, hint = "Fix its configuration.", sinceMs } = found;
  return { ...cannot("broken", reason, `${hint} Then: beckon test ${name}`), brokenSinceMs: sinceMs };
}

/** Runs a notifier's own check, with its resolved settings. */
async function checkHere(
  configured: ConfiguredNotifier,
  { ports, runsCommands = false }: AssessmentSources,
): Promise<Judgement | undefined> {
  if (!runsCommands && runsCommand(configured.settings)) return undefined;
  const secrets: string[] = [];
  try {
    const settings = await resolveNotifierSettings(configured, ports.exec, (found) => secrets.push(...found));
    const call = { settings, ports, signal: AbortSignal.timeout(checkTimeoutMs) };
    const found = await configured.notifier.verification?.check?.(call);
    if (found === undefined) return undefined;
    const redact = redactor(secrets);
    const obstacle: Obstacle = typeof found === "string" ? { message: found } : found;
    const { message, hint = failureHints.unsupported, remains } = obstacle;
    if (remains === undefined) return cannot("unable", redact(message), redact(hint));
    return { verdict: "limited", canRing: true, reason: redact(`${remains}: ${message}`), cure: redact(hint) };
  } catch (error) {
    if (error instanceof BeckonError) return cannot("unset", error.message, error.hint ?? "Fix its configuration.");
    return cannot("unable", "its check failed", `beckon test ${configured.name}`);
  }
}

/** True if resolving the settings runs a command. */
function runsCommand(value: unknown): boolean {
  if (typeof value === "string") return referencePattern.exec(value)?.[1] === "command";
  return typeof value === "object" && value !== null && Object.values(value).some(runsCommand);
}

/**
 * Finds the failure in a notifier's newest journal line; undefined if that line is not a failure. A notifier may fail
 * although its programs are installed, such as `sound` without a sound server.
 */
function findTrouble(name: string, newest: readonly JournalLine[]): Trouble | undefined {
  const last = newest.find(({ notifier }) => notifier === name);
  if (!last || last.status === "sent") return undefined;
  return { at: last.at, reason: last.reason ?? last.status };
}

/** True for a notifier that does not work on this machine, such as a desktop's on a server. */
export function isUseless({ verdict }: Pick<Ability, "verdict">): boolean {
  return verdict === "unable" || verdict === "failing";
}

/** Names the command that removes notifiers which do not work on this machine. */
export function removalAdvice(names: readonly string[]): string {
  const are = names.length === 1 ? "is" : "are";
  return `If ${names.join(" and ")} ${are} not for this machine: beckon config remove ${names.join(" ")}`;
}

/** A failed message may succeed when it is sent again, but one that was unsupported here would be so again. */
function judgeTrouble(name: string, trouble: Trouble | undefined): Judgement {
  if (!trouble?.reason.startsWith("unsupported:")) return { verdict: "ready", canRing: true };
  return cannot("failing", troubleText(trouble), `To try it: beckon test ${name}. ${removalAdvice([name])}`);
}

function troubleText({ at, reason }: Trouble): string {
  const [, rest] = /^unsupported: (.*)/s.exec(reason) ?? [];
  return `${rest === undefined ? "failed" : "did not work"} at ${localTime(at)}: ${cleanLine(rest ?? reason)}`;
}

/** Describes what keeps a notifier from ringing, or its last failure; empty if there is nothing to say. */
export function abilityText({ reason, brokenSinceMs, trouble }: Ability): string {
  if (brokenSinceMs !== undefined) return `broken since ${localTime(brokenSinceMs)}: ${reason}`;
  return reason ?? (trouble ? troubleText(trouble) : "");
}
