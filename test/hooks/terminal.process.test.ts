import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { recordedVariables } from "../../src/core/terminal-environment.ts";
import { decodeRecord } from "../../src/spool/record.ts";
import { freshHome } from "../world/fresh-home.ts";
import type { Home } from "../world/home.ts";
import { callStop, expectSilence, stop, untilStored, ways } from "./stop-hook.ts";

let home: Home;
beforeEach(() => {
  home = freshHome({});
  writeFileSync(home.paths.worker, ""); // a worker that leaves the event in place
});

const none = Object.fromEntries(recordedVariables.map((name) => [name, ""]));
const all = {
  ...{ TMUX: "/tmp/tmux-1000/de{f}ault,4711,0", TMUX_PANE: "%3" },
  ...{ ZELLIJ_SESSION_NAME: "happy-fox", ZELLIJ_PANE_ID: "2" },
  ...{ KITTY_LISTEN_ON: "unix:/tmp/$HOME `id` 'ünï'", KITTY_WINDOW_ID: "1", WEZTERM_PANE: "0" },
  ...{ WEZTERM_UNIX_SOCKET: "/run/user/1000/%s/gui-sock-1", TERM_PROGRAM: "iTerm.app", WINDOWID: "14680077" },
  ...{ ITERM_SESSION_ID: "w0t1p0:0A1B2C3D-0000-4000-8000-0123456789AB", TERM_SESSION_ID: "w0t1p0" },
  ...{ WARP_FOCUS_URL: "warp://action/focus?pane=1f", SSH_TTY: "/dev/pts/3" },
  ...{ DISPLAY: ":0", WAYLAND_DISPLAY: "wayland-0" },
  ...{ SWAYSOCK: "/run/user/1000/sway.sock", NIRI_SOCKET: "/run/user/1000/niri.sock" },
  HYPRLAND_INSTANCE_SIGNATURE: "9f1a_17_42",
};

describe.each(ways)("the %s", (way) => {
  /** Returns the recorded part of a hook that ran with only these terminal variables. */
  async function readRecorded(variables: NodeJS.ProcessEnv) {
    expectSilence(await callStop(home, way, ["--agent", "claude"], { env: { ...none, ...variables } }));
    const file = await untilStored(home);
    const record = decodeRecord(readFileSync(file));
    rmSync(file);
    expect(record?.payload.toString()).toBe(stop);
    return record?.header;
  }

  test("records every variable that identifies the terminal", async () => {
    expect(Object.keys(all).sort()).toEqual([...recordedVariables].sort());
    expect((await readRecorded(all))?.terminal).toEqual(all);
  });

  test("records nothing if there are no such variables, and the rest is unchanged", async () => {
    expect(await readRecorded({})).not.toHaveProperty("terminal");
  });

  test("leaves out a value that could break the record, and keeps the others and the event", async () => {
    const values = ['/tmp/a","event":"x', "/tmp/a\\", "/tmp/a\nb", "/tmp/\u001b[2J", `/${"x".repeat(100_000)}`];
    const kept = { WINDOWID: "7", TMUX_PANE: "%1" };
    const recorded: unknown[] = [];
    for (const value of values) {
      const bad = Object.fromEntries(recordedVariables.map((name) => [name, value]));
      recorded.push((await readRecorded({ ...bad, ...kept }))?.terminal);
    }
    expect(recorded).toEqual(values.map(() => kept));
  });
});
