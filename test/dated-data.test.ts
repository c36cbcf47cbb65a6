import { expect, test } from "vitest";
import { filesBelow } from "./world/sources.ts";

/** Data with dates in it: a date in the test itself, a recording, or a screen kept as a file. */
const dated = /\b20\d\d-\d\d-\d\d|new Date\(20\d\d|fixtures\/(?:recordings|payloads|transcripts)|toMatchFileSnapshot/;
/** Calls that read the real date. `localPorts()` does, unless the same object gets another clock. */
const realDate = /\bDate\.now\b|\bnew Date\(\)|\blocalPorts\(\)(?![^}\n]*\bclock\b)/;
/** A command in this process reads the real date unless the test gives it `now`. */
const command = /\bhome\.run\(/;
const fixed = /\bfixDate\(|\buseFakeTimers\(\{ now/;

/** True for a test that compares dated data with the real date, and fails one day. */
function isTimeBomb(text: string): boolean {
  const readsDate = realDate.test(text) || (command.test(text) && !/\bnow\b/.test(text));
  return dated.test(text) && readsDate && !fixed.test(text);
}

test("no test reads the real date beside dated data", () => {
  const bombs = filesBelow("test").filter(({ file, text }) => file !== "test/dated-data.test.ts" && isTimeBomb(text));
  expect(bombs.map(({ file }) => file)).toEqual([]);
});

const journal = 'home.journal({ at: "2026-11-20T12:00:00Z", status: "sent" });';
test.each([
  ["a clock", "Date.now()", true],
  ["the date", "new Date()", true],
  ["the ports of this machine", "localPorts()", true],
  ["a command", 'home.run(["log"])', true],
  ["a command at a time", 'home.run(["log"], { now })', false],
  ["ports with a clock of the test", "{ ...localPorts(), clock }", false],
  ["a fixed date", "fixDate(); Date.now()", false],
])("%s beside dated data is classified", (_, code, isBomb) => {
  expect(isTimeBomb(`${journal} ${code};`)).toBe(isBomb);
  expect(isTimeBomb(code)).toBe(false);
});
