import { spawn } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startDesktopSession } from "./world/desktop-session.ts";
import { freshHome } from "./world/fresh-home.ts";
import { dist, run } from "./world/home.ts";
import { createUsers, listForeignFiles, listing, type TwoUsers, type User } from "./world/two-users.ts";

const stop = '{"hook_event_name":"Stop","session_id":"s1","cwd":"/home/dev/shop"}';
const silent = { exitCode: 0, signal: null, stdout: "", stderr: "" };
const quiet = JSON.stringify({ notifiers: {}, delivery: { linger: "0s" } });
const month = `${new Date().toISOString().slice(0, 7)}.jsonl`;

let users: TwoUsers;
let alice: User;
let bob: User;

// Only root can create another user's files. `.ci/run` counts a skipped test of this project as a failure.
describe.skipIf(process.getuid?.() !== 0)("two users of one machine", () => {
  beforeAll(() => {
    users = createUsers();
  });
  beforeEach(() => {
    ({ alice, bob } = users.renew());
    alice.write(alice.paths.config, quiet);
  });
  afterAll(() => users?.remove());

  const fire = (user: User) => user.run(user.paths.launcher, ["Stop", "--agent", "claude"], stop);
  /** Runs a worker until it exits, which it does as soon as its queue is empty. */
  const work = (user: User, env: NodeJS.ProcessEnv = {}) => user.run(users.node, [user.paths.worker], "", env);

  const untilJournalled = (user: User) =>
    expect.poll(() => user.journal(), { timeout: 20_000 }).toContain('"status":"skipped"');

  describe("root with a user's HOME", () => {
    const asRoot = (file: string, args: readonly string[]) =>
      run(file, args, stop, { cwd: "/", env: { PATH: "/usr/bin:/bin", HOME: alice.home } });
    const launchers: [string, () => [file: string, args: string[]]][] = [
      ["the installed launcher", () => [alice.paths.launcher, ["Stop"]]],
      ["a package's launcher", () => [join(dist, "hooks", "hook.sh"), ["Stop"]]],
      ["the entrypoint", () => [users.node, [join(dist, "hooks", "stop.cjs")]]],
      ["the worker", () => [users.node, [alice.paths.worker]]],
    ];

    test.each(launchers)("leaves no file there: %s", async (_, command) => {
      const before = listing(alice.paths.root);
      expect(await asRoot(...command())).toMatchObject(silent);
      expect(listing(alice.paths.root)).toEqual(before);
      expect(await fire(alice)).toMatchObject(silent);
      await untilJournalled(alice);
    });

    test.each(launchers.slice(1, 3))("makes no folder there: %s", async (_, command) => {
      rmSync(alice.paths.root, { recursive: true });
      expect(await asRoot(...command())).toMatchObject(silent);
      expect(existsSync(alice.paths.root)).toBe(false);
    });

    test.each([
      ["install", "--agent", "claude", "--yes"],
      ["upgrade", "--yes"],
      ["uninstall", "--purge", "--yes"],
      ["flush"],
      ["config", "init"],
    ])("is refused by `beckon %s` before anything is written", async (...args) => {
      mkdirSync(join(alice.home, ".claude"));
      const before = listing(alice.home);
      const { exitCode, stdout, stderr } = await asRoot(users.node, [join(users.package, "dist", "cli.js"), ...args]);
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toContain(`${alice.paths.root} belongs to another user (${alice.uid})`);
      expect(stdout + stderr).toContain("BECKON_HOME");
      expect(listing(alice.home)).toEqual(before);
    });

    test("makes no settings file in a user's folder, even with a separate BECKON_HOME", async () => {
      alice.write(join(alice.home, "mine"), "");
      await alice.run("mkdir", [join(alice.home, ".claude")]);
      const before = listing(alice.home);
      const args = [join(users.package, "dist", "cli.js"), "install", "--agent", "claude", "--yes"];
      const env = { PATH: "/usr/bin:/bin", HOME: alice.home, BECKON_HOME: join(users.package, "root-beckon") };
      const { exitCode, stdout, stderr } = await run(users.node, args, "", { cwd: "/", env });
      expect(exitCode).toBe(1);
      expect(stdout + stderr).toContain("in another user's folder");
      expect(listing(alice.home)).toEqual(before);
    });

    test("is named by doctor, with the cure", async () => {
      const { exitCode, stdout } = await asRoot(users.node, [join(users.package, "dist", "cli.js"), "doctor"]);
      expect(exitCode).toBe(1);
      expect(stdout).toContain(`~/.beckon belongs to another user (${alice.uid})`);
      expect(stdout).toContain("set BECKON_HOME");
    });
  });

  test("root's files in a user's folder stop neither delivery nor journal, and are reported", async () => {
    const old = new Date(Date.now() - 60_000);
    mkdirSync(alice.paths.journal);
    await alice.run("chmod", ["700", alice.paths.root]);
    for (const file of [alice.paths.lock, join(alice.paths.journal, month)]) {
      writeFileSync(file, `${process.pid} token ${"host"}\n`, { mode: 0o600 });
      utimesSync(file, old, old);
    }
    await run("chown", [String(alice.uid), alice.paths.journal], "");
    expect(await fire(alice)).toMatchObject(silent);
    await untilJournalled(alice);
    for (const command of ["log", "status", "doctor"]) {
      const { exitCode, stdout, stderr } = await alice.beckon(command);
      expect(stdout + stderr).toMatch(new RegExp(`${month}.*[\\s\\S]*chown -R ${alice.uid} ${alice.paths.root}`));
      expect(exitCode).toBe(command === "doctor" ? 1 : 0);
    }
  });

  test("root's folder in the user's is reported by log, status and doctor, which do not fail", async () => {
    for (const folder of [alice.paths.journal, alice.paths.state]) mkdirSync(folder, { mode: 0o700 });
    for (const command of ["log", "status", "doctor"]) {
      const { exitCode, stdout, stderr } = await alice.beckon(command);
      expect(stdout + stderr).toMatch(new RegExp(`(?:${alice.paths.journal}|~/\\.beckon/journal)`));
      expect(exitCode).toBe(command === "doctor" ? 1 : 0);
    }
  });

  test("another user's start mark blocks no worker", async () => {
    const other = spawn("sh", ["-c", "sleep 60; :"], { stdio: "ignore" });
    onTestFinished(() => void other.kill("SIGKILL"));
    writeFileSync(alice.paths.starting, `${other.pid}\n`, { mode: 0o644 });
    expect(await fire(alice)).toMatchObject(silent);
    await untilJournalled(alice);
  });

  describe("a program that somebody else may have named", () => {
    /** Makes a configuration that runs `touch` on a file in alice's home. */
    function touching(file: string): string {
      const trap = { type: "command", run: ["/usr/bin/touch", file] };
      return JSON.stringify({ notifiers: { trap }, delivery: { linger: "0s" } });
    }

    test("runs if the folder is the user's alone", async () => {
      const marker = join(alice.home, "touched");
      alice.write(alice.paths.config, touching(marker));
      expect(await fire(alice)).toMatchObject(silent);
      await expect.poll(() => existsSync(marker), { timeout: 20_000 }).toBe(true);
      expect(statSync(marker).uid).toBe(alice.uid);
    });

    test.each([
      ["another user's", () => bob, 0o777],
      ["open to everybody", () => alice, 0o777],
      ["open to a group", () => alice, 0o770],
    ])("does not run if the folder is %s", async (_, owner, mode) => {
      const { paths } = owner();
      const marker = join(alice.home, "touched");
      owner().write(paths.config, touching(marker), 0o644);
      await run("chmod", ["-R", "a+rwX", paths.root], "");
      chmodSync(paths.root, mode);
      const env = { BECKON_HOME: paths.root };
      await alice.run(join(users.package, "dist", "hooks", "hook.sh"), ["Stop"], stop, env);
      // A record that always exists, so that the worker has something to deliver.
      const record = `{"v":1,"event":"Stop","agent":"claude","cwd":"/"}\n${stop}\n{"end":0}\n`;
      alice.write(join(paths.spool, "new", "planted.json"), record, 0o666);
      await work(alice, env);
      expect(existsSync(marker)).toBe(false);
      expect(existsSync(paths.journal)).toBe(false);
      const status = await alice.run(users.node, [join(users.package, "dist", "cli.js"), "status"], "", env);
      const unsafe = /\/\.beckon (belongs to another user|can be written to by other users)/;
      expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(unsafe) });
    });
  });

  test("links in the spool cannot redirect files", async () => {
    const mine = join(bob.home, "mine");
    bob.write(mine, "precious\n", 0o666);
    await alice.run("ln", ["-s", mine, alice.paths.starting]);
    expect(await fire(alice)).toMatchObject(silent);
    await untilJournalled(alice);
    expect(statSync(mine).size).toBe("precious\n".length);
    rmSync(join(alice.paths.spool, "tmp"), { recursive: true });
    await alice.run("ln", ["-s", bob.home, join(alice.paths.spool, "tmp")]);
    chmodSync(bob.home, 0o777);
    expect(await fire(alice)).toMatchObject(silent);
    expect(listForeignFiles(bob, bob.home)).toEqual([]);
    expect(lstatSync(join(alice.paths.spool, "tmp")).isSymbolicLink()).toBe(true);
  });

  test("another user sees no message text in the list of processes while the desktop shows it", async () => {
    const session = await startDesktopSession();
    const home = freshHome({ notifiers: { desk: { type: "desktop" } }, delivery: { linger: "0s" } });
    // Searches the arguments of every process for the words, as fast as possible, and prints those found.
    const watching = `const { readdirSync, readFileSync, writeSync } = require("node:fs");
      const words = ["canary-shown", "canary-control"];
      writeSync(1, "ready\\n");
      for (const endAtMs = Date.now() + 60_000; Date.now() < endAtMs; )
        for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name) && name !== String(process.pid)))
          try { const line = readFileSync("/proc/" + pid + "/cmdline", "utf8");
            const found = words.find((word) => line.includes(word) && !line.includes("const words"));
            if (found) writeSync(1, found + "\\n");
          } catch {}`;
    const stdio: ("ignore" | "pipe")[] = ["ignore", "pipe", "ignore"];
    const watcher = spawn(users.node, ["-e", watching], { uid: bob.uid, gid: bob.uid, cwd: "/", stdio });
    let seen = "";
    watcher.stdout?.on("data", (chunk: Buffer) => (seen += chunk));
    const untilSeen = (word: string) => expect.poll(() => seen).toContain(word);
    try {
      await untilSeen("ready");
      const payload = JSON.stringify({ hook_event_name: "Notification", session_id: "s1", message: "canary-shown" });
      await home.launch(["Notification", "--agent", "claude"], payload, { env: session.env });
      await home.until((lines) => lines.some(({ notifier, status }) => notifier === "desk" && status === "sent"));
      expect((await session.history()).at(-1)?.body).toContain("canary-shown");
      await run("sh", ["-c", "sleep 1; :", "canary-control"], "");
      await untilSeen("canary-control");
      expect(seen).not.toContain("canary-shown");
    } finally {
      watcher.kill("SIGKILL");
      await session.stop();
    }
  }, 60_000);
});
