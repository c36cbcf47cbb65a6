import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import type { ExecRequest } from "../../src/core/ports.ts";
import { findProcess } from "../../src/core/process-table.ts";
import { createExec } from "../../src/io/exec.ts";
import { recordArgs, type StubPrograms, stubPrograms } from "../world/stub-programs.ts";

let stubs: StubPrograms;
beforeEach(() => {
  stubs = stubPrograms();
});
afterEach(() => stubs.remove());

const run = (file: string, request: Partial<ExecRequest> = {}) =>
  createExec(stubs.env).run({ file, args: [], timeoutMs: 20_000, ...request });

async function failure(promise: Promise<unknown>): Promise<DeliveryError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
}

/** The process number that a stub has written to `name`, once it is there. */
async function pidIn(name: string): Promise<number> {
  const path = join(stubs.folder, name);
  return vi.waitUntil(() => existsSync(path) && Number(readFileSync(path, "utf8")), { timeout: 20_000 });
}

/** Aborts a stub once it has written a process number to `stub.pid`, and waits until that process has ended. */
async function aborted(script: string): Promise<DeliveryError> {
  stubs.add("stub", script);
  const abort = new AbortController();
  const failed = failure(run("stub", { signal: abort.signal, timeoutMs: 60_000 }));
  const pid = await pidIn("stub.pid");
  abort.abort();
  const error = await failed;
  await vi.waitUntil(() => findProcess(pid) === undefined, { timeout: 20_000 });
  return error;
}

describe("what comes back", () => {
  test.each([
    ["a success", "exit 0", 0],
    ["its exit code", "exit 42", 42],
    ["128 + n for signal n", "kill -9 $$", 137],
    ["128 + 11 for a crash", "kill -SEGV $$", 139],
  ])("%s", async (_, script, exitCode) => {
    stubs.add("stub", script);
    expect(await run("stub")).toEqual({ exitCode, stdout: "", stderr: "" });
  });

  test("both outputs are kept, cleaned", async () => {
    stubs.add("stub", String.raw`printf '\033[31mred\033[0m\n'; printf 'a\007b\342\200\256c' >&2`);
    expect(await run("stub")).toEqual({ exitCode: 0, stdout: "red\n", stderr: "abc" });
  });

  test("a flood is drained, and its first 4 KiB are kept", async () => {
    stubs.add("stub", "/usr/bin/head -c 50000000 /dev/zero | /usr/bin/tr '\\0' x; echo done > $0.done");
    const { exitCode, stdout } = await run("stub");
    expect(exitCode).toBe(0);
    expect(stdout).toBe("x".repeat(4096));
    expect(existsSync(join(stubs.folder, "stub.done"))).toBe(true);
  });

  test("the input arrives and ends", async () => {
    stubs.add("stub", "/bin/cat");
    expect((await run("stub", { input: '{"a":"ü"}' })).stdout).toBe('{"a":"ü"}');
  });

  test("a program may leave a large input unread", async () => {
    stubs.add("stub", "exit 0");
    expect((await run("stub", { input: "x".repeat(3_000_000) })).exitCode).toBe(0);
  });

  test("without input it reads the end of /dev/null", async () => {
    stubs.add("stub", "/bin/cat; echo end");
    expect((await run("stub")).stdout).toBe("end\n");
  });

  test("arguments arrive as they are", async () => {
    stubs.add("stub", recordArgs);
    const argument = fc.string({ unit: "binary", maxLength: 40 }).filter((text) => !text.includes("\0"));
    await fc.assert(
      fc.asyncProperty(fc.array(argument, { minLength: 1, maxLength: 5 }), async (args) => {
        await run("stub", { args });
        expect(stubs.argsOf("stub")).toEqual(args);
      }),
      { numRuns: 30, examples: [[["$(touch x)", "`id`", "'; rm -rf /", '"', "--help", "-", "", "a\nb", "%s", "\\"]]] },
    );
  });
});

