import type * as z from "zod";
import { isObject, type JsonObject } from "../core/json-value.ts";

type Definition = Pick<z.core.$ZodTypeDef, "type"> &
  Readonly<Record<"innerType" | "element" | "valueType", z.core.$ZodType>> & { readonly shape: z.core.$ZodShape };

/**
 * A value without the nulls in optional fields of a schema, at every depth: for the service, null means absent. A null
 * that the schema allows stays, and so does one in a required field, for the schema to reject.
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

/** The fields with their new values; those without one are left out. */
function mapFields(fields: JsonObject, change: (name: string, value: unknown) => unknown): JsonObject {
  const changed = Object.entries(fields).map(([name, value]) => [name, change(name, value)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}

/** Whether a field may be absent but not null. */
function isOptionalOnly({ _zod }: z.core.$ZodType): boolean {
  const { type, innerType } = _zod.def as unknown as Definition;
  return type === "optional" && innerType._zod.def.type !== "nullable";
}
