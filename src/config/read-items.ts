import { isObject, type JsonObject } from "../core/json-value.ts";
import { check, type Report } from "./check.ts";
import { itemSchemas } from "./sections.ts";

/**
 * The configuration without those items of the lists in `itemSchemas` that are wrong: each is disabled alone, with a
 * finding. Everything else is left to the schemas of the sections.
 */
export async function readItems(file: JsonObject, report: Report): Promise<JsonObject> {
  const read: Record<string, unknown> = { ...file };
  for (const { section, list, load } of itemSchemas) {
    const value = file[section];
    const items = isObject(value) ? value[list] : undefined;
    if (!isObject(value) || !Array.isArray(items)) continue;
    const schemaOf = await load();
    const valid = items.flatMap((entry: unknown, index) => {
      const { input, findings } = check(schemaOf(entry), entry, [section, list, index]);
      report(...findings);
      return input === undefined ? [] : [input];
    });
    read[section] = { ...value, [list]: valid };
  }
  return read;
}
