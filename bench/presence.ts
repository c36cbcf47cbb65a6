import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createExec } from "../src/io/exec.ts";
import { createPresence } from "../src/io/presence/presence.ts";
import { agentTerminals } from "../test/world/agent-terminals.ts";
import { startDesktopSession } from "../test/world/desktop-session.ts";
import { printTable, quantile } from "./table.ts";

const calls = 100;
const polls = 10_000;

export interface PresenceResult {
  /** Second-slowest of a hundred checks, milliseconds. */
  readonly askMs: number;
  /** Duration of one check of the time of the last key press, microseconds. */
  readonly typedUs: number;
}

/** Measures the cost of checking the user's presence at a tmux pane in an xterm, on X11 with dunst. */
export async function measurePresence(): Promise<PresenceResult> {
  const session = await startDesktopSession();
  const world = agentTerminals({ ...session.env, TERM: "xterm-256color" });
  const tmux = ["-S", join(world.folder, "tmux"), "-f", "/dev/null"];
  try {
    await world.startWindowManager();
    await world.run("tmux", [...tmux, "new-session", "-d", "-s", "one", ...world.buildCommand("agent")]);
    world.start("xterm", ["-e", "tmux", ...tmux, "attach", "-t", "one"]);
    await world.until("agent", ({ isFocused }) => isFocused === true);
    const processes = await world.findProcesses("agent");
    const presence = createPresence(createExec(session.env), { env: session.env });
    const times: number[] = [];
    let known = 0;
    for (let call = 0; call < calls; call += 1) {
      const start = performance.now();
      const { isFocused, isDoNotDisturb, idleMs } = await presence.ask(processes);
      times.push(performance.now() - start);
      if (isFocused === true && isDoNotDisturb === false && idleMs !== undefined) known += 1;
    }
    const start = performance.now();
    for (let poll = 0; poll < polls; poll += 1) presence.typedAtMs(processes);
    const result = { askMs: quantile(times, 0.99), typedUs: ((performance.now() - start) / polls) * 1000 };
    printTable(
      `Who sits there: a pane of tmux in an xterm, X11, dunst, ${calls} questions, ${known} answered whole`,
      ["", "median", "99 %"],
      [
        ["ask, ms", quantile(times, 0.5).toFixed(1), result.askMs.toFixed(1)],
        ["typedAtMs, µs", result.typedUs.toFixed(0), ""],
      ],
    );
    return result;
  } finally {
    await world.run("tmux", [...tmux, "kill-server"]).catch(() => {});
    await world.stop();
    await session.stop();
  }
}
