import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolvePaths } from "../../../src/files/paths.ts";
import { type CommandRequest, commandLine, isPortable, shellWord } from "../../../src/installer/agents/command-line.ts";
import { createBeckonCommands, isBeckonCommand } from "../../../src/installer/beckon-commands.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { freshFolder } from "../../world/fresh-folder.ts";

const request = (root: string, change: Partial<CommandRequest> = {}): CommandRequest => ({
  ...{ paths: resolvePaths(root), home: "/home/u", platform: "linux", agent: "droid" },
  ...{ nativeEvent: "Stop", event: "Stop", waitSeconds: 0, ...change },
});
/** True if a command line is of the installation with these paths. */
const isOwnLine = (paths: CommandRequest["paths"], line: string) =>
  isBeckonCommand(createBeckonCommands({ commands: [], roots: [paths] }), line);

describe("the command line", () => {
  test.each([
    ["/home/u/.beckon", {}, "~/.beckon/hook Stop --agent droid || :"],
    ["/home/u/.beckon", { waitSeconds: 8 }, "~/.beckon/hook Stop --agent droid --wait 8 || :"],
    ["/home/u/.beckon", { agent: undefined }, "~/.beckon/hook Stop || :"],
    ["/home/v/.beckon", {}, "/home/v/.beckon/hook Stop --agent droid || :"],
    ["/opt/my tools", {}, "'/opt/my tools/hook' Stop --agent droid || :"],
    ["/opt/it's", {}, "'/opt/it'\\''s/hook' Stop --agent droid || :"],
  ])("%s %j", (root, change, expected) => {
    expect(commandLine(request(root, change))).toBe(expected);
  });

  test("on Windows it is a bare node, with a double-quoted script that loads the entrypoint", () => {
    const paths = { launcher: "C:\\x\\hook", app: "C:\\Users\\Jo Doe\\.beckon\\app" };
    const windows = request("/x", { platform: "win32", paths, nativeEvent: "SubagentStop", event: "SubagentStop" });
    const script = "try{require('C:/Users/Jo Doe/.beckon/app/dist/hooks/subagent-stop.cjs')}catch{}";
    const expected = `node -e "${script}" -- --agent droid --wait 8 ; exit 0`;
    expect(commandLine({ ...windows, waitSeconds: 8 })).toBe(expected);
    expect(isOwnLine(paths, expected)).toBe(true);
  });

  test("for a login shell that may not parse it, it is passed to sh in universal quotes", async () => {
    const home = "/home/u/.beckon";
    const line = "~/.beckon/hook Stop --agent droid || :";
    const parsing = ["/bin/bash", "/usr/bin/zsh", "/usr/bin/fish", "/bin/tcsh", "/usr/bin/xonsh", "/bin/ksh93", ""];
    const others = ["/usr/bin/elvish", "/usr/bin/nu", "/usr/bin/rc", "/opt/es/bin/es", "/usr/bin/pwsh", "murex"];
    const rows = [
      ...[...parsing, undefined].map((shell) => [`${shell}`, shell, home, line] as const),
      ...others.map((shell) => [shell, shell, home, `sh -c '${line}'`] as const),
      ["a space", "/bin/nu", "/opt/my tools", `sh -c '"/opt/my tools/hook" Stop --agent droid || :'`],
      ["a quote, which no form fits", "/bin/nu", "/opt/it's", "'/opt/it'\\''s/hook' Stop --agent droid || :"],
    ] as const;
    const check = ([, loginShell, root, expected]: (typeof rows)[number]) => {
      const made = commandLine(request(root, { loginShell }));
      expect(made).toBe(expected);
      expect(isOwnLine(resolvePaths(root), made)).toBe(true);
      expect(isOwnLine(resolvePaths(root), made.replace("|| :'", "; curl x'"))).toBe(!made.startsWith("sh -c"));
    };
    expect(await collectFailures(rows, check)).toEqual([]);
    expect(isPortable(`sh -c '${line}'`)).toBe(true);
  });

  test("only a command line that starts with ~ is portable", () => {
    expect(isPortable(commandLine(request("/home/u/.beckon")))).toBe(true);
    expect(isPortable(commandLine(request("/opt/b")))).toBe(false);
  });
});

describe("run by a real sh", () => {
  test("a launcher below a folder of any name gets its arguments", async () => {
    const signs = ["it's", 'a"b', "$HOME", "`id`", "a;b|c&d", "(x)", "-n", "a\\b", "*"];
    const names = ["with space", "ü日本", "new\nline", ...signs];
    const check = (name: string) => {
      const root = join(freshFolder(), name);
      mkdirSync(root);
      writeFileSync(join(root, "hook"), '#!/bin/sh\nprintf "%s\\n" "$@" >"${0%/*}/args"\nexit 7\n', { mode: 0o755 });
      const line = commandLine(request(root, { waitSeconds: 3 }));
      const { status, stderr } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
      expect(readFileSync(join(root, "args"), "utf8")).toBe("Stop\n--agent\ndroid\n--wait\n3\n");
    };
    expect(await collectFailures(names, check)).toEqual([]);
  });

  test("agents that replace variables in their settings find none in a path", () => {
    // Gemini and Qwen replace these in every text of their settings, whatever its quotes.
    const expand = (line: string) => line.replace(/\$(?:\w+|\{[^}]+\})/g, "/elsewhere");
    for (const root of ["/opt/$HOME x", "/opt/${HOME}", "/opt/$1$$USER", "/opt/it's $HOME", "/opt/$"]) {
      const line = commandLine(request(root));
      expect(expand(line)).toBe(line);
      expect(spawnSync("sh", ["-c", `printf %s ${shellWord(root)}`], { encoding: "utf8" }).stdout).toBe(root);
      expect(isOwnLine(resolvePaths(root), line)).toBe(true);
    }
  });

  test("with a missing launcher it exits with 0", () => {
    expect(spawnSync("sh", ["-c", commandLine(request("/nowhere/at all"))]).status).toBe(0);
  });

  test("any text is one word to sh, and is unchanged", () => {
    const word = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "").toWellFormed());
    const words = fc.array(word, { minLength: 20, maxLength: 20 });
    const property = fc.property(words, (texts) => {
      const line = `printf '%s\\0' ${texts.map(shellWord).join(" ")}`;
      const { stdout } = spawnSync("sh", ["-c", line], { encoding: "utf8" });
      expect(stdout).toBe(texts.map((text) => `${text}\0`).join(""));
    });
    fc.assert(property, { numRuns: 30 });
  });
});

