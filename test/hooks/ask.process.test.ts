import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bootSeconds } from "../../src/files/lock-line.ts";
import { readQuietly } from "../../src/files/read-file.ts";
import { allow, deny } from "../answers/replies.ts";
import { askedPayload, createAskingHome, type HookEnd } from "../world/asking-agent.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { dist, type Home } from "../world/home.ts";

let home: Home;
/** Process in place of a worker, and the timer that renews its promise. */
let worker: ChildProcess;
let heartbeat: ReturnType<typeof setInterval>;

/** Writes the lock of a worker that is awake. */
function writeLock({ pid } = worker): void {
  writeFileSync(home.paths.lock, `${pid} ${String(bootSeconds() + 4).padStart(10)} host\n`, { mode: 0o600 });
}

beforeEach(() => {
  home = createAskingHome();
  home.writeConfig({ lookups: [] }); // a worker that a hook starts holds nothing
  mkdirSync(home.paths.asks, { mode: 0o700 });
  worker = spawn("sleep", ["600"], { stdio: "ignore" });
  writeLock();
  heartbeat = setInterval(writeLock, 500);
});
afterEach(async () => {
  clearInterval(heartbeat);
  worker.kill();
  rmSync(home.paths.lock, { force: true });
  await home.remove();
});

const payload = askedPayload({ tool: "Bash", input: { command: "ls" } });

/** Waiting hooks: the launcher under each shell that may be `sh`, and the entrypoint. */
const shells: Readonly<Record<string, readonly string[]>> = {
  sh: ["sh"],
  dash: ["dash"],
  bash: ["bash", "--posix"],
  busybox: ["busybox", "sh"],
  ksh: ["ksh"],
  zsh: ["zsh", "--emulate", "sh"],
};

function hookLine(kind: string, seconds: number): readonly string[] {
  const args = ["--agent", "claude", "--ask", String(seconds)];
  if (kind === "entrypoint") return [process.execPath, join(dist, "hooks", "event.cjs"), "PermissionRequest", ...args];
  return [...(shells[kind] ?? []), home.paths.launcher, "PermissionRequest", ...args];
}

