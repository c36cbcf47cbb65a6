import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { DeliveryError } from "../../src/core/errors.ts";
import type { ExecRequest } from "../../src/core/ports.ts";
import { findProcess } from "../../src/files/process-table.ts";
import { childEnv, createExec, sessionVariables } from "../../src/io/exec.ts";
import { lastingPath, resolveProgram, searchFolders, systemFolders, which } from "../../src/io/which.ts";
import { catchDeliveryError } from "../world/catch-delivery-error.ts";
import { collectFailures } from "../world/collect-failures.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { listenAt } from "../world/listen-at.ts";
import { recordArgs, stubPrograms, useStubPrograms } from "../world/stub-programs.ts";

describe("exec", () => {
  const stubs = useStubPrograms();

  const run = (file: string, request: Partial<ExecRequest> = {}) =>
    createExec(stubs.env).run({ file, args: [], timeoutMs: 20_000, ...request });

  /** Reads the process number that a stub has written to `name`, once it exists. */
  async function pidIn(name: string): Promise<number> {
    const path = join(stubs.folder, name);
    return vi.waitUntil(() => existsSync(path) && Number(readFileSync(path, "utf8")), { timeout: 20_000 });
  }

  /** Aborts a stub once it has written a process number to `stub.pid`, and waits until that process has ended. */
  async function aborted(script: string): Promise<DeliveryError> {
    stubs.add("stub", script);
    const abort = new AbortController();
    const failed = catchDeliveryError(run("stub", { signal: abort.signal, timeoutMs: 60_000 }));
    const pid = await pidIn("stub.pid");
    abort.abort();
    const error = await failed;
    await vi.waitUntil(() => findProcess(pid) === undefined, { timeout: 20_000 });
    return error;
  }

  describe("the result", () => {
    test("has the exit code, which is 128 + n for signal n", async () => {
      const exitCodes = { "exit 0": 0, "exit 42": 42, "kill -9 $$": 137, "kill -SEGV $$": 139 };
      const check = async ([script, exitCode]: readonly [string, number]) => {
        stubs.add("stub", script);
        expect(await run("stub")).toEqual({ exitCode, stdout: "", stderr: "" });
      };
      expect(await collectFailures(Object.entries(exitCodes), check)).toEqual([]);
    });

    test("has both outputs, cleaned", async () => {
      stubs.add("stub", String.raw`printf '\033[31mred\033[0m\n'; printf 'a\007b\342\200\256c' >&2`);
      expect(await run("stub")).toEqual({ exitCode: 0, stdout: "red\n", stderr: "abc" });
    });

    test("has the first 4 KiB of a flood, which is drained", async () => {
      stubs.add("stub", "/usr/bin/head -c 50000000 /dev/zero | /usr/bin/tr '\\0' x; echo done > $0.done");
      const { exitCode, stdout } = await run("stub");
      expect(exitCode).toBe(0);
      expect(stdout).toBe("x".repeat(4096));
      expect(existsSync(join(stubs.folder, "stub.done"))).toBe(true);
    });

    test("is independent of the input, which may be absent or unread", async () => {
      stubs.add("stub", "/bin/cat; echo end");
      expect((await run("stub", { input: '{"a":"ü"}' })).stdout).toBe('{"a":"ü"}end\n');
      expect((await run("stub")).stdout).toBe("end\n");
      stubs.add("stub", "exit 0");
      expect((await run("stub", { input: "x".repeat(3_000_000) })).exitCode).toBe(0);
    });

    test("shows the arguments unchanged", async () => {
      stubs.add("stub", recordArgs);
      const argument = fc.string({ unit: "binary", maxLength: 40 }).filter((text) => !text.includes("\0"));
      const arrive = fc.asyncProperty(fc.array(argument, { minLength: 1, maxLength: 5 }), async (args) => {
        await run("stub", { args });
        expect(stubs.readArgs("stub")).toEqual(args);
      });
      const hostile = ["$(touch x)", "`id`", "'; rm -rf /", '"', "--help", "-", "", "a\nb", "%s", "\\"];
      await fc.assert(arrive, { numRuns: 30, examples: [[hostile]] });
    });
  });

  describe("it stops", () => {
    test("a program that runs longer than its timeout", async () => {
      stubs.add("stub", "/bin/sleep 60");
      expect((await catchDeliveryError(run("stub", { timeoutMs: 200 }))).reason).toBe("timeout");
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

    test("nothing after an abort before the start, as it is not started", async () => {
      stubs.add("stub", "echo > $0.ran");
      expect((await catchDeliveryError(run("stub", { signal: AbortSignal.abort() }))).reason).toBe("timeout");
      expect(existsSync(join(stubs.folder, "stub.ran"))).toBe(false);
    });

    test("no grandchild that holds the pipes, and does not wait for it", async () => {
      stubs.add("stub", "/bin/sleep 60 & echo $! > $0.pid; echo held");
      expect(await run("stub", { timeoutMs: 20_000 })).toMatchObject({ exitCode: 0, stdout: "held\n" });
      const pid = await pidIn("stub.pid");
      expect(findProcess(pid)).toBeDefined();
      process.kill(pid, "SIGKILL");
    });
  });

  describe("a program that cannot be started", () => {
    test("is unsupported: no program, a relative path, a folder, no name, no interpreter", async () => {
      stubs.add("stub", "exit 0");
      writeFileSync(stubs.add("odd", ""), "#!/nowhere/interpreter\n");
      const files = ["nothing-of-this-name", "./stub", "/nowhere/stub", "/tmp", "", "odd"];
      const check = async (file: string) => expect((await catchDeliveryError(run(file))).reason).toBe("unsupported");
      expect(await collectFailures(files, check)).toEqual([]);
    });

    test("is rejected for a large argument or one with NUL, without quoting it", async () => {
      stubs.add("stub", "exit 0");
      for (const text of ["x".repeat(300_000), "a\0b"]) {
        const error = await catchDeliveryError(run("stub", { args: ["canary-4711", text] }));
        expect(error.reason).toBe("rejected");
        expect(`${error.message} ${error.hint} ${error.cause} ${error.stack}`).not.toContain("canary-4711");
      }
    });
  });

  describe("the working directory", () => {
    test("is the home folder, not the agent's", async () => {
      stubs.add("stub", "pwd");
      expect((await run("stub")).stdout.trim()).toBe(stubs.folder);
    });

    test("is the home folder even if this process's folder is gone", async () => {
      // A separate process, as the test runner keeps its folder.
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
  const at = useFolder();

  const passed = "HOME USER LOGNAME LANG LC_ALL LC_TIME TZ TMPDIR DISPLAY WAYLAND_DISPLAY XAUTHORITY XDG_RUNTIME_DIR";
  const ofServers = "DBUS_SESSION_BUS_ADDRESS PULSE_SERVER PULSE_COOKIE PIPEWIRE_REMOTE";
  const keys = "ANTHROPIC_API_KEY FACTORY_API_KEY OPENAI_API_KEY BECKON_API_KEY AWS_SECRET_ACCESS_KEY GITHUB_TOKEN";
  const switches = "DEBUG NODE_DEBUG NODE_OPTIONS NODE_PATH LD_PRELOAD BASH_ENV IFS MY_LC_ALL home";
  const fromOnly = (name: string) => childEnv({ [name]: "value" }, {}, at());

  test("variables for a desktop and an audio server are passed on; keys and switches are not", async () => {
    const isPassed = (name: string) => expect(fromOnly(name)).toMatchObject({ [name]: "value" });
    expect(await collectFailures(`${passed} ${ofServers}`.split(" "), isPassed)).toEqual([]);
    const isKept = (name: string) => expect(Object.keys(fromOnly(name))).toEqual(["PATH"]);
    expect(await collectFailures(`${keys} ${switches}`.split(" "), isKept)).toEqual([]);
  });

  test("the caller's additions take precedence", () => {
    const added = { LANG: "de_DE.UTF-8", BECKON_ID: "1" };
    expect(childEnv({ LANG: "C" }, added, at())).toMatchObject(added);
  });

  test("the absolute folders of PATH are kept, and default ones are added if it has none", () => {
    const pathFrom = (env: NodeJS.ProcessEnv) => childEnv(env, {}, at())["PATH"];
    expect(pathFrom({ PATH: "/usr/bin:.:node_modules/.bin::/bin" })).toBe("/usr/bin:/bin");
    for (const env of [{ PATH: "" }, {}]) expect(pathFrom(env)).toBe("/usr/local/bin:/usr/bin:/bin");
  });

  test("the user's bus and runtime folder are added if missing", async () => {
    const folder = at(String(process.getuid?.()));
    expect(sessionVariables({}, at())).toEqual({});
    mkdirSync(folder);
    expect(sessionVariables({}, at())).toEqual({ XDG_RUNTIME_DIR: folder });
    await listenAt(join(folder, "bus"));
    const found = { XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` };
    expect(sessionVariables({}, at())).toEqual(found);
    expect(childEnv({}, {}, at())).toMatchObject(found);
    expect(childEnv({ DBUS_SESSION_BUS_ADDRESS: "", XDG_RUNTIME_DIR: "" }, {}, at())).toMatchObject(found);
    const own = { DBUS_SESSION_BUS_ADDRESS: "unix:path=/my/bus" };
    expect(childEnv(own, {}, at())).toMatchObject(own);
  });

  test("a bus other than a socket is not added", () => {
    mkdirSync(at(String(process.getuid?.()), "bus"), { recursive: true });
    expect(sessionVariables({}, at())).not.toHaveProperty("DBUS_SESSION_BUS_ADDRESS");
  });
});

describe("which", () => {
  const stubs = useStubPrograms();

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
  });

  test("a PATH entry that is relative, empty or a dot is not searched", () => {
    stubs.add("stub", "");
    for (const entry of [relative(process.cwd(), stubs.folder), "", "."]) {
      const env = { PATH: [entry, "/nowhere"].join(delimiter) };
      expect([searchFolders(env), which("stub", env)], entry).toEqual([["/nowhere"], undefined]);
    }
  });

  describe("a project's folder in PATH is not searched", () => {
    const env = (entry: string, project: string, home = "/home/nobody") => {
      return { PATH: [entry, "/nowhere"].join(delimiter), BECKON_PROJECT: project, HOME: home, USERPROFILE: home };
    };

    test("if `npm exec` put it first", () => {
      for (const folder of ["node_modules/.bin", "packages/a/node_modules/.bin/"])
        expect(searchFolders(env(join(stubs.folder, folder), "/elsewhere"))).toEqual(["/nowhere"]);
    });

    test("if it is below the folder of the hook that started the worker", () => {
      mkdirSync(join(stubs.folder, "bin"));
      symlinkSync(stubs.folder, `${stubs.folder}-link`);
      for (const project of [stubs.folder, `${stubs.folder}-link`, `${stubs.folder}/`])
        for (const folder of [stubs.folder, join(stubs.folder, "bin")])
          expect(searchFolders(env(folder, project))).toEqual(["/nowhere"]);
      rmSync(`${stubs.folder}-link`);
      const sibling = `${stubs.folder}-other`;
      expect(searchFolders(env(sibling, stubs.folder))).toEqual([sibling, "/nowhere"]);
    });

    test("unless the project is the home folder", () => {
      const folder = join(stubs.folder, "bin");
      expect(searchFolders(env(folder, stubs.folder, stubs.folder))).toEqual([folder, "/nowhere"]);
    });
  });

  test("a program that beckon chooses itself is first searched for in the system's folders", () => {
    const system = stubPrograms();
    const real = system.add("notify-send", "");
    const own = stubs.add("notify-send", "");
    const only = stubs.add("paplay", "");
    const exec = createExec(stubs.env, [system.folder]);
    expect(exec.driver("notify-send")).toBe(real);
    expect(exec.driver("paplay")).toBe(only);
    expect(exec.which("notify-send")).toBe(own);
    expect(systemFolders().every((folder) => existsSync(folder))).toBe(true);
  });

  test("files without permission to run, folders and paths are not programs", () => {
    chmodSync(stubs.add("file", ""), 0o644);
    mkdirSync(join(stubs.folder, "folder"));
    stubs.add("stub", "");
    for (const name of ["file", "folder", "", ".", "..", "./stub", "sub/stub", "../stub"])
      expect([name, which(name, stubs.env), resolveProgram(name, stubs.env)]).toEqual([name, undefined, undefined]);
    for (const name of ["file", "folder"]) expect(resolveProgram(join(stubs.folder, name), stubs.env)).toBeUndefined();
  });

  test("without PATH no program is found", () => {
    expect(which("sh", {})).toBeUndefined();
  });

  describe("the stable path of a program", () => {
    /** Creates a Homebrew with a version of Node, linked as Homebrew does. */
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

    test("is the real one if the link leads to another version, or does not exist", () => {
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
