import type * as z from "zod";
import { isObject, type JsonObject } from "../core/json-value.ts";

type Check = (value: unknown) => boolean;
type Inner = Readonly<Record<"innerType" | "element" | "keyType" | "valueType", z.core.$ZodType>>;
/** Parts of a schema. The schema's `type` decides which of them exist. */
type Definition = Pick<z.core.$ZodTypeDef, "type" | "checks"> &
  Inner & { readonly format?: string; readonly shape: z.core.$ZodShape; readonly catchall?: z.core.$ZodType };

const checks = new WeakMap<z.core.$ZodType, Check>();

/**
 * Tells if `schema.parse` would return the value unchanged, without making a copy, which takes most of the time of
 * parsing a large page. If false, call `schema.parse`, which may still accept the value.
 */
export function matchesSchema(schema: z.core.$ZodType, value: unknown): boolean {
  return compileCheck(schema)(value);
}

function compileCheck(schema: z.core.$ZodType): Check {
  const known = checks.get(schema);
  if (known) return known;
  const check = makeCheck(schema._zod.def as unknown as Definition);
  checks.set(schema, check);
  return check;
}

const never: Check = () => false;
const string: Check = (value) => typeof value === "string";
const finite: Check = Number.isFinite;

function makeCheck(def: Definition): Check {
  if (def.checks !== undefined && def.checks.length > 0) return never;
  switch (def.type) {
    case "unknown":
      return () => true;
    case "string":
      return def.format === undefined ? string : never;
    case "boolean":
      return (value) => typeof value === "boolean";
    case "number":
      return numberCheck(def.format);
    case "optional":
      return or(undefined, compileCheck(def.innerType));
    case "nullable":
      return or(null, compileCheck(def.innerType));
    case "array":
      return every(compileCheck(def.element));
    case "record":
      return compileCheck(def.keyType)("any text") ? values(compileCheck(def.valueType)) : never;
    case "object":
      return def.catchall?._zod.def.type === "unknown" ? fields(def.shape) : never;
    default:
      return never;
  }
}

function numberCheck(format: string | undefined): Check {
  if (format === undefined) return finite;
  return format === "safeint" ? Number.isSafeInteger : never;
}

function or(other: undefined | null, check: Check): Check {
  return (value) => value === other || check(value);
}

function every(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function values(check: Check): Check {
  return (value) => hasPlainFields(value) && Object.values(value).every(check);
}

/**
 * Makes a function that checks an object's fields. It runs for each field of each row, so it is written for speed: V8
 * reads fields in a `for…in` loop without a lookup, unless a closure holds the value, and plain texts and numbers are
 * checked without a call.
 */
function fields(shape: z.core.$ZodShape): Check {
  const names = Object.keys(shape);
  const fieldChecks = Object.values(shape).map(compileCheck);
  const positions = new Map(names.map((name, position) => [name, position]));
  const isComplete = (value: JsonObject): boolean => names.every((name, index) => fieldChecks[index]?.(value[name]));
  return (value) => {
    if (!hasPlainFields(value)) return false;
    let next = 0;
    let found = 0;
    for (const name in value) {
      const position = names[next] === name ? next : positions.get(name);
      if (position === undefined) continue;
      next = position + 1;
      found += 1;
      const field = value[name];
      const check = fieldChecks[position] as Check;
      if (check === string ? typeof field !== "string" : check === finite ? !Number.isFinite(field) : !check(field)) {
        return false;
      }
    }
    return found === names.length || isComplete(value);
  };
}

/** Rejects an object with a field `__proto__`: zod drops that field, so the value would change. */
function hasPlainFields(value: unknown): value is JsonObject {
  return isObject(value) && !Object.hasOwn(value, "__proto__");
}
