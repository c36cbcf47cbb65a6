import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { concern, makeAlert, writeAlerts } from "../world/alerts.ts";
import { builtCli, startReceiver, useCliHome } from "../world/cli-home.ts";
import { readToEnd, run } from "../world/home.ts";
import { openTerminal } from "./terminal.ts";

const home = useCliHome();

test("the built command line runs, writes no colours into a pipe, and returns its exit code", async () => {
  const version = expect.stringMatching(/^\d+\.\d+\.\d+\n$/);
  expect(await home.start(["--version"])).toMatchObject({ exitCode: 0, stdout: version });
  const help = await home.start([]);
  expect([help.exitCode, help.stderr]).toEqual([0, ""]);
  expect(help.stdout).not.toContain("\u001b");
  expect((await home.start(["nope"])).exitCode).toBe(2);
  expect((await home.start(["retry", "abcdefgh"])).exitCode).toBe(1);
});

test.each([
  [{ CI: "1" }, false],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "1" }, true],
  [{ CLICOLOR_FORCE: "1", TERM: "dumb" }, true],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("with %j there are colours in a pipe: %j", async (env, isColored) => {
  home.journal({ status: "sent" });
  const { stdout } = await home.start(["log"], env);
  expect(stdout).toContain("sent");
  expect(stdout.includes("\u001b")).toBe(isColored);
});

test("a reader that closes the pipe ends the command silently", async () => {
  for (let count = 0; count < 3000; count += 1)
    home.journal({ id: `event-${count}`, reason: "x".repeat(100), status: "sent" });
  const line = `"${process.execPath}" "${builtCli}" log --limit 3000; echo "exit $?" >&2`;
  const { stdout, stderr } = await run("sh", ["-c", `{ ${line}; } | head -n 1`], "", { env: home.env });
  expect(stdout.split("\n")).toHaveLength(2);
  expect(stderr).toBe("exit 0\n");
});

test("a command that changes files does its work even if nobody reads what it says", async () => {
  const line = `"${process.execPath}" "${builtCli}" config set language de; echo "exit $?" >&2`;
  const { stderr } = await run("sh", ["-c", `{ ${line}; } | true`], "", { env: home.env });
  expect([stderr, readFileSync(home.paths.config, "utf8")]).toEqual(["exit 0\n", expect.stringContaining('"de"')]);
});

test.skipIf(!existsSync("/dev/full"))(
  "output that cannot be written, as to a full disk, is an error with exit code 1",
  async () => {
    home.journal({ status: "sent" });
    for (const command of ["log", "log --json", "--version"]) {
      const line = `"${process.execPath}" "${builtCli}" ${command} >/dev/full`;
      const stderr = "beckon: cannot write to standard output (ENOSPC)\n";
      expect(await run("sh", ["-c", line], "", { env: home.env }), command).toMatchObject({ exitCode: 1, stderr });
    }
  },
);

test.each(["SIGINT", "SIGTERM"] as const)("log --follow shows new events until %s, exit code 0", async (signal) => {
  home.journal({ id: "before-01", status: "sent" });
  const child = spawn(process.execPath, [builtCli, "log", "--follow", "--json"], { env: home.env });
  const ids: string[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split("\n")) ids.push(JSON.parse(line).id);
  });
  await expect.poll(() => ids, { timeout: 10_000 }).toEqual(["before-01"]);
  home.journal({ id: "after-001", status: "accepted" });
  home.journal({ id: "next-0001", at: "2099-01-01T00:00:00.000Z", status: "sent" });
  await expect.poll(() => ids, { timeout: 10_000 }).toEqual(["before-01", "after-001", "next-0001"]);
  const ended = readToEnd(child);
  child.kill(signal);
  expect(await ended).toMatchObject({ exitCode: 0, signal: null, stderr: "" });
});

test("log --follow ends silently when its reader leaves", async () => {
  home.journal({ id: "before-01", status: "sent" });
  const child = spawn(process.execPath, [builtCli, "log", "--follow", "--json"], { env: home.env });
  const ended = readToEnd(child);
  await new Promise((resolve) => child.stdout.once("data", resolve));
  child.stdout.destroy();
  home.journal({ id: "after-001", status: "sent" });
  expect(await ended).toMatchObject({ exitCode: 0, stderr: "" });
});

