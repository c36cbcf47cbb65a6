import * as z from "zod";
import { kebabCase } from "../../../../core/vocabulary.ts";
import type { Endpoint } from "../../../../service/endpoint.ts";

/** Returns the words of an operation's command, e.g. `["enterprise-controls", "history"]`. */
export function commandWords({ name }: Pick<Endpoint, "name">): [resource: string, verb: string] {
  const [resource = "", verb = ""] = name.split(".").map(kebabCase);
  return [resource, verb];
}

/** Returns a hint that points to the help of an operation's command. */
export function helpHint(endpoint: Pick<Endpoint, "name">): string {
  return `See \`beckon service ${commandWords(endpoint).filter(Boolean).join(" ")} --help\`.`;
}

/** Lists the ids in an operation's path, in order. The ids are positional arguments of the operation's command. */
export function pathIds({ path }: { readonly path: string }): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Form of an option's value on the command line. `texts` is given by repeating the option. */
export type FieldKind = "text" | "number" | "texts" | "json";

/** Query parameter or body field, as an option. */
export interface Field {
  /** Path in the query or body: one name, or two for a field of an object. */
  readonly path: readonly [string, ...string[]];
  readonly flag: `--${string}`;
  readonly kind: FieldKind;
  /** Accepted values; absent if any value is accepted. */
  readonly choices?: readonly string[];
  readonly description: string;
  readonly isRequired: boolean;
}

/**
 * Option for the maximum number of rows. The API's own `limit` is the size of a page, and is computed from this option.
 */
export const rowLimitFlag = "--limit";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Lists the options for a query or body, in the schema's order. An object is one option, as JSON. Each of its fields is
 * an option too, unless another option has that name.
 */
export function listFields(schema: z.ZodObject): Field[] {
  const outer = fieldsIn(toJsonSchema(schema), []);
  const inner = outer.flatMap(({ path: [name] }) => fieldsIn(findProperty(toJsonSchema(schema), name), [name]));
  const taken = new Set(outer.map(({ flag }) => flag));
  return [...outer, ...inner.filter(({ flag }) => !taken.has(flag))];
}

function toJsonSchema(schema: z.ZodObject): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

function findProperty({ properties = {} }: JsonSchema, name: string): JsonSchema {
  return (properties[name] ?? {}) as JsonSchema;
}

function fieldsIn(schema: JsonSchema, outerPath: readonly string[]): Field[] {
  return Object.keys(schema.properties ?? {}).map((name) => {
    const property = findProperty(schema, name);
    const choices = (property.const === undefined ? property.enum : [property.const])?.map(String);
    return {
      path: [...outerPath, name] as unknown as Field["path"],
      flag: `--${kebabCase(name)}`,
      kind: classifyField(property),
      ...(choices && { choices }),
      description: property.description ?? "",
      isRequired: outerPath.length === 0 && schema.required?.includes(name) === true,
    };
  });
}

function classifyField({ type, items }: JsonSchema): FieldKind {
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return (items as JsonSchema | undefined)?.type === "string" ? "texts" : "json";
  return type === "object" ? "json" : "text";
}
