import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mask } from "../../../src/text/mask/mask.ts";

/**
 * Texts written by an author who had not read the rules: with a made-up secret in a form that `source` documents, or
 * without a secret.
 */
type Sample = { kind: "secret"; text: string; secret: string; source: string } | { kind: "innocent"; text: string };

const file = join(import.meta.dirname, "../../fixtures/masking/other-hand.json");
const samples: Sample[] = JSON.parse(readFileSync(file, "utf8"));
const secrets = samples.filter((sample) => sample.kind === "secret");
const innocents = samples.filter((sample) => sample.kind === "innocent");

test("the corpus has enough samples, each once, and each secret is in its text", () => {
  expect(secrets.length).toBeGreaterThanOrEqual(175);
  expect(innocents.length).toBeGreaterThanOrEqual(100);
  expect(new Set(samples.map(({ text }) => text)).size).toBe(samples.length);
  expect(secrets.filter(({ text, secret, source }) => !text.includes(secret) || !/^https:/.test(source))).toEqual([]);
});

test("at least 95 of 100 secrets are hidden", () => {
  const missed = secrets.filter(({ text, secret }) => mask(text).includes(secret)).map(({ text }) => text);
  expect(missed.length / secrets.length, missed.join("\n")).toBeLessThanOrEqual(0.05);
});

test("at most 1 of 100 texts without a secret is changed", () => {
  const changed = innocents.filter(({ text }) => mask(text) !== text).map(({ text }) => `${text}\n  ${mask(text)}`);
  expect(changed.length / innocents.length, changed.join("\n")).toBeLessThanOrEqual(0.01);
});
