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
    ["nothing", [], /Getting started:[\s\S]*beckon doctor/],
    ["--help", ["--help"], /Usage: beckon/],
    ["help of a command", ["log", "--help"], /--follow/],
    ["--version", ["--version"], /^\d+\.\d+\.\d+\n$/],
  ])("%s is answered", async (_, args, says) => {
    expect(await home.run(args)).toEqual({ exitCode: 0, stdout: expect.stringMatching(says), stderr: "" });
  });

  test.each([
    ["an unknown command", "lgo", /unknown command 'lgo'\n\(Did you mean log\?\)/],
    ["a word like no command", "lisp", /unknown command 'lisp'\nSee `beckon --help`/],
    ["help of an unknown command", "help wy", /'wy'\n\(Did you mean .*why.*\?\)/],
    ["an unknown part's help", "help config chekc", /'chekc'\n\(Did you mean check\?\)\nSee `beckon config --help`/],
    ["a wrong value for config add", "config add --kinds finish", /See `beckon config add --help`/],
    ["a wrong option of relay add", "relay add", /See `beckon relay add --help`/],
    ["a misspelled agent", "install --agent clade", /Did you mean claude\?/],
    ["a word like no agent", "install --agent vim", /Known agents: .*claude/],
    ["an id that is too short", "retry nope", /the id nope is too short/],
    ["an unknown option", "log --jsno", /Did you mean --json\?/],
    ["an argument too many", "status x", /too many arguments/],
    ["config alone", "config", /Usage: beckon config/],
    ["an unknown part of config", "config chekc", /Did you mean check\?/],
    ["a limit of zero", "log --limit 0", /whole number, 1 or more/],
    ["a limit that is not a number", "log --limit 1e3", /whole number/],
    ["a timeout of zero", "flush --timeout 0", /number of seconds/],
    ["retry without arguments", "retry", /give event ids, or --failed/],
    ["retry with both arguments", "retry abcdefgh --failed", /give event ids, or --failed/],
    ["an unknown scope", "install --scope all", /user, project, local/],
  ])("%s is wrong usage", async (_, line, says) => {
    const stderr = expect.stringMatching(says);
    expect(await home.run(line.split(" "))).toEqual({ exitCode: 2, stdout: "", stderr });
  });

  test.each(["why", "test", "x\x1b[31m", "log --x\x1b[31m"])("%j echoes no control characters", async (line) => {
    const { stderr } = await home.run([...line.split(" "), "y\x1b[31mred\x07"]);
    expect(stderr).toMatch(/^beckon: .*[xy]\P{Cc}*\n/u);
    expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });

  const lines = "log|status|doctor|flush|config path|config show|config check|test|retry --failed".split("|");
  test.each(lines)("%s on a machine without beckon neither throws nor writes", async (line) => {
    const before = fingerprint(home.home);
    const { stdout, stderr } = await home.run(line.split(" "));
    expect(`${stdout}${stderr}`).not.toBe("");
    expect(stderr).not.toMatch(/unexpected/);
    expect(fingerprint(home.home)).toBe(before);
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

  test.each([
    [{ code: "ENOSPC", syscall: "write" }, "ENOSPC in write\n  The disk is full. Make room on it."],
    [{ code: "ENOSPC", syscall: "copyfile", path: "/a", dest: "/b" }, "ENOSPC in copyfile of /a to /b\n  The disk is"],
    [{ code: "EISDIR", syscall: "open", path: "/a" }, "EISDIR in open of /a\n  To find the cause: beckon doctor\n"],
    [{ code: "ECONNRESET", syscall: "read" }, "ECONNRESET in read\n"],
  ])("the system error %j is shown with its place and what to do", async (fields, shown) => {
    const print = (): never => {
      throw Object.assign(new Error("canary-7Xw"), fields);
    };
    const { exitCode, stderr } = await home.run(["config", "path"], { print });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`beckon: ${shown}`)]);
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
  const add = "To add it now: beckon install --agent claude. Or do it later.";
  expect(fold(add, 30)).toEqual(["To add it now:", "beckon install --agent claude.", "Or do it later."]);
  expect(fold("If not: ~/.beckon/app/dist/cli.js config remove chime desk", 40)).toHaveLength(2);
  expect(fold("To undo: BECKON_HOME=~/'my second' beckon config remove chime", 40)).toHaveLength(2);
  expect(fold("It is so. Run `beckon config check` now.", 20)).toEqual([
    "It is so. Run",
    "`beckon config check`",
    "now.",
  ]);
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
