import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolveAgent } from "../../src/agents/registry.ts";
import { alignRows, countCells, cutToCells, fitRows, fold } from "../../src/cli/columns.ts";
import { commandNames } from "../../src/cli/commands/registry.ts";
import { createFullProgram } from "../../src/cli/program.ts";
import { fingerprint, useCliHome } from "../world/cli-home.ts";

describe("program", () => {
  const home = useCliHome();

  test.each([
    { name: "nothing", args: [], exitCode: 0, stdout: /Getting started:[\s\S]*beckon doctor/ },
    { name: "--help", args: ["--help"], exitCode: 0, stdout: /Usage: beckon/ },
    { name: "help of a command", args: ["log", "--help"], exitCode: 0, stdout: /--follow/ },
    { name: "--version", args: ["--version"], exitCode: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
    { name: "an unknown command", args: ["lgo"], exitCode: 2, stderr: /unknown command 'lgo'\n\(Did you mean log\?\)/ },
    {
      name: "a word like no command",
      args: ["lisp"],
      exitCode: 2,
      stderr: /unknown command 'lisp'\nSee `beckon --help`/,
    },
    {
      name: "help of an unknown command",
      args: ["help", "wy"],
      exitCode: 2,
      stderr: /'wy'\n\(Did you mean .*why.*\?\)/,
    },
    {
      name: "help of an unknown part of config",
      args: ["help", "config", "chekc"],
      exitCode: 2,
      stderr: /'chekc'\n\(Did you mean check\?\)\nSee `beckon config --help`/,
    },
    {
      name: "a wrong value for config add",
      args: ["config", "add", "--kinds", "finish"],
      exitCode: 2,
      stderr: /See `beckon config add --help`/,
    },
    {
      name: "a wrong option of relay add",
      args: ["relay", "add"],
      exitCode: 2,
      stderr: /See `beckon relay add --help`/,
    },
    { name: "a misspelled agent", args: ["install", "--agent", "clade"], exitCode: 2, stderr: /Did you mean claude\?/ },
    {
      name: "a word like no agent",
      args: ["install", "--agent", "vim"],
      exitCode: 2,
      stderr: /Known agents: .*claude/,
    },
    { name: "an id that is too short", args: ["retry", "nope"], exitCode: 2, stderr: /the id nope is too short/ },
    { name: "an unknown option", args: ["log", "--jsno"], exitCode: 2, stderr: /Did you mean --json\?/ },
    { name: "an argument too many", args: ["status", "x"], exitCode: 2, stderr: /too many arguments/ },
    { name: "config alone", args: ["config"], exitCode: 2, stderr: /Usage: beckon config/ },
    { name: "an unknown part of config", args: ["config", "chekc"], exitCode: 2, stderr: /Did you mean check\?/ },
    { name: "a limit of zero", args: ["log", "--limit", "0"], exitCode: 2, stderr: /whole number, 1 or more/ },
    { name: "a limit that is not a number", args: ["log", "--limit", "1e3"], exitCode: 2, stderr: /whole number/ },
    { name: "a timeout of zero", args: ["flush", "--timeout", "0"], exitCode: 2, stderr: /number of seconds/ },
    { name: "retry without arguments", args: ["retry"], exitCode: 2, stderr: /give event ids, or --failed/ },
    {
      name: "retry with both arguments",
      args: ["retry", "abcdefgh", "--failed"],
      exitCode: 2,
      stderr: /give event ids, or --failed/,
    },
    { name: "an unknown scope", args: ["install", "--scope", "all"], exitCode: 2, stderr: /user, project, local/ },
  ])("$name ends with $exitCode", async ({ args, exitCode, stdout = /^$/, stderr = /^$/ }) => {
    const result = await home.run(args);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stdout).toMatch(stdout);
    expect(result.stderr).toMatch(stderr);
  });

  const lines = "log|status|doctor|flush|config path|config show|config check|test|retry --failed".split("|");
  test.each(lines)("%s on a machine without beckon neither throws nor writes", async (line) => {
    const before = fingerprint(home.home);
    const { stdout, stderr } = await home.run(line.split(" "));
    expect(`${stdout}${stderr}`).not.toBe("");
    expect(stderr).not.toMatch(/unexpected/);
    expect(fingerprint(home.home)).toBe(before);
  });

  test("a file in place of the spool's folder is an error that names the path and the cure", async () => {
    const dead = join(home.paths.spool, "dead");
    rmSync(dead, { recursive: true, force: true });
    home.write(dead, "a file where a folder should be");
    const { exitCode, stdout, stderr } = await home.run(["retry", "--failed"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(`beckon: ${dead} must be a folder`);
    expect(stderr).toContain(`mkdir -m 700 '${dead}'`);
  });

  test("an unexpected error shows its stack only with BECKON_DEBUG=1, and never its message", async () => {
    const print = (): never => {
      throw new TypeError("canary-7Xw");
    };
    const stderr = "beckon: unexpected TypeError. This is a bug in beckon; set BECKON_DEBUG=1 to see where\n";
    expect(await home.run(["config", "path"], { print })).toMatchObject({ exitCode: 1, stderr });
    const environment = { ...home.environment, env: { BECKON_DEBUG: "1" } };
    const loud = await home.run(["config", "path"], { print, environment });
    expect(loud.stderr).toMatch(/\n +at .*program\.test\.ts/);
    expect(loud.stderr).not.toContain("canary-7Xw");
  });

  test("the full program has every registered command, each with a description", async () => {
    const { commands } = await createFullProgram();
    expect(commands.map((command) => command.name())).toEqual(commandNames);
    const withParts = (command: Command): Command[] => [command, ...command.commands.flatMap(withParts)];
    const all = commands.flatMap(withParts);
    const options = all.flatMap((command) => command.options);
    expect(options.map(({ long }) => long)).toContain("--follow");
    expect(all.filter((command) => command.description() === "").map((command) => command.name())).toEqual([]);
    expect(options.filter(({ description }) => description === "").map(({ flags }) => flags)).toEqual([]);
  });

  test.each(["log", "config", "config add", "relay add", "service report"])(
    "help %s is the same in both forms",
    async (line) => {
      const { stdout } = await home.run(["help", ...line.split(" ")]);
      expect(stdout).toContain(`Usage: beckon ${line}`);
      expect(stdout).toBe((await home.run([...line.split(" "), "--help"])).stdout);
    },
  );

  test.each([
    ["init", "install"],
    ["setup", "install"],
    ["list", "sessions"],
    ["ps", "sessions"],
    ["logs", "log"],
    ["mute", "snooze"],
    ["pause", "snooze"],
    ["open", "board"],
    ["add", "config add"],
    ["remove", "config remove"],
  ])("%s is %s, and the help does not mention it", async (alias, line) => {
    const { stdout } = await home.run([...line.split(" "), "--help"]);
    expect((await home.run([alias, "--help"])).stdout).toBe(stdout);
    expect((await home.run(["help", alias])).stdout).toBe(stdout);
    expect((await home.run(["--help"])).stdout).not.toMatch(new RegExp(`^  ${alias} `, "m"));
  });

  test("version is --version", async () => {
    expect(await home.run(["version"])).toEqual(await home.run(["--version"]));
  });

  test("an alias completes like its command", async () => {
    const complete = (...words: string[]) => home.run(["completion", "words", "--", ...words]);
    const { stdout } = await complete("config", "add", "--na");
    expect(stdout).toContain("--name");
    expect((await complete("add", "--na")).stdout).toBe(stdout);
    expect((await complete("logs", "")).stdout).toBe((await complete("log", "")).stdout);
  });

  test.each([
    ["claude-code", "claude"],
    ["gemini-cli", "gemini"],
    ["codex-cli", "codex"],
    ["github-copilot-cli", "copilot"],
    ["factory", "droid"],
    ["claude", "claude"],
    ["constructor", "constructor"],
  ])("the agent %s is %s", (word, name) => {
    expect(resolveAgent(word)).toBe(name);
  });
});

test("a text's width is measured in terminal cells", () => {
  const narrow = { "": 0, shop: 4, café: 4, "cafe\u0301": 4, "\u200bti\u00adp": 3, "✓": 1, "fin : terminée…": 15 };
  const wide = { 店: 2, 한국: 4, "🎉": 2, "👩‍👩‍👧": 2, "通知、。：（）！": 16, "セッション：2時間3分": 20 };
  const expected = { ...narrow, ...wide };
  expect(Object.fromEntries(Object.keys(expected).map((text) => [text, countCells(text)]))).toEqual(expected);
});

test("letters and signs are as wide alone as next to a wide character", () => {
  const ranges = [
    [0x20, 0x2ff],
    [0x370, 0x52f],
    [0x2010, 0x2718],
  ] as const;
  const all = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  const wrong = all.filter((code) => {
    const character = String.fromCharCode(code);
    return countCells(`${character}店`) !== countCells(character) + 2;
  });
  expect(wrong).toEqual([]);
});

test("a column starts at the same cell in every row", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "é", "店", "🎉", "-"), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (rows) => {
      const marked = rows.map(([first, second, third]) => [`${first}`, `|${second}`, `|${third}`]);
      const starts = alignRows(marked).map((line) =>
        [line.indexOf("|"), line.lastIndexOf("|")].map((at) => countCells(line.slice(0, at))).join(),
      );
      expect(new Set(starts).size).toBe(1);
    }),
    { numRuns: 200 },
  );
});

