import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentTerminals, agentTerminals } from "../../world/agent-terminals.ts";
import { eventually } from "../../world/background.ts";
import { type DesktopSession, startSessionBus } from "../../world/desktop-session.ts";

let bus: Pick<DesktopSession, "env" | "stop">;
let folder: string;
let compositor: AgentTerminals;
let world: AgentTerminals;
beforeAll(async () => {
  bus = await startSessionBus();
  // Not below the tests' private TMPDIR, which another user could not enter.
  folder = mkdtempSync("/tmp/beckon-sway-");
  chmodSync(folder, 0o700);
  const env = { ...bus.env, XDG_RUNTIME_DIR: folder };
  const headless = { WLR_BACKENDS: "headless", WLR_RENDERER: "pixman", WLR_LIBINPUT_NO_DEVICES: "1" };
  writeFileSync(join(folder, "config"), "xwayland disable\n");
  compositor = agentTerminals(env);
  // It refuses to run as root; its socket becomes the tester's, as on a desktop.
  const isRoot = process.getuid?.() === 0;
  const asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL", "--"];
  if (isRoot) chownSync(folder, 65_534, 65_534);
  compositor.start("setpriv", [...(isRoot ? asNobody : []), "sway", "-c", join(folder, "config")], headless);
  const socketLike = (pattern: RegExp) =>
    eventually(`a socket like ${pattern}`, async () => readdirSync(folder).find((name) => pattern.test(name)));
  const SWAYSOCK = join(folder, await socketLike(/^sway-ipc.*sock$/));
  if (isRoot) chownSync(SWAYSOCK, 0, 0);
  const WAYLAND_DISPLAY = await socketLike(/^wayland-\d+$/);
  world = agentTerminals({ ...env, SWAYSOCK, WAYLAND_DISPLAY });
});
afterAll(async () => {
  await world?.stop();
  await compositor?.stop();
  await bus?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const focusOn = (title: string) =>
  eventually(`the window ${title}`, () => world.run("swaymsg", [`[title="^${title}$"] focus`]).catch(() => undefined));

test("on sway the front terminal has the focus, and the one next to it does not", async () => {
  for (const name of ["left", "right"]) world.start("foot", ["-T", name, ...world.buildCommand(name)]);
  await focusOn("left");
  await world.until("left", ({ isFocused }) => isFocused === true);
  await world.until("right", ({ isFocused }) => isFocused === false);
  await focusOn("right");
  await world.until("left", ({ isFocused }) => isFocused === false);
  await world.until("right", ({ isFocused }) => isFocused === true);
});

test("on sway a terminal is brought to the front", async () => {
  for (const name of ["left", "right", "left"]) {
    const result = await world.focus(await world.findProcesses(name));
    expect(result).toEqual({ isInFront: true, steps: [{ target: "the window" }] });
    await world.until(name, ({ isFocused }) => isFocused === true);
  }
});

test("the focused one among a process's windows is unknown", async () => {
  world.start("foot", ["--server"]);
  const socket = /^foot-wayland-.*sock$/;
  await eventually("foot's server", async () => readdirSync(folder).find((name) => socket.test(name)));
  world.start("footclient", ["-T", "alone", ...world.buildCommand("alone")]);
  await focusOn("alone");
  await world.until("alone", ({ isFocused }) => isFocused === true);
  world.start("footclient", ["-T", "second", ...world.buildCommand("second")]);
  await focusOn("second");
  for (const name of ["alone", "second"]) await world.until(name, ({ isFocused }) => isFocused === undefined);
  const { steps } = await world.focus(await world.findProcesses("alone"));
  expect(steps).toEqual([{ target: "the window", obstacle: "it may be any of 2 windows" }]);
});

test("a terminal that was started from the front one is a different one", async () => {
  const quoted = world.buildCommand("inner").map((word) => `'${word}'`);
  const command = `foot -T inner ${quoted.join(" ")} & sleep 600`;
  world.start("foot", ["-T", "outer", ...world.buildCommand("outer", command)]);
  await world.findProcesses("inner");
  await focusOn("inner");
  await focusOn("outer");
  await world.until("outer", ({ isFocused }) => isFocused === true);
  expect((await world.port().ask(await world.findProcesses("inner"))).isFocused).toBe(false);
});

test("mako in the mode do-not-disturb is do-not-disturb", async () => {
  writeFileSync(join(folder, "mako"), "[mode=do-not-disturb]\ninvisible=1\n");
  world.start("mako", ["-c", join(folder, "mako")]);
  const until = (value: boolean) =>
    eventually(`${value}`, async () => ((await world.port().ask([])).isDoNotDisturb === value ? value : undefined));
  await until(false);
  await world.run("makoctl", ["mode", "-a", "do-not-disturb"]);
  await until(true);
  await world.run("makoctl", ["mode", "-r", "do-not-disturb"]);
  await until(false);
});
