import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import type { Try } from "../../../docs/output.d.ts";
import { type Ability, abilityText, assessNotifiers } from "../../actions/assess-notifiers.ts";
import { nextTimeOfDay } from "../../actions/snooze.ts";
import { agents, resolveAgent } from "../../agents/registry.ts";
import { applyRules } from "../../attention/rules.ts";
import { readSessions } from "../../attention/sessions.ts";
import { readSilences, type Silence, silencesFile } from "../../attention/silences.ts";
import type { Config } from "../../config/config.ts";
import { defaultKinds } from "../../config/defaults.ts";
import { loadConfig } from "../../config/load.ts";
import { UsageError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Facts } from "../../core/facts.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { Ports, Presence } from "../../core/ports.ts";
import { eventNames, type Kind, kinds } from "../../core/vocabulary.ts";
import { openDelivery } from "../../pipeline/accept.ts";
import { describeSituation } from "../../pipeline/attend.ts";
import { settleProject } from "../../pipeline/look-up.ts";
import { parse } from "../../pipeline/parse.ts";
import { findMismatch, route, type Step } from "../../pipeline/route.ts";
import { cleanLine } from "../../text/clean.ts";
import { didYouMean, nearest } from "../../text/did-you-mean.ts";
import { duration } from "../../text/duration.ts";
import { clockTime, counted, hourMs, shortDuration } from "../../text/time.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { type NamedProject, nameProject, warnOfProject } from "../named-project.ts";
import { addExamples } from "../options.ts";
import { formatInstant, type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { formatRows, say, shortPath } from "../say.ts";

/** Declares `beckon try`: predicts an event's notifications under the current configuration. */
export const registerTry: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon try needs-you": "see what a permission request would do now",
    "beckon try finished --turn 20s": "see what the end of a turn of 20 seconds would do",
    "beckon try needs-you --away --at 23:10": "see what a request at 23:10 would do while you are away",
  });
  command
    .argument(
      "[event]",
      `${eventNames.join(", ")}, an agent's own event name, or a kind: ${kinds.join(", ")}; default: ${defaultKinds.join(", ")}`,
    )
    .option("--agent <name>", "agent that sends the event; default: no particular agent", resolveAgent)
    .option("--project <folder>", "project of the event, by its folder or its name; default: the current folder")
    .option("--host <name>", "name of the machine that the event comes from; default: this machine")
    .option("--at <time>", "time of day of the event, such as 23:10; default: now")
    .addOption(new Option("--away", "assume that you are away from this machine").conflicts(["here", "watching"]))
    .addOption(new Option("--here", "assume that you are at this machine (the default)").conflicts("watching"))
    .option("--watching", "assume that you are looking at the agent's terminal")
    .option("--dnd", "assume that do-not-disturb is on")
    .option("--turn <duration>", "duration of the turn, such as 20s; default: unknown", parseTurn)
    .option("--reason <word>", "reason why the session ended, for SessionEnd")
    .option("--json", "print one JSON object per line")
    .action((event: string | undefined, options: TryOptions) => run((context) => runTry(event, options, context)));
};

interface TryOptions extends JsonOption {
  readonly agent?: string;
  readonly project?: string;
  readonly host?: string;
  readonly at?: string;
  readonly away?: boolean;
  readonly watching?: boolean;
  readonly dnd?: boolean;
  readonly turn?: number;
  readonly reason?: string;
}

const turnLength = duration({ min: "1s", max: "7d" });

function parseTurn(text: string): number {
  const { success, data } = turnLength.safeParse(text);
  if (!success) throw new InvalidArgumentError('It must be a duration such as "20s" or "5m".');
  return data;
}

/**
 * Runs `beckon try`. Returns exit code 1 if an event concerns notifiers, but none of them can ring. `ports` are for
 * tests.
 * @param name event or kind; the usual kinds if undefined
 */
export async function runTry(
  name: string | undefined,
  options: TryOptions,
  context: CliContext,
  ports: Ports = createCliPorts(context.paths),
): Promise<number> {
  const { paths } = context;
  const nowMs = context.now();
  const atMs = options.at === undefined ? nowMs : nextTimeOfDay(options.at, nowMs);
  if (atMs === undefined) {
    throw new UsageError(`${JSON.stringify(options.at)} is not a time of day`, "Write it as --at 23:10.");
  }
  const named = nameProject(options.project, context);
  warnOfProject(named, context);
  const cwd = findFolder(named, context);
  const config = await loadConfig(paths.config);
  const facts = omitUndefined({ turnMs: options.turn });
  const silences = readSilences(silencesFile(paths), atMs);
  const abilities = await assessNotifiers(config, { paths, ports });
  const assumed = { presence: buildPresence(options), silences, facts, abilities };
  const alerts = { get: () => undefined, sessions: () => [] };
  let problems = config.findings.filter(({ level }) => level === "error").length;
  let exitCode = 0;
  for (const each of name === undefined ? defaultKinds : [name]) {
    const given = eventFrom(each, { ...options, cwd }, atMs);
    const event = given.isRelayed ? given : await settleProject(given, {}, { config, ports, alerts });
    const predictions = predict(event, config, assumed);
    if (predictions.length > 0 && predictions.every(({ ability }) => !ability.canRing)) exitCode = 1;
    if (options.json) {
      for (const item of predictions) context.print(jsonLine(describePrediction(item, event.kind)));
      continue;
    }
    printEvent(event, atMs, problems, context);
    problems = 0; // said once
    if (predictions.length === 0) printMismatches(event, config, facts, context);
    const rows = predictions.map((item) => [cleanLine(item.notifier), describeOutcome(item, atMs)]);
    for (const line of formatRows(rows, context)) context.print(line);
  }
  return exitCode;
}

