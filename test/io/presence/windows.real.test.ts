import { afterAll, beforeAll, expect, test } from "vitest";
import { type DesktopTerminals, startDesktopTerminals } from "../../world/agent-terminals.ts";

let world: DesktopTerminals;
beforeAll(async () => {
  world = await startDesktopTerminals({});
});
afterAll(() => world?.stop());

/** Starts an xterm with an agent in it, and waits until it is in front. */
async function openXterm(name: string, program?: string): Promise<void> {
  world.start("xterm", ["-T", name, "-e", ...world.buildCommand(name, program)]);
  await world.raise(name);
}

test("on X11 the front terminal has the focus, and the one behind it does not", async () => {
  await openXterm("left");
  await world.until("left", ({ isFocused }) => isFocused === true);
  await openXterm("right");
  await world.until("right", ({ isFocused }) => isFocused === true);
  await world.until("left", ({ isFocused }) => isFocused === false);
  await world.raise("left");
  await world.until("left", ({ isFocused }) => isFocused === true);
  await world.until("right", ({ isFocused }) => isFocused === false);
});

test("a terminal that was started from the front one is a different one", async () => {
  await openXterm("outer", `xterm -iconic -T inner -e ${quoted(world.buildCommand("inner"))}; sleep 600`);
  await world.findProcesses("inner");
  await world.raise("outer");
  await world.until("outer", ({ isFocused }) => isFocused === true);
  expect((await world.port().ask(await world.findProcesses("inner"))).isFocused).not.toBe(true);
});

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(" ");
}
