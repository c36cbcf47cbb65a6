import { expect, test } from "vitest";
import { correctTypo, didYouMean, nearest } from "../../src/text/did-you-mean.ts";

const known = ["slack", "sound", "webhook"];

test.each([
  ["slak", "slack"],
  ["SLACK", "slack"],
  ["webhok", "webhook"],
  ["slackChannel", "slack"],
  ["telegram", undefined],
  ["", undefined],
])("the known word nearest to %j is %j", (word, near) => {
  expect(nearest(word, known)).toBe(near);
});

test.each([
  ["Notificaton", "Notification"],
  ["session_end", "SessionEnd"],
  ["Stopp", "Stop"],
  ["Stop", undefined],
  ["SubagentStart", undefined],
  ["Setup", undefined],
])("%j is a misspelt %j", (word, meant) => {
  expect(correctTypo(word, ["Stop", "SubagentStop", "SessionEnd", "Notification"])).toBe(meant);
});

test("a hint names the nearest word, or all words", () => {
  expect(didYouMean("slak", known)).toBe("Did you mean `slack`?");
  expect(didYouMean("telegram", known)).toBe("Known: slack, sound, webhook.");
  expect(didYouMean("x", [])).toBe("There are none.");
  expect(didYouMean("foo", ["on", "off"])).toBe("Known: on, off.");
  expect(didYouMean("of", ["on", "off"])).toBe("Did you mean `on`?");
});
