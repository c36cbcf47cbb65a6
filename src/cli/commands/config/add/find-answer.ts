import { resolveReferences } from "../../../../config/references.ts";
import { BeckonError, DeliveryError } from "../../../../core/errors.ts";
import { redactor } from "../../../../core/redactor.ts";
import type { AnswerFinder, FinderCall, FoundAnswer } from "../../../../core/setup-guide.ts";
import { cleanLine } from "../../../../text/clean.ts";
import type { Choice } from "../../../dialog.ts";
import { createCliPorts } from "../../../ports.ts";
import { say } from "../../../say.ts";
import type { Asker, Settings } from "./asker.ts";
import { printSteps } from "./print-steps.ts";
import { ReadingTurn } from "./reading-turn.ts";

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
export type FoundSetting = { readonly value: string } | { readonly askFor: "value" | "credential" };

/**
 * Looks up a setting's values at the service and lets the user choose, until a value is chosen or another input is
 * wanted.
 * @throws {CancelledError}
 */
export async function findAnswer(finder: AnswerFinder, settings: Settings, asker: Asker): Promise<FoundSetting> {
  const reading = new ReadingTurn(asker.context.paths);
  try {
    return await chooseAnswer(finder, settings, asker, reading);
  } finally {
    reading.end();
  }
}

async function chooseAnswer(
  finder: AnswerFinder,
  settings: Settings,
  asker: Asker,
  reading: ReadingTurn,
): Promise<FoundSetting> {
  let arePrinted = false;
  for (;;) {
    const found = await lookUp(finder, settings, { asker, reading }, arePrinted);
    if (!(found instanceof BeckonError)) arePrinted = true;
    const choices = found instanceof BeckonError ? choicesAfter(found, finder) : listChoices(found, finder);
    const chosen = await asker.dialog.select(questionAfter(found, finder), choices);
    if (chosen === typeIt) return { askFor: "value" };
    if (chosen === otherCredential) return { askFor: "credential" };
    if (chosen !== lookAgain) return { value: chosen };
  }
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
  { asker: { context }, reading }: { readonly asker: Asker; readonly reading: ReadingTurn },
  arePrinted: boolean,
): Promise<Found> {
  const secrets: string[] = [];
  const ports = createCliPorts(context.paths);
  try {
    const resolved = await resolveReferences(settings, "settings", ports.exec);
    secrets.push(...resolved.secrets, String(settings[finder.credential]));
    const values = resolved.value as FinderCall["settings"];
    const call = (): FinderCall => ({ settings: values, ports, signal: AbortSignal.timeout(finderMs) });
    await reading.begin(finder.account?.(values), ports.clock);
    const found = await finder.find(call());
    if (found.length === 0 && arePrinted) say("Nothing has arrived yet.", context);
    else if (found.length === 0) printSteps(await finder.prepare(call()), context);
    return found;
  } catch (error) {
    if (!(error instanceof BeckonError)) throw error;
    context.print(`${context.colors.red("✗")} ${redactor(secrets)(error.message)}`);
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
