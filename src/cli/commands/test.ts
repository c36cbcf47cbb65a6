import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import type { FailureReason } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Ports } from "../../core/ports.ts";
import { redactor } from "../../core/secret.ts";
import { createPorts } from "../../io/ports.ts";
import { attempt } from "../../pipeline/attempt.ts";
import { BrokenNotifiers, brokenFile } from "../../pipeline/broken-notifiers.ts";
import { newId } from "../../spool/put.ts";
import { cellsOf, joinCells } from "../columns.ts";
import type { CliContext } from "../context.ts";
import { UsageError } from "../errors.ts";
import { whyDisabled } from "../overview/notifier-findings.ts";

export interface TestOptions {
  /** Names of notifiers; all of them if none is named. */
  readonly names: readonly string[];
}

/** What came of a test message. */
export interface Outcome {
  readonly name: string;
  readonly verdict: "sent" | "skipped" | "failed";
  readonly detail: string;
  readonly hint?: string;
}

/** What to do where the failure itself does not say. */
const hints: Readonly<Record<FailureReason, string>> = {
  auth: "Check its address and its secret in the configuration.",
  "rate-limited": "The receiver wants to be left alone for a while; try again later.",
  rejected: "The receiver does not take this message; check its settings in the configuration.",
  redirect: "Put the final address into the configuration.",
  unavailable: "Can the receiver be reached from here? Events are tried again by themselves.",
  timeout: "Can the receiver be reached from here? Events are tried again by themselves.",
  unsupported: "Remove it from the configuration of this machine, or leave it: events skip it.",
  bug: "Please report it.",
};

/** `beckon test`: a message through each notifier, now, and what came of it. */
export async function runTest({ names }: TestOptions, context: CliContext): Promise<number> {
  const config = await loadConfig(context.paths.config);
  const known = [...config.notifiers.keys(), ...config.disabled];
  for (const name of names.filter((name) => !known.includes(name))) {
    throw new UsageError(`no notifier is called ${name}`, didYouMean(name, known));
  }
  const chosen = names.length > 0 ? [...new Set(names)] : known;
  if (chosen.length === 0) context.print("No notifier is configured: nobody is told of anything.");
  const widths = [Math.max(...chosen.map(cellsOf)), "skipped".length];
  const ports = createPorts();
  const verdicts = chosen.map(async (name) => {
    const outcome = await testOne(name, config, ports);
    if (outcome.verdict === "sent") new BrokenNotifiers(brokenFile(context.paths)).mend({ name });
    show(outcome, widths, context);
    return outcome.verdict;
  });
  return (await Promise.all(verdicts)).includes("failed") ? 1 : 0;
}

/** Sends a test message through one notifier, now. */
export async function testOne(name: string, config: Config, ports: Ports): Promise<Outcome> {
  const configured = config.notifiers.get(name);
  if (!configured) {
    const { message, hint } = whyDisabled(name, config);
    return { name, verdict: "failed", detail: `not usable: ${message}`, hint };
  }
  const secrets = new Set<string>();
  const keepSecret = (values: readonly string[]): void => values.forEach((value) => void secrets.add(value));
  const startedAtMs = performance.now();
  const { failure, note } = await attempt({ event: testEvent(), facts: {}, configured }, { config, ports, keepSecret });
  const took = `${Math.round(performance.now() - startedAtMs)} ms`;
  if (!failure)
    return { name, verdict: "sent", detail: note === undefined ? took : redactor(secrets)(`${took}, ${note}`) };
  const { reason, message, hint = hints[reason] } = failure;
  const redact = redactor(secrets);
  const verdict = reason === "unsupported" ? "skipped" : "failed";
  return { name, verdict, detail: redact(`${took}, ${reason}: ${message}`), hint: redact(hint) };
}

function testEvent(): AgentEvent {
  return {
    id: newId(),
    atMs: Date.now(),
    event: "Notification",
    firing: "Notification",
    agent: "beckon",
    kind: "needs-you",
    project: "beckon",
    message: "This is a test. When an agent needs you, it looks like this.",
    processes: [process.pid], // whose terminal is the one to try
    extra: {},
  };
}

function show({ name, verdict, detail, hint }: Outcome, widths: readonly number[], { print, colors }: CliContext) {
  const paint = { sent: colors.green, skipped: colors.yellow, failed: colors.red }[verdict];
  print(joinCells([name, verdict, detail], widths, (cell, at) => (at === 1 ? paint(cell) : cell)));
  if (hint !== undefined) print(`  ${hint}`);
}
