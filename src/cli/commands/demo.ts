import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Demo } from "../../../docs/output.d.ts";
import {
  type Ability,
  type AssessmentSources,
  abilityText,
  assessNotifier,
  assessNotifiers,
  isUseless,
  removalAdvice,
} from "../../actions/assess-notifiers.ts";
import { requireInstalled, requireStoring } from "../../actions/require-own-root.ts";
import { agents, fallbackAgent } from "../../agents/registry.ts";
import { sampleSessionPrefix } from "../../attention/session-memory.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { CommandError, UsageError } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import { groupBy } from "../../core/group-by.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { recordedTerminal } from "../../core/terminal-environment.ts";
import type { EventName, Kind } from "../../core/vocabulary.ts";
import type { JournalLine } from "../../journal/journal-line.ts";
import { anyPhoneApp, withoutDesktop } from "../../notifiers/registry.ts";
import { parse } from "../../pipeline/parse.ts";
import { route, type Step } from "../../pipeline/route.ts";
import { makeSpool, newId, put } from "../../spool/put.ts";
import { encodeRecord } from "../../spool/record.ts";
import { wake } from "../../spool/wake.ts";
import { cleanLine } from "../../text/clean.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { summarize } from "../../text/summary.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { describeConditions } from "../journal/event-story.ts";
import { addExamples } from "../options.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { formatRows, say } from "../say.ts";
import { describeOutcome, watchJournal } from "./install/sample-event.ts";

/** Declares `beckon demo`: shows a sample notification of each kind. */
export const registerDemo: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon demo": "send the samples to your own notifiers, as your routes say if they say so",
    "beckon demo --to phone": "send all samples to the notifier phone",
  });
  command
    .option("--to <notifier>", "send all samples to this notifier, whatever the routes say, even if others read it")
    .option("--json", "print one JSON object")
    .action((options: DemoOptions) => run((context) => runDemo(options, context)));
};

interface DemoOptions extends JsonOption {
  readonly to?: string;
}

/** Kind with the outcomes of its sample. `isRouted` is false if no route takes the kind, so that it has no sample. */
type DemoResult = Demo["events"][number];

/** Runs `beckon demo`. Returns exit code 1 if no notifier got any of the samples. */
async function runDemo({ to, json }: DemoOptions, context: CliContext): Promise<number> {
  const { paths, print, environment } = context;
  requireInstalled(context);
  requireStoring(context);
  const config = await loadConfig(paths.config);
  const ports = createCliPorts(paths);
  if (to !== undefined) await requireNotifier(to, config, { paths, ports });
  if (environment.env["BECKON_DISABLE"] === "1" && !json)
    say("BECKON_DISABLE=1 disables hooks, but not this demo.", context);
  const events = await sendDemo(config, to, context);
  if (!json) announce(events, context);
  const sessions = events.flatMap(({ isRouted, sessionId }) => (isRouted ? sessionId : []));
  const { outcomes } = await watchJournal({ paths }, ...sessions);
  const results = events.map((sent) => describeResult(sent, outcomes));
  const isSent = results.some(({ outcomes }) => outcomes.some(({ status }) => status === "sent"));
  if (json) print(jsonLine({ events: results } satisfies Demo));
  else {
    printResults(results, events, context);
    printCures(results, await assessNotifiers(config, { paths, ports, runsCommands: true }), context);
  }
  return isSent ? 0 : 1;
}

function announce(events: readonly DemoEvent[], context: CliContext): void {
  const sent = events.flatMap(({ isRouted, event: { kind } }) => (isRouted ? kind : []));
  say(`Sent samples: ${sent.join(", ")}.`, context);
  say("They are withdrawn after ten seconds if possible, and count in no statistics.", context);
}

async function requireNotifier(name: string, config: Config, sources: AssessmentSources): Promise<void> {
  if (config.notifiers.has(name)) return;
  if (!config.disabled.includes(name))
    throw new UsageError(`there is no notifier ${name}`, didYouMean(name, [...config.notifiers.keys()]));
  const { reason, cure = "" } = await assessNotifier(name, config, sources);
  throw new CommandError(`${name} is not usable: ${reason}`, cure);
}

