import * as z from "zod";
import { isSecret, secretPlaceholder } from "../core/secret.ts";

/** Every text in settings at a place whose schema was made with `secret()`. */
export function secretsIn(schema: z.ZodType, value: unknown): string[] {
  const found: string[] = [];
  visitSecrets(schema, value, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

/** A copy of settings with `[secret]` in place of every secret. */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return visitSecrets(schema, value, () => secretPlaceholder);
}

function visitSecrets(schema: z.ZodType, value: unknown, replace: (text: string) => string): unknown {
  if (isSecret(schema)) return typeof value === "string" ? replace(value) : value;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return visitSecrets(schema.unwrap() as z.ZodType, value, replace);
  }
  if (typeof value !== "object" || value === null) return value;
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => visitSecrets(schema.element as z.ZodType, item, replace));
  }
  const inner = (key: string): z.ZodType | undefined => {
    if (schema instanceof z.ZodObject) return (schema.shape as Record<string, z.ZodType>)[key];
    return schema instanceof z.ZodRecord ? (schema.valueType as z.ZodType) : undefined;
  };
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const itemSchema = inner(key);
      return [key, itemSchema ? visitSecrets(itemSchema, item, replace) : item];
    }),
  );
}
