import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shippedSounds } from "../../../src/notifiers/sound.ts";
import { render, sounds } from "../../../templates/sounds/make.ts";

const names = Object.keys(sounds) as (keyof typeof sounds)[];

test("the notifier's sounds are the generated ones", () => {
  expect(names.toSorted()).toEqual([...shippedSounds].sort());
});

test.each(names)("%s.wav matches its source", (name) => {
  const committed = readFileSync(join(import.meta.dirname, `../../../templates/sounds/${name}.wav`));
  expect(committed.equals(render(sounds[name]))).toBe(true);
});

test.each(names)("%s is short, neither loud nor silent, and begins and ends without a click", (name) => {
  const bytes = render(sounds[name]);
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