function describeResult({ event, sessionId, isRouted }: DemoEvent, outcomes: readonly JournalLine[]): DemoResult {
  const { kind, project, agent, message, lastMessage } = event;
  return {
    kind,
    project,
    agent,
    text: message ?? summarize(lastMessage ?? ""),
    isRouted,
    outcomes: outcomes.filter((line) => line.sessionId === sessionId).map(describeOutcome),
  };
}

/** Prints one line for each notifier and outcome, with the kinds and the conditions under which they really come. */
function printResults(results: readonly DemoResult[], events: readonly DemoEvent[], context: CliContext): void {
  const all = results.flatMap(({ kind, outcomes }, at) =>
    outcomes.map((outcome) => {
      const step = events[at]?.steps.find(({ notifier }) => notifier === outcome.notifier);
      const conditions = step ? describeConditions(step).join(", ") : "";
      const note = outcome.reason ?? (conditions && `otherwise only ${conditions}`);
      return { kind, notifier: outcome.notifier ?? "-", status: outcome.status, note };
    }),
  );
  const same = groupBy(all, ({ notifier, status, note }) => JSON.stringify([notifier, status, note]));
  const rows = [...same.values()].flatMap((group) => {
    const [first = { notifier: "", status: "", note: "" }] = group;
    const shown = [...new Set(group.map(({ kind }) => kind))].join(", ");
    return [[first.notifier, first.status, first.note ? `${shown}: ${first.note}` : shown].map(cleanLine)];
  });
  for (const row of formatRows(rows, context)) context.print(row);
  const late = results.filter(({ outcomes, isRouted }) => isRouted && outcomes.length === 0).map(({ kind }) => kind);
  if (late.length > 0) say(`Not delivered yet: ${late.join(", ")}. For later outcomes: beckon log`, context);
  const unrouted = results.filter(({ isRouted }) => !isRouted).map(({ kind }) => kind);
  if (unrouted.length > 0)
    say(
      `Without a sample: ${unrouted.join(", ")}. No route of yours takes such events, so they notify nobody.`,
      context,
    );
}

/** Prints how to fix the notifiers that did not show a sample, and suggests other notifiers if no sample arrived. */
function printCures(results: readonly DemoResult[], abilities: readonly Ability[], context: CliContext): void {
  const outcomes = results.flatMap((result) => result.outcomes);
  const isAny = outcomes.some(({ status }) => status === "sent");
  const used = abilities.filter(({ name }) => outcomes.some(({ notifier }) => notifier === name));
  const useless = isAny ? used.filter(isUseless) : [];
  for (const ability of used.filter((each) => !useless.includes(each))) {
    const { name, verdict, cure } = ability;
    const isLimited = verdict === "limited";
    const isUnsent = outcomes.some(({ notifier, status }) => notifier === name && status !== "sent");
    if (cure && (isLimited || isUnsent))
      say(`${name}: ${isLimited ? `${abilityText(ability)}. ` : ""}${cure}`, context, 2);
  }
  if (useless.length > 0) say(removalAdvice(useless.map(({ name }) => name)), context, 2);
  const isUnrouted = used.length === 0 && abilities.some(({ canRing }) => canRing);
  if (isUnrouted) say("No route takes them to a notifier. To add one: beckon config edit", context);
  if (isAny || isUnrouted || used.some(({ canRing }) => canRing)) return;
  say("None of the samples arrived. To get notifications without a desktop:", context);
  context.print(`  beckon config add ${anyPhoneApp}     on your phone`);
  context.print(`  beckon config add ${withoutDesktop}  in the agent's terminal`);
}

/** Texts of a demo event, as an agent's payload has them. */
interface Scene {
  readonly kind: Kind;
  readonly event: EventName;
  readonly project: string;
  readonly payload: Readonly<Record<string, string>>;
}

