import type * as z from "zod";
import { schemaAt, unwrapSchema } from "../../../../core/unwrap-schema.ts";
import { unixMs, wholeUnixMs } from "../../../../service/schemas/open.ts";

/** Greatest distance of a `Date` from 1970, milliseconds. */
const maxDateMs = 8.64e15;

/**
 * Replaces the instants in a reply, as its schema names them, by texts. Everything else stays unchanged: fields that the
 * schema does not know may be called like an instant and hold any number.
 * @param format default: ISO 8601
 */
export function withInstants<T>(schema: z.ZodType, value: T, format = formatIso): T {
  const convert = (inner: unknown, type: z.ZodType): unknown => {
    const plain = unwrapSchema(type);
    if (plain === unixMs || plain === wholeUnixMs)
      return Math.abs(Number(inner)) <= maxDateMs ? format(Number(inner)) : inner;
    if (Array.isArray(inner)) return inner.map((item, index) => convert(item, schemaAt(plain, index)));
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, field]) => [key, convert(field, schemaAt(plain, key))]));
  };
  return convert(value, schema) as T;
}

function formatIso(ms: number): string {
  return new Date(ms).toISOString();
}
