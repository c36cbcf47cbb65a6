import { existsSync } from "node:fs";
import { encode } from "uqr";
import { resolveReferences } from "../../../../config/references.ts";
import { BeckonError, DeliveryError } from "../../../../core/errors.ts";
import { redactor } from "../../../../core/redactor.ts";
import type { AnswerFinder, FinderCall, FoundAnswer, SetupSteps } from "../../../../core/setup-guide.ts";
import { acquire, type Lock, readingLock } from "../../../../files/lock.ts";
import { cleanLine } from "../../../../text/clean.ts";
import { type CliContext, lineCells } from "../../../context.ts";
import type { Choice } from "../../../dialog.ts";
import { createCliPorts } from "../../../ports.ts";
import { say } from "../../../say.ts";
import type { Asker, Settings } from "./ask.ts";

const finderMs = 15_000;
/**
 * Choice to look for values again. Like the other two choices, it contains a space, so that it equals no value of the
 * service.
 */
const lookAgain = "look again";
/** Choice to type the value. */
const typeIt = "type it";
/** Choice to enter another credential. */
const otherCredential = "other credential";

/** Result of looking for a setting's value: the value, or what to ask for instead. */
type FoundSetting = { readonly value: string } | { readonly askFor: "value" | "credential" };

/**
 * Looks up a setting's values at the service and lets the user choose, until a value is chosen or another input is
 * wanted.
 * @throws {CancelledError}
 */
export async function findAnswer(finder: AnswerFinder, settings: Settings, asker: Asker): Promise<FoundSetting> {
  const turn: ReadingTurn = {};
  try {
    for (let arePrinted = false; ; ) {
      const found = await lookUp(finder, settings, { context: asker.context, turn, arePrinted });
      if (!(found instanceof BeckonError)) arePrinted = true;
      const choices = found instanceof BeckonError ? choicesAfter(found, finder) : listChoices(found, finder);
      const chosen = await asker.dialog.select(questionAfter(found, finder), choices);
      if (chosen === typeIt) return { askFor: "value" };
      if (chosen === otherCredential) return { askFor: "credential" };
      if (chosen !== lookAgain) return { value: chosen };
    }
  } finally {
    turn.lock?.release();
  }
}

/** Time in which this command reads an account, so that the worker does not. */
interface ReadingTurn {
  lock?: Lock | undefined;
}

type Found = readonly FoundAnswer[] | BeckonError;

function questionAfter(found: Found, { question }: AnswerFinder): string {
  if (found instanceof BeckonError) return "What do you want to do?";
  return found.length === 0 ? "Then press Enter" : question;
}

function listChoices(found: readonly FoundAnswer[], { done, more }: AnswerFinder): Choice[] {
  return [
    ...found.map(({ value, label }) => ({ value, label: cleanLine(label) })),
    { value: lookAgain, label: found.length === 0 ? done : more },
    { value: typeIt, label: "Enter the id myself" },
  ];
}

/** Lists the values. If there are none, prints what to do first, unless that was printed before. */
async function lookUp(
  finder: AnswerFinder,
  settings: Settings,
  { context, turn, arePrinted }: { readonly context: CliContext; turn: ReadingTurn; readonly arePrinted: boolean },
): Promise<Found> {
  const secrets: string[] = [];
  const ports = createCliPorts(context.paths);
  try {
    const resolved = await resolveReferences(settings, "settings", ports.exec);
    secrets.push(...resolved.secrets, String(settings[finder.credential]));
    const values = resolved.value as FinderCall["settings"];
    const call = (): FinderCall => ({ settings: values, ports, signal: AbortSignal.timeout(finderMs) });
    const account = finder.account?.(values); // absent if several programs may read
    // A machine that has never held a request has no worker that reads.
    if (account !== undefined && !turn.lock?.isHeld() && existsSync(context.paths.asks)) {
      const lock = acquire(readingLock(context.paths, account), ports.clock);
      turn.lock = await lock.catch(() => undefined); // on a full disk both read
    }
    const found = await finder.find(call());
    if (found.length === 0 && arePrinted) say("Nothing has arrived yet.", context);
    else if (found.length === 0) printSteps(await finder.prepare(call()), context);
    return found;
  } catch (error) {
    if (!(error instanceof BeckonError)) throw error;
    say(`${context.colors.red("✗")} ${redactor(secrets)(error.message)}`, context, 2);
    if (error.hint !== undefined) say(`  ${redactor(secrets)(error.hint)}`, context, 2);
    return error;
  }
}

function choicesAfter(error: BeckonError, { credential }: AnswerFinder): Choice[] {
  const isRefused = error instanceof DeliveryError && error.reason === "auth";
  const other = { value: otherCredential, label: `Enter another ${credential}` };
  return [
    ...(isRefused ? [other] : []),
    { value: lookAgain, label: "Try again" },
    { value: typeIt, label: "Enter the id myself" },
  ];
}

/** Prints steps for the user and, at a terminal with enough room, their address as a QR code. */
export function printSteps({ lines, address }: SetupSteps, context: CliContext): void {
  for (const line of lines) say(line, context, 2);
  if (address === undefined || !context.terminal) return;
  for (const line of drawQrCode(address, lineCells(context), context.colors)) context.print(line);
}

/** Modules of light space around the code. */
const quietModules = 2;
/**
 * Escape sequence for black on white. It uses colour numbers that themes do not change, so that the code looks the same
 * on any background.
 */
const blackOnWhite = "\u001b[38;5;16;48;5;231m";
const reset = "\u001b[0m";

/**
 * Draws a text as a QR code, two modules per character. With colours, dark modules are black on white. Without colours,
 * light modules are drawn, as for a dark background. On a light background the code is then inverted; phones can read
 * it all the same.
 * @returns the lines; none if the code is wider than `maxCells`
 */
export function drawQrCode(
  text: string,
  maxCells: number,
  { isColorSupported }: { readonly isColorSupported: boolean },
): readonly string[] {
  const { data, size } = encode(text, { ecc: "L", border: quietModules });
  if (size > maxCells) return [];
  const isInked = (row: number, column: number): boolean => {
    const isDark = data[row]?.[column] === true;
    return isColorSupported ? isDark : !isDark && row < size;
  };
  const drawPair = (row: number) =>
    Array.from({ length: size }, (_, column) => block(isInked(row, column), isInked(row + 1, column))).join("");
  const lines = Array.from({ length: Math.ceil(size / 2) }, (_, index) => drawPair(2 * index));
  return isColorSupported ? lines.map((line) => blackOnWhite + line + reset) : lines;
}

function block(isUpper: boolean, isLower: boolean): string {
  if (isUpper) return isLower ? "█" : "▀";
  return isLower ? "▄" : " ";
}
