import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parseStat } from "../../../src/files/process-table.ts";
import { builtCli } from "../../world/cli-home.ts";
import { run } from "../../world/home.ts";
import { useHome } from "../../world/use-home.ts";
import { keys, openShell } from "../terminal.ts";

const home = useHome();
beforeEach(() => {
  const log = { type: "file", path: join(home.paths.root, "messages.jsonl"), for: "machine" };
  home.writeConfig({ notifiers: { log }, lookups: [] });
});

const beckon = (args: readonly string[], env: NodeJS.ProcessEnv = {}, input = "") =>
  run(process.execPath, [builtCli, "run", ...args], input, { env: { ...home.env, ...env }, cwd: home.paths.root });
const sh = (script: string) => ["--", "sh", "-c", script];
const accepted = async () => {
  const journal = await home.until((lines) => lines.some(({ status }) => status === "sent"));
  return journal.find(({ status }) => status === "accepted");
};

describe("the command", () => {
  test.each([0, 1, 2, 126, 127, 130, 143, 255])("passes on exit code %i", async (code) => {
    expect(await beckon(sh(`exit ${code}`))).toMatchObject({ exitCode: code, signal: null, stdout: "", stderr: "" });
  });

  test("gets standard input and writes every byte of its output, with and without --tail", async () => {
    const script = 'head -c 3; head -c 200000 /dev/zero; printf "\\377\\033[31m" >&2; cat';
    const plain = await run("sh", ["-c", script], "abcdef");
    const { stdout, stderr } = plain;
    expect(stdout).toHaveLength(200_006);
    expect(await beckon(sh(script), {}, "abcdef")).toMatchObject({ exitCode: 0, stdout, stderr });
    expect(await beckon(["--tail", "2", ...sh(script)], {}, "abcdef")).toMatchObject({ exitCode: 0, stdout, stderr });
  });

  test("gets the environment, the mask for file modes and the folder that beckon was started with", async () => {
    const script = 'umask; pwd; echo "$DEBUG $NODE_TLS_REJECT_UNAUTHORIZED"';
    const whole = `umask 027; "$0" "$1" run -- sh -c '${script}'`;
    const env = { ...home.env, DEBUG: "x", NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { stdout } = await run("sh", ["-c", whole, process.execPath, builtCli], "", { env, cwd: home.paths.root });
    expect(stdout).toBe(`0027\n${home.paths.root}\nx 0\n`);
  });

  test.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"])(
    "that dies of %s ends beckon in the same way",
    async (signal) => {
      expect(await beckon(sh(`kill -${signal.slice(3)} $$`))).toMatchObject({ exitCode: null, signal });
    },
  );

  test("that dies of a signal with a core file ends beckon with 128 + n", async () => {
    expect(await beckon(sh("ulimit -c 0; kill -SEGV $$"))).toMatchObject({ exitCode: 139, signal: null });
  });

  test("that is missing gives 127, and one that cannot be executed 126, as in a shell", async () => {
    const file = join(home.paths.root, "data");
    writeFileSync(file, "x", { mode: 0o600 });
    expect(await beckon(["--", "no-such-command", "-x"])).toMatchObject({
      ...{ exitCode: 127, stdout: "", stderr: "beckon: no-such-command: command not found\n" },
    });
    expect(await beckon(["--", file])).toMatchObject({
      ...{ exitCode: 126, stderr: `beckon: ${file}: cannot be executed\n` },
    });
    expect(await beckon(["--", "/"])).toMatchObject({ exitCode: 126 });
  });

  test.each(["TERM", "HUP", "USR1", "USR2", "INT"])("gets a SIG%s sent to beckon alone", async (name) => {
    const script = `trap 'echo got; exit 7' ${name}; echo ready; while :; do sleep 0.05; done`;
    const child = spawn("setsid", [process.execPath, builtCli, "run", ...sh(script)], { env: home.env });
    const output = collect(child);
    await expect.poll(output).toBe("ready\n");
    child.kill(`SIG${name}` as NodeJS.Signals);
    expect((await once(child, "close"))[0]).toBe(7);
    expect(output()).toBe("ready\ngot\n");
  });

  test("is not held up by a background process that keeps its pipe", async () => {
    const script = "echo first; (trap '' TERM; sleep 30) & echo $! ; exit 3";
    const { exitCode, stdout } = await beckon(["--tail", "1", ...sh(script)]);
    expect(exitCode).toBe(3);
    process.kill(Number(/\d+/.exec(stdout)), "SIGKILL");
  });

  const broken: readonly (readonly [string, () => void])[] = [
    ["its folder is deleted", () => rmSync(home.paths.root, { recursive: true })],
    ["its folder is a file", () => replaceByFile(home.paths.root)],
    ["the spool is a file", () => replaceByFile(home.paths.spool)],
    ["the configuration is invalid", () => writeFileSync(home.paths.config, "{ not json")],
  ];
  test.each(broken)("is not affected if %s", async (_, breakIt) => {
    breakIt();
    const args = [builtCli, "run", ...sh("echo out; echo err >&2; exit 5")];
    const result = await run(process.execPath, args, "", { env: home.env, cwd: "/" });
    expect(result).toMatchObject({ exitCode: 5, stdout: "out\n", stderr: "err\n" });
  });
});

