import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import type { Board, ConfigAdd, Try, Why } from "../../../docs/output.d.ts";
import { createFullProgram } from "../../../src/cli/program.ts";
import { startReceiver, useCliHome } from "../../world/cli-home.ts";
import { collectFailures } from "../../world/collect-failures.ts";
import { fixDate } from "../../world/fixed-date.ts";
import { commandOutputs, outputTypes, readError, readOutput, serviceOutputs } from "../../world/json-output.ts";

const home = useCliHome();
fixDate();

/** Lists the commands without subcommands, by their words. */
async function listCommands(): Promise<Map<string, Command>> {
  const found = new Map<string, Command>();
  const add = (command: Command, path: readonly string[]): void => {
    const words = [...path, command.name()];
    if (command.commands.length === 0) found.set(words.join(" "), command);
    for (const inner of command.commands) add(inner, words);
  };
  for (const command of (await createFullProgram()).commands) add(command, []);
  return found;
}

const commands = [...(await listCommands())];
/** Commands without `--json`, with the reason. */
const withoutJson = {
  "config edit": "opens an editor",
  mcp: "its output is the protocol's",
  run: "its output is the command's",
  completion: "prints a shell script",
  "relay serve": "its output is the relay's protocol",
};
const hasJson = (command: Command): boolean => command.options.some(({ long }) => long === "--json");

