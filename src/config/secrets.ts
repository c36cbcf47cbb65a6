import * as z from "zod";
import { isSecret, referencePattern, secretPlaceholder } from "../core/secret.ts";

/** Every text in settings at a place whose schema was made with `secret()`. */
export function secretsIn(schema: z.ZodType, value: unknown): string[] {
  const found: string[] = [];
  visitTexts(schema, value, (text, place) => {
    if (place === "secret") found.push(text);
    return text;
  });
  return found;
}

/**
 * A copy of settings with `[secret]` in place of every secret, and of every text of which no schema says what it is.
 * References stay: they say only where to look.
 */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return visitTexts(schema, value, (text, place) => (place === "known" ? text : hide(text)));
}

/** A command's arguments may hold a secret themselves. */
function hide(text: string): string {
  const [, source, name = ""] = referencePattern.exec(text) ?? [];
  if (source === undefined) return secretPlaceholder;
  if (source !== "command") return text;
  const [program, ...args] = name.trim().split(/\s+/);
  return `\${command:${[program, ...(args.length > 0 ? ["…"] : [])].join(" ")}}`;
}

const anything = z.unknown();
/** `unknown`: no schema expects a text there, so it may be a secret. */
type Place = "secret" | "known" | "unknown";

function visitTexts(schema: z.ZodType, value: unknown, replace: (text: string, place: Place) => string): unknown {
  if (isSecret(schema))
    return typeof value === "string" ? replace(value, "secret") : visitTexts(anything, value, replace);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return visitTexts(schema.unwrap() as z.ZodType, value, replace);
  }
  if (typeof value === "string") return replace(value, takesTexts(schema) ? "known" : "unknown");
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const element = schema instanceof z.ZodArray ? (schema.element as z.ZodType) : schema;
    return value.map((item) => visitTexts(element, item, replace));
  }
  const entries = Object.entries(value).map(([key, item]) => [key, visitTexts(schemaAt(schema, key), item, replace)]);
  return Object.fromEntries(entries);
}

function takesTexts(schema: z.ZodType): boolean {
  return ![z.ZodUnknown, z.ZodObject, z.ZodRecord, z.ZodArray].some((kind) => schema instanceof kind);
}

/** The schema of an object's value; where none can be told (a union, say), the one that takes anything. */
function schemaAt(schema: z.ZodType, key: string): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>;
    return (Object.hasOwn(shape, key) && shape[key]) || anything;
  }
  return schema instanceof z.ZodRecord ? (schema.valueType as z.ZodType) : anything;
}
