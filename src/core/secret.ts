import * as z from "zod";

/** A reference to a secret kept elsewhere: `${env:NAME}`, `${file:/path}` or `${command:program args}`. */
export const referencePattern = /^\$\{(env|file|command):([^{}]+)\}$/;

/** What stands in for a secret wherever people or logs could see it. */
export const secretPlaceholder = "[secret]";

const secretFields = z.registry<{ secret: true }>();

/**
 * A settings field that holds a secret: the text itself, checked by `inner`, or a reference that is resolved by the
 * worker when it is used. Shown as `[secret]` everywhere.
 */
export function secret(inner: z.ZodType<string, string>): z.ZodType<string, string> {
  const reference = z.string().regex(referencePattern, "must be a reference such as ${env:NAME}, or the value itself");
  const value = inner.refine((text) => !/\$\{(env|file|command):/.test(text), "a reference must be the whole value");
  const schema: z.ZodType<string, string> = z.union([reference, value]);
  secretFields.add(schema, { secret: true });
  return schema;
}

/** An http(s) address to post to. It is a secret: whoever has it can post. */
export function secretUrl(description: string): z.ZodType<string, string> {
  return secret(z.url({ protocol: /^https?$/, error: "must be an http(s) URL" })).describe(description);
}

/** Whether a schema was made with `secret()`, also below `.optional()`, `.default()` and `.describe()`. */
export function isSecret(schema: z.ZodType): boolean {
  if (secretFields.get(schema)?.secret) return true;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return isSecret(schema.unwrap() as z.ZodType);
  }
  return false;
}

/** Replaces secrets in text: each of `secrets` (6 characters or more) as it is, percent-encoded and in base64. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const needles = new Set<string>();
  for (const value of secrets) {
    if (value.length < 6) continue;
    const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
    needles.add(value).add(encodeURIComponent(value.toWellFormed())).add(base64);
  }
  return (text) => {
    const found = [...needles].flatMap((needle) => rangesOf(needle, text)).sort((a, b) => a.start - b.start);
    let redacted = "";
    let done = 0;
    for (const { start, end } of found) {
      // One that begins within another goes on where that ends: nothing of either is left.
      if (start >= done) redacted += text.slice(done, start) + secretPlaceholder;
      done = Math.max(done, end);
    }
    return redacted + text.slice(done);
  };
}

function rangesOf(needle: string, text: string): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (let start = text.indexOf(needle); start >= 0; start = text.indexOf(needle, start + 1)) {
    ranges.push({ start, end: start + needle.length });
  }
  return ranges;
}
