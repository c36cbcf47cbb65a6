import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type Ask, hashShown } from "../../src/answers/ask-files.ts";
import type { AnswerChoice } from "../../src/core/permission-reply.ts";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { createHome, dist, type Home } from "./home.ts";
import { makeLastingFolder } from "./lasting-folder.ts";
import { useHome } from "./use-home.ts";

/** Folder in which the stand-ins ask. */
export const askedIn = "/srv/shop";

/** Open request as its worker describes it, with both choices and in place of a worker this process. */
export const openAsk: Ask = {
  id: "4f2a0000-ask",
  agent: "claude",
  project: "shop",
  cwd: "/home/me/code/shop",
  sessionId: "s1",
  lines: ["Bash: npm test", "  » npm run build"],
  hash: "0".repeat(64),
  choices: ["deny", "allow"],
  atMs: Date.parse("2026-11-26T12:00:00Z"),
  untilMs: Date.parse("2026-11-26T12:10:00Z"),
  worker: process.pid,
};

/** Permission request of a stand-in for an agent. */
export interface AskedCall {
  readonly tool: string;
  readonly input: object;
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly agentId?: string;
  readonly transcriptPath?: string;
}

/** Answer that the hook of a stand-in printed, and how the hook ended. */
export interface HookEnd {
  readonly printed: string;
  readonly exitCode: number;
  readonly tookMs: number;
}

/** A stand-in for an agent, as a process of its own, with a waiting permission hook. */
export type AskingAgent = ReturnType<typeof startAgent>;

/** Creates a home in which requests can be answered elsewhere. */
export function createAskingHome(): Home {
  const home = createHome("asks", makeLastingFolder("asks"));
  home.writeConfig(askingConfig);
  const { CLAUDECODE: _, ...env } = home.env; // an agent may run the tests
  return { ...home, env };
}

/** Builds the payload that an agent of Claude Code's family gives its permission hook. */
export function askedPayload(asked: AskedCall): string {
  const { tool, input, sessionId = "s1", cwd = askedIn, agentId, transcriptPath } = asked;
  const subAgent = { agent_id: agentId, transcript_path: transcriptPath };
  const call = { hook_event_name: "PermissionRequest", tool_name: tool, tool_input: input };
  return JSON.stringify({ session_id: sessionId, cwd, permission_mode: "default", ...subAgent, ...call });
}

/** Gives each test of a file a new home in which requests can be answered elsewhere. */
export const useAskingHome = (): Home => useHome(createAskingHome);

type Hooked = Pick<Home, "paths" | "env">;

/**
 * Starts a process that runs the permission hook through `sh -c`, as agents do, with this payload.
 * @param wait seconds to wait for an answer, or the option in place of `--ask`
 */
export function startAgent(home: Hooked, payload: string, wait: number | string = 60, env: NodeJS.ProcessEnv = {}) {
  const options = typeof wait === "number" ? `--ask ${wait}` : wait;
  const line = `'${home.paths.launcher}' PermissionRequest --agent claude ${options} || :`;
  const script = 'sh -c "$1"; echo " exit $?"';
  const began = performance.now();
  const all = { ...home.env, ...env };
  const child = spawn("sh", ["-c", script, "agent", line], { env: all, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(payload);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  /** Resolves when the hook has ended; never, if the stand-in was killed. */
  const end = new Promise<HookEnd>((resolve) => {
    child.on("close", () => {
      const [, printed = "", exitCode] = /^([\s\S]*) exit (\d+)\n$/.exec(output) ?? [];
      resolve({ printed, exitCode: Number(exitCode), tookMs: performance.now() - began });
    });
  });
  return { process: child, end };
}

/** Waits until the worker holds a request and returns its journal line. */
export async function untilAsked(home: Home, count = 1): Promise<JournalLine> {
  const lines = await home.until((journal) => journal.filter(({ status }) => status === "asked").length >= count);
  return lines.filter(({ status }) => status === "asked").at(-1) as JournalLine;
}

type Surroundings = Pick<Home, "env">;

/** Types an answer to `beckon answer` in a pseudo-terminal. Resolves to its output and exit code. */
export async function typeAnswer(
  home: Surroundings,
  args: readonly string[],
  word: string,
  env: NodeJS.ProcessEnv = {},
) {
  return runAtTerminal(home, ["answer", ...args], word, env);
}

/** Runs a command in a pseudo-terminal, and types a word when it asks for one. */
export async function runAtTerminal(
  home: Surroundings,
  args: readonly string[],
  word = "",
  env: NodeJS.ProcessEnv = {},
) {
  const command = [process.execPath, join(dist, "cli.js"), ...args].map((part) => `'${part}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { env: { ...home.env, TERM: "xterm", ...env } });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes("Type ") && word !== "") {
      child.stdin.write(`${word}\r`);
      word = "";
    }
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { output, exitCode };
}

/** A board in a process of its own, and presses of its buttons. */
export type BoardProcess = Awaited<ReturnType<typeof startBoard>>;

/** Starts `beckon board` in a session of its own. */
export async function startBoard({ env }: Surroundings) {
  const args = [join(dist, "cli.js"), "board"];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const [printed] = (await once(child.stdout, "data")) as [Buffer];
  const [url = ""] = /http:\S+/.exec(printed.toString()) ?? [];
  return {
    url,
    /** Presses a button of an open request, as the page does. */
    async press(ask: Ask, choice: AnswerChoice | number, more: Record<string, string> = {}) {
      const headers = { "Content-Type": "application/json", Origin: new URL(url).origin, ...more };
      const answer = typeof choice === "number" ? { choice: "allow", pick: choice } : { choice };
      const body = JSON.stringify({ id: ask.id, hash: hashShown(ask), ...answer });
      const response = await fetch(`${url}answer`, { method: "POST", headers, body });
      return { status: response.status, text: await response.text() };
    },
    stop: () => void child.kill(),
  };
}

/** Configuration in which the stand-in's requests may be answered. */
export const askingConfig = {
  notifiers: { log: { type: "file", path: "/dev/null", for: "machine" } },
  lookups: [],
  answers: { agents: ["claude"], projects: [`${askedIn}/**`], when: "always" },
};
