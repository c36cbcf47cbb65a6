import { getNodeValue } from "jsonc-parser";
import * as z from "zod";
import { describeIssue } from "../core/issue-words.ts";
import { type JsonObject, toObject } from "../core/json-value.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { referencePattern } from "../core/secret.ts";
import { schemaAt, unwrapSchema } from "../core/unwrap-schema.ts";
import { correctTypo, didYouMean, nearest } from "../text/did-you-mean.ts";
import { explainPlainPart, plainPartHint } from "../text/glob.ts";
import { parseJsonc, showPath } from "../text/jsonc.ts";
import { templateNames } from "../text/template.ts";
import type { Finding } from "./config.ts";

type Path = readonly (string | number)[];
/** Finding whose line is not known yet. */
export type RawFinding = Omit<Finding, "path" | "line" | "column"> & { readonly path: Path };
/** Function that receives findings. */
export type Report = (...findings: readonly RawFinding[]) => void;

/** Result of checking a part of the configuration. */
interface Checked<Value> {
  /** Parsed value. Absent after an error, or if a reference must be resolved before the value can be parsed. */
  readonly value?: Value;
  /** Input without unknown keys. Absent after an error. */
  readonly input?: unknown;
  readonly findings: readonly RawFinding[];
}

/**
 * Checks a part of the configuration. Unknown keys are left out with a warning. A reference counts as any text until it
 * is resolved. Everything else that the schema refuses is an error.
 * @param at path of the part in the file
 * @param mayRefer checks if the value at a path in the part may be a reference
 */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: Path,
  mayRefer: (path: readonly PropertyKey[]) => boolean = () => false,
): Checked<z.output<Schema>> {
  const first = schema.safeParse(input, { error: describeIssue });
  if (first.success) return { value: first.data, input, findings: [] };
  const unknown = first.error.issues.filter((issue) => issue.code === "unrecognized_keys");
  const warnings = unknown.flatMap((issue) => unknownKeyFindings(schema, issue, at));
  const known = unknown.length === 0 ? input : withoutKeys(input, unknown);
  const second = unknown.length === 0 ? first : schema.safeParse(known, { error: describeIssue });
  if (second.success) return { value: second.data, input: known, findings: warnings };
  const isOpen = ({ path }: z.core.$ZodIssue) => mayRefer(path) && isReference(valueAt(known, path));
  const issues = second.error.issues.flatMap(innermost).filter((issue) => !isOpen(issue));
  if (issues.length === 0) return { input: known, findings: warnings };
  return { findings: [...warnings, ...issues.map((issue) => issueFinding(issue, known, at))] };
}

/** Warns about globs in a list at a path that match less than they seem to. */
export function globFindings(globs: readonly string[] | undefined, at: Path): RawFinding[] {
  return (globs ?? []).flatMap((glob, index): RawFinding[] => {
    const about = { level: "warning", path: [...at, index] } as const;
    const message = explainPlainPart(glob);
    if (message !== undefined) return [{ ...about, message, hint: plainPartHint }];
    const isNever = at.at(-1) === "projects" && /^[\w.-]+(?:\/|$)/.test(glob);
    const hint = `Write ~/${glob} or **/${glob.replace(/^\.\//, "")}`;
    return isNever ? [{ ...about, message: "matches no folder, because it is compared with whole paths", hint }] : [];
  });
}

/** Parses a part that must be valid as a whole. Returns undefined if it has an error. */
export function readWhole<Schema extends z.ZodType>(schema: Schema, input: unknown, at: Path, report: Report) {
  const { value, findings } = check(schema, input, at);
  report(...findings);
  return value;
}

/** Returns the issues of a union's closest alternative: the alternative whose errors lie deepest inside the value. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [issue];
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.max(...issues.map(({ path }) => path.length));
  const closest = [...issue.errors].sort((a, b) => depth(a) - depth(b)).at(-1) ?? [];
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/**
 * Reports settings at the top level of the file that beckon does not know.
 * @param known names of all settings
 * @param sections objects with the settings of a section, which are easily taken for settings at the top level
 */
