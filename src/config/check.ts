import * as z from "zod";
import { referencePattern } from "../core/secret.ts";
import { templateNames } from "../core/template.ts";
import type { Finding } from "./config.ts";
import { didYouMean, nearest, showPath } from "./did-you-mean.ts";

type Path = readonly (string | number)[];
/** A finding that does not know its line yet. */
export type RawFinding = Omit<Finding, "path" | "line" | "column"> & { readonly path: Path };

export interface Checked<Value> {
  /** Absent if an error was found. */
  readonly value?: Value;
  readonly findings: readonly RawFinding[];
}

/**
 * Checks a part of the configuration. Unknown keys are left out with a warning; a reference stands for any text until it
 * is resolved; everything else that the schema refuses is an error.
 * @param at where in the file the part is
 * @param mayRefer whether what is at a path of the part is resolved before it is used
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: Path,
  mayRefer: (path: readonly PropertyKey[]) => boolean = () => false,
): Checked<z.output<Schema>> {
  const first = schema.safeParse(input);
  if (first.success) return { value: first.data, findings: [] };
  const unknown = first.error.issues.filter((issue) => issue.code === "unrecognized_keys");
  const warnings = unknown.flatMap((issue) => unknownKeyFindings(schema, issue, at));
  const known = unknown.length === 0 ? input : withoutKeys(input, unknown);
  const second = unknown.length === 0 ? first : schema.safeParse(known);
  if (second.success) return { value: second.data, findings: warnings };
  const isOpen = ({ path }: z.core.$ZodIssue) => mayRefer(path) && isReference(valueAt(known, path));
  const issues = second.error.issues.flatMap(innermost).filter((issue) => !isOpen(issue));
  if (issues.length === 0) return { value: known as z.output<Schema>, findings: warnings };
  return { findings: [...warnings, ...issues.map((issue) => issueFinding(issue, known, at))] };
}

/** Of a union's issue the one of the alternative that came closest: the one that got deepest into the value. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(...issues.map(({ path }) => path.length));
  const closest = [...issue.errors].sort((a, b) => depth(a) - depth(b)).at(-1) ?? [];
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function unknownKeyFindings(schema: z.ZodType, issue: z.core.$ZodIssueUnrecognizedKeys, at: Path): RawFinding[] {
  const path = [...at, ...(issue.path as Path)];
  const known = knownKeys(schema, issue.path as Path);
  return issue.keys.map((key) => ({
    level: "warning",
    path: [...path, key],
    message: "unknown setting, ignored",
    hint: didYouMean(key, known),
  }));
}

function issueFinding(issue: z.core.$ZodIssue, input: unknown, at: Path): RawFinding {
  const path = [...at, ...(issue.path as Path)];
  const value = valueAt(input, issue.path);
  const name = issue.code === "custom" ? (issue.params?.["unknownName"] as string | undefined) : undefined;
  const near = name === undefined ? undefined : nearest(name, Object.keys(templateNames));
  const choices = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const hint = near
    ? `Did you mean {${near}}?`
    : typeof value === "string" && choices.length > 0 && didYouMean(value, choices);
  const missing = value === undefined && issue.code === "invalid_type";
  const message = missing ? `${showPath(path)} is missing` : issue.message;
  return { level: "error", path, message, ...(hint && { hint }) };
}

/** The keys an object schema knows at a path inside it. */
function knownKeys(schema: z.ZodType, path: Path): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return knownKeys(schema.unwrap() as z.ZodType, path);
  }
  const [head, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (head === undefined) return Object.keys(schema.shape);
    const inner = (schema.shape as Record<string, z.ZodType>)[String(head)];
    return inner ? knownKeys(inner, rest) : [];
  }
  if (schema instanceof z.ZodRecord) {
    if (head !== undefined) return knownKeys(schema.valueType as z.ZodType, rest);
    return schema.keyType instanceof z.ZodEnum ? schema.keyType.options.map(String) : [];
  }
  if (schema instanceof z.ZodArray && head !== undefined) return knownKeys(schema.element as z.ZodType, rest);
  return [];
}

function withoutKeys(input: unknown, issues: readonly z.core.$ZodIssueUnrecognizedKeys[]): unknown {
  const copy = structuredClone(input);
  for (const issue of issues) {
    const holder = valueAt(copy, issue.path) as Record<string, unknown>;
    for (const key of issue.keys) delete holder[key];
  }
  return copy;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function isReference(value: unknown): boolean {
  return typeof value === "string" && referencePattern.test(value);
}
