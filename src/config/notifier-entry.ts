import type * as z from "zod";
import { check, type RawFinding } from "./check.ts";

/** An object of the configuration file, unchecked. */
export type Section = Readonly<Record<string, unknown>>;
/** Takes what was found wrong. */
export type Report = (...findings: readonly RawFinding[]) => void;

/** Whether a value is an object with names. */
export function isSection(value: unknown): value is Section {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a part that holds as a whole or not at all; undefined if an error was found. */
export function readPart<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  at: (string | number)[],
  report: Report,
) {
  const checked = check(schema, value, at);
  report(...checked.findings);
  return checked.value;
}

/** Reads a part whose settings stand each for itself: what is wrong is left out, or has its default. */
export function readEach<Schema extends z.ZodType>(schema: Schema, value: unknown, at: string[], report: Report) {
  const { value: whole, findings } = check(schema, value ?? {}, at);
  report(...findings);
  if (whole !== undefined || !isSection(value)) return whole ?? schema.parse({});
  const wrong = new Set(findings.filter(({ level }) => level === "error").map(({ path }) => path[at.length]));
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !wrong.has(key)));
  return check(schema, rest, at).value ?? schema.parse({});
}
