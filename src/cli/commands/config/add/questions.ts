import * as z from "zod";
import { commonNotifierSettings } from "../../../../config/config-table.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { isSecret } from "../../../../core/secret.ts";

/** One setting of a notifier, as something that can be asked for. */
export interface Question {
  readonly key: string;
  readonly description: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** The words it can be, where there are few. */
  readonly choices: readonly string[];
  /** Whether one line of text can answer it; what cannot is left to an editor. */
  readonly isPlain: boolean;
  readonly schema: z.ZodType;
}

/** What can be asked about a notifier, required settings first; what every notifier takes comes last. */
export function questionsOf({ settings }: Notifier): readonly Question[] {
  const { detail, mask } = commonNotifierSettings.shape;
  const all = settings.extend({ detail, mask });
  const json = z.toJSONSchema(all, { io: "input", unrepresentable: "any" });
  const questions = Object.entries(all.shape).map(([key, schema]): Question => {
    const {
      description = "",
      type,
      enum: choices = [],
    } = (json.properties?.[key] ?? {}) as {
      description?: string;
      type?: string;
      enum?: unknown[];
    };
    return {
      key,
      description,
      required: !schema.safeParse(undefined).success,
      secret: isSecret(schema as z.ZodType),
      choices: type === "boolean" ? ["true", "false"] : choices.map(String),
      isPlain: type !== "object",
      schema: schema as z.ZodType,
    };
  });
  return questions.toSorted((a, b) => Number(b.required) - Number(a.required));
}

/** The value an answer stands for: the text, JSON, or a list of words; or what is wrong with it. */
export function readAnswer({ key, schema, choices }: Question, text: string): { value: unknown } | { problem: string } {
  const words = text.trim().split(/[\s,]+/);
  const candidates = [text, jsonValue(text), words].filter((value) => value !== undefined);
  const value = candidates.find((candidate) => schema.safeParse(candidate).success);
  if (value !== undefined) return { value };
  if (choices.length > 0) return { problem: `${key}: one of ${choices.join(", ")}` };
  const issue = schema.safeParse(text).error?.issues[0];
  return { problem: `${key}: ${issue ? innermost(issue) : "not usable"}` };
}

/** Of a union's alternatives the last, the value itself: the first is a reference. */
function innermost(issue: z.core.$ZodIssue): string {
  const inner = issue.code === "invalid_union" ? issue.errors.at(-1)?.[0] : undefined;
  return inner ? innermost(inner) : issue.message;
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // just text
  }
}