describe("every command", () => {
  test("has --json, or is a listed exception", () => {
    const without = commands.filter(([, command]) => !hasJson(command)).map(([name]) => name);
    expect(without.sort()).toEqual(Object.keys(withoutJson).sort());
  });

  test("with --json declares its output, and no other does", () => {
    const printing = commands.filter(([, command]) => hasJson(command));
    const declared = Object.keys({ ...commandOutputs, ...serviceOutputs });
    expect(declared.sort()).toEqual(printing.map(([name]) => name).sort());
  });

  test("with a declared output has a test that compares the two", () => {
    const folder = join(import.meta.dirname, "..", "..");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /\.test\.ts$/.test(file));
    const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("\n");
    const untested = Object.keys(commandOutputs).filter((name) => !text.includes(`readOutput("${name}"`));
    expect(untested).toEqual([]);
  });

  test("prints a usage error as one object, with exit code 2", async () => {
    const check = async (name: string) => {
      const { exitCode, stdout, stderr } = await home.run([...name.split(" "), "--json", "--no-such-option"]);
      expect([exitCode, stdout, stderr.split("\n").length]).toEqual([2, "", 2]);
      const { code, message, hint = "" } = readError(stderr);
      expect([code, hint]).toEqual(["usage", expect.stringContaining(`See \`beckon ${name} --help\`.`)]);
      expect(message).toMatch(/^(unknown option|missing required argument|required option|argument ')/);
    };
    expect(
      await collectFailures(
        commands.map(([name]) => name),
        check,
      ),
    ).toEqual([]);
  });
});

test("a declared output names instants by At, except in the journal", () => {
  const instants = [...outputTypes.matchAll(/(\w+)\??: Time;/g)].map(([, name = ""]) => name);
  expect(new Set(instants.filter((name) => !name.endsWith("At")))).toEqual(new Set(["at", "until"]));
  const others = [...outputTypes.matchAll(/(\w+At(?:Ms)?)\??: (?!Time;)/g)].map(([, name]) => name);
  expect(others).toEqual(["lastSeenAt"]);
});

describe("errors", () => {
  test.each([
    { args: ["lgo"], code: "usage", message: "unknown command 'lgo'", hint: "Did you mean log? See `beckon --help`." },
    { args: ["config"], code: "usage", message: "unknown option '--json'", hint: "See `beckon config --help`." },
    {
      args: ["try", "nope"],
      code: "usage",
      message: "there is no event nope",
      hint: /needs-you, failed, finished, info/,
    },
    { args: ["retry"], code: "usage", message: /give event ids/, hint: /--failed/ },
    { args: ["why", "nope"], code: "command", message: "there is no event nope", hint: /beckon log/ },
    { args: ["seen", "nope"], code: "command", message: "no session nope", hint: /beckon sessions/ },
    { args: ["focus"], code: "command", message: "no session is waiting for you", hint: /beckon sessions/ },
    { args: ["config", "remove", "nope"], code: /./, message: /nope/, hint: /./ },
    { args: ["relay", "revoke", "x"], code: "command", message: /no server/, hint: /relay up/ },
    { args: ["upgrade"], code: "command", message: /not installed/, hint: /beckon install/ },
    { args: ["board", "--day", "2026-11-21"], code: "usage", message: "--day needs --out", hint: /./ },
  ])("$args is an error for programs", async ({ args, code, message, hint }) => {
    const { exitCode, stdout, stderr } = await home.run([...args, "--json"]);
    expect([exitCode, stdout, stderr.split("\n").length]).toEqual([code === "usage" ? 2 : 1, "", 2]);
    const matching = (wanted: string | RegExp) => (typeof wanted === "string" ? wanted : expect.stringMatching(wanted));
    expect(readError(stderr)).toEqual({ code: matching(code), message: matching(message), hint: matching(hint) });
  });

  test("an unexpected one has a code, and never its message", async () => {
    const print = (): never => {
      throw new TypeError("canary-7Xw");
    };
    const { exitCode, stderr } = await home.run(["config", "path", "--json"], { print });
    expect([exitCode, readError(stderr).code]).toEqual([1, "unexpected"]);
    expect(stderr).not.toContain("canary-7Xw");
  });

  test("a system error has the system's code", async () => {
    const print = (): never => {
      throw Object.assign(new Error("canary-7Xw"), { code: "EACCES", syscall: "open", path: "/x" });
    };
    const { stderr } = await home.run(["config", "path", "--json"], { print });
    expect(readError(stderr)).toEqual({
      code: "EACCES",
      message: "EACCES in open of /x",
      hint: expect.stringMatching(/^Check the permissions there\./),
    });
  });

  test("a word after -- does not ask for JSON", async () => {
    const { stderr } = await home.run(["relay", "add", "--", "--json"]);
    expect(stderr).toMatch(/^beckon: /);
  });
});

describe("output", () => {
  const run = async (command: string, ...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await home.run([...command.split(" "), ...args, "--json"]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    return stdout;
  };

  test("config path and config init name their files", async () => {
    const file = home.paths.config;
    expect(readOutput("config path", await run("config path"))).toEqual([{ file }]);
    expect(readOutput("config init", await run("config init"))).toEqual([
      { file, schemaFile: home.paths.configSchema },
    ]);
  });

  test("config add and config remove name the notifier and its secret files", async () => {
    const { url } = await startReceiver(200);
    const words = ["webhook", "--name", "hook", "--set", `url=\${file:${home.write(join(home.home, "url"), url)}}`];
    const [added] = readOutput("config add", await run("config add", ...words)) as unknown as ConfigAdd[];
    const file = home.paths.config;
    expect(added).toEqual({ name: "hook", type: "webhook", file, secretFiles: [], isRouted: true });
    const removed = readOutput("config remove", await run("config remove", "hook"));
    expect(removed).toEqual([{ name: "hook", file, secretFiles: [], hasRoutes: true }]);
  });

  test("config add with a failing test saves nothing and gives the reason", async () => {
    const { url } = await startReceiver(401);
    const set = `url=\${file:${home.write(join(home.home, "url"), url)}}`;
    const { exitCode, stdout, stderr } = await home.run(["config", "add", "webhook", "--json", "--set", set]);
    expect([exitCode, stdout, readError(stderr).message]).toEqual([1, "", expect.stringContaining("401")]);
    expect((await home.run(["config", "check", "--json"])).stdout).toBe("");
  });

  test("why has the routes and the journal lines, in whole milliseconds", async () => {
    home.config({ notifiers: { desk: { type: "desktop" } }, routes: [{ kinds: ["failed"], to: ["desk"] }] });
    const event = { id: "01j9x2aaaa", agent: "claude", event: "Notification", kind: "needs-you", project: "shop" };
    home.journal(
      { ...event, status: "accepted", summary: "Bash: git push" },
      { ...event, status: "resolved", resolvedBy: "prompt", waitedMs: 790_564.708_740_234_4 },
    );
    const [story] = readOutput("why", await run("why", "01j9x2")) as unknown as Why[];
    expect(story).toMatchObject({ id: "01j9x2aaaa", summary: "Bash: git push", receivedAt: expect.any(String) });
    expect(story?.routes).toEqual([{ to: ["desk"], matches: false, detail: expect.any(String) }]);
    expect(story?.lines[1]).toMatchObject({ status: "resolved", waitedMs: 790_565 });
    expect(readOutput("log", await run("log")).at(-1)).toMatchObject({ waitedMs: 790_565 });
  });

  test("try has ISO times", async () => {
    const desk = { type: "desktop", program: process.execPath };
    home.config({ notifiers: { desk }, routes: [{ kinds: ["needs-you"], to: ["desk"] }] });
    const [message] = readOutput("try", await run("try", "needs-you")) as unknown as Try[];
    expect(message).toMatchObject({ notifier: "desk", outcome: "sent", reasons: [{ reason: expect.any(String) }] });
    expect(Date.parse(message?.at ?? "")).toBeGreaterThan(0);
  });

  test("board names the file it wrote", async () => {
    const out = join(home.home, "day.html");
    const [board] = readOutput("board", await run("board", "--out", out, "--day", "2026-11-21")) as unknown as Board[];
    expect(board).toEqual({ file: out, day: "2026-11-21" });
  });
});