test("sessions --watch shows changes until Ctrl-C, and cuts long lines", async () => {
  writeAlerts(home, makeAlert({ concerns: [concern("a", { event: { message: `first ${"x".repeat(300)}` } })] }));
  const terminal = openTerminal([process.execPath, builtCli, "sessions", "--watch"], home.env, home.project);
  await terminal.answer("first");
  writeAlerts(home, makeAlert({ concerns: [concern("b", { event: { message: "second" } })] }));
  await terminal.answer("second");
  const many = Array.from({ length: 120 }, (_, index) =>
    concern(`m${index}`, { event: { message: `long ${"word ".repeat(30)}` } }),
  );
  writeAlerts(home, ...many.map((item) => makeAlert({ concerns: [item], sessionId: item.id })));
  await terminal.answer("more (--all)", "\u0003");
  expect(await terminal.ended).toBe(0);
  expect(terminal.screen()).not.toContain("x".repeat(120));
});

test("while flush delivers, a hook sees a running worker and starts none", async () => {
  const receiver = await startReceiver("never");
  home.config({ notifiers: { hook: { type: "webhook", url: receiver.url } } });
  home.fresh("event-0001");
  const flush = home.start(["flush", "--timeout", "2"]);
  await expect.poll(() => receiver.bodies.length, { timeout: 10_000 }).toBe(1);
  const holder = Number.parseInt(readFileSync(home.paths.lock, "utf8"), 10);
  const name = existsSync("/proc") ? readFileSync(`/proc/${holder}/comm`, "utf8").trim() : "beckon-worker";
  expect(name).toBe("beckon-worker");
  expect((await flush).exitCode).toBe(1);
  expect(existsSync(home.paths.lock)).toBe(false);
});

test("commands run in a working directory that was deleted", async () => {
  const line = `mkdir gone && cd gone && rmdir ../gone && "${process.execPath}" "${builtCli}" config path`;
  const { stdout } = await run("sh", ["-c", line], "", { env: home.env, cwd: home.home });
  expect(stdout).toBe(`${home.paths.config}\n`);
});

test("short commands load neither schemas, nor agents, nor code that reads configurations", async () => {
  home.journal({ status: "sent" });
  writeAlerts(home, makeAlert({ concerns: [concern("a")] }));
  expect(await loadedFiles("--version")).toEqual([builtCli]);
  const heavy = /ZodType|parseTree|Auggie/;
  const found = async (command: string) => {
    const files = await loadedFiles(command);
    return files.map((file) => heavy.exec(readFileSync(file, "utf8"))?.[0]).filter((word) => word !== undefined);
  };
  expect(await found("status")).toContain("Auggie");
  for (const command of ["help", "nope", "log", "sessions --line"])
    expect([command, ...(await found(command))]).toEqual([command]);
});

/** Runs a command and lists the files of the package that Node loaded. */
async function loadedFiles(command: string): Promise<string[]> {
  const folder = join(home.home, `loaded by ${command}`);
  await home.start(command.split(" "), { NODE_V8_COVERAGE: folder });
  const [report = "missing"] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, report), "utf8")) as { result: { url: string }[] };
  return result.filter(({ url }) => url.startsWith("file:")).map(({ url }) => fileURLToPath(url));
}

test("no command prints a secret, wherever it is configured", async () => {
  const canary = "canary-7Xw-canary";
  const receiver = await startReceiver(401);
  const file = home.write(join(home.home, "secret"), `${receiver.url}/${canary}`);
  home.config({
    notifiers: {
      plain: { type: "webhook", url: `${receiver.url}?key=${canary}`, headers: { authorization: canary } },
      file: { type: "webhook", url: `\${file:${file}}`, secret: `whsec_${canary}` },
      command: { type: "webhook", url: `\${command:cat ${file} ${canary}}` },
      env: { type: "slack", url: "${env:BECKON_TEST_URL}" },
      wrong: { type: "slack", url: canary },
      typo: { type: canary, [canary]: canary },
    },
    routes: [{ kinds: ["finished"], to: ["plain", "file", "env"] }],
  });
  home.addDeadLetter("event-0009", { deliveries: { plain: { status: "failed", attempts: 1 } } });
  home.fresh("event-0001");
  const lines =
    "test|config show|config check|flush|retry --failed|log|log --json|status|status --json|doctor|doctor --json";
  const env = { BECKON_DEBUG: "1", BECKON_TEST_URL: `http://127.0.0.1:9/${canary}` };
  for (const line of lines.split("|")) {
    const { stdout, stderr } = await home.start(line.split(" "), env);
    expect(`${stdout}${stderr}`, line).not.toBe("");
    expect(`${stdout}${stderr}`, line).not.toContain("canary-7Xw");
  }
  expect(receiver.bodies.length).toBeGreaterThan(1);
});
