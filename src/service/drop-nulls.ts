import type * as z from "zod";
import { isObject, type JsonObject } from "../core/json-value.ts";

type Definition = Pick<z.core.$ZodTypeDef, "type"> &
  Readonly<Record<"innerType" | "element" | "valueType", z.core.$ZodType>> & { readonly shape: z.core.$ZodShape };

/**
 * Drops optional fields that are null, at every depth, because the service sends null for an absent value. Keeps nulls
 * that the schema allows, and nulls in required fields, which the schema rejects.
 */
export function dropNulls(schema: z.core.$ZodType, value: unknown): unknown {
  const { type, innerType, element, valueType, shape } = schema._zod.def as unknown as Definition;
  if (type === "optional" || type === "nullable") return dropNulls(innerType, value);
  if (type === "array") return Array.isArray(value) ? value.map((item) => dropNulls(element, item)) : value;
  if (!isObject(value)) return value;
  if (type === "record") return mapFields(value, (_, inner) => dropNulls(valueType, inner));
  if (type !== "object") return value;
  return mapFields(value, (name, inner) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field === undefined) return inner;
    return inner === null && isOptionalOnly(field) ? undefined : dropNulls(field, inner);
  });
}

/** Maps the values of an object's fields. Leaves out fields whose new value is undefined. */
function mapFields(fields: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  const changed = Object.entries(fields).map(([name, value]) => [name, change(name, value)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}

/** Tells if a field may be absent but not null. */
function isOptionalOnly({ _zod }: z.core.$ZodType): boolean {
  const { type, innerType } = _zod.def as unknown as Definition;
  return type === "optional" && innerType._zod.def.type !== "nullable";
}
