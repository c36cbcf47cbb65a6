import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { applyInstall, applyUninstall, previewInstall } from "../../src/settings/apply.ts";
import { readRecord } from "../../src/settings/record.ts";
import { droidCommand, freshJob, wantedFor } from "../helpers/settings-jobs.ts";

function jobWith(content: string | Buffer | undefined, mode = 0o600) {
  const fresh = freshJob();
  mkdirSync(dirname(fresh.path), { mode: 0o700 });
  if (content !== undefined) {
    writeFileSync(fresh.path, content);
    chmodSync(fresh.path, mode);
  }
  return fresh;
}

const foreign = `{ "hooks": [{ "type": "command", "command": "say done" }] }`;
const table: [string, string | Buffer | undefined, number?][] = [
  ["absent", undefined],
  ["empty", ""],
  ["white space", " \n\t\n"],
  ["{} on one line", "{}"],
  ["an empty object over two lines", "{\n}\n"],
  ["an empty hooks object", '{ "hooks": {} }'],
  ["an empty event", '{ "hooks": { "Stop": [] } }'],
  [
    "comments everywhere",
    `// a\n{ /* b */ // c\n  "hooks": { // d\n "Stop": [ // e\n ${foreign} // f\n ] /* g */ } // h\n} // i`,
  ],
  ["trailing commas", `{\n  "a": [1,],\n  "hooks": { "Stop": [${foreign},], },\n}\n`],
  ["tabs", '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'],
  ["CRLF", '{\r\n  "a": 1\r\n}\r\n'],
  ["no final newline", '{\n  "a": 1\n}'],
  ["a byte-order mark", '\ufeff{ "a": 1 }'],
  ["foreign hooks in the same event", `{ "hooks": { "Stop": [${foreign}], "Notification": [${foreign}] } }`],
  ["mode 0640", '{ "a": 1 }', 0o640],
  ["a hundred kilobytes", JSON.stringify({ a: "ü".repeat(50_000) })],
];

describe("install, install again, uninstall", () => {
  test.each(table)("%s", async (_, content, mode) => {
    const { paths, path, job } = jobWith(content, mode);
    await applyInstall(paths, job);
    const installed = statSync(path);
    expect(readFileSync(path, "utf8")).toContain(JSON.stringify(droidCommand("Stop")));
    expect(installed.mode & 0o777).toBe(mode ?? 0o600);

    await applyInstall(paths, job);
    const again = statSync(path);
    expect([again.ino, again.mtimeMs]).toEqual([installed.ino, installed.mtimeMs]);

    await applyUninstall(paths, job);
    if (content === undefined) expect(existsSync(path)).toBe(false);
    else expect(readFileSync(path)).toEqual(Buffer.from(content));
    if (content !== undefined) expect(statSync(path).mode & 0o777).toBe(mode ?? 0o600);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
    expect(readdirSync(dirname(path))).toEqual(content === undefined ? [] : ["settings.json"]);
  });

  test("an upgrade in between still gives the first bytes back", async () => {
    const { paths, path, job } = jobWith("{}");
    await applyInstall(paths, job);
    const wanted = new Map([
      ["Stop", { command: "~/.beckon/hook Stop --agent droid --wait 9 || :", timeout: 11, leastTimeout: 11 }],
    ]);
    await applyInstall(paths, { ...job, wanted });
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")).hooks)).toEqual(["Stop"]);
    await applyUninstall(paths, job);
    expect(readFileSync(path, "utf8")).toBe("{}");
  });

  test("what somebody wrote in between survives an upgrade and the uninstall", async () => {
    const { paths, path, job } = jobWith("{}");
    await applyInstall(paths, job);
    writeFileSync(path, JSON.stringify({ model: "x", ...JSON.parse(readFileSync(path, "utf8")) }));
    await applyInstall(paths, { ...job, wanted: wantedFor("Notification", "Stop", "SessionEnd") });
    await applyUninstall(paths, job);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ model: "x" });
  });

  test("folders made for the file are private, and go with it unless somebody else uses them", async () => {
    const alone = freshJob();
    await applyInstall(alone.paths, alone.job);
    expect(statSync(dirname(alone.path)).mode & 0o777).toBe(0o700);
    await applyUninstall(alone.paths, alone.job);
    expect(existsSync(dirname(alone.path))).toBe(false);

    const shared = freshJob();
    await applyInstall(shared.paths, shared.job);
    writeFileSync(join(dirname(shared.path), "other"), "");
    await applyUninstall(shared.paths, shared.job);
    expect(readdirSync(dirname(shared.path))).toEqual(["other"]);
  });

  test("an uninstall whose file somebody deleted forgets it", async () => {
    const { paths, path, job } = jobWith('{ "a": 1 }');
    await applyInstall(paths, job);
    rmSync(path);
    await applyUninstall(paths, job);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
  });

  test("the record is private and holds what was there before", async () => {
    const { paths, path, job } = jobWith('{ "a": 1 }');
    await applyInstall(paths, job);
    const [name = ""] = readdirSync(join(paths.state, "installs"));
    expect(name).toMatch(/^[0-9a-f]{32}\.json$/);
    expect(statSync(join(paths.state, "installs", name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(paths.state, "installs")).mode & 0o777).toBe(0o700);
    const record = await readRecord(paths, path);
    expect(Buffer.from(record?.original ?? "", "base64").toString()).toBe('{ "a": 1 }');
    expect(record).toMatchObject({
      state: "done",
      agent: "droid",
      created: [["hooks"], ["hooks", "Notification"], ["hooks", "Stop"]],
    });
  });
});

