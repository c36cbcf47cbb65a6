import * as z from "zod";
import { commonNotifierSettings } from "../../../../config/common-settings-table.ts";
import { UsageError } from "../../../../core/errors.ts";
import { describeIssue } from "../../../../core/issue-words.ts";
import { parseJson } from "../../../../core/json-value.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { isSecret } from "../../../../core/secret.ts";

/** A setting of a notifier, as a question to ask. */
export interface Question {
  readonly key: string;
  readonly description: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** All possible values, if it is an enumeration or a boolean; otherwise empty. */
  readonly choices: readonly string[];
  /** Whether one line of text can answer it. Other settings are not asked for: they are for an editor. */
  readonly fitsOneLine: boolean;
  readonly schema: z.ZodType;
}

/** The settings of a notifier, required ones first, those common to all notifiers last. */
export function questionsOf({ settings }: Notifier): readonly Question[] {
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

/** A question as the option of `config add` that answers it. */
export function optionOf({ key, secret }: Question): string {
  return secret ? `--secret ${key}` : `--set ${key}=…`;
}

/** The value of an answer, read as text, as JSON or as a list of words, whichever fits; or what is wrong with it. */
export function readAnswer({ key, schema, choices }: Question, text: string): { value?: unknown; problem?: string } {
  const words = text.trim().split(/[\s,]+/);
  const candidates = [text, parseJson(text), words].filter((value) => value !== undefined);
  const value = candidates.find((candidate) => schema.safeParse(candidate).success);
  if (value !== undefined) return { value };
  if (choices.length > 0) return { problem: `${key}: must be one of ${choices.join(", ")}` };
  const json = parseJson(text);
  const issue = schema.safeParse(typeof json === "object" ? json : text, { error: describeIssue }).error?.issues[0];
  return { problem: `${key}: ${issue ? innermost(issue) : "not usable"}` };
}

/** The value of an answer. @throws {UsageError} where the text does not fit */
export function answerValue(question: Question, text: string): unknown {
  const { value, problem } = readAnswer(question, text);
  if (problem !== undefined) throw new UsageError(problem, question.description);
  return value;
}

/** The message about a key, or about the last alternative of a union: the value itself, after a reference to it. */
function innermost(issue: z.core.$ZodIssue): string {
  const inner = issue.code === "invalid_union" ? issue.errors.at(-1)?.[0] : undefined;
  const key = issue.code === "invalid_key" ? issue.issues[0] : undefined;
  const within = inner ?? key;
  return within ? innermost(within) : issue.message;
}