function printEvent(event: AgentEvent, atMs: number, problems: number, context: CliContext): void {
  const machine = event.isRelayed ? ` on ${event.host}` : "";
  const place = shortPath(event.cwd ?? "", context.environment);
  const agent = event.agent === "unknown" ? "" : ` of ${event.agent}`;
  const what = `${event.event}${agent}${machine} in ${place}, ${event.kind}, at ${clockTime(atMs, context.now())}`;
  say(`${cleanLine(what)}. This is a dry run.`, context, 2);
  if (problems > 0) say(`${counted(problems, "problem")} in the configuration: beckon config check`, context, 2);
}

function describePrediction({ notifier, afterMs, outcome, atMs, reasons }: Prediction, kind: Kind): Try {
  return {
    ...{ kind, notifier, afterMs, outcome },
    ...omitUndefined({ at: formatInstant(atMs) }),
    reasons: reasons.map(({ reason, untilMs }) => ({ reason, ...omitUndefined({ untilAt: formatInstant(untilMs) }) })),
  };
}

/** Finds the folder of a project: as given, as a session of the last day had it, or else below the current one. */
function findFolder(project: NamedProject | undefined, { paths, environment, now, printError }: CliContext): string {
  if (!project) return environment.project;
  const seen = readSessions(paths, now()).find((session) => session.project === project.name && !session.isRelayed);
  const folder = project.folder ?? seen?.projectDir ?? seen?.cwd;
  if (folder === undefined && project.warning === undefined)
    printError(
      `beckon: ${project.name} had no session for a day, so its folder is not known. Give the folder instead.`,
    );
  return folder ?? resolve(environment.project, project.name);
}

/**
 * Creates an event as a hook would send it, from a payload with only the folder and the reason. @throws {UsageError}
 */
function eventFrom(
  name: string,
  { agent, cwd, host, reason }: TryOptions & { readonly cwd: string },
  atMs: number,
): AgentEvent {
  const agentNames = agents.map((item) => item.name);
  const senders = agents.filter((item) => agent === undefined || item.name === agent);
  if (senders.length === 0) throw new UsageError(`there is no agent ${agent}`, didYouMean(agent ?? "", agentNames));
  const kind = kinds.find((item): item is Kind => item === name);
  const events = [...new Set([...eventNames, ...senders.flatMap(({ nativeEvents }) => Object.keys(nativeEvents))])];
  const native = kind ? eventOfKind[kind] : events.find((item) => item.toLowerCase() === name.toLowerCase());
  const known = nearest(name, events) ? events : [...kinds, ...eventNames];
  if (native === undefined) throw new UsageError(`there is no event ${name}`, didYouMean(name, known));
  const payload = Buffer.from(JSON.stringify({ cwd, ...omitUndefined({ reason }) }));
  const event = parse({ header: omitUndefined({ v: 1, event: native, agent, cwd }), payload, end: 0 }, "try", atMs);
  return { ...event, ...omitUndefined({ kind }), ...(host !== undefined && { host, isRelayed: true as const }) };
}

const eventOfKind: Readonly<Record<Kind, string>> = {
  "needs-you": "Notification",
  failed: "Stop",
  finished: "Stop",
  info: "SubagentStop",
};

function buildPresence({ away, watching, dnd }: TryOptions): Presence {
  const quiet = omitUndefined({ isDoNotDisturb: dnd });
  return away ? { isLocked: true, ...quiet } : { idleMs: 0, isFocused: watching === true, ...quiet };
}

/** Condition in a prediction, by the reason that the journal gives for holding the message. */
const holdConditions: Readonly<Record<string, string>> = {
  "in case you answer first": "unless you answer first",
  "in case others follow": "together with any that follow",
};

/** Formats an outcome as `rings in 2 s (unless you answer first)`. Silent outcomes name the last reason only. */
function describeOutcome(prediction: Prediction, sinceMs: number): string {
  const { ability, outcome } = prediction;
  const text = cleanLine(abilityText(ability));
  if (!ability.canRing) return `cannot ring: ${text}`;
  const rings = describeRing(prediction, sinceMs);
  return outcome === "sent" && text !== "" ? `${rings}; ${text}` : rings;
}

