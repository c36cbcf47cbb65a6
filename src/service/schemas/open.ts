import * as z from "zod";

/**
 * An object of a reply: known fields are checked, fields the document does not name stay in the value. The type names
 * the document's fields alone, so that a misspelt one is an error; an unknown one is read as
 * `(row as Record<string, unknown>)["name"]`.
 */
export function openObject<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape, z.core.$strip> {
  return z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/** One of the values the document lists, or a text it does not list yet. Editors still offer the listed ones. */
export type Open<Value extends string> = Value | (string & Record<never, never>);

/** Schema of `Open`: any text passes, another type does not. */
export function openEnum<const Values extends readonly string[]>(
  values: Values,
): z.ZodType<Open<Values[number]>, Open<Values[number]>> {
  return z.string().meta({ examples: [...values] });
}

/** An object about whose inside the document says nothing. */
export const anyObject = z.record(z.string(), z.unknown());
