import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { applyInstall, applyUninstall } from "../../src/installer/apply.ts";
import { readRecord, writeRecord } from "../../src/installer/record.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { applyCall, applyInProcess } from "./apply-process.ts";
import { findSpecimen, taskFor } from "./settings-specimens.ts";

function homeWith(name: string, content: string | undefined) {
  const fresh = taskFor(findSpecimen(name));
  mkdirSync(dirname(fresh.path), { recursive: true });
  if (content !== undefined) writeFileSync(fresh.path, content);
  const request = { root: fresh.paths.root, path: fresh.path, specimen: name };
  return { ...fresh, request, read: () => (existsSync(fresh.path) ? readFileSync(fresh.path, "utf8") : undefined) };
}

const contents = [
  ["some-wrapped", '{\n  // mine\n  "a": 1\n}\n'],
  ["some-bash", undefined],
  ["some-tables", "# mine\na = 1"],
] as const;
const points = ["settings:temp", "settings:recorded", "settings:renamed"];

describe.concurrent.each(contents)("%s killed", (name, original) => {
  const rows = (["install", "uninstall"] as const).flatMap((action) => points.map((point) => [action, point] as const));
  test.each(rows)("in an %s at %s: the file is whole, and the next run completes", async (action, point) => {
    const { paths, path, task, request, read } = homeWith(name, original);
    await applyInstall(paths, task);
    const complete = read();
    if (action === "install") await applyUninstall(paths, task);

    const { end } = await applyInProcess({ ...request, action, env: { BECKON_CRASH_AT: point } });
    // An uninstall that removes the file writes no temporary file, so it never reaches these points.
    expect(end).toBe(action === "uninstall" && original === undefined ? 0 : "SIGKILL");
    expect([original, complete]).toContain(read());

    expect(await applyInProcess({ ...request, action })).toEqual({ end: 0, stderr: "" });
    expect(read()).toBe(action === "install" ? complete : original);
    await applyUninstall(paths, task);
    expect(read()).toBe(original);
    if (existsSync(dirname(path))) expect(readdirSync(dirname(path))).toHaveLength(original === undefined ? 0 : 1);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
  });
});

test.each(["install", "uninstall"])(
  "an %s of a file that has its final and temporary names leaves one",
  async (action) => {
    const { paths, path, task } = homeWith("some-bash", undefined);
    await applyInstall(paths, task);
    const record = await readRecord(paths, path);
    if (!record) throw new Error("no record");
    await writeRecord(paths, { ...record, state: "pending" });
    linkSync(path, join(dirname(path), `.${basename(path)}.beckon-0123456789abcdef.tmp`));

    await (action === "install" ? applyInstall(paths, task) : applyUninstall(paths, task));
    const left = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
    expect(left).toEqual(action === "install" ? [basename(path)] : []);
  },
);

describe("a full disk", () => {
  test("of any size leaves the complete old or new file and nothing else", async () => {
    const original = `{\n  "a": "${"x".repeat(6000)}"\n}\n`;
    const ends: unknown[] = [];
    for (const blocks of [0, 1, 8, 13, 14, 15, 17, 20, 24, 64]) {
      const { paths, path, request, read } = homeWith("some-wrapped", original);
      const { end, stderr } = await applyInProcess({ ...request, action: "install", limit: `ulimit -f ${blocks}` });
      expect(readdirSync(dirname(path))).toHaveLength(1);
      if (end === 0) expect(read()).toContain("beckon");
      else
        expect([read(), stderr]).toEqual([original, expect.stringMatching(/^settings\.(?:write|record|lock)|EFBIG/)]);
      if (end !== 0) expect(await readRecord(paths, path).catch(() => "torn")).toBeUndefined();
      ends.push(end);
    }
    expect([ends[0], ends.at(-1)]).toEqual([1, 0]);
  });

  const canMount = spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).status === 0;
  test.skipIf(!canMount)("with real 64 KiB keeps the old file, and the error names it", async () => {
    const disk = freshFolder();
    const { request } = homeWith("some-tables", undefined);
    const path = join(disk, "config.toml");
    const call = await applyCall({ ...request, path, action: "install" });
    const script = `mount -t tmpfs -o size=64k tmpfs "$1" && cd "$1" && shift && printf 'a = 1\\n' >config.toml
      head -c 100000 /dev/zero >filler 2>/dev/null
      "$@"; printf '%s ' "$?"; cat config.toml; ls -A`;
    const inNamespace = ["-rm", "sh", "-c", script, "sh", disk, ...call];
    const { stdout, stderr } = spawnSync("unshare", inNamespace, { encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["1 a = 1\nconfig.toml\nfiller\n", expect.stringContaining("ENOSPC")]);
  });
});

