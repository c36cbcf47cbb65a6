import * as z from "zod";

/**
 * Makes the schema of an object in a reply. Documented fields are checked; other fields are kept. The type has only the
 * documented fields, so that a misspelled name is an error; read other fields as `(row as Record<string,
 * unknown>)["name"]`.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/** Documented value, or a text not documented yet. Editors still complete the documented values. */
export type Open<Value extends string> = Value | (string & Record<never, never>);

/** Makes the schema of `Open`, which accepts any text. */
export function openEnum<const Values extends readonly string[]>(
  values: Values,
): z.ZodType<Open<Values[number]>, Open<Values[number]>> {
  return z.string().meta({ examples: [...values] });
}

/** Object with undocumented fields. */
export const anyObject = z.record(z.string(), z.unknown());

/** Makes the schema of a text with a documented format. The client accepts any text, so that it survives a change. */
export function formatted(format: "uuid" | "uri" | "email" | "date-time"): z.ZodString {
  return z.string().meta({ format });
}

/** Instant as Unix milliseconds. Numbers with other schemas are never shown as times, whatever their fields are called. */
export const unixMs = z.number();
/** Instant as whole Unix milliseconds. */
export const wholeUnixMs = z.int();
