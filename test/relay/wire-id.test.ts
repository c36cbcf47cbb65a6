import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { wireIds } from "../../src/relay/wire-id.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "beckon-secret-"));
  file = join(folder, "relay", "secret");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("an event has the same id each time, and another one at another machine", () => {
  const id = wireIds(file)("e-1");
  expect(id).toMatch(/^r_[A-Za-z0-9_-]{43}$/);
  expect(wireIds(file)("e-1")).toBe(id);
  expect(wireIds(file)("e-2")).not.toBe(id);
  expect(wireIds(join(folder, "other"))("e-1")).not.toBe(id);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, "relay"))).toEqual(["secret"]);
});

test("a secret that is empty, as after a full disk, is made anew", () => {
  wireIds(file);
  writeFileSync(file, "");
  const id = wireIds(file)("e-1");
  expect(readFileSync(file, "utf8").trim()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(wireIds(file)("e-1")).toBe(id);
});

test("a process that is killed while it makes the secret leaves none that is half made", () => {
  const module = new URL("../../src/relay/wire-id.ts", import.meta.url).href;
  const program = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const write = fs.writeFileSync;
    fs.writeFileSync = (file, text, options) => {
      write(file, "", options);
      process.kill(process.pid, "SIGKILL");
    };
    syncBuiltinESMExports();
    const { wireIds } = await import(${JSON.stringify(module)});
    wireIds(${JSON.stringify(file)});`;
  const { signal } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
  expect(signal).toBe("SIGKILL");
  expect(wireIds(file)("e-1")).toBe(wireIds(file)("e-1"));
});