describe("an agent that keeps rewriting the file", () => {
  /**
   * Program that increases a number in the file by rename, like an agent that has read the file; with beckon's hooks or
   * without. Ends once there is a file with the ending `.stop`.
   */
  const writer = `const { existsSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
    const file = process.argv[1];
    for (let n = 1; !existsSync(file + ".stop"); n += 1) {
      const settings = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file + ".theirs", JSON.stringify({ ...settings, n }));
      renameSync(file + ".theirs", file);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3);
    }`;

  test("finds a complete file every time, and so does every other reader", async () => {
    const { paths, path, task, read } = homeWith("some-wrapped", '{ "n": 0 }');
    const agent = spawn(process.execPath, ["-e", writer, path], { stdio: ["ignore", "ignore", "inherit"] });
    onTestFinished(() => void agent.kill("SIGKILL"));
    const ended = once(agent, "exit");
    const count = (): number => JSON.parse(read() ?? "").n;
    await expect.poll(count).toBeGreaterThan(0);
    for (let outcomes = 0; outcomes < 12; outcomes += 1) {
      const run = outcomes % 2 === 0 ? applyInstall(paths, task) : applyUninstall(paths, task);
      await run.catch((error: unknown) => expect(error).toMatchObject({ code: "settings.changed" }));
      const settings = JSON.parse(read() ?? "");
      expect([Object.keys(settings).filter((key) => key !== "hooks"), typeof settings.n]).toEqual([["n"], "number"]);
    }
    const written = count();
    await expect.poll(count).toBeGreaterThan(written); // the agent has gone on to the end
    writeFileSync(`${path}.stop`, "");
    expect(await ended).toEqual([0, null]);
    rmSync(`${path}.stop`);
    await applyInstall(paths, task);
    expect(Object.keys(JSON.parse(read() ?? ""))).toEqual(expect.arrayContaining(["n", "hooks"]));
    expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
  });

  test("is not overwritten if it rewrites the file during every attempt", async () => {
    const { paths, path, task } = homeWith("some-tables", "n = 0\n");
    let n = 0;
    const timer = setInterval(() => {
      n += 1;
      writeFileSync(`${path}.theirs`, `n = ${n}\n`);
      renameSync(`${path}.theirs`, path);
    }, 0);
    onTestFinished(() => clearInterval(timer));
    await expect(applyInstall(paths, task)).rejects.toMatchObject({ code: "settings.changed" });
    clearInterval(timer);
    expect(readFileSync(path, "utf8")).toBe(`n = ${n}\n`);
  });
});

test.each(["some-wrapped", "some-flat", "some-tables"])(
  "several installers at once leave one entry per event, then none: %s",
  async (name) => {
    const original = name === "some-tables" ? "a = 1\n" : '{ "a": 1 }';
    const { paths, task, request, read } = homeWith(name, original);
    const atOnce = (action: "install" | "uninstall") =>
      Promise.all([1, 2, 3, 4].map(async () => (await applyInProcess({ ...request, action })).end));
    expect(await atOnce("install")).toEqual([0, 0, 0, 0]);
    for (const { command } of task.wanted.values()) expect(read()?.split(command)).toHaveLength(2);
    expect(await atOnce("uninstall")).toEqual([0, 0, 0, 0]);
    expect(read()).toBe(original);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
  },
);
