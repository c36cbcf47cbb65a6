import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { DeliveryError } from "../../src/core/errors.ts";
import type { ExecRequest } from "../../src/core/ports.ts";
import { findProcess } from "../../src/core/process-table.ts";
import { childEnv, sessionVariables } from "../../src/io/child-env.ts";
import { createExec } from "../../src/io/exec.ts";
import { lastingPath, resolveProgram, searchFolders, systemFolders, which } from "../../src/io/which.ts";
import { recordArgs, type StubPrograms, stubPrograms } from "../world/stub-programs.ts";

describe("exec", () => {
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
        {
          numRuns: 30,
          examples: [[["$(touch x)", "`id`", "'; rm -rf /", '"', "--help", "-", "", "a\nb", "%s", "\\"]]],
        },
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
});

describe("child env", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "beckon-run-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test.each([
    ...[
      "HOME",
      "USER",
      "LOGNAME",
      "LANG",
      "LC_ALL",
      "LC_TIME",
      "TZ",
      "TMPDIR",
      "DISPLAY",
      "WAYLAND_DISPLAY",
      "XAUTHORITY",
    ],
    ...["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "PULSE_SERVER", "PULSE_COOKIE", "PIPEWIRE_REMOTE"],
  ])("%s is passed on", (name) => {
    expect(childEnv({ [name]: "value" }, {}, root)).toMatchObject({ [name]: "value" });
  });

  test.each([
    ...[
      "ANTHROPIC_API_KEY",
      "FACTORY_API_KEY",
      "OPENAI_API_KEY",
      "BECKON_API_KEY",
      "AWS_SECRET_ACCESS_KEY",
      "GITHUB_TOKEN",
    ],
    ...["DEBUG", "NODE_DEBUG", "NODE_OPTIONS", "NODE_PATH", "LD_PRELOAD", "BASH_ENV", "IFS", "MY_LC_ALL", "home"],
  ])("%s is not passed on", (name) => {
    expect(Object.keys(childEnv({ [name]: "value" }, {}, root))).toEqual(["PATH"]);
  });

  test("what the caller adds takes precedence", () => {
    expect(childEnv({ LANG: "C" }, { LANG: "de_DE.UTF-8", BECKON_ID: "1" }, root)).toMatchObject({
      LANG: "de_DE.UTF-8",
      BECKON_ID: "1",
    });
  });

  test.each([
    ["/usr/bin:.:node_modules/.bin::/bin", "/usr/bin:/bin"],
    ["", "/usr/local/bin:/usr/bin:/bin"],
    [undefined, "/usr/local/bin:/usr/bin:/bin"],
  ])("PATH %j becomes %j", (path, expected) => {
    expect(childEnv(path === undefined ? {} : { PATH: path }, {}, root)["PATH"]).toBe(expected);
  });

  test("the user's bus and runtime folder are added where they are missing", async () => {
    const folder = join(root, String(process.getuid?.()));
    expect(sessionVariables({}, root)).toEqual({});
    mkdirSync(folder);
    expect(sessionVariables({}, root)).toEqual({ XDG_RUNTIME_DIR: folder });
    const bus = createServer().listen(join(folder, "bus"));
    await new Promise((resolve) => bus.once("listening", resolve));
    const found = { XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` };
    expect(sessionVariables({}, root)).toEqual(found);
    expect(childEnv({}, {}, root)).toMatchObject(found);
    expect(childEnv({ DBUS_SESSION_BUS_ADDRESS: "", XDG_RUNTIME_DIR: "" }, {}, root)).toMatchObject(found);
    const own = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/my/bus" };
    expect(childEnv(own, {}, root)).toMatchObject(own);
    await new Promise((resolve) => bus.close(resolve));
  });

  test("a bus that is no socket is not added", () => {
    mkdirSync(join(root, String(process.getuid?.()), "bus"), { recursive: true });
    expect(sessionVariables({}, root)).not.toHaveProperty("DBUS_SESSION_BUS_ADDRESS");
  });
});

describe("which", () => {
  let stubs: StubPrograms;
  beforeEach(() => {
    stubs = stubPrograms();
  });
  afterEach(() => stubs.remove());

  test("a program is found by its name", () => {
    expect(which("stub", stubs.env)).toBeUndefined();
    const path = stubs.add("stub", "");
    expect(which("stub", stubs.env)).toBe(path);
    expect(resolveProgram("stub", stubs.env)).toBe(path);
    expect(resolveProgram(path, {})).toBe(path);
  });

  test("the first of several is found", () => {
    const second = stubPrograms();
    second.add("stub", "");
    const first = stubs.add("stub", "");
    const env = { PATH: [stubs.folder, second.folder].join(delimiter) };
    expect(which("stub", env)).toBe(first);
    second.remove();
  });

  test.each([
    ["relative", (folder: string) => relative(process.cwd(), folder)],
    ["empty", () => ""],
    ["a dot", () => "."],
  ])("a PATH entry that is %s is not searched", (_, entry) => {
    stubs.add("stub", "");
    const env = { PATH: [entry(stubs.folder), "/nowhere"].join(delimiter) };
    expect(searchFolders(env)).toEqual(["/nowhere"]);
    expect(which("stub", env)).toBeUndefined();
  });

  describe("a project's folder in PATH is not searched", () => {
    const env = (entry: string, project: string, home = "/home/nobody") => ({
      PATH: [entry, "/nowhere"].join(delimiter),
      BECKON_PROJECT: project,
      HOME: home,
      USERPROFILE: home,
    });

    test.each(["node_modules/.bin", "packages/a/node_modules/.bin/"])("%s, which `npm exec` puts first", (folder) => {
      expect(searchFolders(env(join(stubs.folder, folder), "/elsewhere"))).toEqual(["/nowhere"]);
    });

    test("one below the folder of the hook that started the worker", () => {
      mkdirSync(join(stubs.folder, "bin"));
      symlinkSync(stubs.folder, `${stubs.folder}-link`);
      for (const project of [stubs.folder, `${stubs.folder}-link`, `${stubs.folder}/`])
        for (const folder of [stubs.folder, join(stubs.folder, "bin")])
          expect(searchFolders(env(folder, project))).toEqual(["/nowhere"]);
      rmSync(`${stubs.folder}-link`);
      const sibling = `${stubs.folder}-other`;
      expect(searchFolders(env(sibling, stubs.folder))).toEqual([sibling, "/nowhere"]);
    });

    test("but one below the home folder is, where the agent works in the home folder", () => {
      const folder = join(stubs.folder, "bin");
      expect(searchFolders(env(folder, stubs.folder, stubs.folder))).toEqual([folder, "/nowhere"]);
    });
  });

  test("a program that beckon chooses itself is looked for in the system's folders first", () => {
    const system = stubPrograms();
    const real = system.add("notify-send", "");
    const own = stubs.add("notify-send", "");
    const only = stubs.add("paplay", "");
    const exec = createExec(stubs.env, [system.folder]);
    expect(exec.driver("notify-send")).toBe(real);
    expect(exec.driver("paplay")).toBe(only);
    expect(exec.which("notify-send")).toBe(own);
    expect(systemFolders().every((folder) => existsSync(folder))).toBe(true);
    system.remove();
  });

  test.each([
    ["a file that is not executable", () => chmodSync(stubs.add("stub", ""), 0o644)],
    ["a folder", () => mkdirSync(join(stubs.folder, "stub"))],
  ])("%s is no program", (_, make) => {
    make();
    expect(which("stub", stubs.env)).toBeUndefined();
    expect(resolveProgram(join(stubs.folder, "stub"), stubs.env)).toBeUndefined();
  });

  test.each(["", ".", "..", "./stub", "sub/stub", "../stub"])("the name %j is not looked up", (name) => {
    stubs.add("stub", "");
    expect(which(name, stubs.env)).toBeUndefined();
    expect(resolveProgram(name, stubs.env)).toBeUndefined();
  });

  test("without PATH nothing is found", () => {
    expect(which("sh", {})).toBeUndefined();
  });

  describe("the path of a program that stays", () => {
    /** A Homebrew with a version of Node, linked as Homebrew does. */
    function brew(version: string): string {
      const bin = join(stubs.folder, "Cellar/node@22", version, "bin");
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, "node"), "");
      mkdirSync(join(stubs.folder, "opt"), { recursive: true });
      rmSync(join(stubs.folder, "opt/node@22"), { force: true });
      symlinkSync(`../Cellar/node@22/${version}`, join(stubs.folder, "opt/node@22"));
      return join(bin, "node");
    }
    const link = () => join(stubs.folder, "opt/node@22/bin/node");

    test("is Homebrew's own link, which leads to the next version after an upgrade", () => {
      const first = brew("22.1.0_1");
      expect(lastingPath(first)).toBe(link());
      rmSync(join(stubs.folder, "Cellar"), { recursive: true });
      brew("22.2.0");
      expect(existsSync(link())).toBe(true);
    });

    test("is the real one where the link leads to another version, and where there is none", () => {
      const first = brew("22.1.0");
      brew("22.2.0");
      expect(lastingPath(first)).toBe(first);
      rmSync(join(stubs.folder, "opt"), { recursive: true });
      expect(lastingPath(first)).toBe(first);
    });

    test("is the real one of a version manager's link, which needs its shell", () => {
      const real = stubs.add("node-22", "");
      symlinkSync(real, join(stubs.folder, "node"));
      expect(lastingPath(join(stubs.folder, "node"))).toBe(real);
    });
  });
});
