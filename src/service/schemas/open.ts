import * as z from "zod";

/**
 * Schema of an object in a reply: documented fields are checked, all others are kept. The type has only the documented
 * fields, so that a misspelled one is an error; read any other as `(row as Record<string, unknown>)["name"]`.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/** One of the documented values, or a text that is not documented yet. Editors still complete the documented ones. */
export type Open<Value extends string> = Value | (string & Record<never, never>);

/** Schema of `Open`: it accepts any text, and no other type. */
export function openEnum<const Values extends readonly string[]>(
  values: Values,
): z.ZodType<Open<Values[number]>, Open<Values[number]>> {
  return z.string().meta({ examples: [...values] });
}

/** An object whose fields are not documented. */
export const anyObject = z.record(z.string(), z.unknown());
