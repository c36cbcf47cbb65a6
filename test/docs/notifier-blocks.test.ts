import { describe, expect, test } from "vitest";
import type { Notifier } from "../../src/core/notifier.ts";
import { livingTable, notifierSections, notifierTable } from "../../src/docs/notifier-blocks.ts";
import { email } from "../../src/notifiers/email.ts";
import { mattermost } from "../../src/notifiers/mattermost.ts";

const plain: Notifier = { ...email, name: "plain", living: undefined } as never;

describe("what becomes of a notifier's messages", () => {
  const rowOf = (notifier: Partial<Notifier>): string[] => {
    const lines = livingTable([{ ...plain, ...notifier }]).split("\n");
    return (lines[2] ?? "")
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1); // below the head and its line
  };
  const update = async () => undefined;

  test.each<[string, Partial<Notifier>, string[]]>([
    [
      "marked as done",
      { living: { withdrawn: "marked as done" }, update },
      ["marked as moved", "yes", "marked as done"],
    ],
    ["removed", { living: { withdrawn: "removed" } }, ["removed", "", "removed"]],
    ["replaced", { living: { withdrawn: "removed" }, replaces: true }, ["its place is taken", "", "removed"]],
  ])("is said: %s", (_, notifier, cells) => {
    expect(rowOf(notifier).slice(1, 4)).toEqual(cells);
  });

  test("names thread, buttons by what they say, and the condition", () => {
    const living = { inThread: true, buttons: ["seen", "focus"], condition: "As a bot." } as const;
    expect(rowOf({ living })).toEqual([
      "[`plain`](#plain)",
      "",
      "",
      "",
      "one per session",
      "Seen, Go to terminal",
      "As a bot.",
    ]);
  });

  test("is left out where nothing is declared", () => {
    expect(rowOf({})).toEqual([]);
  });
});

test("where a notifier has several ways to send, overview and section name the settings of each", () => {
  const ways = "`url`, or `server`, `token` and `channel`";
  expect(notifierTable([mattermost as never])).toContain(`| team | ${ways} |`);
  expect(notifierSections([mattermost as never])).toContain(`\nSet ${ways}.\n`);
});