const scenes: readonly Scene[] = [
  {
    kind: "needs-you",
    event: "Notification",
    project: "shop",
    payload: { message: "Sample: npm publish --access public", notification_type: "permission_prompt" },
  },
  {
    kind: "failed",
    event: "SessionEnd",
    project: "api",
    payload: { reason: "error", message: "Sample: the model's API answered 529: overloaded" },
  },
  {
    kind: "finished",
    event: "Stop",
    project: "site",
    payload: { last_assistant_message: "Sample: All 212 tests pass. The dark mode is on the branch `dark-mode`." },
  },
  {
    kind: "info",
    event: "SubagentStop",
    project: "docs",
    payload: { last_assistant_message: "Sample: Found 14 pages that still name the old command." },
  },
];

/** Demo event of one kind. */
interface DemoEvent {
  readonly event: AgentEvent;
  readonly sessionId: string;
  /** First message of each notifier about such an event. */
  readonly steps: readonly DemoStep[];
  /** True if the event was put into the spool. */
  readonly isRouted: boolean;
}

type DemoStep = Pick<Step, "notifier" | "afterMs" | "when">;

/**
 * Puts one sample event of each kind into the spool, as hooks do, and wakes the worker. Conditions of routes on the time
 * and on the user's presence do not count, so that each notifier shows what can come. Leaves out kinds without a route,
 * unless that would leave out all. Samples appear in no statistics. Notifiers that can withdraw messages do so after ten
 * seconds.
 */
async function sendDemo(
  config: Config,
  only: string | undefined,
  { paths, environment }: CliContext,
): Promise<readonly DemoEvent[]> {
  const drafts = scenes.map((scene, index) => {
    const draft = createDraft(scene, index, environment);
    const planned: readonly DemoStep[] = only ? [{ notifier: only, afterMs: 0 }] : route(draft.event, config).steps;
    return {
      ...draft,
      steps: [...groupBy(planned, ({ notifier }) => notifier).values()].flatMap((all) => all[0] ?? []),
    };
  });
  const isAnyRouted = drafts.some(({ steps }) => steps.length > 0);
  makeSpool(paths.spool);
  const events = drafts.map(({ header, payload, ...draft }): DemoEvent => {
    const { event, steps } = draft;
    const isRouted = steps.length > 0 || !isAnyRouted;
    const isPlain = only === undefined && steps.every(({ when, afterMs }) => when === undefined && afterMs === 0);
    const to = isPlain ? {} : { to: steps.map(({ notifier }) => notifier) };
    if (isRouted) put(paths.spool, event.id, encodeRecord({ ...header, ...to }, payload));
    return { ...draft, isRouted };
  });
  await wake(paths);
  return events;
}

/** Creates a demo event, with the header and the payload of its record. */
function createDraft(
  { kind, event, project, payload: texts }: Scene,
  index: number,
  { home, env }: CliContext["environment"],
) {
  const sessionId = sampleSessionPrefix + randomBytes(6).toString("hex");
  const cwd = join(home, "code", project);
  const payload = Buffer.from(JSON.stringify({ session_id: sessionId, hook_event_name: event, cwd, ...texts }));
  // The `terminal` notifier then writes to this process's terminal.
  const place = { processes: [process.pid], ...omitUndefined({ terminal: recordedTerminal(env) }) };
  const header = { v: 1, event, agent: chooseAgent(index), cwd, ...place } as const;
  return { sessionId, header, payload, event: { ...parse({ header, payload, end: 0 }, newId(), Date.now()), kind } };
}

/** Chooses one of two agents in turn. Both agents know all events of a demo by beckon's names. */
function chooseAgent(index: number): string {
  const isFit = ({ nativeEvents }: (typeof agents)[number]) =>
    scenes.every(({ event }) => nativeEvents[event]?.event === event);
  return (index % 2 === 0 ? fallbackAgent : agents.find(isFit))?.name ?? "";
}
