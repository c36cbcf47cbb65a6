import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";
import { fillDisk } from "../../../world/full-disk.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

const inSpool = (file: string) => join(home.paths.spool, file);
const inState = (file: string) => {
  mkdirSync(home.paths.state, { recursive: true, mode: 0o700 });
  return join(home.paths.state, file);
};
const moved = (what: string) => new RegExp(`^warn files: .*${what}, and beckon passes over it \\| Move it away: mv '`);

test.each<[string, () => void, RegExp]>([
  ["a folder is in new/", () => mkdirSync(inSpool("new/a.json")), moved("new/a.json is a folder")],
  ["a pipe is in cur/", () => execFileSync("mkfifo", [inSpool("cur/a.t5.json")]), moved("cur/a.t5.json is a pipe")],
  ["a link is in tmp/", () => symlinkSync("/dev/zero", inSpool("tmp/a")), moved("tmp/a is a link")],
  ["a folder is the lock", () => mkdirSync(inSpool("worker.lock")), moved("worker.lock is a folder")],
  ["a folder was the lock", () => mkdirSync(inSpool("worker.lock-moved-7")), moved("worker.lock-moved-7 is a folder")],
  ["a folder is the mark of a start", () => mkdirSync(inSpool("worker.starting")), moved("starting is a folder")],
  ["a folder is a state file", () => mkdirSync(inState("pauses.json")), moved("pauses.json is a folder")],
  [
    "a folder is a month of the journal",
    () => mkdirSync(join(home.paths.journal, "2026-01.jsonl")),
    moved("2026-01.jsonl is a folder"),
  ],
  [
    "a newer version's event is in the spool",
    () => writeFileSync(inSpool("new/a.json"), '{"v":99,"event":"Stop"}\n{}\n{"end":0}\n', { mode: 0o600 }),
    /^warn newer events: 1 event of a newer version of beckon in .*spool \| Install that version again\.$/,
  ],
  [
    "a month of the journal is larger than a string",
    () => {
      writeFileSync(join(home.paths.journal, "2026-01.jsonl"), "", { mode: 0o600 });
      truncateSync(join(home.paths.journal, "2026-01.jsonl"), 600 * 2 ** 20);
    },
    /^warn journal: .*2026-01\.jsonl has 600 MiB; most commands read its newest part only \| Move it away: mv '/,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  expect(problemsIn((await runChecks(home)).results)).toEqual([expect.stringMatching(expected)]);
});

test.runIf(process.platform === "linux" && process.getuid?.() === 0)("a check reports a full disk", async () => {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", home.paths.spool]);
  try {
    for (const folder of ["tmp", "new", "cur", "dead"]) mkdirSync(inSpool(folder), { mode: 0o700 });
    fillDisk(inSpool("dead"));
    expect(problemsIn((await runChecks(home)).results)).toEqual([
      expect.stringMatching(
        /^fail disk: the disk that holds .*spool is full: events cannot be stored \| Make room on it\.$/,
      ),
    ]);
  } finally {
    execFileSync("umount", ["-l", home.paths.spool]);
  }
});

test("the folders that beckon itself keeps in its state are no oddities", async () => {
  for (const folder of ["alerts", "installs"]) mkdirSync(inState(folder));
  expect(problemsIn((await runChecks(home)).results)).toEqual([]);
});
