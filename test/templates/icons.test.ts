import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kinds } from "../../src/core/vocabulary.ts";

const folder = join(import.meta.dirname, "../../templates/icons");

test.each(kinds)("%s has a drawing, and transparent PNG icons 128 and 48 pixels wide", (kind) => {
  for (const [file, pixels] of [[`${kind}.png`, 128] as const, [`${kind}-48.png`, 48] as const]) {
    const png = readFileSync(join(folder, file));
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    const [width, height, colours] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
    expect({ width, height, colours }).toEqual({ width: pixels, height: pixels, colours: 6 });
  }
  // Paths alone: no fonts, scripts or other files, which viewers treat in different ways.
  expect(readFileSync(join(folder, `${kind}.svg`), "utf8")).not.toMatch(/<text|<script|<image|href|<style/);
});
