import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { Finding } from "../../src/config/config.ts";
import { type Journal, openJournal } from "../../src/journal/journal.ts";
import { ConfigErrors } from "../../src/pipeline/config-errors.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let folder: string;
let journal: Journal;
beforeEach(() => {
  folder = freshFolder();
  journal = openJournal(join(folder, "journal"), Date.now);
});

const worker = () => new ConfigErrors(join(folder, "state", "config-errors.json"));
const error = (path: string): Finding => ({ level: "error", path, message: "wrong" });
const warning: Finding = { level: "warning", path: "routs", message: "unknown" };

test("errors are journalled when they change, warnings never", () => {
  const [a, b] = [error("a"), error("b")];
  for (const findings of [[warning], [a, warning], [a], [a, b], [], [a]]) worker().journalOnce(findings, journal);
  const reasons = journal.readLines("config").map(({ reason }) => reason);
  expect(reasons).toEqual(["a: wrong.", "a: wrong.", "b: wrong.", "a: wrong."]);
});

test("errors are reported until a report succeeds, and again when they change", async () => {
  const reported: string[] = [];
  const report = (findings: readonly Finding[], isReached: boolean) =>
    worker().reportOnce(findings, async (errors) => {
      reported.push(errors.join(" "));
      return isReached;
    });
  await report([warning], true);
  for (const isReached of [false, true, true]) await report([error("a")], isReached);
  await report([error("b")], true);
  expect(reported).toEqual(["a: wrong.", "a: wrong.", "b: wrong."]);
});

test("parallel events report errors once", async () => {
  const errors = worker();
  const report = vi.fn(async () => true);
  await Promise.all([errors.reportOnce([error("a")], report), errors.reportOnce([error("a")], report)]);
  expect(report).toHaveBeenCalledTimes(1);
});
