import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createExec } from "../../../src/io/exec.ts";
import { createPresence } from "../../../src/io/presence/presence.ts";
import { type AgentTerminals, agentTerminals } from "../../world/agent-terminals.ts";
import { listenAt } from "../../world/listen-at.ts";
import { recordArgs, type StubPrograms, stubPrograms } from "../../world/stub-programs.ts";

// Debian has no WezTerm: a program with its name holds the terminal, and a stub answers as documented.
let world: AgentTerminals;
let stubs: StubPrograms;
beforeEach(() => {
  world = agentTerminals({ PATH: process.env["PATH"], SHELL: "/bin/sh" });
  stubs = stubPrograms();
});
afterEach(() => world.stop());

async function listen(name: string, reply: string): Promise<string> {
  const path = join(world.folder, name);
  await listenAt(path, (socket) => void socket.end(reply));
  return path;
}

/** Asks the port for the presence of an agent in WezTerm's pane 3, with a window of process 12 in front. */
async function ask(holder: string, clients: readonly object[]) {
  const windows = [11, 12, 12].map((pid, index) => ({ pid, is_focused: index === 1 }));
  const NIRI_SOCKET = await listen("niri", `${JSON.stringify({ Ok: { Windows: windows } })}\n`);
  const WEZTERM_UNIX_SOCKET = await listen("wezterm", "");
  stubs.add("wezterm", `${recordArgs}\n[ "$WEZTERM_UNIX_SOCKET" ] && echo '${JSON.stringify(clients)}'`);
  const program = join(world.folder, holder);
  copyFileSync("/usr/bin/script", program);
  const command = world.buildCommand("agent").map((word) => `'${word}'`);
  const variables = { NIRI_SOCKET, WEZTERM_UNIX_SOCKET, WEZTERM_PANE: "3" };
  world.start("setsid", [program, "-qec", `exec ${command.join(" ")}`, "/dev/null"], variables);
  const port = createPresence(createExec(stubs.env, []), { env: stubs.env, systemBus: "/nowhere", limitMs: 5000 });
  return port.ask(await world.findProcesses("agent"));
}

test("a WezTerm pane has the focus if one of its windows and the pane within have it", async () => {
  const [other, own] = [{ pid: 9, focused_pane_id: 0 }, { pid: 12, focused_pane_id: 3 }]; // biome-ignore format: pairs
  expect((await ask("wezterm-gui", [other, own])).isFocused).toBe(true);
  expect(stubs.readArgs("wezterm")).toEqual(["cli", "--no-auto-start", "list-clients", "--format", "json"]);
});

test.each([
  ["another pane of the front window", [{ pid: 12, focused_pane_id: 4 }]],
  ["a window in the background", [{ pid: 11, focused_pane_id: 3 }]],
])("a WezTerm pane does not have the focus of %s", async (_, clients) => {
  expect((await ask("wezterm-gui", clients)).isFocused).toBe(false);
});

test("a terminal that was started from a WezTerm pane is not the pane", async () => {
  expect((await ask("xterm", [{ pid: 12, focused_pane_id: 3 }])).isFocused).toBeUndefined();
  expect(stubs.readArgs("wezterm")).toBeUndefined();
});
