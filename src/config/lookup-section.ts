import * as z from "zod";
import { isObject, type JsonObject } from "../core/json-value.ts";
import type { Lookup } from "../core/lookup.ts";
import { lookupLoaders } from "../lookups/registry.ts";
import { check, type Report } from "./check.ts";
import { withoutSecrets } from "./secrets.ts";

type Sectioned = Pick<Lookup, "name" | "settings" | "profile">;

/** Builds the schema of a lookup's section: its settings, and its profiles if it has any. */
export function lookupSectionSchema({ settings = z.object({}), profile }: Omit<Sectioned, "name">): z.ZodObject {
  if (profile === undefined) return settings.strict();
  const profiles = z
    .record(z.string(), profile.strict())
    .optional()
    .describe("Other organizations, by names of your choice, with the settings that differ.");
  return settings.extend({ profiles }).strict();
}

/**
 * Reads a lookup's section. An error in a profile only disables that profile.
 * @returns valid settings and profiles, with unresolved references and without unknown keys. Settings are undefined
 * after an error outside the profiles, profiles if the section has none
 */
export function readLookupSection({ name, ...lookup }: Sectioned, section: unknown, report: Report) {
  const entries = lookup.profile && isObject(section) && isObject(section["profiles"]) && section["profiles"];
  const own = entries ? { ...(section as JsonObject), profiles: {} } : section;
  const { input, findings } = check(lookupSectionSchema(lookup), own, [name], () => true);
  report(...findings);
  if (!entries || !lookup.profile) return { settings: input, profiles: undefined };
  const { profiles: _, ...settings } = (input ?? {}) as JsonObject;
  const schema = lookup.profile.strict();
  const profiles = Object.entries(entries).flatMap(([key, entry]) => {
    const profile = check(schema, entry, [name, "profiles", key], () => true);
    report(...profile.findings);
    return profile.input === undefined ? [] : [[key, profile.input] as const];
  });
  return { settings: input && settings, profiles: Object.fromEntries(profiles) };
}

/** Formats a lookup's section in the form of the file, with `[secret]` for secrets. */
export function showLookupSection(lookup: Omit<Sectioned, "name">, { settings, profiles }: JsonObject): unknown {
  return withoutSecrets(lookupSectionSchema(lookup), { ...(settings ?? {}), ...(profiles ? { profiles } : {}) });
}

/** Names of lookups. */
export const lookupsSchema = z.array(z.enum(Object.keys(lookupLoaders))).optional();
