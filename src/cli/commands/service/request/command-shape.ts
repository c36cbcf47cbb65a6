import * as z from "zod";
import { kebabCase } from "../../../../core/vocabulary.ts";

/** How a value is written on the command line. `texts` are given one by one, the option repeated. */
export type FieldKind = "text" | "number" | "texts" | "json";

/** A query parameter or a field of a body, as an option. */
export interface Field {
  /** Where it goes in the query or body: one name, or two for a part of an object. */
  readonly path: readonly [string, ...string[]];
  readonly flag: `--${string}`;
  readonly kind: FieldKind;
  /** The only values it takes, where it is so. */
  readonly choices?: readonly string[];
  readonly description: string;
  readonly isRequired: boolean;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Options for everything a query or body can hold, in its order. An object is one option, as JSON, and besides each of
 * its own fields is one, unless its name is taken.
 */
export function fieldsOf(schema: z.ZodObject): Field[] {
  const outer = fieldsIn(jsonSchemaOf(schema), []);
  const inner = outer.flatMap(({ path: [name] }) => fieldsIn(propertyOf(jsonSchemaOf(schema), name), [name]));
  const taken = new Set(outer.map(({ flag }) => flag));
  return [...outer, ...inner.filter(({ flag }) => !taken.has(flag))];
}

function jsonSchemaOf(schema: z.ZodObject): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function propertyOf({ properties = {} }: JsonSchema, name: string): JsonSchema {
  return (properties[name] ?? {}) as JsonSchema;
}

function fieldsIn(schema: JsonSchema, at: readonly string[]): Field[] {
  return Object.keys(schema.properties ?? {}).map((name) => {
    const property = propertyOf(schema, name);
    const choices = (property.const === undefined ? property.enum : [property.const])?.map(String);
    return {
      path: [...at, name] as unknown as Field["path"],
      flag: `--${kebabCase(name)}`,
      kind: kindOf(property),
      ...(choices && { choices }),
      description: property.description ?? "",
      isRequired: at.length === 0 && schema.required?.includes(name) === true,
    };
  });
}

function kindOf({ type, items }: JsonSchema): FieldKind {
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return (items as JsonSchema | undefined)?.type === "string" ? "texts" : "json";
  return type === "object" ? "json" : "text";
}
