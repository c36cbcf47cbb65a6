import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { explainUntrusted, type KeyWatch, listAgents, watchKeys } from "../../src/answers/requester.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Ports } from "../../src/core/ports.ts";
import { eventAt } from "../world/arriving-events.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

let program: ChildProcess | undefined;
afterEach(() => program?.kill("SIGKILL"));

/** Starts a program in a session of its own, and explains why it may not answer. */
async function explain(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  program = spawn(process.execPath, ["-e", "console.log(); setInterval(() => {}, 1e9)"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  await once(program.stdout as NodeJS.ReadableStream, "data");
  return explainUntrusted(program.pid ?? 0, []);
}

test("a program with an ordinary environment may answer", async () => {
  expect(await explain({ HOME: "/home/me" })).toBeUndefined();
});

test("a program that detached itself counts only if it did so before the request, or has a terminal", async () => {
  const run = async (program: string, args: readonly string[]) => {
    const file = join(freshFolder(), "pid");
    const code = "require('fs').writeFileSync(process.argv[1], `${process.pid} `); setInterval(() => {}, 1e9)";
    const env = { HOME: "/home/me", PATH: process.env["PATH"], CODE: code, FILE: file, NODE: process.execPath };
    spawn(program, args, { env, stdio: "ignore", detached: true });
    await expect
      .poll(() => existsSync(file) && readFileSync(file, "utf8").endsWith(" "), { timeout: 10_000 })
      .toBe(true);
    const pid = Number(readFileSync(file, "utf8"));
    onTestFinished(() => void process.kill(pid, "SIGKILL"));
    return pid;
  };
  const before = Date.now() - 1_000;
  const line = '"$NODE" -e "$CODE" "$FILE"';
  const detached = await run("sh", ["-c", `setsid -f ${line}`]);
  expect(explainUntrusted(detached, [], before)).toBe("it detached itself after the request");
  expect(explainUntrusted(detached, [], Date.now() + 1_000)).toBeUndefined();
  const child = await run("sh", ["-c", `setsid -w ${line}; true`]);
  expect(explainUntrusted(child, [], before)).toBeUndefined();
  const atTerminal = await run("script", ["-qec", line, "/dev/null"]);
  expect(explainUntrusted(atTerminal, [], before)).toBeUndefined();
});

test.each([
  ["an agent's variable", { HOME: "/home/me", CLAUDECODE: "1" }],
  ["an empty environment, as while it starts another program", {}],
])("a program with %s may not answer", async (_, env) => {
  expect(await explain(env)).toBe("its environment has an agent's variable, or cannot be read");
});

test("the user's own messages, and what adopted a hook, are no agents", () => {
  const listed = (agent: string, pid: number) => listAgents([{ agent, processes: [7, pid] }]).map((each) => each.pid);
  expect([listed("claude", 2 ** 22), listed("cli", 2 ** 22), listed("claude", 1)]).toEqual([[2 ** 22], [], []]);
});

/** Parses the callers of a hook, from the hook up: `bash:10 codex:20`. */
const parseCallers = (names: string) =>
  names.split(" ").map((caller) => [Number(caller.split(":")[1]), caller.split(":")[0] ?? ""] as const);

/** Time of the last key in the terminal of each process that has a terminal; 0 before the first key. */
let terminals: Map<number, number>;

/** Processes in a terminal that have the name of the agent's program. */
let programs: number[];
let clock: FakeClock;
beforeEach(() => {
  terminals = new Map();
  programs = [];
  clock = new FakeClock(1_800_000_000_000);
});

function watch(event: Partial<AgentEvent>): KeyWatch {
  const presence = {
    typedAtMs: ([pid]: readonly number[]) => terminals.get(pid ?? 0) || undefined,
    noticesKeys: ([pid]: readonly number[]) => terminals.has(pid ?? 0),
    findInTerminals: (names: readonly string[]) => (names.includes("codex") ? programs : []),
  };
  const ports = { presence, clock } as unknown as Ports;
  return watchKeys(eventAt("PermissionRequest", 0, { agent: "codex", ...event }), ports);
}

describe("a watch for a key", () => {
  test("notices the first key in the agent's terminal, and none before", () => {
    terminals.set(20, 5_000);
    const keys = watch({ processes: [10, 20] });
    expect([keys.isPossible(), keys.isPressed(), keys.findLastKey()]).toEqual([true, false, 5_000]);
    terminals.set(20, 13_000);
    expect(keys.isPressed()).toBe(true);
  });

  test("notices the first key ever in a terminal", () => {
    terminals.set(20, 0);
    const keys = watch({ processes: [10, 20] });
    expect([keys.isPossible(), keys.isPressed()]).toEqual([true, false]);
    terminals.set(20, 1);
    expect(keys.isPressed()).toBe(true);
  });

  test("ignores the terminal of another program above the agent", () => {
    terminals.set(20, 5_000).set(30, 5_000);
    const keys = watch({ processes: [10, 20], callers: parseCallers("sh:10 codex:20 bash:30") });
    terminals.set(30, 9_000);
    expect(keys.isPressed()).toBe(false);
  });
});

describe("a watch for an agent whose hook runs in a background process", () => {
  const daemon = { processes: [10, 20] };
  const started = parseCallers("bash:10 codex:20 codex:30 bash:40");

  test("covers each terminal with the agent's program, also one that is opened later", () => {
    terminals.set(30, 5_000).set(50, 6_000).set(60, 0);
    programs = [30, 50];
    const keys = watch({ ...daemon, callers: started });
    expect([keys.isPossible(), keys.isPressed()]).toEqual([true, false]);
    programs = [30, 50, 60];
    terminals.set(60, 9_000);
    expect(keys.isPressed()).toBe(false);
    clock.skip(1_000);
    expect(keys.isPressed()).toBe(true);
  });

  test("goes on after one of the terminals is closed", () => {
    terminals.set(30, 5_000).set(50, 6_000);
    programs = [30, 50];
    const keys = watch({ ...daemon, callers: started });
    programs = [30];
    clock.skip(1_000);
    expect(keys.isPressed()).toBe(false);
    terminals.set(30, 9_000);
    expect(keys.isPressed()).toBe(true);
  });

  test.each([
    ["was adopted by the first process", "bash:10 codex:20 init:1", true],
    ["was adopted by the user's systemd", "bash:10 codex:20 systemd:900 systemd:1", true],
    ["belongs to an editor", "bash:10 codex:20 code:700 systemd:1", false],
    ["belongs to an editor that was started in a terminal", "bash:10 codex:20 code:700 bash:40", false],
    ["has another name", "bash:10 other:20 init:1", false],
  ])("is possible only for a terminal of its own: the process %s", (_, callers, isPossible) => {
    terminals.set(40, 5_000).set(50, 5_000);
    programs = [50];
    expect(watch({ ...daemon, callers: parseCallers(callers) }).isPossible()).toBe(isPossible);
  });

  test("is impossible while no terminal has the agent's program", () => {
    expect(watch({ ...daemon, callers: parseCallers("bash:10 codex:20 init:1") }).isPossible()).toBe(false);
  });
});
