import * as z from "zod";
import { isSecret, referencePattern, secretPlaceholder } from "../core/secret.ts";
import { schemaAt, unwrapSchema } from "../core/unwrap-schema.ts";

/** Every text in settings whose schema was made with `secret()`. */
export function secretsIn(schema: z.ZodType, value: unknown): string[] {
  const found: string[] = [];
  visitTexts(schema, value, (text, secrecy) => {
    if (secrecy === "secret") found.push(text);
    return text;
  });
  return found;
}

/**
 * A copy of settings with `[secret]` in place of every secret, and of every text that no schema describes. References
 * stay, since they only say where to look.
 */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return visitTexts(schema, value, (text, secrecy) => (secrecy === "public" ? text : hide(text)));
}

/** The text of a reference, else `[secret]`. Of a command only the program: its arguments may hold a secret. */
function hide(text: string): string {
  const [, source, name = ""] = referencePattern.exec(text) ?? [];
  if (source === undefined) return secretPlaceholder;
  if (source !== "command") return text;
  const [program, ...args] = name.trim().split(/\s+/);
  return `\${command:${[program, ...(args.length > 0 ? ["…"] : [])].join(" ")}}`;
}

/** Whether a text is a secret; `unknown` where no schema describes it. */
type Secrecy = "secret" | "public" | "unknown";

/** A copy of a value with each of its texts replaced. */
function visitTexts(wrapped: z.ZodType, value: unknown, replace: (text: string, secrecy: Secrecy) => string): unknown {
  const schema = unwrapSchema(wrapped);
  if (isSecret(schema))
    return typeof value === "string" ? replace(value, "secret") : visitTexts(z.unknown(), value, replace);
  if (typeof value === "string") return replace(value, takesTexts(schema) ? "public" : "unknown");
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
