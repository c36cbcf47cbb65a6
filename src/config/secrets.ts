import * as z from "zod";
import { hiddenPlaceholder, readHolding, referencePattern } from "../core/secret.ts";
import { schemaAt, unwrapSchema } from "../core/unwrap-schema.ts";
import { secretPlaceholder } from "../text/clean.ts";

/** Lists the texts in settings whose schema was created with `secret()`. */
export function secretsIn(schema: z.ZodType, value: unknown): string[] {
  const found: string[] = [];
  visitTexts(schema, value, (text, secrecy) => {
    if (secrecy === "secret") found.push(text);
    return text;
  });
  return found;
}

/**
 * Copies settings with `[secret]` for every secret, and for texts without a schema. References stay, because they only
 * name the source. Of a program's arguments, only the names of options stay.
 */
export function withoutSecrets(schema: z.ZodType, value: unknown): unknown {
  return visitTexts(schema, value, (text, secrecy) => {
    if (secrecy === "public") return text;
    return secrecy === "argument" && !referencePattern.test(text) ? hideArgument(text) : hide(text);
  });
}

/** Converts `--token=abc` to `--token=[hidden]`, keeps an option's name, and replaces other arguments by `[hidden]`. */
function hideArgument(text: string): string {
  const [, option, assigned] = /^(-[a-z]|--[a-z][a-z-]*)(=.*)?$/is.exec(text) ?? [];
  if (option === undefined) return hiddenPlaceholder;
  return assigned === undefined ? option : `${option}=${hiddenPlaceholder}`;
}

/** Keeps a reference, else returns `[secret]`. Keeps a command's program, but not its arguments. */
function hide(text: string): string {
  const [, source, name = ""] = referencePattern.exec(text) ?? [];
  if (source === undefined) return secretPlaceholder;
  if (source !== "command") return text;
  const [program, ...args] = name.trim().split(/\s+/);
  return `\${command:${[program, ...(args.length > 0 ? ["…"] : [])].join(" ")}}`;
}

/** Secrecy of a text. A program's argument may be a secret, and a `name` is hidden; `unknown` has no schema. */
type Secrecy = NonNullable<ReturnType<typeof readHolding>> | "public" | "unknown";

/** Copies a value and replaces its texts. */
function visitTexts(wrapped: z.ZodType, value: unknown, replace: (text: string, secrecy: Secrecy) => string): unknown {
  const schema = unwrapSchema(wrapped);
  const holding = readHolding(schema);
  if (typeof value === "string") return replace(value, holding ?? (takesTexts(schema) ? "public" : "unknown"));
  if (holding === "secret") return visitTexts(z.unknown(), value, replace);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => visitTexts(elementAt(schema, index), item, replace));
  }
  const entries = Object.entries(value).map(([key, item]) => [key, visitTexts(schemaAt(schema, key), item, replace)]);
  return Object.fromEntries(entries);
}

/**
 * Returns the schema of a list's items; for a union, the schema of the items of its list. Returns any other schema
 * unchanged.
 */
function elementAt(schema: z.ZodType, index: number): z.ZodType {
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType;
  if (schema instanceof z.ZodPipe) return elementAt(unwrapSchema(schema.in as z.ZodType), index);
  if (schema instanceof z.ZodUnion) {
    const list = schema.options
      .map((option) => unwrapSchema(option as z.ZodType))
      .find((option) => option instanceof z.ZodArray);
    return list ? (list.element as z.ZodType) : schema;
  }
  if (!(schema instanceof z.ZodTuple)) return schema;
  return (schema.def.items[index] ?? schema.def.rest ?? schema) as z.ZodType;
}

function takesTexts(schema: z.ZodType): boolean {
  return ![z.ZodUnknown, z.ZodObject, z.ZodRecord, z.ZodArray].some((kind) => schema instanceof kind);
}
