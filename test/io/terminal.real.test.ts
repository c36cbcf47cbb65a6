import { execFileSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { createExec } from "../../src/io/exec.ts";
import { createTerminals } from "../../src/io/terminal.ts";
import { useFolder } from "../world/fresh-folder.ts";

const at = useFolder();
afterEach(() => void tmux("kill-server"));

const tmux = (...args: readonly string[]) =>
  execFileSync("tmux", ["-S", at("socket"), "-f", "/dev/null", ...args]).toString();

test("a real tmux reports its passthrough setting and a pane's terminal", async () => {
  const sleep = [process.execPath, "-e", "setTimeout(() => {}, 60_000)"];
  tmux("new-session", "-d", "-x", "80", "-y", "24", ...sleep);
  const [pane = "", pid = "", device = ""] = tmux("list-panes", "-F", "#{pane_id} #{pane_pid} #{pane_tty}")
    .trim()
    .split(" ");
  const exec = createExec({ ...process.env, HOME: at() });
  const onLinux = await createTerminals(exec, "linux", {}).of([Number(pid)]);
  expect(onLinux?.env).toMatchObject({ TMUX: expect.stringContaining(at("socket")), TMUX_PANE: pane });
  expect((await onLinux?.obstacle())?.hint).toContain("set -g allow-passthrough");
  tmux("set", "-g", "allow-passthrough", "on");
  expect(await onLinux?.obstacle()).toBeUndefined();
  tmux("set", "-p", "-t", pane, "allow-passthrough", "off");
  expect(await onLinux?.obstacle()).toBeDefined();
  const recorded = { TMUX: `${at("socket")},${pid},0`, TMUX_PANE: pane };
  const elsewhere = await createTerminals(exec, "freebsd", {}).of([], recorded);
  await elsewhere?.write("written to the pane");
  expect(device).toMatch(/^\/dev\/pts\//);
  await expect.poll(() => tmux("capture-pane", "-p", "-t", pane)).toContain("written to the pane");
});
