import { expect, test } from "vitest";
import { type Kind, kinds } from "../../src/core/vocabulary.ts";
import { mattermost } from "../../src/notifiers/mattermost.ts";
import { makePayload } from "./contract/make-request.ts";

test("words and whole addresses stay unchanged, and markup has no effect", () => {
  const texts = {
    'May I run (it)? It\'s done - 50% - see a.b, "x"!': 'May I run (it)? It\'s done - 50% - see a.b, "x"!',
    "See https://example.org/pull/12?page=1, or (https://a.de).":
      "See https://example.org/pull/12?page=1, or (https://a.de).",
    "https://e.example/%zz": "https&#58;//e.example/%zz", // an address that would vanish
    "www.e.de e.de/%zz": "www&#46;e.de e.de&#47;%zz",
    "<https://e.example|x>": "&#60;https&#58;//e.example&#124;x&#62;",
    "@all": "@\u200ball",
  };
  const post = (body: string): string =>
    makePayload(mattermost, { url: "https://h/x" }, { message: { body, kind: "info" }, isFallback: true }).text;
  const posted = Object.keys(texts).map((body) => [body, post(body).replace(/^t\n/, "")]);
  expect(Object.fromEntries(posted)).toEqual(texts);
});

test("a message that needs the user is important, except in the fallback form", () => {
  const makePriority = (kind: Kind, isFallback: boolean) =>
    makePayload(mattermost, { url: "https://h/x" }, { message: { kind }, isFallback }).priority;
  expect(kinds.filter((kind) => makePriority(kind, false))).toEqual(["needs-you", "failed"]);
  expect(makePriority("needs-you", false)).toEqual({ priority: "important" });
  expect(makePriority("failed", false)).toEqual({ priority: "important" });
  expect(kinds.filter((kind) => makePriority(kind, true))).toEqual([]);
});
