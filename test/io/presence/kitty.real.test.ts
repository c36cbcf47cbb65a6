import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DesktopTerminals, startDesktopTerminals } from "../../world/agent-terminals.ts";

let world: DesktopTerminals;
beforeAll(async () => {
  world = await startDesktopTerminals({ LIBGL_ALWAYS_SOFTWARE: "1" });
});
afterAll(() => world?.stop());

test("kitty itself reports the focused tab and window", async () => {
  const socket = join(world.folder, "kitty");
  const options = ["--config", "NONE", "-o", "allow_remote_control=socket-only", "--title", "kitty"];
  world.start("kitty", [...options, "--listen-on", `unix:${socket}`, ...world.buildCommand("first")]);
  await world.findProcesses("first");
  await world.raise("kitty");
  await world.until("first", ({ isFocused }) => isFocused === true);

  const kitten = (...args: string[]) => world.run("kitty", ["@", "--to", `unix:${socket}`, ...args]);
  await kitten("launch", "--type=tab", ...world.buildCommand("second"));
  await world.until("second", ({ isFocused }) => isFocused === true);
  await world.until("first", ({ isFocused }) => isFocused === false);
  await kitten("launch", "--type=window", ...world.buildCommand("third"));
  await world.until("third", ({ isFocused }) => isFocused === true);
  await world.until("second", ({ isFocused }) => isFocused === false);

  world.start("xterm", ["-T", "elsewhere"]);
  await world.raise("elsewhere");
  await world.until("third", ({ isFocused }) => isFocused === false);
  for (const name of ["first", "third", "second"]) {
    const result = await world.focus(await world.findProcesses(name));
    expect(result).toEqual({ isInFront: true, steps: [{ target: "the window" }, { target: "kitty's window" }] });
    await world.until(name, ({ isFocused }) => isFocused === true);
  }
});

test("if kitty does not report it, a window with one tab is known, and with two tabs none is", async () => {
  const tabs = ["--session", join(world.folder, "session")];
  const line = (name: string, program?: string) => `launch sh -c '${world.buildCommand(name, program)[2]}'`;
  const start = async (title: string, names: readonly string[], program?: string) => {
    writeFileSync(tabs[1] ?? "", names.map((name) => `new_tab\n${line(name, program)}\n`).join(""));
    world.start("kitty", ["--config", "NONE", "--title", title, ...tabs]);
    await world.raise(title);
  };
  await start("silent", ["alone"]);
  await world.until("alone", ({ isFocused }) => isFocused === true);
  await start("tabs", ["tab1", "tab2"]);
  for (const name of ["tab1", "tab2"]) await world.until(name, ({ isFocused }) => isFocused === undefined);
  const { steps } = await world.focus(await world.findProcesses("tab1"));
  expect(steps).toMatchObject([{ target: "the window" }, { obstacle: expect.stringContaining("does not answer") }]);
  expect((await world.focus(await world.findProcesses("alone"))).isInFront).toBe(true);
  // The same if the agent does not know the window's number.
  await start("unknown", ["tab3", "tab4"], "exec env -u WINDOWID sleep 600");
  for (const name of ["tab3", "tab4"]) await world.until(name, ({ isFocused }) => isFocused === undefined);
});
