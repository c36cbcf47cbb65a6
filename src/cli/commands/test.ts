import { loadCatalogue } from "../../config/catalogues.ts";
import type { Config } from "../../config/config.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { loadConfig } from "../../config/load.ts";
import { cut } from "../../core/cut.ts";
import type { FailureReason } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/event.ts";
import type { Ports } from "../../core/ports.ts";
import { redactor } from "../../core/secret.ts";
import { createPorts } from "../../io/ports.ts";
import { attempt } from "../../pipeline/attempt.ts";
import { BrokenNotifiers, brokenFile } from "../../pipeline/broken-notifiers.ts";
import { newId } from "../../spool/put.ts";
import { cellsOf, joinCells, withTail } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { UsageError } from "../errors.ts";
import { requireOwnRoot } from "../require-own-root.ts";
import { printSaid, say } from "../say.ts";
import { whyDisabled } from "../status/notifier-status.ts";

const maxSaidChars = 2_000;

/** The result of a test message. */
export interface TestResult {
  readonly name: string;
  readonly verdict: "sent" | "skipped" | "failed";
  readonly detail: string;
  readonly hint?: string;
  /** What the user's own program or module said about a failure; several lines. */
  readonly said?: string;
}

/** What to do about a failure that does not say so itself. */
const hints: Readonly<Record<FailureReason, string>> = {
  auth: "Check its address and its secret in the configuration.",
  "rate-limited": "The receiver accepts no more messages for now; try again later.",
  rejected: "The receiver does not accept this message; check the notifier's settings in the configuration.",
  redirect: "Put the new address into the configuration.",
  unavailable: "Can the receiver be reached from this machine? Real events are retried automatically.",
  timeout: "Can the receiver be reached from this machine? Real events are retried automatically.",
  unsupported: "It cannot work on this machine. Remove it from the configuration, or leave it: events skip it.",
  bug: "This is a bug in beckon; please report it.",
};

/** `beckon test`: sends a message through each notifier now and prints the results. */
export const registerTest: RegisterCommand = (command, run) => {
  command
    .argument("[notifier...]", "names from the configuration; default: all")
    .option("--json", "print one JSON array")
    .action((names: string[], options: TestOptions) => run((context) => runTest(names, options, context)));
};

interface TestOptions {
  readonly json?: boolean;
}

async function runTest(names: readonly string[], { json }: TestOptions, context: CliContext): Promise<number> {
  requireOwnRoot(context);
  const config = await loadConfig(context.paths.config);
  const known = [...config.notifiers.keys(), ...config.disabled];
  for (const name of names.filter((name) => !known.includes(name))) {
    throw new UsageError(`there is no notifier ${name}`, didYouMean(name, known));
  }
  const chosen = names.length > 0 ? [...new Set(names)] : known;
  if (chosen.length === 0 && !json) context.print("No notifier is configured: events are only written to the journal.");
  const widths = [Math.max(...chosen.map(cellsOf)), "skipped".length];
  const ports = createPorts();
  const results = chosen.map(async (name) => {
    const result = await testOne(name, config, ports);
    if (result.verdict === "sent") new BrokenNotifiers(brokenFile(context.paths)).forget({ name });
    if (!json) show(result, widths, context);
    return result;
  });
  const all = await Promise.all(results);
  if (json) context.print(JSON.stringify(all));
  return all.some(({ verdict }) => verdict === "failed") ? 1 : 0;
}

/** Sends a test message through one notifier, now. */
export async function testOne(name: string, config: Config, ports: Ports): Promise<TestResult> {
  const configured = config.notifiers.get(name);
  if (!configured) {
    const { message, hint } = whyDisabled(name, config);
    return { name, verdict: "failed", detail: `not usable: ${message}`, hint };
  }
  const secrets = new Set<string>();
  const keepSecret = (values: readonly string[]): void => values.forEach((value) => void secrets.add(value));
  const startedAtMs = performance.now();
  const { notices } = await loadCatalogue(configured.language ?? config.language);
  const event = testEvent(notices.test);
  const { failure, note } = await attempt({ event, facts: {}, configured }, { config, ports, keepSecret });
  const took = `${Math.round(performance.now() - startedAtMs)} ms`;
  const redact = redactor(secrets);
  if (!failure) return { name, verdict: "sent", detail: note === undefined ? took : redact(`${took}, ${note}`) };
  const { reason, message, hint = hints[reason], said } = failure;
  const verdict = reason === "unsupported" ? "skipped" : "failed";
  return {
    name,
    verdict,
    detail: redact(`${took}, ${reason}: ${message}`),
    hint: redact(hint),
    ...(said && { said: cut(redact(said), maxSaidChars, "utf16") }),
  };
}

function testEvent(message: string): AgentEvent {
  return {
    id: newId(),
    atMs: Date.now(),
    event: "Notification",
    nativeEvent: "Notification",
    agent: "beckon",
    kind: "needs-you",
    project: "beckon",
    message,
    processes: [process.pid], // its terminal is the one to write to
    extra: {},
  };
}

function show({ name, verdict, detail, hint, said }: TestResult, widths: readonly number[], context: CliContext): void {
  const { print, colors } = context;
  const paint = { sent: colors.green, skipped: colors.yellow, failed: colors.red }[verdict];
  const cells = [name, verdict];
  const painted = joinCells(cells, widths, (cell, at) => (at === 1 ? paint(cell) : cell));
  const tailAt = widths.reduce((sum, width) => sum + width + 2, 0);
  const head = { painted, plain: joinCells(cells, widths), tailAt };
  for (const line of withTail(head, detail, lineCells(context))) print(line);
  printSaid(said, context);
  if (hint !== undefined) say(`  ${hint}`, context, 2);
}
