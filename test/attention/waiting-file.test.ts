import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import type { Alert } from "../../src/attention/alert.ts";
import { Alerts, alertFolder } from "../../src/attention/alert-files.ts";
import { sampleSessionPrefix } from "../../src/attention/session-memory.ts";
import { openWaitingFile } from "../../src/attention/waiting-file.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let state: string;
let file: string;
let clock: FakeClock;
let alerts: Alerts;
/** Updates the file as one worker. */
let save: () => void;
beforeEach(() => {
  state = freshFolder();
  file = join(state, "waiting");
  clock = new FakeClock(at("14:05"));
  alerts = new Alerts(alertFolder({ state }), clock);
  save = openWaitingFile(file, alerts, clock);
});

/** Returns a local time of 20 November 2026, Unix milliseconds. */
function at(time: string, day = 20): number {
  return new Date(`2026-11-${day}T${time}`).getTime();
}

/** Stores a session with one open concern. */
function wait(project: string, atMs: number, changes: Partial<Alert> = {}): void {
  const concerns = [concern(project, { atMs })];
  alerts.put(makeAlert({ sessionId: project, project, lastAtMs: atMs, concerns, ...changes }));
}

/** Updates the file and returns its lines. */
function lines(): string[] {
  save();
  return readFileSync(file, "utf8").split("\n");
}

const midnight = new Date(at("00:00", 21)).toISOString();

test("the first line says who has waited since when, the longest first, and nothing if nobody waits", () => {
  expect(lines()).toEqual(["", midnight, ""]);
  wait("api", at("14:05"));
  expect(lines()).toEqual(["1 waiting: api 14:05", midnight, ""]);
  wait("shop", at("14:02:59.999"));
  expect(lines()).toEqual(["2 waiting: shop 14:02, api 14:05", midnight, ""]);
  for (const name of ["api", "shop"])
    wait(name, at("14:05"), { concerns: [concern(name, { atMs: 0, state: "resolved" })] });
  expect(lines()).toEqual(["", midnight, ""]);
  expect(lstatSync(file).mode & 0o777).toBe(0o600);
});

test("requests and ends of turns are counted apart, samples are not, and requests are named before earlier ends of turns", () => {
  const ended = (time: string) => concern("a", { atMs: at(time), kind: "finished" });
  for (const name of ["p1", "p2", "p3", "p4", "p5", "p6"]) wait(name, at("14:00"), { concerns: [ended("12:00")] });
  wait("shop", at("14:00"), { concerns: [ended("13:00"), concern("b", { atMs: at("14:00") })] });
  wait("sample", at("14:00"), { sessionId: `${sampleSessionPrefix}1` });
  wait("api", at("14:03"));
  wait("old", at("14:05", 19));
  expect(lines()[0]).toBe("2 waiting, 7 done: p1 12:00, p2 12:00, p3 12:00, shop 13:00, api 14:03, 3 more");
});

test("a wait since an earlier day has its date, and is believed until its session is forgotten", () => {
  wait("shop", at("14:02"));
  wait("api", at("09:30"), { lastAtMs: at("14:10") });
  expect(lines()[1]).toBe(midnight);
  clock.skip(Date.parse(midnight) - clock.now());
  const untilAt = new Date(at("14:02", 21)).toISOString();
  expect(lines()).toEqual(["2 waiting: api 2026-11-20 09:30, shop 2026-11-20 14:02", untilAt, ""]);
});

test("any project's name stays one short line without control characters", () => {
  wait("long", at("14:02"), { project: "x".repeat(10_000) });
  wait("bad", at("14:03"), { project: "\u001b[2J\u001b]0;owned\u0007a\n2027\r\u2028\u202eb\u2066\u0000\tc" });
  expect(lines()).toEqual([`2 waiting: ${"x".repeat(23)}… 14:02, a 2027 b c 14:03`, midnight, ""]);
  const names = fc.property(fc.string({ unit: "binary", maxLength: 60 }), (project) => {
    wait("bad", at("14:03"), { project });
    const found = lines();
    expect(found).toHaveLength(3);
    expect(found.join("")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
  });
  fc.assert(names);
});

test("the file is replaced only if its text changes, also by the next worker", async () => {
  wait("shop", at("14:02"));
  save();
  const first = lstatSync(file);
  await clock.advance(3_600_000);
  save();
  wait("shop", at("14:02"), { title: "Login", lastAtMs: at("15:00") });
  save();
  save = openWaitingFile(file, new Alerts(alertFolder({ state }), clock), clock);
  save();
  expect(lstatSync(file)).toMatchObject({ ino: first.ino, mtimeMs: first.mtimeMs });
  wait("api", at("15:01"));
  openWaitingFile(file, alerts, clock)();
  expect(lstatSync(file).ino).not.toBe(first.ino);
  expect(readdirSync(state).sort()).toEqual(["alerts", "waiting"]);
});

const damages: Readonly<Record<string, (target: string) => void>> = {
  missing: () => {},
  "another text": () => writeFileSync(file, "3 waiting: shop 09:00\n"),
  "a link to a file": (target) => symlinkSync(target, file),
  "a link to nothing": () => symlinkSync("/nowhere", file),
  "a pipe": () => void execFileSync("mkfifo", [file]),
  "a folder": () => cpSync(alertFolder({ state }), file, { recursive: true }),
};
test.skipIf(process.platform === "win32")("a worker replaces whatever is in its place, but harms nothing", () => {
  wait("shop", at("14:02"));
  const right = lines().join("\n");
  const target = join(state, "target");
  writeFileSync(target, right);
  const found = Object.entries(damages).map(([what, damage]) => {
    rmSync(file);
    damage(target);
    openWaitingFile(file, alerts, clock)();
    return [what, lstatSync(file).isFile() && [file, target].map((path) => readFileSync(path, "utf8"))];
  });
  expect(found).toEqual(Object.keys(damages).map((what) => [what, [right, right]]));
  const [moved = ""] = readdirSync(state).filter((name) => name.startsWith("waiting-moved-"));
  expect(readdirSync(join(state, moved))).toEqual(readdirSync(alertFolder({ state })));
});

test("a file that cannot be written is tried again", () => {
  const blocked = join(state, "blocked");
  writeFileSync(blocked, "");
  file = join(blocked, "waiting");
  save = openWaitingFile(file, alerts, clock);
  wait("shop", at("14:02"));
  save();
  rmSync(blocked);
  expect(lines()[0]).toBe("1 waiting: shop 14:02");
});
