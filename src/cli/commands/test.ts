import { assessNotifiers, removalAdvice } from "../../actions/assess-notifiers.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { describeTest, type TestResult, testNotifier } from "../../actions/test-notifier.ts";
import { readAudience } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { UsageError } from "../../core/errors.ts";
import type { Ports } from "../../core/ports.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { countCells, rowWithTail } from "../columns.ts";
import { type CliContext, lineCells, type RegisterCommand } from "../context.ts";
import { type Dialog, findDialog } from "../dialog.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { printProgramOutput, say } from "../say.ts";
import { confirmVisibility } from "../visibility/confirm-visibility.ts";

/** Declares `beckon test`: sends a message through each notifier and prints the results. */
export const registerTest: RegisterCommand = (command, run) => {
  command
    .argument("[notifier...]", "notifiers to test, by name; default: all that reach only you")
    .option("--json", "print one JSON object per line")
    .action((names: string[], options: JsonOption) => run((context) => runTest(names, options, context)));
};

/**
 * Runs `beckon test`.
 * @param with.dialog asks if the user saw the message; default: this process's terminal
 */
export async function runTest(
  names: readonly string[],
  { json }: JsonOption,
  context: CliContext,
  {
    dialog = findDialog(),
    ports = createCliPorts(context.paths),
  }: { readonly dialog?: Pick<Dialog, "confirm" | "pressKey"> | undefined; readonly ports?: Ports } = {},
): Promise<number> {
  requireOwnRoot(context);
  const config = await loadConfig(context.paths.config);
  const known = [...config.notifiers.keys(), ...config.disabled];
  for (const name of names.filter((name) => !known.includes(name))) {
    throw new UsageError(`there is no notifier ${name}`, didYouMean(name, known));
  }
  const others = [...config.notifiers.values()].filter((each) => readAudience(each) !== "person");
  const untested = names.length > 0 ? [] : others.map(({ name }) => name);
  const chosen = names.length > 0 ? [...new Set(names)] : known.filter((name) => !untested.includes(name));
  if (known.length === 0 && !json)
    context.print("No notifiers are configured: events are only written to the journal.");
  const widths = [Math.max(...chosen.map(countCells)), "skipped".length];
  const abilities = await assessNotifiers(config, { paths: context.paths, ports }, chosen);
  // Hints matter only if no other notifier can ring, or if the user named this one.
  const isBrief = names.length === 0 && abilities.some(({ canRing }) => canRing);
  const results = abilities.map(async (ability) => {
    const result = await testNotifier(ability, config, ports, context.paths);
    const { hint: _, ...short } = result;
    if (!json) show(isBrief && result.verdict === "skipped" ? short : result, widths, context);
    return result;
  });
  const all = await Promise.all(results);
  const useless = all.filter(({ verdict }) => verdict === "skipped").map(({ name }) => name);
  if (!json) sayRest(untested, isBrief || names.length > 0 ? useless : [], isBrief, context);
  if (json) for (const result of all) context.print(jsonLine(result));
  else if (dialog)
    for (const { name } of all.filter(isSent)) await confirmVisibility(name, config, { ...context, ...dialog, ports });
  return all.some(isSent) && all.every(({ verdict }) => verdict !== "failed") ? 0 : 1;
}

function sayRest(untested: readonly string[], useless: readonly string[], isBrief: boolean, context: CliContext): void {
  const more = "Not tested, because more than you get their messages. To test them: beckon test ";
  if (untested.length > 0) say(more + untested.join(" "), context);
  const needs = isBrief ? `To see what is missing: beckon test ${useless.join(" ")}. ` : "";
  if (useless.length > 0) say(needs + removalAdvice(useless), context);
}

const isSent = ({ verdict }: TestResult): boolean => verdict === "sent";

function show(result: TestResult, widths: readonly number[], context: CliContext): void {
  const { print, colors } = context;
  const { name, verdict, hint, said } = result;
  // A message that was sent with a hint got through in part.
  const sent = hint === undefined ? colors.green : colors.yellow;
  const paint = { sent, skipped: colors.yellow, failed: colors.red }[verdict];
  const paintVerdict = (cell: string, at: number) => (at === 1 ? paint(cell) : cell);
  const lines = rowWithTail([[name, verdict], widths], describeTest(result), lineCells(context), paintVerdict);
  for (const line of lines) print(line);
  printProgramOutput(said, context);
  if (hint !== undefined) say(`  ${hint}`, context, 2);
}
