import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { installable } from "../../src/installer/agents/installable.ts";
import { wantedEntries } from "../../src/installer/agents/wanted-entries.ts";
import { applyInstall, applyUninstall, previewInstall } from "../../src/installer/apply.ts";
import { createBeckonCommands, isBeckonCommand } from "../../src/installer/beckon-commands.ts";
import { editors } from "../../src/installer/editors/registry.ts";
import { readSettingsFile } from "../../src/installer/files/read-settings-file.ts";
import { replaceSettingsFile } from "../../src/installer/files/replace-settings-file.ts";
import { receives } from "../../src/installer/own-files.ts";
import { readRecord } from "../../src/installer/record.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { createHome, run } from "../world/home.ts";
import { freshTask, wantedFor } from "../world/settings-tasks.ts";

function jobWith(content: string | undefined) {
  const fresh = freshTask();
  mkdirSync(dirname(fresh.path), { mode: 0o700 });
  if (content !== undefined) writeFileSync(fresh.path, content, { mode: 0o600 });
  return fresh;
}

describe("records between runs", () => {
  test("foreign edits in between survive an upgrade and the uninstall", async () => {
    const { paths, path, task } = jobWith("{}");
    await applyInstall(paths, task);
    writeFileSync(path, JSON.stringify({ model: "x", ...JSON.parse(readFileSync(path, "utf8")) }));
    await applyInstall(paths, { ...task, wanted: wantedFor("Notification", "Stop", "SessionEnd") });
    await applyUninstall(paths, task);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ model: "x" });
  });

  test("a folder made for the file stays if it holds another", async () => {
    const { paths, path, task } = freshTask();
    await applyInstall(paths, task);
    writeFileSync(join(dirname(path), "other"), "");
    await applyUninstall(paths, task);
    expect(readdirSync(dirname(path))).toEqual(["other"]);
  });

  test("an uninstall deletes the record of a file that no longer exists", async () => {
    const { paths, path, task } = jobWith('{ "a": 1 }');
    await applyInstall(paths, task);
    rmSync(path);
    await applyUninstall(paths, task);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(join(paths.state, "installs"))).toEqual([]);
  });

  test("the record is private and holds the previous content", async () => {
    const { paths, path, task } = jobWith('{ "a": 1 }');
    await applyInstall(paths, task);
    const [name = ""] = readdirSync(join(paths.state, "installs"));
    expect(name).toMatch(/^[0-9a-f]{32}\.json$/);
    expect(statSync(join(paths.state, "installs", name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(paths.state, "installs")).mode & 0o777).toBe(0o700);
    const record = await readRecord(paths, path);
    expect(Buffer.from(record?.original ?? "", "base64").toString()).toBe('{ "a": 1 }');
    const created = [["hooks"], ["hooks", "Notification"], ["hooks", "Stop"]];
    expect(record).toMatchObject({ state: "done", agent: "droid", created });
  });
});

describe("links and file kinds", () => {
  test.each([
    ["a link to itself", "settings.link", (path: string) => symlinkSync(path, path)],
    ["a dangling link", "settings.link", (path: string) => symlinkSync(`${path}.gone`, path)],
    ["a folder", "settings.not-a-file", (path: string) => mkdirSync(path)],
    ["a device", "settings.not-a-file", (path: string) => symlinkSync("/dev/null", path)],
  ])("%s is refused and left alone", async (_, code, make) => {
    const { paths, path, task } = jobWith(undefined);
    make(path);
    const before = lstatSync(path);
    await expect(applyInstall(paths, task)).rejects.toMatchObject({ code });
    expect(lstatSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, mode: before.mode });
  });

  test("a read-only file that needs no change is not a problem", async () => {
    const { paths, path, task } = jobWith("{}");
    await applyInstall(paths, task);
    chmodSync(path, 0o444);
    expect((await applyInstall(paths, task)).changes).toBe(false);
  });

  test("a hard link causes a warning", async () => {
    const { home, paths, path, task } = jobWith("{}");
    linkSync(path, join(home, "second-name"));
    expect((await previewInstall(paths, task)).warnings.join()).toContain("2 hard links");
  });
});

