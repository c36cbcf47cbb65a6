import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ExecPort, ExecRequest, FocusResult, Presence, PresencePort } from "../../src/core/ports.ts";
import type { TerminalEnvironment } from "../../src/core/terminal-environment.ts";
import { createExec } from "../../src/io/exec.ts";
import { createFocus } from "../../src/io/focus/focus.ts";
import { createPresence, type PresenceOptions } from "../../src/io/presence/presence.ts";
import { background, eventually } from "./background.ts";
import { startDesktopSession } from "./desktop-session.ts";
import { useEach } from "./use.ts";

const run = promisify(execFile);

type OnRun = (request: ExecRequest) => void;

/** Terminals, each with a program that represents an agent. */
export type AgentTerminals = ReturnType<typeof agentTerminals>;

/** Terminals on a separate desktop, which `stop` ends as well. */
export type DesktopTerminals = Awaited<ReturnType<typeof startDesktopTerminals>>;

/** Starts a desktop with a window manager. @param added variables of the terminals, in addition to the desktop's own */
export async function startDesktopTerminals(added: NodeJS.ProcessEnv, dunstrc?: string) {
  const session = await startDesktopSession(dunstrc);
  const terminals = agentTerminals({ ...session.env, ...added });
  await terminals.startWindowManager();
  return {
    ...terminals,
    session,
    async stop() {
      await terminals.stop();
      await session.stop();
    },
  };
}

/** Gives each test of a file or a `describe` block new terminals. */
export function useTerminals(env: NodeJS.ProcessEnv): AgentTerminals {
  return useEach("stop", () => agentTerminals(env));
}

/** @param env environment of the terminals and the port */
export function agentTerminals(env: NodeJS.ProcessEnv) {
  const folder = mkdtempSync(join(tmpdir(), "beckon-seats-"));
  const programs = background();
  const pidFile = (name: string) => join(folder, `${name}.pid`);
  /** Starts a terminal. */
  const start = (file: string, args: readonly string[], added?: NodeJS.ProcessEnv) =>
    programs.start(file, args, { env: { ...env, ...added } });
  /** Runs a program to its end. Returns its output. */
  const runThere = async (file: string, args: readonly string[], added?: NodeJS.ProcessEnv): Promise<string> =>
    (await run(file, args, { env: { ...env, ...added } })).stdout;
  /** Finds the process ids of an agent as a hook knows them, once the agent runs. */
  const findProcesses = (name: string) =>
    eventually(`the agent ${name}`, async () => {
      const pid = existsSync(pidFile(name)) ? readFileSync(pidFile(name), "utf8").trim() : "";
      return pid === "" ? undefined : [Number(pid)];
    });
  /** The port under test, with only the variables in `env`. It waits for answers on a busy machine. */
  const port = (options?: PresenceOptions): PresencePort =>
    createPresence(createExec(env), { env, systemBus: "/nowhere", limitMs: 5000, ...options });
  return {
    ...{ folder, start, run: runThere, findProcesses, port },
    /** Builds the command line of an agent in a terminal; `name` distinguishes the agent from others. */
    buildCommand: (name: string, program = "exec sleep 600") => ["sh", "-c", `echo $$ > ${pidFile(name)}; ${program}`],
    /** Starts openbox, and waits until it manages windows. */
    async startWindowManager() {
      start("openbox", []);
      await eventually("openbox", () => runThere("xdotool", ["get_num_desktops"]).catch(() => undefined));
    },
    /** Waits for the window with this title, and on X11, with a window manager, until it is active. */
    async raise(title: string) {
      const xdotool = (...args: string[]) => runThere("xdotool", args).catch(() => "");
      await eventually(`the window ${title}`, async () => {
        const [window = ""] = (await xdotool("search", "--onlyvisible", "--name", `^${title}$`)).split("\n");
        if (window === (await xdotool("getactivewindow")).trim() && window !== "") return true;
        if (window !== "") await xdotool("windowactivate", window);
        return undefined;
      });
    },
    /** Waits until the port gives this answer for an agent; throws with its last answer otherwise. */
    async until(name: string, expected: (answer: Presence) => boolean, asked: PresencePort = port()) {
      const processes = await findProcesses(name);
      let last: Presence = {};
      const answer = await eventually("the answer", async () => {
        last = await asked.ask(processes);
        return expected(last) ? last : undefined;
      }).catch(() => undefined);
      if (answer === undefined) throw new Error(`${name}: the last answer was ${JSON.stringify(last)}`);
      return answer;
    },
    /** Raises an agent's terminal, with only the variables in `env`. */
    async focus(processes: readonly number[], terminal?: TerminalEnvironment, onRun?: OnRun): Promise<FocusResult> {
      const exec = createExec(env);
      const noted: ExecPort["run"] = (request) => {
        onRun?.(request);
        return exec.run(request);
      };
      return createFocus({ ...exec, run: noted }, { env }).focus(processes, terminal);
    },
    async stop() {
      await programs.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Runs a command in a separate pseudo-terminal without a window, as over SSH. Typed text goes to `stdin`.
 * @param script the program that holds the terminal: `script`, by whatever name
 */
export function startInPty(command: string, env: NodeJS.ProcessEnv, script = "script"): ChildProcess {
  return spawn(script, ["-qec", command, "/dev/null"], { env, stdio: ["pipe", "ignore", "ignore"] });
}
