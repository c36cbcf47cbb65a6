import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { secretsIn, withoutSecrets } from "../../src/config/secrets.ts";
import { programArgument, secret } from "../../src/core/secret.ts";

const key = secret(z.string());
const schema = z.object({
  name: z.string(),
  key: key.optional().describe("a key"),
  keys: z.array(key).default([]),
  byName: z.record(z.string(), key).prefault({}),
  deep: z.object({ list: z.array(z.object({ key })) }).optional(),
  free: z.record(z.string(), z.unknown()).default({}),
  either: z
    .union([z.string(), z.object({ token: z.string(), here: z.string() }), z.object({ token: secret(z.string()) })])
    .optional(),
  words: z.tuple([z.string()], z.string()).optional(),
});

test("only the program, the option names and references of a command line are shown", () => {
  const schema = z.object({ run: z.tuple([z.string()], programArgument()) });
  const run = ["/opt/notify", ..."--from me -u me:hunter22 -phunter22 --token=hunter22 ${env:TOKEN}".split(" "), ""];
  const shown = "/opt/notify --from [hidden] -u [hidden] [hidden] --token=[hidden] ${env:TOKEN} [hidden]";
  expect(withoutSecrets(schema, { run })).toEqual({ run: shown.split(" ") });
});

test("texts that the schema marks as secret are found and hidden, at any depth", () => {
  const value = { name: "n", key: "s-1", keys: ["s-2"], byName: { a: "s-3" }, deep: { list: [{ key: "s-4" }] } };
  expect(secretsIn(schema, value)).toEqual(["s-1", "s-2", "s-3", "s-4"]);
  const hidden = JSON.parse(JSON.stringify(value).replaceAll(/s-\d/g, "[secret]"));
  expect(withoutSecrets(schema, value)).toEqual(hidden);
});

test("undescribed texts are hidden, but not treated as secrets", () => {
  const free = { colour: "red", n: 1, deep: [{ token: "x" }] };
  const value = { free, either: { token: "x", here: "x" }, stray: "x" };
  expect(withoutSecrets(schema, value)).toEqual({
    free: { colour: "[secret]", n: 1, deep: [{ token: "[secret]" }] },
    either: { token: "[secret]", here: "x" }, // one of the two schemas knows `here`, both have a `token`
    stray: "[secret]",
  });
  expect(secretsIn(schema, value)).toEqual([]);
});

test.each([
  ["${env:NAME}", "${env:NAME}"],
  ["${file:~/.secrets/hook}", "${file:~/.secrets/hook}"],
  ["${command:pass}", "${command:pass}"],
  ["${command:vault read --token abc}", "${command:vault …}"],
  ["x${env:NAME}", "[secret]"],
])("%s is shown as %s", (text, shown) => expect(withoutSecrets(schema, { key: text })).toEqual({ key: shown }));

test("texts known to be public stay", () => {
  const value = { name: "plain", either: "text", words: ["run", "--fast"] };
  expect(withoutSecrets(schema, value)).toEqual(value);
});

test("no secret survives, whatever the shape of the value", () => {
  const canary = fc.constant("canary-7Xw");
  const { value } = fc.letrec((tie) => {
    const list = fc.array(tie("value"), { maxLength: 3 });
    return { value: fc.oneof(canary, list, fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 })) };
  });
  const keys = fc.constantFrom("key", "keys", "byName", "deep", "free", "stray");
  const property = fc.property(fc.dictionary(keys, value), (settings) => {
    expect(JSON.stringify(withoutSecrets(schema, settings))).not.toContain("canary-7Xw");
  });
  fc.assert(property, { numRuns: 300 });
});