export function reportUnknown(
  file: JsonObject,
  known: readonly string[],
  sections: Readonly<Record<string, object>>,
  report: Report,
): void {
  for (const key of Object.keys(file).filter((key) => !known.includes(key))) {
    const isNotifier = Object.hasOwn(toObject(file["notifiers"]), key);
    const inner = nearest(key, known) === undefined ? findInner(key, sections) : undefined;
    const meant = inner === undefined ? didYouMean(key, known) : `Did you mean \`${inner}\`?`;
    const hint = isNotifier ? `It is a notifier: notifiers.${key}` : meant;
    const isLoss = correctTypo(key, known) === "notifiers" && file["notifiers"] === undefined;
    if (isLoss)
      report({ level: "error", path: [key], message: "unknown setting, so your notifiers are not used", hint });
    else report({ level: "warning", path: [key], message: "unknown setting, ignored", hint });
  }
}

function findInner(key: string, sections: Readonly<Record<string, object>>): string | undefined {
  const found = Object.entries(sections).map(([section, settings]) => [section, nearest(key, Object.keys(settings))]);
  return found.find(([, name]) => name !== undefined)?.join(".");
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
  const isWrongChoice = typeof value === "string" && choices.length > 0;
  const hint = near ? `Did you mean {${near}}?` : isWrongChoice ? didYouMean(value, choices) : undefined;
  const missing = value === undefined && issue.code === "invalid_type";
  const said = issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
  const message = missing ? `${showPath(path)} is missing` : said.message;
  return omitUndefined<RawFinding>({ level: "error", path, message, hint });
}

/** Lists the keys of a schema's object at a path; empty if there is no object. */
function knownKeys(root: z.ZodType, path: Path): string[] {
  const schema = unwrapSchema(path.reduce(schemaAt, root));
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  return schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum ? schema.keyType.options.map(String) : [];
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

/** Variants of a notifier, as in its declaration. */
type Variants = readonly (readonly string[])[];
type Settings = Readonly<Record<string, unknown>>;

/** Finds the variants with at least one setting in an entry. */
export function startedVariants(variants: Variants, settings: Settings): Variants {
  return variants.filter((keys) => keys.some((key) => settings[key] !== undefined));
}

/** Formats the settings of each variant: `url`, or `server`, `token` and `channel`. */
export function variantsText(variants: Variants): string {
  const texts = variants.map((keys) => keys.map((key) => `\`${key}\``).join(", "));
  return texts.map((text) => text.replace(/, (?=[^,]*$)/, " and ")).join(", or ");
}

/**
 * Finds the error in an entry that has no variant, settings of several variants, or an incomplete variant.
 * @param at path of the entry in the file
 */
export function variantFindings(variants: Variants, settings: Settings, at: RawFinding["path"]): RawFinding[] {
  const started = startedVariants(variants, settings);
  const [first = [], ...others] = started.length > 0 ? started : variants;
  if (started.length > 1) {
    const message = "has settings for two ways of sending, but only one can be used";
    return [{ level: "error", path: at, message, hint: `Keep ${variantsText(variants)}.` }];
  }
  const instead = others.length > 0 ? `, or instead ${variantsText(others)}` : "";
  const missing = first.filter((key) => settings[key] === undefined);
  const reported = started.length === 0 ? missing.slice(0, 1) : missing;
  return reported.map((key) => {
    return { level: "error", path: [...at, key], message: `${showPath([...at, key])} is missing${instead}` };
  });
}

/** Maximum nesting depth of a configuration. Real configurations have five or six levels. */
const maxDepth = 100;

/**
 * Parses the text of a configuration: JSON with comments and trailing commas.
 * @returns value and tree of the readable part of the text, undefined if nothing is readable; and the first syntax error
 */
export function readJsonc(text: string) {
  const { tree, problem } = parseJsonc(text, maxDepth);
  const value: unknown = tree && getNodeValue(tree);
  if (!problem) return { value, tree };
  const { type, words, line, column } = problem;
  const message = type === "depth" ? "nested too deeply" : `not valid JSON: ${words}`;
  const hint =
    "To correct it: beckon config edit. Until then, the last file without an error applies, or else a part of this one.";
  const finding: Finding = { level: "error", path: "", line, column, message, hint };
  return { value, tree, finding };
}
