import { didYouMean } from "../../../../config/did-you-mean.ts";
import { type RouteConditions, usualKinds } from "../../../../config/edit/edit-config.ts";
import { secretsIn } from "../../../../config/secrets.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { referencePattern } from "../../../../core/secret.ts";
import { kinds } from "../../../../core/vocabulary.ts";
import { notifierLoaders, popularNotifiers } from "../../../../notifiers/registry.ts";
import type { Dialog } from "../../../dialog.ts";
import { chooseVariant } from "./choose-variant.ts";
import { answerValue, formatOption, listQuestions, type Question, readAnswer } from "./questions.ts";

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

export type Settings = Readonly<Record<string, unknown>>;

/** Chooses the type of notifier from the arguments or by asking. @throws {UsageError} {CancelledError} */
export async function chooseType({ type }: AddArguments, dialog: Dialog | undefined): Promise<Notifier> {
  const names = Object.keys(notifierLoaders);
  if (type === undefined && !dialog) {
    throw new UsageError("missing type of notifier", `Choose one: beckon config add ${names.join("|")}`);
  }
  const summaries = async () => {
    const all = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
    const choices = all.map(({ name, summary }) => ({ value: name, hint: summary }));
    const rank = ({ value }: { readonly value: string }): number =>
      popularNotifiers.indexOf(value) + 1 || choices.length;
    return choices.toSorted((a, b) => rank(a) - rank(b));
  };
  const chosen = type ?? (await dialog?.search("How should beckon notify you?", await summaries())) ?? "";
  const load = names.includes(chosen) ? notifierLoaders[chosen] : undefined;
  if (!load) throw new UsageError(`there is no notifier type ${chosen}`, didYouMean(chosen, names));
  return load();
}

/**
 * Collects a notifier's settings from the arguments. At a terminal, asks for the missing settings.
 * @param secretLines lines of standard input, one for each `--secret`
 * @throws {CancelledError}
 * @throws {UsageError} for an invalid setting, or without a terminal for a missing one
 */
export async function collectSettings(
  notifier: Notifier,
  { set = [], secret: secretKeys = [] }: AddArguments,
  secretLines: readonly string[],
  dialog: Dialog | undefined,
): Promise<Settings> {
  const all = listQuestions(notifier);
  // On a terminal, the dialog asks for secrets.
  const known = settingsFromArguments(set, dialog ? [] : secretKeys, secretLines, all);
  const questions = await chooseVariant(notifier, all, known, dialog);
  const open = questions.filter(({ key }) => known[key] === undefined);
  const required = open.filter((question) => question.required);
  if (!dialog) {
    const missing = required.map(formatOption);
    if (missing.length > 0) throw new UsageError("some settings are missing", `Add ${missing.join(" ")}`);
    return known;
  }
  const settings = { ...known, ...(await askAll(required, dialog)) };
  const optional = open.filter((question) => !question.required && question.fitsOneLine);
  if (optional.length === 0) return settings;
  const choices = optional.map(({ key, description }) => ({ value: key, hint: description.replaceAll("`", "") }));
  const keys = await dialog.selectMany("Which optional settings do you want to set?", choices, []);
  const asked = optional.filter(({ key }) => keys.includes(key));
  return { ...settings, ...(await askAll(asked, dialog)) };
}

/** Lets the user choose a setting, and asks for its value again. @throws {CancelledError} */
export async function changeSetting(notifier: Notifier, settings: Settings, dialog: Dialog): Promise<Settings> {
  const questions = listQuestions(notifier).filter(({ fitsOneLine, required }) => required || fitsOneLine);
  const choices = questions.map(({ key, secret }) => {
    const value = settings[key];
    return { value: key, hint: value === undefined ? "not set" : secret ? "[secret]" : String(value) };
  });
  const chosen = await dialog.select("Which setting?", choices);
  const { [chosen]: _, ...others } = settings;
  const asked = questions.filter(({ key }) => key === chosen);
  return { ...others, ...(await askAll(asked, dialog)) };
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

async function askAll(questions: readonly Question[], dialog: Dialog): Promise<Settings> {
  const settings: Record<string, unknown> = {};
  for (const question of questions) {
    const answer = await askOne(question, dialog);
    if (answer !== "") settings[question.key] = answerValue(question, answer);
  }
  return settings;
}

function askOne(question: Question, dialog: Dialog): Promise<string> {
  const { key, description, required, secret, choices } = question;
  const prompt = `${key}: ${description.replaceAll("`", "")}`;
  if (choices.length > 0) {
    const options = choices.map((value) => ({ value }));
    return dialog.select(prompt, required ? options : [{ value: "", hint: "the default" }, ...options]);
  }
  const check = (text: string): string | undefined => {
    if (text === "") return required ? "This setting is required." : undefined;
    return readAnswer(question, text).problem;
  };
  const storage = secret ? " It is saved in a private file. To read it from the environment, enter ${env:NAME}." : "";
  return dialog.text(`${prompt}${storage}${required ? "" : " (optional)"}`, { secret, check });
}

/** Chooses the conditions of the notifier's route, as in `NewNotifier`. @throws {UsageError} {CancelledError} */
export async function chooseRoute(
  notifier: Pick<Notifier, "audience" | "at">,
  { route, kinds: chosen, on, agents, projects, when, after }: AddArguments,
  hasRoutes: boolean,
  dialog: Dialog | undefined,
): Promise<RouteConditions | "none" | undefined> {
  const others = omitUndefined<RouteConditions>({ on, agents, projects, when, after });
  const isNarrowed = Object.keys(others).length > 0;
  if (route === false) {
    if (!chosen && !isNarrowed) return "none";
    throw new UsageError("--no-route adds no route to put conditions on", "Leave out --no-route, or the conditions.");
  }
  if (chosen) return { kinds: chosen, ...others };
  if (dialog) return askForRoute(notifier, others, hasRoutes, dialog);
  return isNarrowed ? { ...(on ? {} : { kinds: usualKinds }), ...others } : undefined;
}

/**
 * Asks which kinds of event to send. For a notifier on another device, such as a phone, also asks when to use it.
 * `others` are the conditions from the arguments.
 */
async function askForRoute(
  notifier: Pick<Notifier, "audience" | "at">,
  others: RouteConditions,
  hasRoutes: boolean,
  dialog: Dialog,
): Promise<RouteConditions | undefined> {
  const choices = kinds.map((value) => ({ value }));
  const answer = await dialog.selectMany("Which events should it notify you about?", choices, usualKinds);
  const mayBeElsewhere = notifier.audience === "person" && notifier.at !== "desk" && !others.when && !others.after;
  const moment = mayBeElsewhere ? whenConditions[await dialog.select("When should it notify you?", whenChoices)] : {};
  const conditions = { ...others, ...moment };
  const isUsual = answer.length === usualKinds.length && usualKinds.every((kind) => answer.includes(kind));
  if (isUsual && !hasRoutes && Object.keys(conditions).length === 0) return undefined;
  return { kinds: kinds.filter((kind) => answer.includes(kind)), ...conditions };
}

/** Choices of when to use a notifier on another device, such as a phone, with their route conditions. */
const whenConditions: Readonly<Record<string, RouteConditions>> = {
  always: {},
  away: { when: "away" },
  later: { after: "5m" },
};
const whenChoices = [
  { value: "always", label: "Always" },
  { value: "away", label: "Only when I am away from this machine" },
  { value: "later", label: "Only if still open after 5 minutes" },
];
