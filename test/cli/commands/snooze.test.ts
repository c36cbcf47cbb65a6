import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, symlinkSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { readSilences, silencedUntilMs, silencesFile } from "../../../src/attention/silences.ts";
import { homeDirectory } from "../../../src/files/paths.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

/** Saturday, 13:00 on this machine's clock. */
const nowMs = new Date(2026, 10, 21, 13, 0).getTime();
const snooze = (...words: string[]) => home.run(["snooze", ...words], { now: () => nowMs });
const silences = () => readSilences(silencesFile(home.paths), nowMs);

test.each([
  { words: ["1h"], until: new Date(2026, 10, 21, 14, 0), says: "until 14:00 (1 h)." },
  { words: ["1h30m"], until: new Date(2026, 10, 21, 14, 30), says: "until 14:30 (2 h)." },
  { words: ["90s"], until: new Date(2026, 10, 21, 13, 1, 30), says: "until 13:01:30 (2 min)." },
  { words: ["24h"], until: new Date(2026, 10, 22, 13, 0), says: "until 2026-11-22 13:00 (1 d)." },
  { words: ["until", "14:00"], until: new Date(2026, 10, 21, 14, 0), says: "until 14:00 (1 h)." },
  { words: ["until 9:30"], until: new Date(2026, 10, 22, 9, 30), says: "until 2026-11-22 09:30 (21 h)." },
  { words: ["until", "13:00"], until: new Date(2026, 10, 22, 13, 0), says: "until 2026-11-22 13:00 (1 d)." },
])("$words is a time, and the output says that messages wait", async ({ words, until, says }) => {
  const { exitCode, stdout } = await snooze(...words);
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    `Snoozed ${says}\nWhat you do not see meanwhile arrives as one message when the snooze ends. To resume now: beckon snooze off\n`,
  );
  expect(silences()).toEqual([{ untilMs: until.getTime(), atMs: nowMs }]);
  expect(statSync(silencesFile(home.paths)).mode & 0o777).toBe(0o600);
});

test.each(["0h", "25h", "1w", "-1h", "1.5h", "14:00", "until 24:00", "until noon", "offf", "1h until 14:00", "99999h"])(
  "%s is refused with the accepted forms, and nothing is snoozed",
  async (words) => {
    const { exitCode, stderr } = await snooze("--", words);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/".*" is not a time\n {2}Use a duration from 1s to 24h .*`until 14:00`, or `off`/);
    expect(existsSync(silencesFile(home.paths))).toBe(false);
  },
);

test("a project's glob that would take too long to match is explained", async () => {
  const said = expect.stringContaining("In --project, `*(+(a))` could take very long to match");
  expect(await snooze("1h", "--project", "*(+(a))")).toMatchObject({ exitCode: 0, stdout: said });
  expect((await snooze("1h", "--project", "+(a|b)")).stdout).not.toContain("very long");
});

test("projects, sessions and notifiers have separate snoozes; off ends the named ones, or all", async () => {
  home.config({ notifiers: { desk: { type: "desktop" } } });
  await snooze("1h", "--project", "shop");
  await snooze("2h", "--project", "shop", "--notifier", "desk");
  await snooze("3h", "--session", "s-1");
  await snooze("4h", "--session", "s-1");
  const lines = (await snooze()).stdout.split("\n");
  expect(lines).toEqual([
    "Snoozed until 14:00 (1 h), project shop.",
    "Snoozed until 15:00 (2 h), project shop, notifier desk.",
    "Snoozed until 17:00 (4 h), session s-1.",
    "",
  ]);
  expect((await snooze("off", "--project", "api")).stdout).toBe(lines.join("\n"));
  expect((await snooze("off", "--project", "shop")).stdout).toBe(
    "Resumed. What you have not seen arrives now.\nStill snoozed until 17:00 (4 h), session s-1.\n",
  );
  expect((await snooze("off")).stdout).toBe("Resumed. What you have not seen arrives now.\n");
  expect((await snooze("off")).stdout).toMatch(/^Nothing is snoozed\. To pause .*: beckon snooze 1h$/m);
  expect(readFileSync(silencesFile(home.paths), "utf8")).toBe("[]");
});