test("a cut text fits the maximum, starts like the text, and is the whole text if that fits", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "店", "🎉", "e\u0301", "👩‍👩‍👧", " "), maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 30 }), (whole, maxCells) => {
      const cut = cutToCells(whole, maxCells);
      expect(countCells(cut)).toBeLessThanOrEqual(maxCells);
      if (countCells(whole) <= maxCells) expect(cut).toBe(whole);
      else expect([whole.startsWith(cut.slice(0, -1)), cut.at(-1), cut.isWellFormed()]).toEqual([true, "…", true]);
    }),
  );
});

const words = fc.array(fc.stringMatching(/^[a-zé店]{1,9}$/u), { minLength: 1, maxLength: 12 });

test("a folded text has the same words, and no line that is too long", () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 24, max: 60 }), fc.integer({ min: 0, max: 4 }), (said, maxCells, indent) => {
      const lines = fold(said.join(" "), maxCells, indent);
      expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(said);
      expect(lines.filter((line) => countCells(line) > maxCells)).toEqual([]);
    }),
  );
});

test("a word that is longer than a line stays whole", () => {
  expect(fold("see /a/very/long/path/of/somebody now", 12)).toEqual(["see", "/a/very/long/path/of/somebody", "now"]);
});

test("a table that is too wide keeps its words and no line of it is too long", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 40, max: 99 }),
      (rows, maxCells) => {
        const cells = rows.map(([first, last]) => [first[0] ?? "", "x", last.join(" ")]);
        const lines = fitRows(cells, maxCells);
        expect(lines.filter((line) => countCells(line) > maxCells)).toEqual([]);
        expect(lines.join(" ").split(/\s+/).filter(Boolean)).toEqual(cells.flatMap((row) => row.join(" ").split(" ")));
      },
    ),
  );
});
