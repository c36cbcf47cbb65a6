import { details } from "../../../../core/vocabulary.ts";
import type { Choice } from "../../../dialog.ts";
import { say } from "../../../say.ts";
import type { Asker, Settings } from "./asker.ts";
import { findAnswer } from "./find-answer.ts";
import { answerValue, listQuestions, type Question, readAnswer } from "./questions.ts";

/**
 * Asks for a notifier's settings: first the required ones, then the optional ones that the user wants.
 * @param known settings that need no question
 * @throws {CancelledError}
 */
export async function askSettings(open: readonly Question[], known: Settings, asker: Asker): Promise<Settings> {
  const { guide, dialog, context } = asker;
  for (const line of guide.intro ?? []) say(line, context);
  const required = open.filter((question) => question.required);
  const settings = await askAll(required, known, asker);
  const optional = open.filter((question) => !question.required && question.fitsOneLine);
  if (optional.length === 0) return settings;
  const choices = optional.map(({ key, description }) => ({ value: key, hint: description.replaceAll("`", "") }));
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
      settings = { ...(await askAll(again.map(require), others, asker)) };
      continue;
    }
    const answer = found && "value" in found ? found.value : await askOne(question, asker);
    if (answer !== "") settings[key] = answerValue(question, answer);
  }
  return settings;
}

const require = (question: Question): Question => ({ ...question, required: true });

function askOne(question: Question, { dialog, guide }: Asker): Promise<string> {
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
  return dialog.text(text, { secret, check, ...(suggestion !== undefined && { suggestion }) });
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
