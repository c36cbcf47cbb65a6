import { resolve } from "node:path";
import { InvalidArgumentError, Option } from "commander";
import { agents } from "../../agents/registry.ts";
import { readSilences, silencesFile } from "../../attention/silences.ts";
import type { Config } from "../../config/config.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { loadConfig } from "../../config/load.ts";
import { cleanLine } from "../../core/clean.ts";
import { duration } from "../../core/duration.ts";
import type { AgentEvent } from "../../core/event.ts";
import { clockTime, shortDuration } from "../../core/local-time.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { expandHome } from "../../core/paths.ts";
import type { Presence } from "../../core/presence-port.ts";
import { eventNames, type Kind, kinds } from "../../core/vocabulary.ts";
import { parse } from "../../pipeline/parse.ts";
import { mismatchOf } from "../../pipeline/route.ts";
import { type Foretold, foretell } from "../attention/foretell.ts";
import { nextTimeOfDay } from "../attention/silences.ts";
import { fitRows } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { UsageError } from "../errors.ts";
import { say } from "../say.ts";

/** `beckon try`: what would happen to an event, by the present configuration. */
export const registerTry: RegisterCommand = (command, run) => {
  command
    .argument("<event>", `${eventNames.join(", ")}, an agent's own event, or a kind: ${kinds.join(", ")}`)
    .option("--agent <name>", "the agent it comes from; default: one without a name")
    .option("--project <folder>", "the folder the agent works in; default: this one")
    .option("--host <name>", "the machine it comes from, by its name here; default: this one")
    .option("--at <time>", "the time of day it comes in, `23:10`; default: now")
    .addOption(new Option("--away", "you are away from this machine").conflicts(["here", "watching"]))
    .addOption(new Option("--here", "you are at this machine; the default").conflicts("watching"))
    .option("--watching", "you look at the agent's own terminal")
    .option("--dnd", "the desktop's do-not-disturb is on")
    .option("--turn <duration>", "how long the turn took, `20s`; default: not known", turnMsOf)
    .option("--reason <word>", "why the session ended")
    .option("--json", "print one JSON array")
    .action((event: string, options: TryOptions) => run((context) => runTry(event, options, context)));
};

interface TryOptions {
  readonly agent?: string;
  readonly project?: string;
  readonly host?: string;
  readonly at?: string;
  readonly away?: boolean;
  readonly watching?: boolean;
  readonly dnd?: boolean;
  readonly turn?: number;
  readonly reason?: string;
  readonly json?: boolean;
}

const turnLength = duration({ min: "1s", max: "7d" });

function turnMsOf(text: string): number {
  const { success, data } = turnLength.safeParse(text);
  if (!success) throw new InvalidArgumentError('A duration such as "20s" or "5m".');
  return data;
}

async function runTry(name: string, options: TryOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now?.() ?? Date.now();
  const atMs = options.at === undefined ? nowMs : nextTimeOfDay(options.at, nowMs);
  if (atMs === undefined) {
    throw new UsageError(`cannot read ${JSON.stringify(options.at)} as a time of day`, "Say `--at 23:10`.");
  }
  const config = await loadConfig(paths.config);
  const event = eventFrom(name, options, atMs, context);
  const facts = omitUndefined({ turnMs: options.turn });
  const silences = readSilences(silencesFile(paths), atMs);
  const foretold = foretell(event, config, { presence: presenceOf(options), silences, facts });
  if (options.json) {
    print(JSON.stringify(foretold));
    return 0;
  }
  const machine = event.isRelayed ? ` on ${event.host}` : "";
  const what = `${event.event} of ${event.agent}${machine} in ${event.cwd}, ${event.kind}, at ${clockTime(atMs, nowMs)}`;
  say(`${cleanLine(what)}. Nothing is sent.`, context, 2);
  if (foretold.length === 0) return printMismatches(event, config, facts, context);
  const rows = foretold.map((one) => [cleanLine(one.notifier), textOf(one, atMs)]);
  for (const line of fitRows(rows, lineCells(context) - 2)) print(`  ${line}`);
  return 0;
}

/** The event as parsing makes it of a hook's empty payload, with the kind that was asked for. @throws {UsageError} */
function eventFrom(
  name: string,
  { agent, project, host, reason }: TryOptions,
  atMs: number,
  context: CliContext,
): AgentEvent {
  const agentNames = agents.map((one) => one.name);
  const known = agents.filter((one) => agent === undefined || one.name === agent);
  if (known.length === 0) throw new UsageError(`no agent ${agent}`, didYouMean(agent ?? "", agentNames));
  const kind = kinds.find((one): one is Kind => one === name);
  const events = [...new Set([...eventNames, ...known.flatMap(({ nativeEvents }) => Object.keys(nativeEvents))])];
  const native = kind ? eventOfKind[kind] : events.find((one) => one.toLowerCase() === name.toLowerCase());
  if (native === undefined) throw new UsageError(`no event ${name}`, didYouMean(name, events));
  const cwd = project === undefined ? context.environment.project : resolve(expandHome(project));
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

function presenceOf({ away, watching, dnd }: TryOptions): Presence {
  const quiet = omitUndefined({ isDoNotDisturb: dnd });
  return away ? { isLocked: true, ...quiet } : { idleMs: 0, isFocused: watching === true, ...quiet };
}

function textOf({ outcome, afterMs, atMs = 0, reasons }: Foretold, sinceMs: number): string {
  const held = reasons.map(({ reason, untilMs }) =>
    untilMs === undefined ? reason : `${reason}, so held until ${clockTime(untilMs, sinceMs)}`,
  );
  const step = afterMs === 0 ? "" : `step after ${shortDuration(afterMs)}: `;
  const said = {
    told: atMs === sinceMs ? "told at once" : `told at ${clockTime(atMs, sinceMs)}`,
    skipped: "not told",
    waits: "waits, and asks every few seconds",
  }[outcome];
  return `${step}${said}${held.length === 0 ? "" : `: ${held.join("; ")}`}`;
}

function printMismatches(event: AgentEvent, config: Config, facts: { turnMs?: number }, context: CliContext): number {
  context.print("No route matches:");
  const rows = config.routes.map((route, index) => [
    `${index + 1}`,
    route.to.map(cleanLine).join(", "),
    mismatchOf(route, event, facts) ?? "names no notifier that can be used",
  ]);
  for (const line of fitRows(rows, lineCells(context) - 2)) context.print(`  ${line}`);
  return 0;
}
