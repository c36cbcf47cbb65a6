import type * as z from "zod";

/** Makes optional members of an object, all with the same schema. */
export function optionalMembers<Schema extends z.ZodType>(names: readonly string[], schema: Schema) {
  return Object.fromEntries(names.map((name) => [name, schema.optional()]));
}
