import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JournalTail } from "../../src/journal/tail.ts";
import { useCliHome } from "../world/cli-home.ts";

const home = useCliHome();

const line = (id: string): string => `${JSON.stringify({ at: "2026-11-21T00:00:00.000Z", id, status: "sent" })}\n`;
const file = (month: string): string => join(home.paths.journal, `${month}.jsonl`);
const ids = (tail: JournalTail): string[] => tail.read().map(({ id }) => id);

test("a missing journal is followed from its first line", () => {
  const tail = new JournalTail(home.paths.journal);
  expect(ids(tail)).toEqual([]);
  home.write(file("2026-11"), line("a"));
  expect(ids(tail)).toEqual(["a"]);
});

test("following starts at the end of the two newest months and goes on into the next", () => {
  for (const month of ["2026-09", "2026-10", "2026-11"]) home.write(file(month), line(month));
  const tail = new JournalTail(home.paths.journal);
  for (const month of ["2026-09", "2026-10", "2026-11"]) appendFileSync(file(month), line(`late ${month}`));
  expect(ids(tail)).toEqual(["late 2026-10", "late 2026-11"]);
  appendFileSync(file("2026-11"), line("late"));
  home.write(file("2026-12"), line("new"));
  expect(ids(tail)).toEqual(["late", "new"]);
  expect(ids(tail)).toEqual([]);
});

test("a file that was truncated is read from its beginning", () => {
  home.write(file("2026-11"), line("a") + line("b"));
  const tail = new JournalTail(home.paths.journal);
  truncateSync(file("2026-11"));
  appendFileSync(file("2026-11"), line("c"));
  expect(ids(tail)).toEqual(["c"]);
});

test("a file that was replaced is read from its beginning", () => {
  home.write(file("2026-11"), line("a"));
  const tail = new JournalTail(home.paths.journal);
  home.write(join(home.home, "other"), line("b") + line("c"));
  renameSync(join(home.home, "other"), file("2026-11"));
  expect(ids(tail)).toEqual(["b", "c"]);
});

test("each whole line is read once and in order, in whatever pieces the bytes arrive", () => {
  const piece = fc.oneof(
    fc.constantFrom("not json\n", "{}\n", "null\n", '{"at":1,"id":2,"status":3}\n', "\n"),
    fc.stringMatching(/^[a-zä🎉]{1,8}$/u).map(line),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), fc.array(fc.nat(40), { maxLength: 12 }), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(""));
      home.write(file("2026-11"), "");
      const tail = new JournalTail(home.paths.journal);
      const seen: string[] = [];
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        writeFileSync(file("2026-11"), bytes.subarray(at, at + size), { flag: "a" });
        at += size;
        seen.push(...ids(tail));
      }
      expect(seen).toEqual(pieces.filter((piece) => piece.includes('"sent"')).map((piece) => JSON.parse(piece).id));
    }),
    { numRuns: 100 },
  );
});
