import fc from "fast-check";
import { expect, test } from "vitest";
import { breakBehind, escapeEntities } from "../../../src/notifiers/shared/markup.ts";

const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: "&", lt: "<", gt: ">" })[name] ?? "");

test("escaped text has no bracket and no bare ampersand, and reads as the text", () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom("&", "<", ">", "&amp;", "&lt;", "<!channel>", "$&"), fc.string()))
    .map((bits) => bits.join(""));
  fc.assert(
    fc.property(text, (plain) => {
      const escaped = escapeEntities(plain);
      expect(escaped).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
      expect(decode(escaped)).toBe(plain);
    }),
    { numRuns: 300 },
  );
});

test("an entity in a text stays text", () => {
  expect(escapeEntities("&lt;b&gt; <@U1> & co")).toBe("&amp;lt;b&amp;gt; &lt;@U1&gt; &amp; co");
});

test("every match is followed by a zero-width space, so that the text can be read back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom("@", "<", "@\u200b", "<at", "@@"), (rest, mark) => {
      const text = mark + rest + mark;
      const broken = breakBehind(text, /[@<]/g);
      expect(broken).not.toMatch(/[@<](?!\u200b)/);
      expect(broken.replace(/([@<])\u200b/g, "$1")).toBe(text);
    }),
    { numRuns: 300 },
  );
});
