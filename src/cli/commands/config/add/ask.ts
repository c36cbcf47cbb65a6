import * as z from "zod";
import { startedVariants } from "../../../../config/check.ts";
import type { RouteConditions } from "../../../../config/edit/edit-config.ts";
import { secretsIn } from "../../../../config/secrets.ts";
import { commonNotifierSettings } from "../../../../config/templates-table.ts";
import { UsageError } from "../../../../core/errors.ts";
import { describeIssue } from "../../../../core/issue-words.ts";
import { parseJson } from "../../../../core/json-value.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { isSecret, referencePattern } from "../../../../core/secret.ts";
import type { SetupGuide } from "../../../../core/setup-guide.ts";
import { details } from "../../../../core/vocabulary.ts";
import { anyPhoneApp, notifierLoaders, phoneApps, popularNotifiers } from "../../../../notifiers/registry.ts";
import { didYouMean } from "../../../../text/did-you-mean.ts";
import type { CliContext } from "../../../context.ts";
import type { Choice, Dialog } from "../../../dialog.ts";
import { say } from "../../../say.ts";
import { findAnswer } from "./find-answer.ts";

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

/**
 * Chooses the type of notifier from the arguments or by asking. Offers only types that have all given settings.
 * @throws {UsageError | CancelledError}
 */
export async function chooseType(
  { type, set = [], secret = [] }: AddArguments,
  dialog: Dialog | undefined,
): Promise<Notifier> {
  const names = Object.keys(notifierLoaders);
  if (type !== undefined && type !== anyPhoneApp && !names.includes(type))
    throw new UsageError(`there is no notifier type ${type}`, didYouMean(type, [...names, anyPhoneApp]));
  const meant = type === undefined ? names : type === anyPhoneApp ? phoneApps : [type];
  const all = (await Promise.all(meant.map((name) => notifierLoaders[name]?.()))).flatMap((each) => each ?? []);
  const given = [...set.map((text) => text.split("=", 1)[0]), ...secret];
  const has = (notifier: Notifier, key = "") => listQuestions(notifier).some((question) => question.key === key);
  const fitting = all.filter((notifier) => given.every((key) => has(notifier, key)));
  const offered = fitting.length > 0 ? fitting : all;
  if (offered.length > 1 && !dialog) {
    const lack = type === undefined ? "missing type of notifier" : "there is no terminal to choose the app on";
    throw new UsageError(lack, `Choose one: beckon config add ${offered.map(({ name }) => name).join("|")}`);
  }
  const rank = ({ name }: Notifier): number => popularNotifiers.indexOf(name) + 1 || names.length;
  const sorted = type === undefined ? offered.toSorted((a, b) => rank(a) - rank(b)) : offered;
  const choices = sorted.map(({ name, summary }) => ({ value: name, hint: summary }));
  const ask = () =>
    type === undefined
      ? dialog?.search("How should beckon notify you?", choices)
      : dialog?.select("Which app do you want on your phone?", choices);
  const chosen = offered.length > 1 ? await ask() : undefined;
  return (offered.find(({ name }) => name === chosen) ?? offered[0]) as Notifier;
}

/**
 * Collects a notifier's settings from the arguments and, with a dialog, from questions about the rest. Without a
 * dialog, a missing required setting gets its suggested value, if there is one.
 * @param secretLines lines of standard input, one for each `--secret`
 * @throws {CancelledError}
 * @throws {UsageError} for an invalid setting, or a missing one
 */