interface HookPlace {
  readonly seconds?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

async function startHook(kind = "sh", { seconds = 60, cwd, env }: HookPlace = {}) {
  const [file = "", ...args] = hookLine(kind, seconds);
  const began = performance.now();
  const child = spawn(file, args, { cwd, env: { ...home.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(payload);
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const end: Promise<HookEnd> = once(child, "close").then(([exitCode]) => ({
    printed,
    exitCode: exitCode as number,
    tookMs: performance.now() - began,
  }));
  return { id: await untilStored(), pid: child.pid ?? 0, end };
}

/** Resolves to the id of the only record. */
async function untilStored(): Promise<string> {
  for (;;) {
    const stored = ["tmp", "new"].flatMap((folder) => readdirSync(join(home.paths.spool, folder)));
    const [name] = stored.filter((file) => /"end":0/.test(readStored(file)));
    if (name !== undefined) return name.replace(/\.json$/, "");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function clearSpool(): void {
  for (const folder of ["tmp", "new"])
    for (const file of readdirSync(join(home.paths.spool, folder))) rmSync(join(home.paths.spool, folder, file));
}

function readStored(name: string): string {
  const texts = ["tmp", "new"].map((folder) => readQuietly(join(home.paths.spool, folder, name)));
  return texts.find((text) => text !== undefined) ?? "";
}

/** Renews the lock and waits until somebody has read it. */
async function untilLockRead(): Promise<void> {
  writeLock();
  utimesSync(home.paths.lock, 1, new Date());
  while (statSync(home.paths.lock).atimeMs < 2_000) await new Promise((resolve) => setTimeout(resolve, 5));
}

const place = (id: string) => join(home.paths.asks, id);
const answer = (id: string, text: string) => writeFileSync(place(id), text, { mode: 0o600 });

describe.each([...Object.keys(shells), "entrypoint"])("a waiting hook in %s", (kind) => {
  test("prints an allowing or a refusing answer, and takes it off its place", async () => {
    for (const reply of [allow, deny("Use the staging host."), deny("für 日本 'x' / ok")]) {
      const { id, end } = await startHook(kind);
      answer(id, reply);
      expect(await end).toMatchObject({ printed: reply, exitCode: 0 });
      expect(existsSync(place(id))).toBe(false);
      rmSync(join(home.paths.spool, "new", `${id}.json`), { force: true });
      rmSync(join(home.paths.spool, "tmp", id), { force: true });
    }
  });

  test("prints nothing when it gets back an empty file", async () => {
    const { id, end } = await startHook(kind);
    answer(id, "");
    expect(await end).toMatchObject({ printed: "", exitCode: 0 });
  });

  test("prints nothing after its time", async () => {
    const { end } = await startHook(kind, { seconds: 1 });
    expect(await end).toMatchObject({ printed: "", exitCode: 0 });
  });

  test("prints nothing after a signal", async () => {
    const { pid, end } = await startHook(kind);
    process.kill(pid, "SIGTERM");
    expect((await end).printed).toBe("");
  });

  test("prints nothing while answers are switched off", async () => {
    const { end } = await startHook(kind);
    writeFileSync(join(home.paths.asks, "off"), "{}");
    expect(await end).toMatchObject({ printed: "", exitCode: 0 });
  });
});

const head = allow.slice(0, allow.indexOf('"allow"'));
/** Files that are not exactly one of the two replies. */
const malformed: Readonly<Record<string, string>> = {
  garbage: "yes\n",
  "another behaviour": `${head}"maybe"}}}\n`,
  "rules to remember": `${head}"allow","updatedPermissions":[{"type":"setMode","mode":"acceptEdits"}]}}}\n`,
  "a changed input": `${head}"allow","updatedInput":{"command":"rm -r ."}}}}\n`,
  "an end of the turn": `${head}"deny","message":"x","interrupt":true}}}\n`,
  "rules in a refusal": `${head}"deny","message":"updatedPermissions"}}}\n`,
  "an escape in a refusal": `${head}"deny","message":"a\\u0022b"}}}\n`,
  "two objects": `${allow.trim()}${allow}`,
  "two lines": `${allow}${allow}`,
  "no line end": allow.trim(),
  "an empty line first": `\n${allow}`,
  "an empty line behind": `${allow}\n`,
  "a space first": ` ${allow}`,
  "a control character in a refusal": `${head}"deny","message":"a\u0001b"}}}\n`,
  "a carriage return": `${allow.trim()}\r\n`,
  "an answer of another event": allow.replace("PermissionRequest", "PreToolUse"),
  "a long refusal": deny("x".repeat(3_000)),
  "a long text": "x".repeat(100_000),
  "a zero byte within": allow.replace("allow", "al\0low"),
  "a zero byte behind": `${allow}\0`,
};

/** Ways to put an answer in its place other than as a regular file. */
const strange: Readonly<Record<string, (path: string) => unknown>> = {
  "a link": (path) => {
    writeFileSync(`${path}.target`, allow);
    symlinkSync(`${path}.target`, path);
  },
  "a link to nothing": (path) => symlinkSync("/nowhere", path),
  "a folder": (path) => mkdirSync(path),
  "a pipe": (path) => spawn("mkfifo", [path]),
};

test.each(["sh", "entrypoint"])(
  "a hook in %s takes nothing but the two replies, and these from no link or pipe",
  async (kind) => {
    const texts = Object.entries(malformed).map(([name, text]) => {
      return [name, (path: string) => writeFileSync(path, text, { mode: 0o600 })] as const;
    });
    const check = async ([, make]: readonly [string, (path: string) => unknown]) => {
      const { id, end } = await startHook(kind);
      make(place(id));
      const ended = await end;
      clearSpool();
      expect(ended).toMatchObject({ printed: "", exitCode: 0 });
    };
    expect(await collectFailures([...texts, ...Object.entries(strange)], check)).toEqual([]);
  },
);

test.each([...Object.keys(shells), "entrypoint"])(
  "a hook in %s does not wait where a sandboxed agent can write",
  async (kind) => {
    const { root } = home.paths;
    const folder = dirname(root);
    const link = join(mkdtempSync(join(tmpdir(), "beckon-link-")), "project");
    symlinkSync(folder, link);
    const places: Readonly<Record<string, HookPlace>> = {
      "the project": { cwd: folder },
      "the project through a link": { cwd: link },
      "beckon's folder as the project": { cwd: root },
      "the whole system as the project": { cwd: "/" },
      "the session's project": { env: { CLAUDE_PROJECT_DIR: folder } },
      "temporary files": { env: { TMPDIR: folder } },
    };
    for (const [name, at] of Object.entries(places)) {
      const { end, id } = await startHook(kind, at);
      expect([name, await end]).toEqual([name, expect.objectContaining({ printed: "", exitCode: 0 })]);
      rmSync(join(home.paths.spool, "tmp", id), { force: true });
    }
  },
);

test.each(["sh", "entrypoint"])("a hook in %s takes no answer after answers were switched off", async (kind) => {
  const { id, end } = await startHook(kind);
  writeFileSync(join(home.paths.asks, "off"), "{}");
  answer(id, allow);
  expect(await end).toMatchObject({ printed: "", exitCode: 0 });
});

test.each([...Object.keys(shells), "entrypoint"])(
  "a hook in %s ends at once where nobody can put an answer",
  async (kind) => {
    const { asks, lock } = home.paths;
    const instead: Readonly<Record<string, () => unknown>> = {
      "a file": () => writeFileSync(asks, ""),
      "a link": () => symlinkSync(home.paths.root, asks),
      "a link to nothing": () => symlinkSync("/nowhere", asks),
      ...(process.getuid?.() === 0 && { "another user's": () => [mkdirSync(asks), chownSync(asks, 1, 1)] }),
    };
    for (const [name, make] of Object.entries(instead)) {
      rmSync(asks, { recursive: true, force: true });
      make();
      const { end } = await startHook(kind, { seconds: 600 });
      expect([name, await end]).toEqual([name, expect.objectContaining({ printed: "", exitCode: 0 })]);
      clearSpool();
    }
    rmSync(asks, { recursive: true });
    const { end, id } = await startHook(kind); // a worker that starts will make the folder
    mkdirSync(asks, { mode: 0o700 });
    answer(id, allow);
    expect(await end).toMatchObject({ printed: allow, exitCode: 0 });
    clearSpool();
    const late = await startHook(kind);
    clearInterval(heartbeat);
    truncateSync(lock, 20e9); // a broken file system
    expect(await late.end).toMatchObject({ printed: "", exitCode: 0 });
    rmSync(lock);
  },
);

test("a hook removes what lies in the answer's place before it asks", async () => {
  const ids = join(home.paths.root, "ids");
  const launcher = readFileSync(home.paths.launcher, "utf8").replace("/proc/sys/kernel/random/uuid", ids);
  writeFileSync(home.paths.launcher, launcher);
  const [target, folder] = [join(home.paths.root, "target"), join(home.paths.root, "folder")];
  writeFileSync(target, allow);
  mkdirSync(folder);
  writeFileSync(join(folder, "kept"), "");
  const before: typeof strange = {
    ...strange,
    "an answer": (path) => writeFileSync(path, allow),
    "a full folder": (path) => cpSync(folder, path, { recursive: true }),
    "a link to a folder": (path) => symlinkSync(folder, path),
    "a link to an answer": (path) => symlinkSync(target, path),
  };
  for (const [name, make] of Object.entries(before)) {
    const id = name.replaceAll(" ", "-");
    writeFileSync(ids, `${id}\n`);
    const made = make(place(id)); // a process makes the pipe
    if (made) await once(made as ChildProcess, "exit");
    const { end } = await startHook();
    expect([name, lstatSync(place(id), { throwIfNoEntry: false })]).toEqual([name, undefined]);
    answer(id, "");
    expect(await end).toMatchObject({ printed: "" });
    rmSync(join(home.paths.spool, "tmp", id), { force: true });
  }
  expect([readFileSync(target, "utf8"), existsSync(join(folder, "kept"))]).toEqual([allow, true]);
});

test.each(["sh", "entrypoint"])("a hook in %s gives up within six seconds when its worker is gone", async (kind) => {
  const { end } = await startHook(kind);
  clearInterval(heartbeat);
  rmSync(home.paths.lock);
  const gone = performance.now();
  expect(await end).toMatchObject({ printed: "", exitCode: 0 });
  expect(performance.now() - gone).toBeLessThan(6_000);
});

test.each(["sh", "entrypoint"])("a hook in %s does not wait for another worker", async (kind) => {
  const other = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    const { end } = await startHook(kind);
    clearInterval(heartbeat);
    for (const _ of ["by the launcher", "by the waiting hook"]) await untilLockRead();
    heartbeat = setInterval(() => writeLock(other), 100);
    expect(await end).toMatchObject({ printed: "", exitCode: 0 });
  } finally {
    other.kill();
  }
});

test.each(["sh", "entrypoint"])("a hook in %s ends when its agent is killed", async (kind) => {
  const line = hookLine(kind, 60)
    .map((word) => `'${word}'`)
    .join(" ");
  const agent = spawn("sh", ["-c", 'sh -c "$1 || :"; :', "agent", line], {
    env: home.env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  agent.stdin.end(payload);
  let printed = "";
  agent.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await untilStored();
  agent.kill("SIGKILL");
  await once(agent, "close"); // when the hook, too, has closed its output
  expect(printed).toBe("");
});

test("a disabled hook prints nothing and stores nothing", async () => {
  const { exitCode, stdout } = await home.launch(["PermissionRequest", "--agent", "claude", "--ask", "60"], payload, {
    env: { BECKON_DISABLE: "1" },
  });
  expect([exitCode, stdout, home.spooled()]).toEqual([0, "", []]);
});

test("a record of a hook that does not ask names neither a wait nor a process", async () => {
  await home.launch(["PermissionRequest", "--agent", "claude"], payload);
  const [name = ""] = home.spooled();
  expect(readFileSync(join(home.paths.spool, name), "utf8").split("\n")[0]).not.toMatch(/"(?:ask|hook|wait)":/);
});
