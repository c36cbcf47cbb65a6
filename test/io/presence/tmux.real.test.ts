import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type DesktopTerminals, startDesktopTerminals, startInPty } from "../../world/agent-terminals.ts";

const esc = "\u001b";

let world: DesktopTerminals;
beforeAll(async () => {
  world = await startDesktopTerminals({ TERM: "xterm-256color" });
});
afterAll(() => world?.stop());

/** Starts a separate tmux server with one agent. */
async function startTmux(name: string, program?: string) {
  const base = ["-S", join(world.folder, `${name}.tmux`), "-f", "/dev/null"];
  const tmux = (...args: string[]) => world.run("tmux", [...base, ...args]);
  await tmux("new-session", "-d", "-s", "one", ...world.buildCommand(name, program));
  onTestFinished(async () => void (await tmux("kill-server").catch(() => {})));
  return { tmux, attach: ["tmux", ...base, "attach", "-t", "one"] };
}

test("the active pane of the front window has the focus; other panes and windows do not", async () => {
  const { tmux, attach } = await startTmux("first");
  await world.until("first", ({ isFocused }) => isFocused === false);
  world.start("xterm", ["-T", "inside", "-e", ...attach]);
  await world.raise("inside");
  await world.until("first", ({ isFocused }) => isFocused === true);

  await tmux("split-window", "-t", "one", ...world.buildCommand("second"));
  await world.until("second", ({ isFocused }) => isFocused === true);
  await world.until("first", ({ isFocused }) => isFocused === false);
  await tmux("last-pane", "-t", "one");
  await world.until("first", ({ isFocused }) => isFocused === true);

  world.start("xterm", ["-T", "elsewhere"]);
  await world.raise("elsewhere");
  await world.until("first", ({ isFocused }) => isFocused === false);
  await world.raise("inside");
  await world.until("first", ({ isFocused }) => isFocused === true);

  await tmux("new-window", "-t", "one", "sleep 600");
  await world.until("first", ({ isFocused }) => isFocused === false);
  await tmux("detach-client", "-s", "one");
  await world.until("second", ({ isFocused }) => isFocused === false);
});

test("a terminal that was started from the front pane is not that pane", async () => {
  const child = world
    .buildCommand("child")
    .map((word) => `'${word}'`)
    .join(" ");
  // Unlike xterm, kitty passes tmux's variables on to its programs.
  const kitty = `LIBGL_ALWAYS_SOFTWARE=1 kitty --config NONE --title child ${child}`;
  const { attach } = await startTmux("pane", `${kitty} & exec sleep 600`);
  world.start("xterm", ["-T", "holder", "-e", ...attach]);
  await world.raise("child");
  await world.raise("holder");
  await world.until("pane", ({ isFocused }) => isFocused === true);
  expect((await world.port().ask(await world.findProcesses("child"))).isFocused).toBe(false);
});

test("attached without a window, as over SSH, the terminal's reports count after typing", async () => {
  const { tmux, attach } = await startTmux("remote");
  const env = { ...world.session.env, TERM: "xterm-256color", SHELL: "/bin/sh" };
  const client = startInPty(attach.join(" "), env);
  onTestFinished(async () => {
    const ended = once(client, "exit");
    client.kill("SIGKILL");
    await ended;
  });
  const readFocus = async () => (await tmux("list-clients", "-F", "#{client_flags}")).trim();
  await expect.poll(readFocus, { timeout: 10_000 }).toContain("focused");
  client.stdin?.write("x");
  // tmux assumes a focused terminal when it attaches; without `focus-events` it gets no reports afterwards.
  const processes = await world.findProcesses("remote");
  expect((await world.port().ask(processes)).isFocused).toBeUndefined();

  await tmux("set", "-s", "focus-events", "on");
  const typing = setInterval(() => client.stdin?.write("y"), 100); // the kernel records it every eight seconds at most
  await world.until("remote", ({ isFocused }) => isFocused === true);
  clearInterval(typing);
  client.stdin?.write(`${esc}[O`); // the terminal reports the loss of focus
  await world.until("remote", ({ isFocused }) => isFocused === false);
  client.stdin?.write(`${esc}[I`);
  await world.until("remote", ({ isFocused }) => isFocused === true);
});