export async function collectSettings(
  { dialog, ...asking }: NotifierSetup,
  { set = [], secret: secretKeys = [] }: AddArguments,
  secretLines: readonly string[],
): Promise<Settings> {
  const { notifier, guide } = asking;
  const all = listQuestions(notifier);
  // On a terminal, the dialog asks for secrets.
  const known = settingsFromArguments(set, dialog ? [] : secretKeys, secretLines, all);
  const questions = await chooseVariant(notifier, all, known, dialog && { dialog, guide });
  const open = questions.filter(({ key }) => known[key] === undefined);
  if (dialog) return askSettings(open, known, { ...asking, dialog });
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

/**
 * Asks for a notifier's settings: first the required ones, then the optional ones that the user wants.
 * @param known settings that need no question
 * @throws {CancelledError}
 */
async function askSettings(open: readonly Question[], known: Settings, asker: Asker): Promise<Settings> {
  const { guide, dialog, context } = asker;
  for (const line of guide.intro ?? []) say(line, context);
  const required = open.filter((question) => question.required);
  const settings = await askAll(required, known, asker);
  const optional = open.filter((question) => !question.required && question.fitsOneLine);
  if (optional.length === 0) return settings;
  const choices = optional.map(({ key, description }) => {
    const [sentence] = description.replaceAll("`", "").split(/(?<=\.) /);
    return { value: key, label: `${key}: ${sentence}` };
  });
  const keys = await dialog.selectMany("Which optional settings do you want to set?", choices, []);
  const wanted = optional.filter(({ key }) => keys.includes(key));
  return askForDetail(await askAll(wanted, settings, asker), asker);
}

/** Lets the user choose a setting and asks for it again. @throws {CancelledError} */
export async function changeSetting(settings: Settings, asker: Asker): Promise<Settings> {
  const questions = listQuestions(asker.notifier).filter(({ fitsOneLine, required }) => required || fitsOneLine);
  const choices = questions.map(({ key, secret }) => {
    const value = settings[key];
    return { value: key, hint: value === undefined ? "not set" : secret ? "[secret]" : String(value) };
  });
  const chosen = await asker.dialog.select("Which setting do you want to change?", choices);
  const { [chosen]: _, ...others } = settings;
  const asked = questions.filter(({ key }) => key === chosen);
  return askAll(asked, others, asker);
}

/** Asks for settings in turn. Returns them with the known ones. */
async function askAll(questions: readonly Question[], known: Settings, asker: Asker): Promise<Settings> {
  let settings: Record<string, unknown> = { ...known };
  for (const question of questions) {
    const { key } = question;
    const finder = asker.guide.finders?.[key];
    const found = finder && (await findAnswer(finder, settings, asker));
    if (found && "askFor" in found && found.askFor === "credential") {
      const { [finder?.credential ?? ""]: _, ...others } = settings;
      const again = listQuestions(asker.notifier).filter((each) => each.key === finder?.credential || each.key === key);
      const required = again.map((each) => ({ ...each, required: true }));
      settings = { ...(await askAll(required, others, asker)) };
      continue;
    }
    const answer = found && "value" in found ? found.value : await askOne(question, asker);
    if (answer !== "") settings[key] = answerValue(question, answer);
  }
  return settings;
}

async function askOne(question: Question, { dialog, guide }: Asker): Promise<string> {
  const { key, description, required, secret, choices } = question;
  const prompt = `${key}: ${[description.replaceAll("`", ""), guide.where[key]].filter(Boolean).join(" ")}`;
  if (choices.length > 0) {
    const options = choices.map((value) => ({ value }));
    return dialog.select(prompt, required ? options : [{ value: "", hint: "the default" }, ...options]);
  }
  const suggestion = guide.suggestions?.[key]?.();
  const check = (text: string): string | undefined => {
    if (text === "") return required && suggestion === undefined ? "This setting is required." : undefined;
    return readAnswer(question, text).problem;
  };
  const storage = secret
    ? " Your answer is saved in a private file. To use an environment variable instead, enter ${env:NAME}."
    : "";
  const text = `${prompt}${storage}${required ? "" : " (optional)"}`;
  for (;;) {
    const answer = await dialog.text(text, { secret, check, ...(suggestion !== undefined && { suggestion }) });
    const doubt = guide.doubts?.[key]?.(answer);
    if (doubt === undefined || (await dialog.confirm(`${doubt} Use it all the same?`, false))) return answer;
  }
}

/** Asks how much messages may contain, if the notifier would reduce them because others can read them. */
async function askForDetail(settings: Settings, { notifier, dialog }: Asker): Promise<Settings> {
  const { success, data } = notifier.settings.safeParse(settings);
  const usual = success ? (notifier.detail?.(data) ?? "full") : "full";
  if (usual === "full" || settings["detail"] !== undefined) return settings;
  const choices = [usual, ...details.toReversed().filter((detail) => detail !== usual)].map(
    (value): Choice => ({ value, label: detailLabels[value] }),
  );
  const question = "This server is public. How much may your messages contain?";
  const detail = await dialog.select(question, choices);
  return detail === usual ? settings : { ...settings, detail };
}

const detailLabels: Readonly<Record<(typeof details)[number], string>> = {
  minimal: "Only project, agent and kind",
  summary: "Also one line of the text",
  full: "The whole text, including commands and answers",
};

/**
 * Chooses one of a notifier's variants, by the known settings or by asking. Returns the variant's questions, marked as
 * required, and the questions that belong to no variant.
 * @throws {CancelledError}
 * @throws {UsageError} if no setting decides and there is no dialog
 */
async function chooseVariant(
  { variants }: Pick<Notifier, "variants">,
  questions: readonly Question[],
  known: Readonly<Record<string, unknown>>,
  asker: Pick<Asker, "dialog" | "guide"> | undefined,
): Promise<readonly Question[]> {
  if (!variants) return questions;
  const choose = async () => {
    const choices = variants.map((keys, index) => {
      const names = keys.join(", ");
      const label = asker?.guide.variants?.[index];
      return label === undefined ? { value: names } : { value: names, label, hint: names };
    });
    const chosen = await asker?.dialog.select("How do you want to send?", choices);
    return variants.find((keys) => keys.join(", ") === chosen);
  };
  const variant = startedVariants(variants, known)[0] ?? (await choose());
  const questionsFor = (keys: readonly string[]) => questions.filter(({ key }) => keys.includes(key));
  if (!variant) {
    const options = variants.map((keys) => questionsFor(keys).map(formatOption).join(" "));
    throw new UsageError("some settings are missing", `Add ${options.join(", or ")}`);
  }
  const asked = questionsFor(variant).map((question) => ({ ...question, required: true }));
  return [...asked, ...questions.filter(({ key }) => !variants.flat().includes(key))];
}

/** Settings of a notifier as the user gave them, with references. */
export type Settings = Readonly<Record<string, unknown>>;

/** Everything needed to set up a notifier. */
export interface NotifierSetup {
  readonly notifier: Notifier;
  readonly guide: SetupGuide;
  /** Undefined if there is no terminal to ask on. */
  readonly dialog: Dialog | undefined;
  readonly context: CliContext;
}

/** Setup of a notifier in which the user can be asked. */
export interface Asker extends NotifierSetup {
  readonly dialog: Dialog;
}

/** Question for a notifier's setting. */
interface Question {
  readonly key: string;
  readonly description: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** All possible values of an enumeration or a boolean; otherwise empty. */
  readonly choices: readonly string[];
  /** False for a setting that needs an editor, because its value does not fit on one line. */
  readonly fitsOneLine: boolean;
  readonly schema: z.ZodType;
}

/** Lists the questions for a notifier's settings: first required settings, last those that every notifier has. */
export function listQuestions({ settings }: Notifier): readonly Question[] {
  const { detail, mask } = commonNotifierSettings.shape;
  const all = settings.extend({ detail, mask });
  const json = z.toJSONSchema(all, { io: "input", unrepresentable: "any" });
  const questions = Object.entries(all.shape).map(([key, schema]): Question => {
    const property = (json.properties?.[key] ?? {}) as z.core.JSONSchema.BaseSchema;
    const { description = "", type, enum: choices = [] } = property;
    return {
      key,
      description,
      required: !schema.safeParse(undefined).success,
      secret: isSecret(schema as z.ZodType),
      choices: type === "boolean" ? ["true", "false"] : choices.map(String),
      fitsOneLine: type !== "object",
      schema: schema as z.ZodType,
    };
  });
  return questions.toSorted((a, b) => Number(b.required) - Number(a.required));
}

/** Returns the option of `config add` that answers a question. */
function formatOption({ key, secret }: Question): string {
  return secret ? `--secret ${key}` : `--set ${key}=…`;
}

/** Parses an answer as the schema accepts it: as text, JSON or a list of words. Returns the value or the problem. */
function readAnswer({ key, schema, choices }: Question, text: string): { value?: unknown; problem?: string } {
  const words = text.trim().split(/[\s,]+/);
  const candidates = [text, parseJson(text), words].filter((value) => value !== undefined);
  const value = candidates.find((candidate) => schema.safeParse(candidate).success);
  if (value !== undefined) return { value };
  if (choices.length > 0) return { problem: `${key}: must be one of ${choices.join(", ")}` };
  if (referencePattern.test(text)) return { value: text }; // checked when it is resolved
  const json = parseJson(text);
  const issue = schema.safeParse(typeof json === "object" ? json : text, { error: describeIssue }).error?.issues[0];
  return { problem: `${key}: ${issue ? innermost(issue) : "is not valid"}` };
}

/** Parses an answer. @throws {UsageError} for an invalid answer */
function answerValue(question: Question, text: string): unknown {
  const { value, problem } = readAnswer(question, text);
  if (problem !== undefined) throw new UsageError(problem, question.description);
  return value;
}

/**
 * Returns the most specific message of an issue. For a key, this is the message about the key; for a union, the message
 * of its last schema, which describes plain values.
 */
function innermost(issue: z.core.$ZodIssue): string {
  const inner = issue.code === "invalid_union" ? issue.errors.at(-1)?.[0] : undefined;
  const key = issue.code === "invalid_key" ? issue.issues[0] : undefined;
  const within = inner ?? key;
  return within ? innermost(within) : issue.message;
}
