import fc from "fast-check";
import { expect, test } from "vitest";
import { resolveReferences } from "../../src/config/references.ts";
import { foreign, own } from "../../src/config/written-value.ts";
import type { ExecPort } from "../../src/core/ports.ts";

const exec = { run: () => expect.unreachable("a program was run") } as unknown as ExecPort;

const texts = fc.oneof(
  fc.string(),
  fc
    .tuple(fc.nat(4), fc.constantFrom("env:HOME", "file:/etc/hostname", "command:touch /x", "other:x"), fc.boolean())
    .map(([dollars, inner, isWhole]) => `${"$".repeat(dollars)}{${inner}}${isWhole ? "" : "x"}`),
);
const { value: values } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    texts,
    fc.integer(),
    fc.array(tie("value")),
    fc.dictionary(fc.constantFrom("seal", "servers", "next field"), tie("value"), { noNullPrototype: true }),
  ),
}));

test("a foreign value is unchanged after a round trip, without secrets or program runs", async () => {
  const property = fc.asyncProperty(values as fc.Arbitrary<unknown>, async (value) => {
    expect(await resolveReferences(foreign(value), "x", exec)).toEqual({ value, secrets: [] });
  });
  await fc.assert(property);
});

test("a reference that the user typed is resolved", async () => {
  const { value } = await resolveReferences(own({ a: ["${env:PATH}"] }), "x", exec);
  expect(value).toEqual({ a: [process.env["PATH"]] });
});
