import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeFiles, readInstalls } from "../../../src/cli/status/agent-files.ts";
import type { AgentProgram } from "../../../src/core/agent-settings.ts";
import { resolvePaths } from "../../../src/files/paths.ts";
import { readValue } from "../../../src/installer/agents/disabling-settings.ts";
import { installable } from "../../../src/installer/agents/installable.ts";
import { findProgram, versionIn } from "../../../src/installer/agents/program.ts";
import { wantedEntries } from "../../../src/installer/agents/wanted-entries.ts";
import { inspectAgent } from "../../../src/installer/inspect.ts";
import { createExec } from "../../../src/io/exec.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { addProgram, findAgent, hooksFor } from "../../world/doctor-home.ts";
import { impatient } from "../../world/stub-programs.ts";

const home = useCliHome();

describe("agent files", () => {
  async function read(name: string) {
    const place = { home: home.home, project: home.project, env: {}, platform: process.platform };
    const installs = await readInstalls(home.paths, home.home);
    return describeFiles(name, await inspectAgent(findAgent(name), place, installs.beckonCommands), installs);
  }

  test("entries are found in every scope and file, wrapped or bare, among others", async () => {
    const bare = { ...hooksFor("droid", "Stop"), SessionEnd: [] };
    home.write(join(home.home, ".factory", "hooks.json"), JSON.stringify(bare));
    const others = { Stop: [{ hooks: [{ type: "command", command: "say done" }] }] };
    const hooks = { ...hooksFor("droid", "Notification"), ...others };
    const wrapped = `// mine\n${JSON.stringify({ model: "x", hooks })}`;
    home.write(join(home.project, ".factory", "settings.json"), wrapped);
    expect((await read("droid")).map(({ scope, events, problem }) => [scope, ...events, problem])).toEqual([
      ["user", "Stop", undefined],
      ["project", "Notification", undefined],
    ]);
  });

  test("missing files are not listed", async () => expect(await read("claude")).toEqual([]));

  test("a disallowed comment, broken JSON, and a folder in the file's place are problems", async () => {
    const path = join(home.home, ".claude", "settings.json");
    const problemWith = async (text: string) => {
      home.write(path, text);
      return (await read("claude"))[0]?.problem;
    };
    const comments = /^comments at line 2, column 3$/;
    expect(await problemWith('{\n  // x\n  "hooks": {}\n}')).toMatch(comments);
    expect(await problemWith('{\n  "hooks": {\n')).toMatch(/line 3, column 1/);
    rmSync(path);
    mkdirSync(path);
    expect((await read("claude"))[0]?.problem).toMatch(/not a regular file/);
  });

  test("a file without hooks has no entries and is not a problem", async () => {
    for (const text of ["", "  \n", "[]", "7", '{"hooks":[]}', '{"hooks":{"Stop":{"command":7}}}']) {
      home.write(join(home.home, ".claude", "settings.json"), text);
      expect(await read("claude"), text).toMatchObject([{ events: [] }]);
    }
  });

  test("doctor misses exactly the events chosen at installation", async () => {
    mkdirSync(join(home.home, ".claude"));
    const env = { ...home.env, BECKON_DISABLE: "1" };
    const place = { home: home.home, project: home.project, env, platform: process.platform };
    const args = ["install", "--agent", "claude", "--events", "Stop", "--yes"];
    expect(await home.run(args, { environment: place })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await read("claude")).toMatchObject([{ events: ["Stop"], chosen: ["Stop"], changed: [] }]);
    expect((await home.run(["doctor", "--all"])).stdout).toContain("✓ Claude Code: hooks: Stop\n");
  });

  test("a broken install record is reported, and entries are recognized by their form", async () => {
    home.write(join(home.home, ".claude", "settings.json"), JSON.stringify({ hooks: hooksFor("claude", "Stop") }));
    home.write(join(home.paths.state, "installs", `${"0123".repeat(8)}.json`), "torn");
    expect(await read("claude")).toMatchObject([{ events: ["Stop"] }]);
    expect((await home.run(["status"])).exitCode).toBe(0);
    const { exitCode, stdout } = await home.run(["doctor"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("✗ install records: ~/.beckon/state/installs/01230123012301230123012301230123.json");
  });
});

test("a file of hook switches is read as a value, or as empty, without an error", async () => {
  const rows: readonly [what: string, file: string, text: string, value: unknown][] = [
    ["strict JSON", "a.json", '{"a":[1]}', { a: [1] }],
    ["JSON with comments and trailing commas", "a.json", '{ "a": [1,], } // why', { a: [1] }],
    ["JSON after a byte-order mark", "a.json", '\ufeff{"a":[1]}', { a: [1] }],
    ["TOML", "a.toml", "a = [1]", { a: [1] }],
    ["broken JSON", "a.json", '{"a":', undefined],
    ["JSON with comments, too deep for a parser that recurses", "a.json", `// c\n${"[".repeat(100_000)}`, undefined],
    ["broken TOML", "a.toml", "a = ", undefined],
  ];
  const check = async ([, file, text, value]: (typeof rows)[number]) =>
    expect(await readValue(home.write(join(home.home, file), text))).toEqual(value);
  expect(await collectFailures(rows, check)).toEqual([]);
  expect(await readValue("/nowhere/settings.json")).toBeUndefined();
});

describe("program", () => {
  const program = (name: string, script: string) => addProgram(home, name, script);
  function find(asked: AgentProgram, timeoutMs?: number, granted: number[] = []) {
    const droid = findAgent("droid");
    const exec = createExec({ HOME: home.home, PATH: `${join(home.home, "bin")}:/usr/bin:/bin` });
    const tried = timeoutMs === undefined ? exec : impatient(exec, granted);
    return findProgram({ settings: { ...droid.settings, program: asked } }, tried, timeoutMs);
  }

  test("the first name on PATH is asked for its version", async () => {
    const file = program("second", 'echo "second $1 1.2.3, built 4.5.6"');
    expect(await find({ files: ["first", "second", "third"] })).toEqual({ file, version: "1.2.3" });
  });

  test("a program is asked with --version, and may answer on standard error", async () => {
    const file = program("odd", '[ "$*" = "--version" ] && echo 9.8.7 >&2');
    expect(await find({ files: ["odd"] })).toEqual({ file, version: "9.8.7" });
  });

  test("a program that creates its settings folder when asked leaves none in the home", async () => {
    const makes = 'mkdir -p "$HOME/.codex/log" && touch "$HOME/.codex/log/a" && echo codex-cli 0.169.0';
    const file = program("codex", makes);
    const before = readdirSync(home.home);
    expect(await find({ files: ["codex"] })).toEqual({ file, version: "0.169.0" });
    expect(readdirSync(home.home)).toEqual(before);
  });

  test("an npm program is not started, as its package has the version", async () => {
    const script = program("npm/node_modules/@acme/agent/bin/agent", `touch ${home.home}/started; echo 9.9.9`);
    const manifest = JSON.stringify({ version: "1.2.3-beta.1", bin: { agent: "./bin/agent" } });
    home.write(join(home.home, "bin/npm/node_modules/@acme/agent/package.json"), manifest);
    symlinkSync(script, join(home.home, "bin", "agent"));
    expect(await find({ files: ["agent"] })).toMatchObject({ version: "1.2.3" });
    expect(existsSync(join(home.home, "started"))).toBe(false);
  });

  test("a package around a foreign program does not give its version", async () => {
    program("other", "echo 4.5.6");
    home.write(join(home.home, "package.json"), JSON.stringify({ version: "1.2.3", bin: "bin/else" }));
    expect(await find({ files: ["other"] })).toMatchObject({ version: "4.5.6" });
  });

  test("a program that is not on PATH is not found", async () =>
    expect(await find({ files: ["nowhere"] })).toBeUndefined());

  test.each([
    ["hangs", "sleep 60"],
    ["hangs in a child process", "sleep 60 & wait"],
    ["fails", "exit 7"],
    ["says something else", "echo hello"],
    ["reads its input", "cat; echo nothing"],
  ])("a program that %s is found without a version, and not waited for", async (_, script) => {
    const file = program("strange", script);
    const granted: number[] = [];
    expect([await find({ files: ["strange"] }, 500, granted), granted]).toEqual([{ file }, [500]]);
  });

  test("a version is the first three numbers with dots in a text", () => {
    const expected = {
      "2.1.329 (Claude Code)\n": "2.1.329",
      "codex-cli 0.169.0": "0.169.0",
      "v20.18.1": "20.18.1",
      "1.2.3-beta.4+5.6.7": "1.2.3",
      "warning: node 20\n0.61.0": "0.61.0",
      "no version": undefined,
      "": undefined,
    };
    expect(Object.keys(expected).map((text) => [text, versionIn(text)])).toEqual(Object.entries(expected));
  });
});

describe("wanted entries", () => {
  const place = { paths: resolvePaths("/home/u/.beckon"), home: "/home/u", platform: "linux" } as const;

  test("timeouts are in the agent's unit and allow for the wait", () => {
    const [first] = installable;
    if (!first) throw new Error("no agent");
    const agent = { ...first, settings: { ...first.settings, timeoutUnit: "ms" as const } };
    const wantAt = (waitSeconds: number) =>
      wantedEntries({ agent, events: ["Stop"], waitSeconds, ...place }).get("Stop");
    expect(wantAt(0)).toMatchObject({ timeout: 5000, leastTimeout: 0 });
    expect(wantAt(8)).toMatchObject({ timeout: 10_000, leastTimeout: 10_000 });
  });

  test.each([
    ["codex", "SessionEnd", 10, 1, 3],
    ["codex", "Stop", 10, 10, 12],
    ["kimi", "Stop", 600, 598, 600],
    ["claude", "SessionEnd", 600, 600, 602],
    ["qwen", "Stop", 99_999_999, 2_147_481, 2_147_483_000],
  ])("%s: %s with a wait of %d s waits %d and requests %d, within the agent's limit", (...row) => {
    const [name, event, waitSeconds, waits, timeout] = row;
    const wanted = wantedEntries({ agent: findAgent(name), events: [event], waitSeconds, ...place });
    const command = `~/.beckon/hook ${event} --agent ${name} --wait ${waits} || :`;
    expect(wanted.get(event)).toMatchObject({ command, timeout, leastTimeout: timeout });
  });

  test("a hook that asks gets its time and a margin, within the agent's limit", () => {
    const event = "PermissionRequest";
    const wantAsked = (name: string, seconds: number) => {
      const request = { agent: findAgent(name), events: [event], waitSeconds: 0, ...place };
      return wantedEntries({ ...request, asking: { event, seconds } }).get(event);
    };
    const status = { text: "Waiting for your answer; any key asks here", isWanted: true };
    expect(wantAsked("codex", 600)).toMatchObject({ timeout: 630, leastTimeout: 630, status });
    const [command, longest] = ["600", "2147453"].map((seconds) => expect.stringContaining(`--ask ${seconds} `));
    expect(wantAsked("qwen", 600)).toMatchObject({ command, timeout: 630_000, leastTimeout: 630_000 });
    expect(wantAsked("qwen", 99_999_999)).toMatchObject({ command: longest, timeout: 2_147_483_000 });
    expect(wantAsked("claude", 600)?.status).toBeUndefined();
  });

  test("no prompt waits, as nothing is delivered for it", () => {
    const wanted = wantedEntries({ agent: findAgent("qwen"), events: undefined, waitSeconds: 10, ...place });
    const command = "~/.beckon/hook UserPromptSubmit --agent qwen || :";
    expect(wanted.get("UserPromptSubmit")).toMatchObject({ command, timeout: 5000, leastTimeout: 0 });
    expect(wanted.get("Stop")?.command).toContain("--wait 10");
  });
});
