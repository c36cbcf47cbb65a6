import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Reaction } from "../../../src/core/notifier-call.ts";
import { desktop } from "../../../src/notifiers/desktop.ts";
import { type DesktopTerminals, startDesktopTerminals } from "../../world/agent-terminals.ts";
import { localCall } from "../../world/local-call.ts";

let world: DesktopTerminals;
beforeAll(async () => {
  const chooser = join(mkdtempSync(join(tmpdir(), "beckon-menu-")), "menu");
  writeFileSync(chooser, "#!/bin/sh\ngrep '#Seen '\n", { mode: 0o755 });
  world = await startDesktopTerminals({ TERM: "xterm-256color" }, `[global]\n    dmenu = ${chooser}\n${keeps}`);
  world.start("xterm", ["-T", "agent", "-e", ...world.buildCommand("agent")]);
  world.start("xterm", ["-T", "other"]);
  await world.raise("agent");
  await world.raise("other");
});
afterAll(() => world?.stop());

/** Settings of dunst with which notifications stay until they are closed. */
const keeps = ["low", "normal", "critical"].map((level) => `[urgency_${level}]\n    timeout = 0\n`).join("");
const activeTitle = async () => (await world.run("xdotool", ["getactivewindow", "getwindowname"])).trim();

/** Shows a notification. Returns its signals, in order. */
async function showBubble(onReaction: (reaction: Reaction) => void = () => {}): Promise<Reaction[]> {
  const heard: Reaction[] = [];
  const hear = (reaction: Reaction) => {
    heard.push(reaction);
    onReaction(reaction);
  };
  await desktop.send({ ...localCall(desktop.settings.parse({}), world.session.env), onReaction: hear });
  expect(await world.session.displayed()).toBe(1);
  return heard;
}

test("a click on dunst's notification brings the agent's terminal to the front", async () => {
  const processes = await world.findProcesses("agent");
  expect(await activeTitle()).toBe("other");
  const heard = await showBubble((reaction) => void (reaction === "focus" && world.focus(processes)));
  await world.run("dunstctl", ["action", "0"]);
  await expect.poll(activeTitle, { timeout: 10_000 }).toBe("agent");
  expect(heard[0]).toBe("focus");
  await world.session.history(); // closes it without a click
  await expect.poll(() => heard).toEqual(["focus", "closed"]);
});

test("the notification's button marks it as seen", async () => {
  const heard = await showBubble();
  await world.run("dunstctl", ["context"]); // its menu, in which a program chooses
  await expect.poll(() => heard[0], { timeout: 10_000 }).toBe("seen");
  await world.session.history();
});

test("a dismissed notification is reported", async () => {
  const heard = await showBubble();
  await world.run("dunstctl", ["close"]);
  await expect.poll(() => heard, { timeout: 10_000 }).toEqual(["closed"]);
});