test("a project that no session had is named, with the one that was meant; a pattern is not", async () => {
  home.journal({ status: "accepted", project: "shop" });
  const { stderr } = await snooze("1h", "--project", "shpo");
  expect(stderr).toMatch(/no session of shpo was seen yet\. Did you mean `shop`\?$/m);
  for (const known of ["shop", "**/shpo/**", "."]) expect((await snooze("1h", "--project", known)).stderr).toBe("");
  expect((await snooze("1h", "--project", "~/shpo")).stderr).toMatch(/^beckon: There is no folder .*shpo\.$/m);
});

test("samples are not projects that were seen", async () => {
  home.journal({ status: "accepted", project: "shop", sessionId: "beckon-install-1" });
  for (const words of [
    ["snooze", "1h", "--project", "shop"],
    ["log", "--project", "shop"],
  ])
    expect((await home.run(words)).stderr).toMatch(/no session of shop was seen yet\. There are none/);
});

test("a session that was not seen is named, and the start of several is refused", async () => {
  for (const sessionId of ["5e55-1", "5e55-2", "beckon-install-1"]) home.journal({ status: "accepted", sessionId });
  for (const session of ["UNKNOWN", "beckon"])
    expect(await snooze("1h", "--session", session)).toMatchObject({
      exitCode: 0,
      stderr: `beckon: No session ${session} was seen yet. To list the sessions: beckon sessions\n`,
    });
  const hint = expect.stringMatching(/5e55 matches 2 sessions\n {2}Write more of the id: 5e55-2, 5e55-1\n/);
  expect(await snooze("1h", "--session", "5e55")).toMatchObject({ exitCode: 1, stderr: hint });
  expect(await snooze("1h", "--session", "5e55-1")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(silences().map(({ session }) => session)).toEqual(["UNKNOWN", "beckon", "5e55-1"]);
});

test("a project's folder counts with all folders in it", async () => {
  await snooze("1h", "--project", ".");
  const project = silences()[0]?.project ?? "";
  expect(isAbsolute(project)).toBe(true);
  const until = (cwd: string) => silencedUntilMs(silences(), { project: "other", cwd }, "desk");
  expect([until(project), until(join(project, "src"))].map((end) => end !== undefined)).toEqual([true, true]);
  expect(until(`${project}-2`)).toBeUndefined();
});

test("a project's name counts for its worktrees, but for no other project of this name", async () => {
  await snooze("1h", "--project", "shop");
  const until = (project: string, folder: string, worktree?: string) =>
    silencedUntilMs(silences(), { project, place: { folder, worktree } }, "desk");
  expect(until("shop (fix)", "/a/shop", "/fix")).toBeDefined();
  const others = [until("a/shop", "/a/shop"), until("shop (1)", "/shop (1)"), until("api (shop)", "/api", "/shop")];
  expect(others).toEqual([undefined, undefined, undefined]);
});

test("a folder counts under its real path, a glob from your home folder, and brackets in a name as themselves", async () => {
  const shop = join(home.home, "shop (1)");
  mkdirSync(shop);
  symlinkSync(shop, join(home.home, "link"));
  await snooze("1h", "--project", join(home.home, "link"));
  const isHeld = (cwd: string) => silencedUntilMs(silences(), { project: "other", cwd }, "desk") !== undefined;
  expect([realpathSync(shop), realpathSync(home.home)].map(isHeld)).toEqual([true, false]);
  await snooze("off");
  await snooze("1h", "--project", "~/code/*");
  expect([join(homeDirectory(), "code", "shop"), "/code/shop"].map(isHeld)).toEqual([true, false]);
});

test("an unknown notifier is an error that names the configured ones", async () => {
  home.config({ notifiers: { desk: { type: "desktop" }, phone: { type: "ntfy", topic: "t" } } });
  const { exitCode, stderr } = await snooze("1h", "--notifier", "fone");
  expect(exitCode).toBe(1);
  expect(stderr).toBe("beckon: there is no notifier fone\n  Known notifiers: desk, phone\n");
  expect(silences()).toEqual([]);
});

test("--json has the snoozed targets", async () => {
  await snooze("1h", "--project", "shop");
  const { stdout } = await snooze("--json");
  expect(readOutput("snooze", stdout)[0]).toEqual({
    snoozed: [{ untilAt: new Date(nowMs + 3_600_000).toISOString(), project: "shop" }],
  });
});

test("a folder that is open to others is left alone", async () => {
  home.write(join(home.paths.root, "config.jsonc"), "{}");
  chmodSync(home.paths.root, 0o777);
  const { exitCode } = await snooze("1h");
  expect([exitCode, existsSync(silencesFile(home.paths))]).toEqual([1, false]);
});
