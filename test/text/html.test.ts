import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml, Html, html } from "../../src/text/html.ts";

const entities: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" },
};
const decode = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? "");

test("escaped text has no markup characters, and the same meaning", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("<", ">", "&", '"', "'", "a", ";", "lt", "é") }), (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
      expect(decode(escaped)).toBe(text);
    }),
  );
});

test.each([
  ["escapes text", html`<b>${"<i>"}</b>`, "<b>&lt;i&gt;</b>"],
  ["leaves markup", html`<b>${html`<i>`}</b>`, "<b><i></b>"],
  ["takes numbers", html`<b>${3}</b>`, "<b>3</b>"],
  ["joins lists, at every depth", html`${[html`<i>`, ["&", [1]]]}`, "<i>&amp;1"],
  ["is empty for an empty list", html`<b>${[]}</b>`, "<b></b>"],
  ["takes markup made elsewhere", html`${new Html("<hr>")}`, "<hr>"],
])("a template %s", (_, { text }, expected) => {
  expect(text).toBe(expected);
});