function describeRing({ outcome, afterMs, atMs = 0, reasons }: Prediction, sinceMs: number): string {
  const holds = reasons.map(({ reason, untilMs = 0 }) => ({
    reason: reason.replace(/^you were /, "you are "), // the journal's words are about the past
    until: clockTime(untilMs, sinceMs),
  }));
  const { reason: why = "" } = holds.at(-1) ?? {};
  const isPlainStep = afterMs > 0 && atMs === sinceMs + afterMs;
  const step = afterMs > 0 && !isPlainStep ? `step after ${shortDuration(afterMs)}: ` : "";
  if (outcome === "skipped") return `${step}stays silent: ${why}`;
  if (outcome === "waits") return `${step}waits and checks every few seconds: ${why}`;
  if (atMs === sinceMs) return "rings immediately";
  const wait = shortDuration(atMs - sinceMs);
  const rings = atMs - sinceMs < hourMs ? `rings in ${wait}` : `rings at ${clockTime(atMs, sinceMs)}, in ${wait}`;
  if (isPlainStep) return `${rings} if still open`;
  if (holds.length === 1) return `${step}${rings} (${holdConditions[why] ?? why})`;
  // The message is sent when the last hold ends.
  const earlier = holds.slice(0, -1).map(({ reason, until }) => `until ${until} ${reason}, then `);
  return `${step}${rings}: ${earlier.join("")}${why}`;
}

function printMismatches(event: AgentEvent, config: Config, facts: { turnMs?: number }, context: CliContext): void {
  context.print(config.routes.length === 0 ? "There are no routes." : "No route matches:");
  const rows = config.routes.map((route, index) => [
    `${index + 1}`,
    route.to.map(cleanLine).join(", "),
    findMismatch(route, event, facts) ?? "has no usable notifier",
  ]);
  for (const line of formatRows(rows, context)) context.print(line);
}

/** Expected outcome of one message, if the user does not react and the user's presence does not change. */
interface Prediction extends Readonly<Pick<Try, "notifier" | "afterMs" | "outcome">> {
  /** Expected time of sending, Unix milliseconds. */
  readonly atMs?: number;
  /** Reasons for holding or skipping the message, in order, with the end of each hold. */
  readonly reasons: readonly { readonly reason: string; readonly untilMs?: number }[];
  readonly ability: Ability;
}

/** Presence, silences and facts that a prediction assumes. */
interface Assumptions {
  readonly presence: Presence;
  readonly silences: readonly Silence[];
  readonly facts: Facts;
  readonly abilities: readonly Ability[];
}

/** Maximum number of holds in a row that are predicted for a message. */
const maxHolds = 20;

/** Predicts the messages for an event, in the order of the routes, by the same rules as the worker. Sends nothing. */
export function predict(event: AgentEvent, config: Config, assumptions: Assumptions): Prediction[] {
  const { steps } = route(event, config, assumptions.facts);
  return steps.flatMap((step) => predictStep(step, event, config, assumptions) ?? []);
}

function predictStep(step: Step, event: AgentEvent, config: Config, assumptions: Assumptions): Prediction | undefined {
  const { notifier, afterMs } = step;
  const { presence, silences, facts, abilities } = assumptions;
  const ability = abilities.find(({ name }) => name === notifier);
  const { configured } = ability ?? {};
  if (!ability || !configured) return undefined;
  const about = { notifier, afterMs, ability };
  if (!ability.canRing) return { ...about, outcome: "skipped", reasons: [{ reason: abilityText(ability) }] };
  const reasons: { reason: string; untilMs?: number }[] = [];
  let [, delivery] = openDelivery(step);
  let nowMs = event.atMs;
  for (let holds = 0; holds < maxHolds; holds += 1) {
    const moment = { nowMs, silences: silences.filter(({ untilMs }) => untilMs > nowMs), concern: undefined };
    const situation = describeSituation(event, { configured, delivery, state: { facts } }, moment, config);
    const attention = applyRules({ ...situation, presence });
    if (attention.act === "tell") {
      const { pausedUntilMs = 0 } = ability;
      if (pausedUntilMs > nowMs) reasons.push({ reason: "the receiver asked for a pause", untilMs: pausedUntilMs });
      return { ...about, outcome: "sent", atMs: Math.max(nowMs, pausedUntilMs), reasons };
    }
    const { reason } = attention;
    if (attention.act === "skip") return { ...about, outcome: "skipped", reasons: [...reasons, { reason }] };
    if (attention.for === "presence") return { ...about, outcome: "waits", reasons: [...reasons, { reason }] };
    reasons.push({ reason, untilMs: attention.untilMs });
    delivery = { ...delivery, ...omitUndefined({ heldFor: attention.for }) };
    nowMs = attention.untilMs;
  }
  return { ...about, outcome: "waits", reasons };
}
