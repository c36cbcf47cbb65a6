import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../../world/home.ts";
import { assertSilent, type Check, isRoot, listSentSessions, makeStop, telling, until, untilSent } from "./check.ts";
import { type Machine, shellFor } from "./machine.ts";

const named = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`);
const { kill } = process;
const isWindows = process.platform === "win32";

function assertOnce(machine: Machine, sessions: readonly string[]): void {
  assert.deepEqual(listSentSessions(machine).sort(), [...sessions].sort());
}

/** Starts the installed command as an agent does that puts its hooks into a separate process group. */
function startInGroup(machine: Machine, session: string, end = true) {
  const [file, ...args] = shellFor(machine.command("Stop"));
  const child = spawn(file, args, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin?.on("error", () => {});
  if (end) child.stdin?.end(makeStop(session));
  else child.stdin?.write(makeStop(session).slice(0, -9));
  return { child, ended: new Promise<number | null>((resolve) => child.once("exit", resolve)) };
}

function killGroup({ pid }: ChildProcess): void {
  try {
    kill(-(pid ?? Number.NaN), "SIGKILL");
  } catch {
    // the group is empty
  }
}

/** Runs an action while there is a process with a name unlike a worker's. */
async function withStranger(action: (pid: number) => Promise<void>): Promise<void> {
  const stranger = isWindows
    ? spawn(process.execPath, ["-e", "setTimeout(() => {}, 600_000)"])
    : spawn("sleep", ["600"]);
  try {
    await action(stranger.pid ?? 0);
  } finally {
    stranger.kill("SIGKILL");
  }
}

/** Writes a file, one minute old, as a killed worker leaves it. */
function leaveBehind(file: string, content: string): void {
  writeFileSync(file, content, { mode: 0o600 });
  const aMinuteAgo = new Date(Date.now() - 60_000);
  utimesSync(file, aMinuteAgo, aMinuteAgo);
}

const leftBehind = {
  "a dead worker's lock": ({ home }: Machine, pid: number) =>
    leaveBehind(home.paths.lock, `${pid} ${pid}-token elsewhere\n`),
  "the mark of a start": ({ home }: Machine, pid: number) => leaveBehind(home.paths.starting, `${pid}\n`),
};

/** Makes a configuration with another notifier, and these routes. */
function withNotifier(config: object, notifier: object, routes: readonly object[]): object {
  const { notifiers } = config as { readonly notifiers: object };
  return { ...config, notifiers: { ...notifiers, ...notifier }, routes };
}

/** Checks of the processing of a stored event. */
export const workerChecks: readonly Check[] = [
  {
    name: "a hook starts the worker, which writes a file and runs a program, each once",
    async run(machine) {
      const noted = join(machine.userHome, "noted.txt");
      const script = "process.stdin.on('data', (data) => require('fs').appendFileSync(process.argv[1], data))";
      const program = { type: "command", run: [process.execPath, "-e", script, noted] };
      await machine.startAfresh(withNotifier(telling(machine), { program }, [{ to: ["log", "program"] }]));
      const sessions = named("wake", 3);
      for (const session of sessions) assertSilent(await machine.fire("Stop", makeStop(session)));
      await untilSent(machine, sessions);
      assertOnce(machine, sessions);
      const lines = readFileSync(noted, "utf8").split("\n").filter(Boolean);
      assert.deepEqual(lines.map((line) => JSON.parse(line).data.sessionId).sort(), sessions);
    },
  },
  {
    name: "the worker ends after the last event",
    async run(machine) {
      await machine.startAfresh(telling(machine));
      assertSilent(await machine.fire("Stop", makeStop("last")));
      await untilSent(machine, ["last"]);
      await until(() => (existsSync(machine.home.paths.lock) ? "the lock is still there" : undefined));
    },
  },
  {
    name: "events of a burst are delivered once each",
    async run(machine) {
      await machine.startAfresh(telling(machine));
      const sessions = named("burst", isWindows ? 20 : 100);
      const waiting = [...sessions];
      const fire = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift())
          assertSilent(await machine.fire("Stop", makeStop(next)));
      };
      await Promise.all(Array.from({ length: isWindows ? 4 : 25 }, fire));
      await untilSent(machine, sessions, 60_000);
      assertOnce(machine, sessions);
      return `${sessions.length} hooks`;
    },
  },
  {
    name: "--wait returns once the event is delivered",
    async run(machine) {
      const pause = { type: "command", run: [process.execPath, "-e", "setTimeout(() => {}, 800)"] };
      await machine.startAfresh({ ...telling(machine), notifiers: { pause }, routes: [{ to: ["pause"] }] });
      const line = machine.command("Stop").replace("--agent claude", "--agent claude --wait 25");
      const result = await machine.runLine(line, makeStop("wait"));
      assertSilent(result);
      assert.equal(machine.home.journal().at(-1)?.status, "sent");
      assert.ok(result.tookMs > 800, `${result.tookMs} ms`);
    },
  },
  {
    name: "no event is lost when the hook's group is killed at its end",
    isFor: isRoot,
    async run(machine) {
      await machine.startAfresh(telling(machine, { delivery: { linger: "0s" } }));
      const sessions = named("group", 10);
      // Without setsid and perl a worker stays in its group, and the next hook starts another.
      const isOwnGroup = machine.root?.sh === "bash" || machine.root?.has.some((name) => name !== "timeout");
      for (const session of sessions) {
        const { child, ended } = startInGroup(machine, session);
        assert.equal(await ended, 0);
        killGroup(child);
        if (!isOwnGroup) continue;
        await until(() => (listSentSessions(machine).includes(session) ? undefined : `${session} is not told`));
      }
      assertSilent(await machine.fire("Stop", makeStop("after")));
      await untilSent(machine, [...sessions, "after"]);
    },
  },
  {
    name: "a hook that is killed midway leaves nothing torn",
    isFor: isRoot,
    async run(machine) {
      await machine.startAfresh(telling(machine));
      const { child, ended } = startInGroup(machine, "torn", false);
      await sleep(150);
      killGroup(child);
      await ended;
      const accepted: string[] = [];
      for (const [index, session] of named("killed", 20).entries()) {
        const started = startInGroup(machine, session);
        const timer = setTimeout(() => killGroup(started.child), index * 2);
        if ((await started.ended) === 0) accepted.push(session);
        clearTimeout(timer);
      }
      assertSilent(await machine.fire("Stop", makeStop("next")));
      await until(() => {
        const missing = [...accepted, "next"].filter((session) => !listSentSessions(machine).includes(session));
        const spool = readdirSync(machine.home.paths.spool, { recursive: true }).join(" ");
        return missing.length > 0 ? `not told: ${missing.join(" ")}; spool: ${spool}` : undefined;
      });
      assert.ok(!machine.home.journal().some(({ status }) => status === "rejected"));
      return `${accepted.length} of 20 were done`;
    },
  },
  {
    name: "an event whose worker is killed is delivered by the next",
    async run(machine) {
      const pause = { type: "command", run: [process.execPath, "-e", "setTimeout(() => {}, 3000)"] };
      const config = telling(machine);
      await machine.startAfresh(withNotifier(config, { pause }, [{ to: ["pause"] }, { to: ["log"] }]));
      assertSilent(await machine.fire("Stop", makeStop("first")));
      await until(() => (machine.home.spooled().some((file) => file.startsWith("cur/")) ? undefined : "no claim"));
      await machine.home.killWorker();
      await sleep(100);
      machine.home.writeConfig(config);
      assertSilent(await machine.fire("Stop", makeStop("second")));
      await untilSent(machine, ["first", "second"], 40_000);
    },
  },
  ...Object.entries(leftBehind).map(([what, leave]) => ({
    name: `${what} whose number is another's holds no event up`,
    run: (machine: Machine) =>
      withStranger(async (stranger) => {
        await machine.startAfresh(telling(machine));
        leave(machine, stranger);
        assertSilent(await machine.fire("Stop", makeStop("left")));
        await untilSent(machine, ["left"]);
      }),
  })),
  {
    name: "a mark and a lock with this process's number delay no event",
    async run(machine) {
      await machine.startAfresh(telling(machine));
      for (const leave of Object.values(leftBehind)) leave(machine, process.pid);
      assertSilent(await machine.fire("Stop", makeStop("both")));
      await untilSent(machine, ["both"]);
    },
  },
];
