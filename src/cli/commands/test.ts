import { loadCatalogue } from "../../config/catalogues.ts";
import type { Config } from "../../config/config.ts";
import { didYouMean } from "../../config/did-you-mean.ts";
import { loadConfig } from "../../config/load.ts";
import type { AgentEvent } from "../../core/event.ts";
import { failureHints } from "../../core/failure-hints.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import type { Ports } from "../../core/ports.ts";
import { redactor } from "../../core/secret.ts";
import { recordedTerminal } from "../../core/terminal-environment.ts";
import type { Paths } from "../../files/paths.ts";
import { attempt } from "../../pipeline/attempt.ts";
import { BrokenNotifiers, brokenFile } from "../../pipeline/broken-notifiers.ts";
import { newId } from "../../spool/put.ts";
import { cut } from "../../text/cut.ts";
import { cellsOf, joinCells, withTail } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { askOnTerminal } from "../dialog.ts";
import { UsageError } from "../errors.ts";
import { portsOf } from "../ports.ts";
import { requireOwnRoot } from "../require-own-root.ts";
import { printSaid, say } from "../say.ts";
import { confirmSight, type SightDialog } from "../sight/confirm-sight.ts";
import { whyDisabled } from "../status/notifier-status.ts";
import { type TestMessage, withdrawLater } from "../withdraw-later.ts";

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

/**
 * Runs `beckon test`.
 * @param dialog whom to ask what they saw; undefined: nobody
 */
export async function runTest(
  names: readonly string[],
  { json }: TestOptions,
  context: CliContext,
  dialog: SightDialog | undefined = sightDialog(),
  ports: Ports = portsOf(context.paths),
): Promise<number> {
  requireOwnRoot(context);
  const config = await loadConfig(context.paths.config);
  const known = [...config.notifiers.keys(), ...config.disabled];
  for (const name of names.filter((name) => !known.includes(name))) {
    throw new UsageError(`there is no notifier ${name}`, didYouMean(name, known));
  }
  const chosen = names.length > 0 ? [...new Set(names)] : known;
  if (chosen.length === 0 && !json) context.print("No notifier is configured: events are only written to the journal.");
  const widths = [Math.max(...chosen.map(cellsOf)), "skipped".length];
  const results = chosen.map(async (name) => {
    const result = await testAndNote(name, config, ports, context.paths);
    if (!json) show(result, widths, context);
    return result;
  });
  const all = await Promise.all(results);
  if (json) context.print(JSON.stringify(all));
  else if (dialog)
    for (const { name } of all.filter(isSent))
      await confirmSight(name, config, { ...context, ...dialog, ports, test: testOne });
  return all.some(({ verdict }) => verdict === "failed") ? 1 : 0;
}

const isSent = ({ verdict }: TestResult): boolean => verdict === "sent";

/** The person at this process's terminal, if it has one. */
function sightDialog(): SightDialog | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  return {
    ask: (question, usual) => askOnTerminal((dialog) => dialog.confirm(question, usual), false),
    pick: (...question) => askOnTerminal((dialog) => dialog.pressKey(...question), undefined),
  };
}

/**
 * Sends a test message through one notifier, now. One that works counts as broken no longer, and has its message
 * withdrawn after a while.
 */
export async function testAndNote(name: string, config: Config, ports: Ports, paths: Paths): Promise<TestResult> {
  const { result, sent } = await sendTest(name, config, ports);
  if (isSent(result)) new BrokenNotifiers(brokenFile(paths)).forget({ name });
  if (sent) await withdrawLater(sent, paths, ports.clock);
  return result;
}

/** Sends a test message through one notifier, now. */
export async function testOne(name: string, config: Config, ports: Ports): Promise<TestResult> {
  return (await sendTest(name, config, ports)).result;
}

/** The result of a test message, and what it can be withdrawn by. */
interface SentTest {
  readonly result: TestResult;
  readonly sent?: TestMessage;
}

async function sendTest(name: string, config: Config, ports: Ports): Promise<SentTest> {
  const configured = config.notifiers.get(name);
  if (!configured) {
    const { message, hint } = whyDisabled(name, config);
    return { result: { name, verdict: "failed", detail: `not usable: ${message}`, hint } };
  }
  const secrets = new Set<string>();
  const keepSecret = (values: readonly string[]): void => values.forEach((value) => void secrets.add(value));
  const startedAtMs = performance.now();
  const { notices } = await loadCatalogue(configured.language ?? config.language);
  const event = testEvent(notices.test);
  const { failure, note, receipt } = await attempt({ event, facts: {}, configured }, { config, ports, keepSecret });
  const took = `${Math.round(performance.now() - startedAtMs)} ms`;
  const redact = redactor(secrets);
  if (!failure) {
    const detail = note === undefined ? took : redact(`${took}, ${note}`);
    const isRemoved = receipt && configured.notifier.living?.withdrawn === "removed";
    return {
      result: { name, verdict: "sent", detail },
      ...(isRemoved && { sent: { event, notifier: name, receipt } }),
    };
  }
  const { reason, message, hint = failureHints[reason] } = failure;
  const verdict = reason === "unsupported" ? "skipped" : "failed";
  const detail = redact(`${took}, ${reason}: ${message}`);
  const said = failure.said && { said: cut(redact(failure.said), maxSaidChars, "utf16") };
  return { result: { name, verdict, detail, hint: redact(hint), ...said } };
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
    // Its terminal is the one to write to.
    processes: [process.pid],
    ...omitUndefined({ terminal: recordedTerminal(process.env) }),
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