describe("what is stopped", () => {
  test("a program that runs longer than its timeout", async () => {
    stubs.add("stub", "/bin/sleep 60");
    expect((await failure(run("stub", { timeoutMs: 200 }))).reason).toBe("timeout");
  });

  test.each([
    ["a program that hangs", "echo $$ > $0.pid; /bin/sleep 60"],
    ["a program that ignores SIGTERM", "trap '' TERM; echo $$ > $0.pid; while :; do /bin/sleep 60; done"],
    ["a child that ignores SIGTERM", "(trap '' TERM; /bin/sh -c 'echo $$ > $0.pid; exec /bin/sleep 60' $0) & wait"],
    [
      "a child that ignores SIGTERM and has closed the output",
      "(trap '' TERM; exec >/dev/null 2>&1; echo $(exec /bin/sh -c 'echo $PPID') > $0.pid; /bin/sleep 60) & wait",
    ],
  ])("%s, on abort", async (_, script) => {
    expect((await aborted(script)).reason).toBe("timeout");
  });

  test("nothing, after an abort before the start: it is not started", async () => {
    stubs.add("stub", "echo > $0.ran");
    expect((await failure(run("stub", { signal: AbortSignal.abort() }))).reason).toBe("timeout");
    expect(existsSync(join(stubs.folder, "stub.ran"))).toBe(false);
  });

  test("no grandchild that holds the pipes, and it delays nobody", async () => {
    stubs.add("stub", "/bin/sleep 60 & echo $! > $0.pid; echo held");
    expect(await run("stub", { timeoutMs: 20_000 })).toMatchObject({ exitCode: 0, stdout: "held\n" });
    const pid = await pidIn("stub.pid");
    expect(findProcess(pid)).toBeDefined();
    process.kill(pid, "SIGKILL");
  });
});

describe("what cannot be started", () => {
  test.each([
    ["a program that is not there", "nothing-of-this-name", "unsupported"],
    ["a relative path", "./stub", "unsupported"],
    ["an absolute path that is not there", "/nowhere/stub", "unsupported"],
    ["a folder", "/tmp", "unsupported"],
    ["no name", "", "unsupported"],
  ])("%s is %s", async (_, file, reason) => {
    stubs.add("stub", "exit 0");
    expect((await failure(run(file))).reason).toBe(reason);
  });

  test("a script for an interpreter that is not there is unsupported", async () => {
    const path = stubs.add("stub", "");
    writeFileSync(path, "#!/nowhere/interpreter\n");
    expect((await failure(run("stub"))).reason).toBe("unsupported");
  });

  test.each([
    ["too large", "x".repeat(300_000)],
    ["with a NUL", "a\0b"],
  ])("an argument %s is rejected, and not in the error", async (_, text) => {
    stubs.add("stub", "exit 0");
    const error = await failure(run("stub", { args: ["canary-4711", text] }));
    expect(error.reason).toBe("rejected");
    expect(`${error.message} ${error.hint} ${error.cause} ${error.stack}`).not.toContain("canary-4711");
  });
});

describe("where it runs", () => {
  test("is the home folder, not the agent's", async () => {
    stubs.add("stub", "pwd");
    expect((await run("stub")).stdout.trim()).toBe(stubs.folder);
  });

  test("there too when the folder of this process is gone", async () => {
    // A process of its own: the one that runs the tests keeps its folder.
    stubs.add("stub", "pwd");
    const folder = join(stubs.folder, "gone");
    mkdirSync(folder);
    const program = `
      const { createExec } = await import(${JSON.stringify(join(import.meta.dirname, "../../src/io/exec.ts"))});
      process.chdir(${JSON.stringify(folder)});
      (await import("node:fs")).rmdirSync(${JSON.stringify(folder)});
      const result = await createExec(${JSON.stringify(stubs.env)}).run({ file: "stub", args: [], timeoutMs: 20_000 });
      console.log(JSON.stringify(result));`;
    const args = ["--import", "tsx", "--input-type=module", "--eval", program];
    const printed = execFileSync(process.execPath, args, { encoding: "utf8" });
    expect(JSON.parse(printed)).toMatchObject({ exitCode: 0, stdout: `${stubs.folder}\n` });
  });
});
