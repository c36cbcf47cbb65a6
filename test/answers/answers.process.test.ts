import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Ask, readOpenAsks } from "../../src/answers/ask-files.ts";
import { findProcess } from "../../src/files/process-table.ts";
import {
  askedPayload,
  askingConfig,
  runAtTerminal,
  startAgent,
  startBoard,
  typeAnswer,
  untilAsked,
  useAskingHome,
} from "../world/asking-agent.ts";
import { createCliHome } from "../world/cli-home.ts";
import { dist, killHomeWorker } from "../world/home.ts";
import { readOutput } from "../world/json-output.ts";
import { makeLastingFolder } from "../world/lasting-folder.ts";
import { askWhileKilling } from "./kill-workers.ts";
import { allow, deny } from "./replies.ts";

const home = useAskingHome();

const touch = askedPayload({ tool: "Bash", input: { command: "touch made" } });
const silence = { printed: "", exitCode: 0 };
const asks = () => (existsSync(home.paths.asks) ? readdirSync(home.paths.asks) : []);
const cli = (args: readonly string[]) => [join(dist, "cli.js"), ...args];

/** Runs the command line without a terminal. */
async function beckon(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, cli(args), { env: { ...home.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [exitCode] = (await once(child, "close")) as [number];
  return { output, exitCode };
}

describe("beckon answer", () => {
  test("allows what the user has typed, and leaves nothing behind", async () => {
    const agent = startAgent(home, touch);
    const { id } = await untilAsked(home);
    expect((await beckon(["answer"])).output).toContain("Bash: touch made");
    const { output, exitCode } = await typeAnswer(home, [id], "yes\r\u0015allow"); // asked again, and erased
    expect(output).toMatch(/Bash: touch made[\s\S]*It must be deny or allow\.[\s\S]*Allowed\./);
    expect(exitCode).toBe(0);
    expect(await agent.end).toMatchObject({ printed: allow, exitCode: 0 });
    await expect.poll(asks).toEqual([]);
    const lines = await home.until((journal) => journal.some(({ status }) => status === "resolved"));
    expect(lines.find(({ status }) => status === "answered")).toMatchObject({ choice: "allow", via: "terminal" });
    const resolved = lines.find(({ status }) => status === "resolved");
    expect(resolved).toMatchObject({ resolvedBy: "allowed" });
    expect(resolved?.waitedMs).toBeGreaterThan(900); // nothing is allowed within a second
  });

  test("refuses with the user's reason", async () => {
    const agent = startAgent(home, touch);
    const { id } = await untilAsked(home);
    await typeAnswer(home, [id, "--reason", 'Use "npm ci".'], "deny");
    expect(await agent.end).toMatchObject({ printed: deny("Use 'npm ci'.") });
  });

  test("answers nothing if another word is typed", async () => {
    const agent = startAgent(home, touch, 3);
    const { id } = await untilAsked(home);
    expect((await typeAnswer(home, [id, "allow"], "yes")).exitCode).toBe(1);
    expect(await agent.end).toMatchObject(silence);
  });

  test("refuses an agent's child, an agent's environment, and a pipe", async () => {
    const agent = startAgent(home, touch, 20);
    const { id } = await untilAsked(home);
    expect(await beckon(["answer", id, "allow"])).toMatchObject({ exitCode: 1, output: /needs a terminal/ });
    const marked = await typeAnswer(home, [id, "allow"], "allow", { CLAUDECODE: "1" });
    expect(marked).toMatchObject({ exitCode: 1, output: /only you can do this/ });
    expect(await beckon(["answers", "on"], { CLAUDECODE: "1" })).toMatchObject({ exitCode: 1, output: /only you/ });
    expect((await beckon(["answers", "off"], { CLAUDECODE: "1" })).exitCode).toBe(0);
    expect(await agent.end).toMatchObject(silence);
  });

  test("may be switched on by the user alone, and --json prints the new state", async () => {
    await beckon(["answers", "off"]);
    const withoutHook = await runAtTerminal(home, ["answers", "on"]);
    expect(withoutHook).toMatchObject({ exitCode: 1, output: expect.stringContaining("has no hook for answers") });
    const settings = join(home.env["HOME"] ?? "", ".claude", "settings.json");
    const command = `${home.paths.launcher} PermissionRequest --agent claude --ask 600`;
    mkdirSync(dirname(settings), { recursive: true });
    writeFileSync(
      settings,
      JSON.stringify({ hooks: { PermissionRequest: [{ hooks: [{ type: "command", command }] }] } }),
    );
    const { output, exitCode } = await runAtTerminal(home, ["answers", "on", "--json"]);
    expect(exitCode).toBe(0);
    expect(readOutput("answers on", output.trim())).toEqual([expect.objectContaining({ state: "on", open: 0 })]);
  });

  test("refuses the agent that asks, even in a terminal of its own and without its variable", async () => {
    const [file, payload] = ["tried.txt", "payload.json"].map((name) => join(home.paths.root, name)) as [
      string,
      string,
    ];
    writeFileSync(payload, touch);
    const answer = `script -qec "'${process.execPath}' '${join(dist, "cli.js")}' answer $(ls '${home.paths.asks}' | sed -n 's/.json$//p') allow" /dev/null`;
    const line = `'${home.paths.launcher}' PermissionRequest --agent claude --ask 20 || :`;
    const script = `sh -c "$1" <"$2" & until ls '${home.paths.asks}'/*.json 2>/dev/null; do sleep 0.1; done; printf 'allow\\r' | ${answer} >'${file}'; : >'${home.paths.asks}/off'; wait`;
    const agent = spawn("sh", ["-c", script, "agent", line, payload], {
      env: home.env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    agent.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await once(agent, "close");
    expect(readFileSync(file, "utf8")).toMatch(/an agent has started it/);
    expect(printed).not.toContain("hookSpecificOutput");
  });
});

test("the board answers with its token, and not without it", async () => {
  const agent = startAgent(home, touch);
  await untilAsked(home);
  const board = await startBoard(home);
  onTestFinished(board.stop);
  const [ask] = readOpenAsks(home.paths) as [Ask];
  const { origin } = new URL(board.url);
  const withoutToken = await fetch(`${origin}/answer`, { method: "POST", headers: { Origin: origin } });
  const foreign = await board.press(ask, "deny", { Origin: "https://evil.example" });
  expect([withoutToken.status, foreign.status]).toEqual([403, 403]);
  expect((await board.press({ ...ask, lines: ["Bash: true"] }, "deny")).text).toMatch(/no longer open/);
  expect(home.journal().some(({ via }) => via !== undefined)).toBe(false);
  expect(await board.press(ask, "deny")).toEqual({ status: 200, text: '{"isDone":true,"text":"Denied."}' });
  expect(await agent.end).toMatchObject({ printed: deny() });
  expect((await board.press(ask, "allow")).text).toMatch(/no longer open/);
});

test("a board that an agent runs answers nothing", async () => {
  const agent = startAgent(home, touch, 20);
  await untilAsked(home);
  const board = await startBoard({ env: { ...home.env, CLAUDECODE: "1" } });
  const [ask] = readOpenAsks(home.paths) as [Ask];
  expect((await board.press(ask, "deny")).text).toMatch(/only you can do this/);
  board.stop();
  await beckon(["answers", "off"]);
  expect(await agent.end).toMatchObject(silence);
});

describe("without an answer, the agent's own dialog decides", () => {
  test("after the time", async () => {
    const agent = startAgent(home, touch, 4);
    expect(await agent.end).toMatchObject(silence);
    await home.until((journal) => journal.some(({ status }) => status === "given-up"));
  });

  test("within six seconds after the worker was killed", async () => {
    const agent = startAgent(home, touch);
    await untilAsked(home);
    await home.killWorker();
    const killedAt = performance.now();
    expect(await agent.end).toMatchObject(silence);
    expect(performance.now() - killedAt).toBeLessThan(6_000);
  });

  test("after beckon answers off", async () => {
    const agent = startAgent(home, touch);
    await untilAsked(home);
    expect((await beckon(["answers", "off"])).output).toMatch(/Answers are off: you switched them off/);
    expect(await agent.end).toMatchObject(silence);
    await home.until((journal) => journal.some(({ status }) => status === "given-up"));
    expect(await startAgent(home, touch).end).toMatchObject(silence);
  });

  test("after beckon was deleted", async () => {
    const agent = startAgent(home, touch);
    await untilAsked(home);
    while (existsSync(home.paths.lock)) spawnSync("rm", ["-rf", home.paths.root]);
    expect(await agent.end).toMatchObject(silence);
  });

  test("after an upgrade and an uninstall, and no file is left", async () => {
    const user = createCliHome(makeLastingFolder("user"));
    try {
      mkdirSync(join(user.home, ".claude"));
      user.config(askingConfig);
      const env = { BECKON_DISABLE: "1" };
      expect(await user.start(["install", "--agent", "claude", "--yes"], env)).toMatchObject({ exitCode: 0 });
      const open = async (word: string) => {
        const agent = startAgent(user, askedPayload({ tool: "Bash", input: { command: `echo ${word}` } }));
        await expect.poll(() => readOpenAsks(user.paths).length, { timeout: 10_000 }).toBe(1);
        return agent;
      };
      const upgraded = await open("upgrade");
      const manifest = join(user.paths.app, "package.json");
      writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "[^"]+"/, '"version": "0.0.9"'));
      expect(await user.start(["upgrade"])).toMatchObject({ exitCode: 0 });
      expect(await upgraded.end).toMatchObject(silence);
      const uninstalled = await open("uninstall");
      const worker = Number.parseInt(readFileSync(user.paths.lock, "utf8"), 10);
      expect(await user.start(["uninstall", "--purge", "--yes"])).toMatchObject({ exitCode: 0 });
      expect(await uninstalled.end).toMatchObject(silence);
      await expect.poll(() => findProcess(worker), { timeout: 10_000 }).toBeUndefined();
      expect(existsSync(user.paths.root)).toBe(false);
      expect(existsSync(join(user.home, ".claude", "settings.json"))).toBe(false);
    } finally {
      await killHomeWorker(user.paths.lock);
      await user.remove();
    }
  }, 40_000);

  test("where answers are not set up, or no longer", async () => {
    home.writeConfig({ lookups: [] });
    expect(await startAgent(home, touch).end).toMatchObject(silence);
    home.writeConfig({ ...askingConfig, answers: { ...askingConfig.answers, nevr: [] } });
    expect(await startAgent(home, touch).end).toMatchObject(silence);
  });

  test("after the hook was killed, and the request is given up", async () => {
    const agent = startAgent(home, touch);
    const { id } = await untilAsked(home);
    const header = readFileSync(join(home.paths.asks, `${id}.json`), "utf8");
    expect(header).not.toMatch(/token/);
    agent.process.kill("SIGKILL");
    await expect.poll(() => findProcess(agent.process.pid ?? 0)).toBeUndefined();
    const lines = await home.until((journal) => journal.some(({ status }) => status === "given-up"));
    expect(lines.find(({ status }) => status === "given-up")).toMatchObject({ id, reason: "its hook has ended" });
  });
});

test("a well-formed answer that was planted is reported, and switches answers off", async () => {
  const agent = startAgent(home, touch);
  const { id } = await untilAsked(home);
  writeFileSync(join(home.paths.asks, id), allow);
  await agent.end; // whoever was first: the hook or the worker
  await home.until((journal) => journal.some(({ status }) => status === "foreign"));
  expect((await beckon(["answers"])).output).toMatch(/Answers are off: another program/);
});

test("nothing is allowed that nobody allowed, and no request stays open, while workers are killed", async () => {
  const { asks: asked, kills, forged, foreign, leftOpen } = await askWhileKilling(home, 20);
  expect({ asked, kills, forged, foreign, leftOpen }).toEqual({
    asked: 20,
    kills: 4,
    forged: 0,
    foreign: 0,
    leftOpen: 0,
  });
}, 60_000);
