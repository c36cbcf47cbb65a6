import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { dist, type Home } from "./home.ts";

/** Permission request of a stand-in for an agent. */
export interface AskedCall {
  readonly tool: string;
  readonly input: object;
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly agentId?: string;
}

/** Answer that the hook of a stand-in printed, and how the hook ended. */
export interface HookEnd {
  readonly printed: string;
  readonly exitCode: number;
  readonly tookMs: number;
}

/** A stand-in for an agent, as a process of its own, with a waiting permission hook. */
export interface AskingAgent {
  readonly process: ChildProcess;
  /** Resolves when the hook has ended; never, if the stand-in was killed. */
  readonly end: Promise<HookEnd>;
}

/** Builds the payload that Claude Code gives its permission hook. */
export function askedPayload({ tool, input, sessionId = "s1", cwd = "/tmp", agentId }: AskedCall): string {
  const subAgent = agentId === undefined ? {} : { agent_id: agentId };
  const call = { hook_event_name: "PermissionRequest", tool_name: tool, tool_input: input };
  return JSON.stringify({ session_id: sessionId, cwd, permission_mode: "default", ...subAgent, ...call });
}

/** Starts a process that runs the permission hook through `sh -c`, as agents do, with this payload. */
export function startAgent(home: Home, payload: string, seconds = 60, env: NodeJS.ProcessEnv = {}): AskingAgent {
  const line = `'${home.paths.launcher}' PermissionRequest --agent claude --ask ${seconds} || :`;
  const script = 'sh -c "$1"; echo " exit $?"';
  const began = performance.now();
  const child = spawn("sh", ["-c", script, "agent", line], {
    env: { ...home.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(payload);
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
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

/** Types an answer to `beckon answer` in a pseudo-terminal. Resolves to its output and exit code. */
export async function typeAnswer(home: Home, args: readonly string[], word: string, env: NodeJS.ProcessEnv = {}) {
  const command = [process.execPath, join(dist, "cli.js"), "answer", ...args].map((part) => `'${part}'`).join(" ");
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

/** Configuration in which the stand-in's requests may be answered. */
export const askingConfig = {
  notifiers: { log: { type: "file", path: "/dev/null", for: "machine" } },
  lookups: [],
  answers: { agents: ["claude"], projects: ["/tmp/**"], when: "always" },
};

export { sleep };