function replaceByFile(path: string): void {
  rmSync(path, { recursive: true });
  writeFileSync(path, "");
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

describe("the message", () => {
  test("of a finished command has its name, time and project", async () => {
    await beckon(["--", "true", "--fast"]);
    expect(await accepted()).toMatchObject({
      ...{ agent: "cli", kind: "finished", event: "Stop", summary: "true --fast", turnMs: expect.any(Number) },
    });
    expect(readFileSync(join(home.paths.root, "messages.jsonl"), "utf8")).toMatch(/· true --fast is done/);
  });

  test("of a failed command has its exit code, and the last lines where asked", async () => {
    await beckon(["--name", "tests", "--tail", "2", ...sh("seq 5; printf '\\033[1mred\\033[0m\\n'; exit 2")]);
    expect(await accepted()).toMatchObject({
      kind: "failed",
      summary: expect.stringMatching(/^tests: exit code 2 after/),
    });
    const sent = readFileSync(join(home.paths.root, "messages.jsonl"), "utf8");
    expect(sent).toMatch(/· tests failed/);
    expect(sent).toMatch(/exit code 2 after \d+ m?s\\n5\\nred"/);
  });

  test("has no secrets from the command line or the output", async () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    await beckon(["--tail", "5", ...sh(`echo "token ${token}"; exit 1`), `--password=${token}`]);
    await accepted();
    const stored = readFileSync(join(home.paths.root, "messages.jsonl"), "utf8");
    expect(stored).toContain("[secret]");
    expect(stored + JSON.stringify(home.journal())).not.toContain(token);
  });

  test("is not sent for a command shorter than minTurn", async () => {
    home.writeConfig({ notifiers: {}, attention: { minTurn: "1h" } });
    expect((await beckon(sh("exit 3"))).exitCode).toBe(3);
    expect([home.spooled(), home.journal()]).toEqual([[], []]);
  });

  test("of a failure is resolved by the next run of the same command that succeeds", async () => {
    const script = "test -e made || { touch made; exit 1; }";
    await beckon(sh(script));
    await accepted();
    await beckon(sh(script));
    const journal = await home.until((lines) => lines.some(({ status }) => status === "resolved"));
    expect(journal.find(({ status }) => status === "resolved")).toMatchObject({ kind: "failed" });
  });
});

const enter = keys.enter;
const suspend = "\u001a";

describe.skipIf(process.platform === "win32")("at a terminal", () => {
  test("Ctrl-C reaches the command alone, ends the shell's loop, and sends no message", async () => {
    const shell = openShell(home, { forever: "echo started; read line" });
    await shell.answer("]>", `for i in 1 2 3; do b sh forever; done${enter}`);
    await shell.answer("started", keys.interrupt);
    await shell.answer("[130]>", `exit${enter}`);
    await shell.ended;
    expect(shell.screen().match(/^started/gm)).toHaveLength(1);
    expect([home.spooled(), home.journal()]).toEqual([[], []]);
  });

  test("a program that ignores Ctrl-C goes on, and beckon with it", async () => {
    const shell = openShell(home, {
      stubborn: `trap 'echo "not now"' INT; echo started; read line; echo "read: $line"`,
    });
    await shell.answer("]>", `b bash stubborn${enter}`);
    await shell.answer("started", keys.interrupt);
    await shell.answer("not now", `text${enter}`);
    await shell.answer("read: text");
    await shell.answer("[0]>", `exit${enter}`);
    await shell.ended;
  });

  test("Ctrl-Z stops the command as a job, and fg continues it", async () => {
    const shell = openShell(home, { reader: 'echo started; read line; echo "read: $line"; exit 9' });
    await shell.answer("]>", `b sh reader${enter}`);
    await shell.answer("started", suspend);
    await shell.answer("Stopped", `fg${enter}`);
    await shell.answer("sh reader", `text${enter}`);
    await shell.answer("read: text");
    await shell.answer("[9]>", `exit${enter}`);
    await shell.ended;
  });

  test("a command that stops only itself is a stopped job too", async () => {
    const shell = openShell(home, { stopping: "kill -STOP $$; echo continued; exit 8" });
    await shell.answer("]>", `b sh stopping${enter}`);
    await shell.answer("Stopped", `fg${enter}`);
    await shell.answer("continued");
    await shell.answer("[8]>", `exit${enter}`);
    await shell.ended;
  });

  test("the command has the terminal, and what it changes there stays", async () => {
    const shell = openShell(home, {
      modes: "test -t 0 && test -t 1 && test -t 2 && stty intr ^G && echo has a terminal",
    });
    await shell.answer("]>", `b sh modes${enter}`);
    await shell.answer("has a terminal");
    await shell.answer("[0]>", `stty -a${enter}`);
    await shell.answer("intr = ^G", `exit${enter}`);
    await shell.ended;
  });

  test("works in a pipeline, and a reader that closes its end ends the command", async () => {
    const shell = openShell(home, { upper: "tr a-z A-Z" });
    await shell.answer("]>", `b yes | head -n 1; echo "ends: \${PIPESTATUS[*]}"${enter}`);
    await shell.answer("ends: 141 0", `echo word | b sh upper | cat${enter}`);
    await shell.answer("WORD", `exit${enter}`);
    await shell.ended;
  });
});

test.skipIf(process.platform !== "linux")(
  "beckon is in the command's process group, and leaves no process but the worker",
  async () => {
    const { stdout } = await beckon(sh("cat /proc/$PPID/stat /proc/$$/stat"));
    const [ours, command] = stdout.trim().split("\n");
    expect(readGroup(command)).toBe(readGroup(ours));
    await accepted();
    expect(parseStat(ours ?? "").parentPid).toBe(process.pid);
  },
);

/** Process group in a line of `/proc/PID/stat`. */
function readGroup(stat = ""): string | undefined {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2];
}
