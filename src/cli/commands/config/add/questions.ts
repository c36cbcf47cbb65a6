import * as z from "zod";
import { commonNotifierSettings } from "../../../../config/templates-table.ts";
import { UsageError } from "../../../../core/errors.ts";
import { describeIssue } from "../../../../core/issue-words.ts";
import { parseJson } from "../../../../core/json-value.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { isSecret } from "../../../../core/secret.ts";

/** Question for a notifier's setting. */
export interface Question {
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
export function formatOption({ key, secret }: Question): string {
  return secret ? `--secret ${key}` : `--set ${key}=…`;
}

/** Parses an answer as the schema accepts it: as text, JSON or a list of words. Returns the value or the problem. */
export function readAnswer({ key, schema, choices }: Question, text: string): { value?: unknown; problem?: string } {
  const words = text.trim().split(/[\s,]+/);
  const candidates = [text, parseJson(text), words].filter((value) => value !== undefined);
  const value = candidates.find((candidate) => schema.safeParse(candidate).success);
  if (value !== undefined) return { value };
  if (choices.length > 0) return { problem: `${key}: must be one of ${choices.join(", ")}` };
  const json = parseJson(text);
  const issue = schema.safeParse(typeof json === "object" ? json : text, { error: describeIssue }).error?.issues[0];
  return { problem: `${key}: ${issue ? innermost(issue) : "is not valid"}` };
}

/** Parses an answer. @throws {UsageError} for an invalid answer */
export function answerValue(question: Question, text: string): unknown {
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
