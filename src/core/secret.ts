import * as z from "zod";
import { unwrapSchema } from "./unwrap-schema.ts";

/** Pattern of a reference to a secret stored elsewhere: `${env:NAME}`, `${file:/path}` or `${command:program args}`. */
export const referencePattern = /^\$\{(env|file|command):([^{}]+)\}$/;

/** Pattern of an escaped reference: `$${env:NAME}` means the literal text `${env:NAME}`. */
export const escapedReferencePattern = /^\$(\$+\{(?:env|file|command):[^{}]+\})$/;

/** Text shown in place of an argument that may be a secret. */
export const hiddenPlaceholder = "[hidden]";

/** Contents of fields: a secret, a program's argument, or a name that gives access like a password. */
const fields = z.registry<{ readonly holds: "secret" | "argument" | "name" }>();

/**
 * Creates a settings field for a secret. The value is the secret itself, checked by `inner`, or a reference that the
 * worker resolves when it needs the secret. beckon always shows the field as `[secret]`.
 */
export function secret(inner: z.ZodType<string, string>): z.ZodType<string, string> {
  const reference = z.string().regex(referencePattern, "must be a reference such as ${env:NAME}, or the value itself");
  const value = inner.refine(
    (text) => escapedReferencePattern.test(text) || !/\$\{(env|file|command):/.test(text),
    "a reference must be the whole value",
  );
  const schema: z.ZodType<string, string> = z.union([reference, value]);
  fields.add(schema, { holds: "secret" });
  return schema;
}

/** Creates a settings field for an http(s) address to post to. The address is secret: anyone who has it can post. */
export function secretUrl(description: string): z.ZodType<string, string> {
  return secret(z.url({ protocol: /^https?$/, error: "must be an http(s) URL" })).describe(description);
}

/**
 * Makes a settings field that gives access like a password, although users type and read it, such as a topic's name.
 * Lists of settings hide it.
 */
export function hiddenName<Schema extends z.ZodType>(schema: Schema): Schema {
  fields.add(schema, { holds: "name" });
  return schema;
}

/**
 * Creates a settings field for an argument of a custom program. beckon shows only an option's name, because the rest of
 * an argument may be secret.
 */
export function programArgument(): z.ZodType<string, string> {
  const schema: z.ZodType<string, string> = z.string();
  fields.add(schema, { holds: "argument" });
  return schema;
}

/** Tells what a field holds if its schema was made with one of these functions, even if `.optional()` or such wraps it. */
export function readHolding(schema: z.ZodType) {
  return fields.get(unwrapSchema(schema))?.holds;
}

/** True if a schema was made with `secret()` or `hiddenName()`, so that its value gives access. */
export function isPrivate(schema: z.ZodType): boolean {
  return ["secret", "name"].includes(readHolding(schema) ?? "");
}

/** True if a schema was made with `secret()`, even if `.optional()`, `.default()` or `.describe()` wraps it. */
export function isSecret(schema: z.ZodType): boolean {
  return readHolding(schema) === "secret";
}
