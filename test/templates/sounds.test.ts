import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { shippedSounds } from "../../src/notifiers/sound.ts";

const folder = join(import.meta.dirname, "../../templates/sounds");
const files = readdirSync(folder).filter((file) => file.endsWith(".wav"));

test("the notifier's sounds are the files there", () => {
  expect(files.map((file) => basename(file, ".wav")).toSorted()).toEqual([...shippedSounds].sort());
});

test.each(files)("%s is short, neither loud nor silent, and begins and ends without a click", (file) => {
  const bytes = readFileSync(join(folder, file));
  const samples = Array.from(
    { length: (bytes.length - 44) / 2 },
    (_, index) => bytes.readInt16LE(44 + index * 2) / 32_768,
  );
  const seconds = samples.length / 22_050;
  const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
  expect(seconds).toBeGreaterThanOrEqual(0.3);
  expect(seconds).toBeLessThanOrEqual(0.9);
  expect(Math.max(...samples.map(Math.abs))).toBeLessThan(0.9);
  expect(rms).toBeGreaterThan(0.05);
  expect(rms).toBeLessThan(0.3);
  const edges = [...samples.slice(0, 5), ...samples.slice(-5)];
  expect(Math.max(...edges.map(Math.abs))).toBeLessThan(0.02);
});
