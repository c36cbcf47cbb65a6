import { expect, test } from "vitest";
import * as z from "zod";
import { configTable, settingNames } from "../../src/config/config-table.ts";
import { defaultValues, parseConfig, type SectionName, sectionSchemas } from "../../src/config/parse.ts";

const names = Object.keys(sectionSchemas) as SectionName[];

test("every setting of the table is a section, or has a separate reader", () => {
  expect([...names, "notifiers", "routes", "lookups"].sort()).toEqual([...settingNames].sort());
});

test.each(names)("%s is read from the file as the table says, or has its default", async (name) => {
  const { [name]: absent } = await parseConfig("{}");
  expect(absent).toEqual(configTable[name].parse(undefined));
  const written = z.encode(configTable[name] as z.ZodType, defaultValues[name] ?? samples[name]);
  const { [name]: value, findings } = await parseConfig(JSON.stringify({ [name]: written }));
  expect({ value, findings }).toEqual({ value: configTable[name].parse(written), findings: [] });
});

test("a request at the terminal that you look at may be delayed, and never skipped", async () => {
  const read = async (value: string) =>
    parseConfig(JSON.stringify({ attention: { watching: { "needs-you": value } } }));
  expect((await read("2m")).attention.watching["needs-you"]).toBe(120_000);
  const { attention, findings } = await read("skip");
  expect(attention.watching["needs-you"]).toBe(30_000);
  expect(findings).toMatchObject([{ level: "error", path: "attention.watching.needs-you" }]);
});

/** Values of the settings without defaults. */
const samples: Partial<Record<SectionName, unknown>> = {
  $schema: "./config.schema.json",
  relay: { from: [{ via: ["ssh", "devbox"], host: "devbox" }] },
};
