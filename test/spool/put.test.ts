import fs, { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { isPending, makeSpool, put, waitUntilSettled } from "../../src/spool/put.ts";
import { sweepTemporary } from "../../src/spool/sweep.ts";
import { record, useSpool } from "../world/spool.ts";

const at = useSpool();

test("a stored record is whole in new/ with mode 0600, however short or long", () => {
  const texts = ["", "x", "xx", "xxx", "x".repeat(100_001)];
  for (const [index, text] of texts.entries()) put(at.spool, `r${index}`, Buffer.from(text));
  expect(texts.map((_, index) => at.readText(`new/r${index}.json`))).toEqual(texts);
  expect(statSync(join(at.spool, "new/r4.json")).mode & 0o777).toBe(0o600);
});

test("missing folders are created with mode 0700", () => {
  rmSync(at.spool, { recursive: true });
  put(at.spool, "one", record());
  expect(at.files()).toEqual(["new/one.json"]);
  for (const folder of ["tmp", "new", "cur", "dead"]) expect(statSync(join(at.spool, folder)).mode & 0o777).toBe(0o700);
  makeSpool(at.spool);
});

test("a record that a worker moved before this process could is stored once", () => {
  const close = vi.spyOn(fs, "closeSync").mockImplementationOnce((descriptor) => {
    close.mockRestore();
    fs.closeSync(descriptor);
    sweepTemporary(at.spool, Date.now());
  });
  syncBuiltinESMExports();
  put(at.spool, "one", record());
  syncBuiltinESMExports();
  expect(at.files()).toEqual(["new/one.json"]);
});

test("a planted link is not followed", () => {
  const victim = join(at.root, "victim");
  writeFileSync(victim, "precious");
  symlinkSync(victim, join(at.spool, "tmp/one"));
  expect(() => put(at.spool, "one", record())).toThrow(/EEXIST/);
  expect(readdirSync(join(at.spool, "new"))).toEqual([]);
  expect(statSync(victim).size).toBe(8);
});

test("a record that cannot be stored throws and leaves nothing in new/", () => {
  rmSync(join(at.spool, "new"), { recursive: true });
  writeFileSync(join(at.spool, "new"), "");
  expect(() => put(at.spool, "one", record())).toThrow(/ENOTDIR/);
  rmSync(join(at.spool, "tmp"), { recursive: true });
  mkdirSync(join(at.root, "elsewhere"));
  writeFileSync(join(at.spool, "tmp"), "");
  expect(() => put(at.spool, "two", record())).toThrow(/ENOTDIR/);
});

test.each([
  ...["new/one.json", "new/one.c1.json", "cur/one.json", "cur/one.t500.json"].map((file) => [file, true] as const),
  ...["dead/one.json", "tmp/one", "new/one-more.json", "new/none.json"].map((file) => [file, false] as const),
])("an event in %s is pending: %s", (file, pending) => {
  at.write(file);
  expect(isPending(at.spool, "one")).toBe(pending);
});

describe("waiting for an event", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "Date"] }));

  /** Starts a wait. Returns true if it ended within these milliseconds. */
  function wait(timeoutMs: number) {
    const onEnd = vi.fn();
    void waitUntilSettled(at.spool, "one", timeoutMs).then(onEnd);
    return async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return onEnd.mock.calls.length > 0;
    };
  }

  test("ends when the event is settled", async () => {
    at.write("new/one.json");
    const isOverAfter = wait(60_000);
    renameSync(join(at.spool, "new/one.json"), join(at.spool, "cur/one.json"));
    expect(await isOverAfter(30_000)).toBe(false);
    rmSync(join(at.spool, "cur/one.json"));
    expect(await isOverAfter(50)).toBe(true);
  });

  test("ends at the time limit", async () => {
    at.write("cur/one.t500.json");
    const isOverAfter = wait(200);
    expect(await isOverAfter(199)).toBe(false);
    expect(await isOverAfter(1)).toBe(true);
  });

  test("ends at once if the event is settled already or the limit is 0", async () => {
    await waitUntilSettled(at.spool, "one", 60_000);
    at.write("new/one.json");
    await waitUntilSettled(at.spool, "one", 0);
  });
});
