import * as z from "zod";

/** Returns the schema that `.optional()`, `.nullable()`, `.default()` or `.prefault()` wraps; others unchanged. */
export function unwrapSchema(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault;
  return isWrapper ? unwrapSchema(schema.unwrap() as z.ZodType) : schema;
}

/** Returns the schema of the member with this name or index; if unknown, a schema that accepts anything. */
export function schemaAt(wrapped: z.ZodType, key: string | number): z.ZodType {
  const schema = unwrapSchema(wrapped);
  if (schema instanceof z.ZodObject) {
    const shape = schema.shape as Record<string, z.ZodType>;
    return (Object.hasOwn(shape, key) && shape[key]) || z.unknown();
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option) => unwrapSchema(option as z.ZodType));
    const having = options.filter((option) => option instanceof z.ZodObject && Object.hasOwn(option.shape, key));
    return having.length === 1 && having[0] ? schemaAt(having[0], key) : z.unknown();
  }
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  return schema instanceof z.ZodArray && typeof key === "number" ? (schema.element as z.ZodType) : z.unknown();
}
