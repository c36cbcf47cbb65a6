import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startInPty } from "./agent-terminals.ts";
import type { HookEnd } from "./asking-agent.ts";
import { type Home, sleep } from "./home.ts";

/** A stand-in for an agent in a terminal of its own, which runs permission hooks and reads the keys. */
export type AgentInTerminal = Awaited<ReturnType<typeof startInTerminal>>;

interface Asked {
  readonly agent: string;
  readonly payloads: readonly string[];
  readonly seconds?: number;
}

/** Starts the stand-in. Its hooks run at once, each in a session of its own, as Codex and Qwen Code run them. */
export async function startInTerminal(home: Home, { agent, payloads, seconds = 60 }: Asked) {
  const folder = mkdtempSync(join(home.paths.root, "terminal-"));
  const file = (name: string) => join(folder, name);
  const runs = payloads.map((payload, index) => {
    writeFileSync(file(`asked-${index}`), payload);
    const line = `'${home.paths.launcher}' PermissionRequest --agent ${agent} --ask ${seconds} || :`;
    const files = `<'${file(`asked-${index}`)}' >'${file(`printed-${index}`)}'`;
    return `setsid sh -c "${line}; echo \\$? >'${file(`exit-${index}`)}'" ${files} &`;
  });
  const script = file("agent.sh");
  writeFileSync(script, `echo $$ >'${file("agent.pid")}'\n${runs.join("\n")}\nexec cat </dev/tty >/dev/null\n`);
  const began = performance.now();
  const terminal = startInPty(`sh '${script}'`, home.env);
  const ends = payloads.map(async (_, index): Promise<HookEnd> => {
    await untilFile(file(`exit-${index}`), terminal);
    const tookMs = performance.now() - began;
    const [printed, exitCode] = ["printed", "exit"].map((name) => readFileSync(file(`${name}-${index}`), "utf8"));
    return { printed: printed ?? "", exitCode: Number(exitCode), tookMs };
  });
  await untilFile(file("agent.pid"), terminal);
  return {
    /** Process of the stand-in itself. */
    pid: Number(readFileSync(file("agent.pid"), "utf8")),
    /** The hooks' ends, in the order of the payloads. They never end if the stand-in was killed. */
    ends,
    /** Types a line, again and again until a condition holds, as the terminal's time changes every eight seconds only. */
    async type(until: () => boolean) {
      while (!until()) {
        terminal.stdin?.write("key\n");
        await sleep(100);
      }
    },
    close: () => void terminal.kill("SIGKILL"),
  };
}

/** Waits until a file has a whole line. Never resolves once the terminal is closed. */
async function untilFile(path: string, terminal: ChildProcess): Promise<void> {
  while (!existsSync(path) || !readFileSync(path, "utf8").endsWith("\n")) {
    if (terminal.exitCode !== null || terminal.signalCode !== null) await new Promise(() => {});
    await sleep(10);
  }
}