describe("links and file kinds", () => {
  test("a symbolic link stays and what it leads to changes", async () => {
    const { home, paths, path, job } = jobWith(undefined);
    const real = join(home, "dotfiles.json");
    writeFileSync(real, '{ "a": 1 }');
    symlinkSync(real, path);
    await applyInstall(paths, job);
    expect(readlinkSync(path)).toBe(real);
    expect(readFileSync(real, "utf8")).toContain("beckon");
    await applyUninstall(paths, job);
    expect(readFileSync(real, "utf8")).toBe('{ "a": 1 }');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  test.each([
    ["a link to itself", "settings.link", (path: string) => symlinkSync(path, path)],
    ["a link to nowhere", "settings.link", (path: string) => symlinkSync(`${path}.gone`, path)],
    ["a folder", "settings.not-a-file", (path: string) => mkdirSync(path)],
    ["a device", "settings.not-a-file", (path: string) => symlinkSync("/dev/null", path)],
    ["read-only", "settings.read-only", (path: string) => writeFileSync(path, "{}", { mode: 0o444 })],
  ])("%s is refused and left as it is", async (_, code, make) => {
    const { paths, path, job } = jobWith(undefined);
    make(path);
    const before = lstatSync(path);
    await expect(applyInstall(paths, job)).rejects.toMatchObject({ code });
    expect(lstatSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, mode: before.mode });
  });

  test("a read-only file that has everything is no reason to complain", async () => {
    const { paths, path, job } = jobWith("{}");
    await applyInstall(paths, job);
    chmodSync(path, 0o444);
    expect((await applyInstall(paths, job)).changes).toBe(false);
  });

  test("a hard link is told of", async () => {
    const { home, paths, path, job } = jobWith("{}");
    const { linkSync } = await import("node:fs");
    linkSync(path, join(home, "second-name"));
    expect((await previewInstall(paths, job)).warnings.join()).toContain("2 names");
  });
});

describe("other writers", () => {
  test("a file that is torn at first is read again", async () => {
    const { paths, path, job } = jobWith('{ "model": ');
    setTimeout(() => writeFileSync(path, '{ "model": "x" }'), 80);
    await applyInstall(paths, job);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ model: "x", hooks: {} });
  });

  test("a file that is empty at first is read again", async () => {
    const { paths, path, job } = jobWith("");
    setTimeout(() => writeFileSync(path, '{ "model": "x" }'), 80);
    await applyInstall(paths, job);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ model: "x", hooks: {} });
  });

  test("broken JSON is refused and left as it is", async () => {
    const { paths, path, job } = jobWith('{ "model": ');
    await expect(applyInstall(paths, job)).rejects.toMatchObject({ code: "settings.json" });
    expect(readFileSync(path, "utf8")).toBe('{ "model": ');
    expect(existsSync(join(paths.state, "installs"))).toBe(false);
  });
});

const script = join(import.meta.dirname, "..", "helpers", "apply-once.ts");
async function run(action: string, paths: { root: string }, path: string, env: Record<string, string> = {}) {
  const args = ["--import", "tsx", script, action, paths.root, path];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: "ignore" });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
}

describe("processes", () => {
  test.each([
    ["install", "settings:temp"],
    ["install", "settings:recorded"],
    ["install", "settings:renamed"],
    ["uninstall", "settings:temp"],
    ["uninstall", "settings:renamed"],
  ])("%s killed at %s leaves a whole file, and the next run completes", async (action, point) => {
    const original = `{\n  // mine\n  "a": 1\n}\n`;
    const { paths, path, job } = jobWith(original);
    await applyInstall(paths, job);
    const complete = readFileSync(path, "utf8");
    if (action === "install") await applyUninstall(paths, job);

    expect(await run(action, paths, path, { BECKON_FAULT: point })).toBe("SIGKILL");
    expect([original, complete]).toContain(readFileSync(path, "utf8"));

    expect(await run(action, paths, path)).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(action === "install" ? complete : original);
    expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
    await applyUninstall(paths, job);
    expect(readFileSync(path, "utf8")).toBe(original);
  });

  test("a file that did not exist is gone again after a killed install and an uninstall", async () => {
    const { paths, path, job } = jobWith(undefined);
    expect(await run("install", paths, path, { BECKON_FAULT: "settings:renamed" })).toBe("SIGKILL");
    await applyUninstall(paths, job);
    expect(existsSync(path)).toBe(false);
  });

  test("four installers at once leave one entry per event", async () => {
    const { paths, path, job } = jobWith('{ "a": 1 }');
    const codes = await Promise.all([1, 2, 3, 4].map(() => run("install", paths, path)));
    expect(codes).toEqual([0, 0, 0, 0]);
    const { hooks } = JSON.parse(readFileSync(path, "utf8"));
    expect([hooks.Stop.length, hooks.Notification.length]).toEqual([1, 1]);
    await applyUninstall(paths, job);
    expect(readFileSync(path, "utf8")).toBe('{ "a": 1 }');
  });
});
