import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createExec } from "../../src/io/exec.ts";
import { createTerminals } from "../../src/io/terminal.ts";
import { keys, openTerminal, type Terminal } from "../cli/terminal.ts";
import { listenAt } from "../world/listen-at.ts";
import { useStubPrograms } from "../world/stub-programs.ts";

const stubs = useStubPrograms();

/** Opens a separate terminal with an agent in it, which has this environment. Returns the terminal and its path. */
async function openAgent(env: NodeJS.ProcessEnv): Promise<{ terminal: Terminal; device: string }> {
  const report = `console.log("tty:" + require("node:fs").readlinkSync("/proc/self/fd/0") + ";"); setTimeout(() => {}, 60_000)`;
  const terminal = openTerminal([process.execPath, "-e", report], { PATH: process.env["PATH"], ...env }, stubs.folder);
  onTestFinished(() => terminal.answer("", keys.interrupt));
  await expect.poll(() => terminal.screen(), { timeout: 20_000 }).toContain(";");
  return { terminal, device: /tty:([^;]+);/.exec(terminal.screen())?.[1] ?? "" };
}

/** Creates the port as on a BSD. Linux' `ps` has the options that it uses, too. */
const bsd = () => createTerminals(createExec(process.env), "freebsd", {});
const sessionId = (id: string) => `w0t0p0:0000000${id}-0000-0000-0000-${process.pid}`;
const session = (id: string) => ({ ITERM_SESSION_ID: sessionId(id), TERM_PROGRAM: "iTerm.app" });

// The processes of other platforms are not visible here.
describe.runIf(process.platform === "linux")("without /proc a terminal is found", () => {
  test("by the variables that its programs have and no other terminal's", async () => {
    const [{ terminal, device }] = await Promise.all([openAgent(session("1")), openAgent(session("2"))]);
    const found = await bsd().of([], session("1"));
    expect(found?.env).toEqual(session("1"));
    await found?.write("shop needs you");
    await expect.poll(() => terminal.screen()).toContain("shop needs you");
    expect(device).toMatch(/^\/dev\/pts\//);
  });

  test("not among several with the same variables, nor without variables", async () => {
    await Promise.all([openAgent(session("3")), openAgent(session("3"))]);
    expect(await bsd().of([], session("3"))).toBeUndefined();
    expect(await bsd().of([], {})).toBeUndefined();
    expect(await bsd().of([], { TERM_PROGRAM: "none-that-runs" })).toBeUndefined();
  });

  test("by the path in an SSH session, if it is a terminal of this user's", async () => {
    const { terminal, device } = await openAgent({});
    await (await bsd().of([], { SSH_TTY: device }))?.write("over ssh");
    await expect.poll(() => terminal.screen()).toContain("over ssh");
    for (const path of ["/dev/null", "/dev/pts/99999", `${device}/../../null`])
      expect(await bsd().of([], { SSH_TTY: path })).toBeUndefined();
  });

  test("by tmux, which knows the terminal of each pane", async () => {
    const { device } = await openAgent({});
    const socket = join(stubs.folder, "tmux.sock");
    await listenAt(socket);
    stubs.add("tmux", `[ "$3 $6" = "display-message %7" ] && echo ${device}`);
    const recorded = { TMUX: `${socket},1,0`, TMUX_PANE: "%7", SSH_TTY: "/dev/pts/99999" };
    const found = await createTerminals(createExec(stubs.env, []), "darwin", {}).of([], recorded);
    expect(found?.env).toEqual(recorded);
  });
});
