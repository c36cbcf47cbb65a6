import fc from "fast-check";
import { expect, test } from "vitest";
import { eventNames, kebabCase } from "../../src/core/vocabulary.ts";

test.each([
  ["Notification", "notification"],
  ["SubagentStop", "subagent-stop"],
  ["SessionEnd", "session-end"],
  ["PreToolUse", "pre-tool-use"],
  ["agent-turn-complete", "agent-turn-complete"],
  ["Stop2Go", "stop2-go"],
  ["", ""],
])("%s is %s in kebab-case", (name, kebab) => {
  expect(kebabCase(name)).toBe(kebab);
});

test("kebab-case stays unchanged", () => {
  fc.assert(
    fc.property(fc.constantFrom(...eventNames), fc.string(), (event, text) => {
      const kebab = kebabCase(event + text.replace(/\P{ASCII}/gu, ""));
      expect(kebabCase(kebab)).toBe(kebab);
    }),
    { numRuns: 100 },
  );
});
