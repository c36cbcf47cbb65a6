import * as z from "zod";
import { isObject, type JsonObject } from "../core/json-value.ts";
import type { Lookup } from "../core/lookup.ts";
import { check, type Report } from "./check.ts";
import { withoutSecrets } from "./secrets.ts";

/** What the configuration says of a lookup as far as it is valid; references unresolved, unknown keys left out. */
interface LookupSection {
  /** Absent if an error was found outside the profiles. */
  readonly settings?: unknown;
  /** By name; one with an error is not among them. Absent where the section has none. */
  readonly profiles?: JsonObject;
}

type Sectioned = Pick<Lookup, "name" | "settings" | "profile">;

/** The schema of a lookup's section in the configuration: its settings, and its profiles if it has any. */
export function lookupSectionSchema({ settings = z.object({}), profile }: Omit<Sectioned, "name">): z.ZodObject {
  if (profile === undefined) return settings.strict();
  const profiles = z
    .record(z.string(), profile.strict())
    .optional()
    .describe("Other organizations by names of your choice, for `--profile`; each has what it sets differently.");
  return settings.extend({ profiles }).strict();
}

/** Reads a lookup's section. A profile with an error is disabled alone. */
export function readLookupSection({ name, ...lookup }: Sectioned, section: unknown, report: Report): LookupSection {
  const entries = lookup.profile && isObject(section) && isObject(section["profiles"]) && section["profiles"];
  const own = entries ? { ...(section as JsonObject), profiles: {} } : section;
  const { input, findings } = check(lookupSectionSchema(lookup), own, [name], () => true);
  report(...findings);
  if (!entries || !lookup.profile) return { settings: input };
  const { profiles: _, ...settings } = (input ?? {}) as JsonObject;
  const profiles = readProfiles(lookup.profile, entries, [name, "profiles"], report);
  return { ...(input !== undefined && { settings }), profiles };
}

function readProfiles(schema: z.ZodObject, entries: JsonObject, at: readonly string[], report: Report): JsonObject {
  const read = Object.entries(entries).flatMap(([name, entry]) => {
    const { input, findings } = check(schema.strict(), entry, [...at, name], () => true);
    report(...findings);
    return input === undefined ? [] : [[name, input] as const];
  });
  return Object.fromEntries(read);
}

/** A lookup's section in the form of the file: `[secret]` in place of every secret. */
export function showLookupSection(lookup: Omit<Sectioned, "name">, { settings, profiles }: LookupSection): unknown {
  return withoutSecrets(lookupSectionSchema(lookup), { ...(settings ?? {}), ...(profiles && { profiles }) });
}
