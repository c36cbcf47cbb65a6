import { didYouMean } from "../../../../config/did-you-mean.ts";
import type { RouteConditions } from "../../../../config/edit/edit-config.ts";
import { secretsIn } from "../../../../config/secrets.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { referencePattern } from "../../../../core/secret.ts";
import { anyPhoneApp, notifierLoaders, phoneApps, popularNotifiers } from "../../../../notifiers/registry.ts";
import type { Choice, Dialog } from "../../../dialog.ts";
import { askSettings } from "./ask-settings.ts";
import type { Asker, Settings } from "./asker.ts";
import { chooseVariant } from "./choose-variant.ts";
import { answerValue, formatOption, listQuestions, type Question } from "./questions.ts";

/** Arguments of `config add` about the notifier and its route. */
export interface AddArguments extends RouteConditions {
  readonly type?: string;
  readonly name?: string;
  /** Settings as `key=value`. */
  readonly set?: readonly string[];
  /** False adds no route. */
  readonly route?: boolean;
  /** Keys of secrets to read from standard input, one line each. */
  readonly secret?: readonly string[];
}

/** Chooses the type of notifier from the arguments or by asking. @throws {UsageError | CancelledError} */
export async function chooseType({ type }: AddArguments, dialog: Dialog | undefined): Promise<Notifier> {
  const names = Object.keys(notifierLoaders);
  const offered = type === anyPhoneApp ? phoneApps : names;
  if ((type ?? anyPhoneApp) === anyPhoneApp && !dialog) {
    const lack = type === undefined ? "missing type of notifier" : "there is no terminal to choose the app on";
    throw new UsageError(lack, `Choose one: beckon config add ${offered.join("|")}`);
  }
  const chosen = await chooseFrom(type, dialog);
  const load = names.includes(chosen) ? notifierLoaders[chosen] : undefined;
  if (!load) throw new UsageError(`there is no notifier type ${chosen}`, didYouMean(chosen, [...names, anyPhoneApp]));
  return load();
}

async function chooseFrom(type: string | undefined, dialog: Dialog | undefined): Promise<string> {
  if (!dialog || (type !== undefined && type !== anyPhoneApp)) return type ?? "";
  if (type === anyPhoneApp) return dialog.select("Which app do you want on your phone?", await listChoices(phoneApps));
  const choices = await listChoices(Object.keys(notifierLoaders));
  const rank = ({ value }: Choice): number => popularNotifiers.indexOf(value) + 1 || choices.length;
  return dialog.search(
    "How should beckon notify you?",
    choices.toSorted((a, b) => rank(a) - rank(b)),
  );
}

async function listChoices(names: readonly string[]): Promise<Choice[]> {
  const all = await Promise.all(names.map((name) => notifierLoaders[name]?.()));
  return all.flatMap((notifier) => (notifier ? [{ value: notifier.name, hint: notifier.summary }] : []));
}

/**
 * Collects a notifier's settings from the arguments and, with a dialog, from questions about the rest. Without a
 * dialog, a missing required setting gets its suggested value, if there is one.
 * @param secretLines lines of standard input, one for each `--secret`
 * @throws {CancelledError}
 * @throws {UsageError} for an invalid setting, or a missing one
 */
export async function collectSettings(
  { notifier, guide, dialog, context }: Omit<Asker, "dialog"> & { readonly dialog: Dialog | undefined },
  { set = [], secret: secretKeys = [] }: AddArguments,
  secretLines: readonly string[],
): Promise<Settings> {
  const all = listQuestions(notifier);
  // On a terminal, the dialog asks for secrets.
  const known = settingsFromArguments(set, dialog ? [] : secretKeys, secretLines, all);
  const questions = await chooseVariant(notifier, all, known, dialog && { dialog, guide });
  const open = questions.filter(({ key }) => known[key] === undefined);
  if (dialog) return askSettings(open, known, { notifier, guide, dialog, context });
  const missing = open.filter((question) => question.required);
  const suggested = missing.flatMap(({ key }) => {
    const suggest = guide.suggestions?.[key];
    return suggest ? [[key, suggest()] as const] : [];
  });
  const settings = { ...Object.fromEntries(suggested), ...known };
  const unknown = missing.filter(({ key }) => settings[key] === undefined).map(formatOption);
  if (unknown.length > 0) throw new UsageError("some settings are missing", `Add ${unknown.join(" ")}`);
  return settings;
}

/**
 * Reads the settings given with `--set key=value` and `--secret key`.
 * @param secretLines lines of standard input, one for each key of `secretKeys`
 * @throws {UsageError} for an invalid setting, or a secret given with `--set`
 */
function settingsFromArguments(
  set: readonly string[],
  secretKeys: readonly string[],
  secretLines: readonly string[],
  questions: readonly Question[],
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const text of set) {
    const [question, value] = readPair(text, questions);
    const { key, schema, secret } = question;
    if (secret && !referencePattern.test(value)) {
      const hint = `Pipe it in with --secret ${key}, or use a reference: --set '${key}=\${env:NAME}'`;
      throw new UsageError(`${key} is a secret, and other users can see command lines`, hint);
    }
    settings[key] = answerValue(question, value);
    if (secretsIn(schema, settings[key]).some((part) => !referencePattern.test(part))) {
      const hint = "Use a reference instead: ${env:NAME} or ${file:/path}";
      throw new UsageError(`${key} contains a secret, and other users can see command lines`, hint);
    }
  }
  for (const [index, name] of secretKeys.entries()) {
    const question = questionNamed(name, questions);
    const line = secretLines[index] ?? "";
    if (line === "") {
      const hint = "Pipe in one line for each --secret, in the same order.";
      throw new UsageError(`standard input has no line for ${name}`, hint);
    }
    settings[name] = answerValue(question, line);
  }
  return settings;
}

function readPair(text: string, questions: readonly Question[]): [Question, string] {
  const at = text.indexOf("=");
  if (at < 1) throw new UsageError(`--set takes key=value, not ${JSON.stringify(text)}`, "Example: --set threadId=42");
  return [questionNamed(text.slice(0, at), questions), text.slice(at + 1)];
}

function questionNamed(name: string, questions: readonly Question[]): Question {
  const found = questions.find(({ key }) => key === name);
  if (found) return found;
  const keys = questions.map(({ key }) => key);
  throw new UsageError(`there is no setting ${name}`, didYouMean(name, keys));
}
