import { expect, test } from "vitest";
import { isHold, isShown, storiesOf } from "../../src/board/story.ts";
import type { JournalLine } from "../../src/pipeline/journal-line.ts";
import { at, line } from "./journal.ts";

const held = (until: string, heldFor?: string): JournalLine =>
  line("22 09:00", "one", {
    status: "held",
    notifier: "desk",
    until: new Date(at(until)).toISOString(),
    ...(heldFor !== undefined && { heldFor }),
  });

test.each([
  ["quiet hours", held("22 11:00", "silence"), true],
  ["the person who looks at the terminal", held("22 09:00:30", "watching"), true],
  ["a line from before lines said what for", held("22 11:00"), true],
  ["such a line of the first two seconds", held("22 09:00:02"), false],
  ["a wait, also one that others make longer", held("22 09:00:09", "wait"), false],
  ["a later step", held("22 09:05", "step"), false],
  ["what was sent", line("22 09:00", "one", { status: "sent" }), false],
])("a hold for a reason or not: %s", (_, one, expected) => {
  expect(isHold(one)).toBe(expected);
});

test("what was put off and judged anew has its last kind", () => {
  const [story] = storiesOf([
    line("22 09:00", "one", {
      event: "SessionEnd",
      kind: "info",
      status: "accepted",
      reason: "it is too early to tell",
    }),
    line("22 09:01", "one", { event: "SessionEnd", kind: "failed", status: "sent", notifier: "desk" }),
  ]);
  expect(story).toMatchObject({ kind: "failed", isEcho: false, hasBegun: true, atMs: at("22 09:00") });
});

test("a person's prompts, and events of which only the end is known, are not shown", () => {
  const [prompt, late, ask] = storiesOf([
    line("22 09:00", "p", { event: "Prompt", kind: "info", status: "accepted" }),
    line("22 09:00", "l", { status: "resolved" }),
    line("22 09:00", "a", { status: "accepted" }),
  ]);
  expect([prompt, late, ask].map((one) => one && isShown(one))).toEqual([false, false, true]);
});
