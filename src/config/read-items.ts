import type * as z from "zod";
import { check, isJsonObject, type JsonObject, type Report } from "./check.ts";

/**
 * A section of the configuration without those items of one of its lists that are wrong: each is disabled alone, with a
 * finding. Everything else in it is left to its schema.
 * @param path of the list: the section's name and its own
 * @param schemaOf the schema of an item
 */
export function readItems(
  file: JsonObject,
  [section, list]: readonly [section: string, list: string],
  schemaOf: (item: unknown) => z.ZodType,
  report: Report,
): JsonObject {
  const value = file[section];
  const items = isJsonObject(value) ? value[list] : undefined;
  if (!isJsonObject(value) || !Array.isArray(items)) return file;
  const valid = items.flatMap((entry: unknown, index) => {
    const { input, findings } = check(schemaOf(entry), entry, [section, list, index]);
    report(...findings);
    return input === undefined ? [] : [input];
  });
  return { ...file, [section]: { ...value, [list]: valid } };
}