describe("on Windows", () => {
  const line = (app: string, event: CommandRequest["event"] = "Stop") =>
    commandLine(request("/x", { platform: "win32", paths: { launcher: "", app }, event, waitSeconds: 3 }));

  // A profile is named after its user. The ends that Git Bash and PowerShell recognize also end a text for this sh.
  test("any profile leads to its entrypoint, in a shell and an interactive one", async () => {
    const signs = ["a`b", "$HOME", "${x}", "!x", "a^b", "a;b|c", "(x)"];
    const profiles = ["R&D", "50% off", "%PATH%", "Jürgen 日本 🎉", "O'Brien", ...signs];
    const check = (name: string) => {
      const app = join(freshFolder(), name);
      mkdirSync(join(app, "dist/hooks"), { recursive: true });
      const hook = "require('fs').writeFileSync(__dirname + '/args', process.argv.slice(1).join())";
      writeFileSync(join(app, "dist/hooks/stop.cjs"), hook);
      for (const shell of ["sh -c", "bash --norc -ic"]) {
        const [file = "", ...args] = shell.split(" ");
        const { status, stdout } = spawnSync(file, [...args, line(app)], { encoding: "utf8" });
        expect([status, stdout]).toEqual([0, ""]);
        expect(readFileSync(join(app, "dist/hooks/args"), "utf8")).toBe("--agent,droid,--wait,3");
        rmSync(join(app, "dist/hooks/args"));
      }
    };
    expect(await collectFailures(profiles, check)).toEqual([]);
  });

  test("exits with 0 if beckon or Node is missing, silently if beckon is missing", () => {
    const gone = spawnSync("sh", ["-c", line("/nowhere/app")], { encoding: "utf8" });
    expect([gone.status, gone.stdout, gone.stderr]).toEqual([0, "", ""]);
    expect(spawnSync("/bin/sh", ["-c", line("/nowhere/app")], { env: { PATH: "/nowhere" } }).status).toBe(0);
  });

  test("no shell expands anything in the quotes, whatever the path", () => {
    const any = fc.string({ unit: "binary", minLength: 1 });
    const path = any.map((text) => `${text.replaceAll(/[\0\\]/g, "/")}x`.toWellFormed());
    const property = fc.property(path, (app) => {
      const [, script = ""] = /^node -e "(.*)" -- --agent droid --wait 3 ; exit 0$/s.exec(line(app)) ?? [];
      expect(script).toMatch(/^[\w ./:()+,=@~{}'\\-]+$/);
      expect(script).not.toContain("//");
      let loaded = "";
      new Function("require", script)((file: string) => (loaded = file));
      expect(loaded).toBe(`${app}/dist/hooks/stop.cjs`);
      expect(isOwnLine({ launcher: "", app }, line(app))).toBe(true);
    });
    fc.assert(property);
  });
});

describe("a beckon command", () => {
  const roots = [{ launcher: "/opt/my b/hook", app: "/opt/my b/app" }];
  const beckonCommands = createBeckonCommands({ commands: ["exactly this"], roots });
  test.each([
    ["exactly this", true],
    ["exactly this ", false],
    ["~/.beckon/hook Stop --agent droid || :", true],
    ["~/.beckon/hook Stop --agent droid --wait 5 || :", true],
    ["'/opt/my b/hook' Stop --agent claude || :", true],
    ['"/opt/my b/hook" Stop --agent claude || :', true],
    ["/opt/other/hook Stop --agent claude || :", false],
    ["~/.beckon/hook Stop --agent droid", true],
    ["~/.beckon/hook Stop --agent droid || true", true],
    ["~/.beckon/hook Stop --agent droid || false", false],
    ["~/.beckon/hook Stop --agent droid || : # mine", false],
    ["~/.beckon/hook Stop --agent droid || : ; rm -rf ~", false],
    ["~/.beckon/hook Stop --agent $(id) || :", false],
    ["true && ~/.beckon/hook Stop --agent droid || :", false],
    ["", false],
  ])("%j: %s", (command, expected) => {
    expect(isBeckonCommand(beckonCommands, command)).toBe(expected);
  });

  test("every written command line is recognized", () => {
    const segment = fc.string({ minLength: 1 }).filter((text) => !/[/\0]/.test(text) && text !== "." && text !== "..");
    const property = fc.property(segment, fc.nat(600), (name, waitSeconds) => {
      const paths = resolvePaths(`/opt/${name}`);
      const line = commandLine(request(paths.root, { waitSeconds }));
      expect(isOwnLine(paths, line)).toBe(true);
    });
    fc.assert(property);
  });
});
