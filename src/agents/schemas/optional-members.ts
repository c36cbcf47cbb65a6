import type * as z from "zod";

/** Members of an object that have the same type, none of them required. */
export function optionalMembers<Schema extends z.ZodType>(names: readonly string[], schema: Schema) {
  return Object.fromEntries(names.map((name) => [name, schema.optional()]));
}
