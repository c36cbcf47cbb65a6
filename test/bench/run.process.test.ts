import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parts } from "../../bench/parts.ts";

const repository = join(import.meta.dirname, "..", "..");

function bench(names: readonly string[], PATH = process.env["PATH"]) {
  const args = ["--import", "tsx", "bench/run.ts", ...names];
  return spawnSync(process.execPath, args, { cwd: repository, env: { ...process.env, PATH }, encoding: "utf8" });
}

test("an unknown part is refused with the list, before any measurement", () => {
  const { status, stdout, stderr } = bench(["memory", "colour"]);
  expect([status, stdout]).toEqual([64, ""]);
  expect(stderr).toBe(`There is no part colour. There are: ${Object.keys(parts).join(", ")}.\n`);
});

test("missing programs for the named parts are reported before any measurement", () => {
  const { status, stdout, stderr } = bench(["memory", "latency"], "/nowhere");
  expect([status, stdout]).toEqual([64, ""]);
  expect(stderr).toBe("Not installed: bash, curl, jq; on Debian, run scripts/install-real.sh.\n");
});

test.skipIf(process.platform !== "linux")("only the promises of the measured parts are printed", () => {
  const { stdout } = bench(["memory"]);
  const [, promises = ""] = stdout.split("\nPromises, and other figures\n");
  const promised = [...promises.matchAll(/^(?:kept|BROKEN) +(.+):/gm)].map(([, name]) => name);
  expect(promised).toEqual(["launcher, peak MB", "worker, peak MB"]);
});
