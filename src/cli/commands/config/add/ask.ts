import { didYouMean } from "../../../../config/did-you-mean.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { type Kind, kinds } from "../../../../core/vocabulary.ts";
import { notifierLoaders } from "../../../../notifiers/registry.ts";
import { UsageError } from "../../../errors.ts";
import type { Dialog } from "./dialog.ts";
import { answered, readGiven } from "../../../config-add/given-settings.ts";
import { type Question, questionsOf, readAnswer } from "./questions.ts";

/** What the command line gave. */
export interface Given {
  readonly type?: string;
  readonly name?: string;
  /** `key=value` texts. */
  readonly set: readonly string[];
  /** Keys whose values are read from standard input, a line each. */
  readonly secretKeys: readonly string[];
  readonly kinds?: readonly Kind[];
}

export type Settings = Readonly<Record<string, unknown>>;

/** The kind of notifier, by argument or by question. @throws {UsageError} */
export async function chooseType({ type }: Given, dialog: Dialog | undefined): Promise<Notifier | undefined> {
  const names = Object.keys(notifierLoaders);
  if (type !== undefined && !names.includes(type)) {
    throw new UsageError(`there is no notifier ${type}`, didYouMean(type, names));
  }
  if (type === undefined && !dialog) {
    throw new UsageError("which notifier?", `Name one: beckon config add ${names.join("|")}`);
  }
  const summaries = async () => {
    const all = await Promise.all(Object.values(notifierLoaders).map((load) => load()));
    return all.map(({ name, summary }) => ({ value: name, hint: summary }));
  };
  const chosen = type ?? (await dialog?.select("What is to call you?", await summaries()));
  return chosen === undefined ? undefined : notifierLoaders[chosen]?.();
}

/**
 * The notifier's settings: those of the command line, the rest asked for where somebody is there.
 * @param secretLines what standard input holds, for `--secret`
 * @throws {UsageError} for what is missing or wrong and cannot be asked
 */
export async function collectSettings(
  notifier: Notifier,
  { set, secretKeys }: Given,
  secretLines: readonly string[],
  dialog: Dialog | undefined,
): Promise<Settings | undefined> {
  const questions = questionsOf(notifier);
  // At a terminal secrets are asked for.
  const settings = readGiven(set, dialog ? [] : secretKeys, secretLines, questions);
  return ask(
    questions.filter(({ key }) => settings[key] === undefined),
    settings,
    dialog,
  );
}

async function ask(
  open: readonly Question[],
  known: Settings,
  dialog: Dialog | undefined,
): Promise<Settings | undefined> {
  const required = open.filter((question) => question.required);
  if (!dialog) {
    const missing = required.map(({ key, secret }) => (secret ? `--secret ${key}` : `--set ${key}=…`));
    if (missing.length > 0) throw new UsageError("something is missing", `Add ${missing.join(" ")}`);
    return known;
  }
  const given = await askAll(required, known, dialog);
  const optional = open.filter((question) => !question.required && question.isPlain);
  if (!given || optional.length === 0) return given;
  const names = optional.map(({ key }) => key).join(", ");
  const wants = await dialog.confirm(`There are more settings (${names}). Set some?`, false);
  if (wants === undefined) return undefined;
  return wants ? askAll(optional, given, dialog) : given;
}

async function askAll(questions: readonly Question[], known: Settings, dialog: Dialog): Promise<Settings | undefined> {
  const settings: Record<string, unknown> = { ...known };
  for (const question of questions) {
    const answer = await askOne(question, dialog);
    if (answer === undefined) return undefined;
    if (answer !== "") settings[question.key] = answered(question, answer);
  }
  return settings;
}

function askOne(question: Question, dialog: Dialog): Promise<string | undefined> {
  const { key, description, required, secret, choices } = question;
  const words = `${key}: ${description.replaceAll("`", "")}`;
  if (choices.length > 0) {
    const options = choices.map((value) => ({ value }));
    return dialog.select(words, required ? options : [{ value: "", hint: "the default" }, ...options]);
  }
  const check = (text: string): string | undefined => {
    if (text === "") return required ? "It is needed." : undefined;
    const read = readAnswer(question, text);
    return "problem" in read ? read.problem : undefined;
  };
  const keeping = secret ? " It is kept in a private file; ${env:NAME} takes it from the environment." : "";
  return dialog.text(`${words}${keeping}${required ? "" : " (empty: the default)"}`, { secret, check });
}

/** What it is to hear of; undefined as in `NewNotifier`, null when the user has had enough. */
export async function chooseKinds(
  { kinds: given }: Given,
  hasRoutes: boolean,
  dialog: Dialog | undefined,
): Promise<readonly Kind[] | undefined | null> {
  if (given || !dialog) return given;
  const usual = kinds.filter((kind) => kind !== "info");
  const choices = kinds.map((value) => ({ value }));
  const chosen = await dialog.selectMany("What is it to call you for?", choices, usual);
  if (!chosen) return null;
  const isUsual = chosen.length === usual.length && usual.every((kind) => chosen.includes(kind));
  return isUsual && !hasRoutes ? undefined : kinds.filter((kind) => chosen.includes(kind));
}