describe("other writers", () => {
  test.each(['{ "model": ', ""])("a file that initially holds only %j is read again", async (torn) => {
    const { paths, path, task } = jobWith(torn);
    setTimeout(() => writeFileSync(path, '{ "model": "x" }'), 80);
    await applyInstall(paths, task);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ model: "x", hooks: {} });
  });

  test.each(["old", undefined])(
    "a file that somebody writes at the last moment (%s) is not overwritten",
    async (content) => {
      const path = join(freshFolder(), "settings.json");
      if (content !== undefined) writeFileSync(path, content);
      const snapshot = await readSettingsFile(path, 1000);
      const beforeRename = async () => writeFileSync(path, "theirs");
      const replacing = replaceSettingsFile(snapshot, Buffer.from("ours"), beforeRename);
      await expect(replacing).rejects.toMatchObject({ code: "settings.changed" });
      expect(readFileSync(path, "utf8")).toBe("theirs");
      expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
    },
  );

  test("a file that has changed is not deleted", async () => {
    const path = join(freshFolder(), "settings.json");
    writeFileSync(path, "old");
    const snapshot = await readSettingsFile(path, 1000);
    const beforeRename = async () => writeFileSync(path, "theirs");
    await expect(replaceSettingsFile(snapshot, undefined, beforeRename)).rejects.toThrow();
    expect(readFileSync(path, "utf8")).toBe("theirs");
  });

  test("the next replacement removes temporary files of a killed installer and no other files", async () => {
    const path = join(freshFolder(), "settings.json");
    writeFileSync(path, "old");
    for (const name of [".settings.json.beckon-0011.tmp", ".other.json.beckon-0011.tmp"]) {
      writeFileSync(join(dirname(path), name), "");
    }
    const snapshot = await readSettingsFile(path, 1000);
    await replaceSettingsFile(snapshot, Buffer.from("new"));
    expect(readdirSync(dirname(path)).sort()).toEqual([".other.json.beckon-0011.tmp", "settings.json"]);
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  test("a file above the size limit, and a path below a file, are refused", async () => {
    const path = join(freshFolder(), "settings.json");
    writeFileSync(path, "12345");
    await expect(readSettingsFile(path, 4)).rejects.toMatchObject({ code: "settings.size" });
    await expect(readSettingsFile(join(path, "below"), 4)).rejects.toMatchObject({ code: "settings.not-a-file" });
  });
});

describe("odd paths", () => {
  const odd = `it's "my" $HOME \`id\` ü日本 & (co)`;
  const home = createHome(odd);
  home.writeConfig({ notifiers: {}, delivery: { linger: "5s" } });
  afterAll(() => home.remove());

  test.each(installable)("the entry written for $name delivers, with home and project at such paths", async (agent) => {
    const { name } = agent;
    const { paths, env } = home;
    const project = join(paths.root, odd, name);
    mkdirSync(project, { recursive: true });
    const place = { home: paths.root, project, env: {}, platform: "linux" } as const;
    const ofUser = agent.settings.files("user", place);
    const [file = ofUser[0]?.shape === "script" ? ofUser[0] : ofUser.at(-1)] = agent.settings.files("local", place);
    if (!file) throw new Error("no file");
    mkdirSync(dirname(file.path), { recursive: true });
    const request = { agent, events: undefined, waitSeconds: 0, paths, home: paths.root };
    const all = wantedEntries({ ...request, platform: "linux" });
    const wanted = new Map([...all].filter(([event]) => receives(file, event)));
    const beckonCommands = createBeckonCommands({ commands: [], roots: [paths] });
    const rules = omitUndefined({ ownText: agent.settings.ownText });
    await applyInstall(paths, { agent: name, scope: "local", file, beckonCommands, wanted, rules, chosen: {} });

    const entries = editors[file.shape].list({ ...file, text: readFileSync(file.path, "utf8") });
    expect(entries).toHaveLength(wanted.size);
    const session = `session-of-${name}`;
    for (const { command } of entries) {
      expect(isBeckonCommand(beckonCommands, command)).toBe(true);
      const input = JSON.stringify({ session_id: session, conversationId: session, taskId: session, cwd: project });
      const { exitCode, stderr } = await run("sh", ["-c", command], input, { env, cwd: project });
      expect([exitCode, stderr]).toEqual([0, ""]);
    }
    const own = (lines: JournalLine[]) => lines.filter(({ sessionId }) => sessionId === session);
    const isAccepted = ({ status }: JournalLine) => status === "accepted";
    const journal = await home.until((lines) => own(lines).filter(isAccepted).length === entries.length);
    expect(new Set(own(journal).map((line) => line.project))).toEqual(new Set([name]));
  });
});
