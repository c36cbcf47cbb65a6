import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configJsonSchema } from "../../scripts/docs/config-schema.ts";
import { settingNames } from "../../src/config/config-table.ts";
import { commonNotifierSettings } from "../../src/config/templates-table.ts";
import { lookupLoaders } from "../../src/lookups/registry.ts";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { collectFailures } from "../world/collect-failures.ts";

const committed = join(import.meta.dirname, "..", "..", "templates", "config.schema.json");

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly const?: string;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}
const schema = (await configJsonSchema()) as Schema;
const entries = (schema.properties?.["notifiers"]?.additionalProperties || {}) as Schema;

test("the committed schema is the generated one", () => {
  expect(readFileSync(committed, "utf8")).toBe(`${JSON.stringify(schema, null, 2)}\n`);
});

test("the schema has exactly the keys that the parser knows", async () => {
  const sections = await Promise.all(Object.values(lookupLoaders).map((load) => load()));
  const names = sections.flatMap(({ name, settings }) => (settings ? [name] : []));
  expect(Object.keys(schema.properties ?? {}).sort()).toEqual([...settingNames, ...names].sort());
  expect(schema.additionalProperties).toBe(false);
});

test("every key of the file is described, and none is required", () => {
  expect(Object.entries(schema.properties ?? {}).filter(([, { description }]) => !description)).toEqual([]);
  expect(schema.required ?? []).toEqual([]);
});

test("the schema distinguishes notifiers by type", () => {
  const types = entries.oneOf?.map(({ properties }) => properties?.["type"]?.const);
  expect(types).toEqual(Object.keys(notifierLoaders));
});

test("each notifier has a summary and described settings, and requires those without defaults", async () => {
  const check = async (type: string) => {
    const notifier = await notifierLoaders[type]?.();
    const entry = entries.oneOf?.find(({ properties }) => properties?.["type"]?.const === type);
    expect(entry).toMatchObject({ description: notifier?.summary, additionalProperties: false });
    const settings = entry?.properties ?? {};
    const own = Object.entries(notifier?.settings.shape ?? {});
    const wanted = [...own.map(([name]) => name), "type", ...Object.keys(commonNotifierSettings.shape)];
    expect(Object.keys(settings)).toEqual(wanted);
    const undescribed = Object.entries(settings).filter(([key, { description }]) => key !== "type" && !description);
    expect(undescribed).toEqual([]);
    const optional = own.filter(([, setting]) => setting.safeParse(undefined).success).map(([name]) => name);
    expect(entry?.required?.filter((name) => optional.includes(name))).toEqual([]);
  };
  expect(await collectFailures(Object.keys(notifierLoaders), check)).toEqual([]);
});
