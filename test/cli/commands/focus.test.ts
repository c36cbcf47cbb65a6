import { hostname } from "node:os";
import { expect, test } from "vitest";
import { mayHaveWindow } from "../../../src/attention/go-to-terminal.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

test("the default session is the one that has waited longest for the user", async () => {
  const finished = concern("c", { kind: "finished", atMs: minutesAgo(30) });
  writeAlerts(
    home,
    makeAlert({ sessionId: "s-1", project: "shop", concerns: [concern("a", { atMs: minutesAgo(2) })] }),
    makeAlert({ sessionId: "s-2", project: "api", concerns: [concern("b", { atMs: minutesAgo(9) })] }),
    makeAlert({ sessionId: "s-3", project: "docs", concerns: [finished] }),
  );
  const { exitCode, stdout } = await home.run(["focus", "--json"]);
  expect(exitCode).toBe(1);
  expect(readOutput("focus", stdout)[0]).toEqual({
    ...{ agent: "claude", project: "api", sessionId: "s-2", isInFront: false },
    steps: [{ target: "the terminal", obstacle: "its location was not recorded" }],
  });
});

const notRecorded = "its location was not recorded";
test.each<[string, Parameters<typeof makeAlert>[0], string]>([
  ["its terminal is unknown", {}, notRecorded],
  ["it is on another machine", { host: "far-away" }, "it is on another machine, far-away"],
  ["its tmux has exited", { terminal: { TMUX: "/tmp/nowhere,1,0", TMUX_PANE: "%1" } }, "its tmux has exited"],
  ["its number is another process'", { processes: [process.pid], agentStartTicks: "1" }, notRecorded],
])("if %s, it says so and fails", async (_, changes, said) => {
  writeAlerts(home, makeAlert({ project: "shop", ...changes }));
  const { exitCode, stdout, stderr } = await home.run(["focus", "shop"]);
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`shop · Claude Code: `);
  expect(stderr).toContain(said);
});

const x11 = { DISPLAY: ":0" };
const ssh = { SSH_TTY: "/dev/pts/3" };
test.each<[string, boolean, Parameters<typeof makeAlert>[0], NodeJS.ProcessEnv]>([
  ["a terminal on this desktop", true, { terminalDevice: 1, terminal: x11 }, {}],
  ["a terminal whose hook lost the variables", true, { terminalDevice: 1 }, { WAYLAND_DISPLAY: "w-0" }],
  ["tmux, also over SSH", true, { terminalDevice: 1, terminal: { TMUX: "/tmp/t,1,0", ...ssh } }, {}],
  ["a session without a terminal", false, { terminal: x11 }, x11],
  ["no desktop", false, { terminalDevice: 1 }, {}],
  ["SSH", false, { terminalDevice: 1, terminal: ssh }, x11],
  ["another machine", false, { terminalDevice: 1, terminal: x11, host: "far-away" }, x11],
])("with %s, the board offers to go there: %s", (_, expected, changes, env) => {
  expect(mayHaveWindow(makeAlert(changes), { env, platform: "linux" })).toBe(expected);
  const elsewhere = (["darwin", "win32"] as const).map((platform) => mayHaveWindow(makeAlert(), { env: {}, platform }));
  expect(elsewhere).toEqual([true, false]);
});

test("a session over SSH on this machine has its window elsewhere", async () => {
  const terminal = { SSH_TTY: "/dev/pts/3" };
  writeAlerts(home, makeAlert({ host: hostname().split(".")[0], terminal }));
  const { stderr } = await home.run(["focus", "s-1"]);
  expect(stderr).toContain("the terminal is an SSH session, whose window is on another machine");
});

test("without a waiting or known session there is no terminal to open", async () => {
  writeAlerts(home, makeAlert());
  expect(await home.run(["focus"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("no session is waiting"),
  });
  const stderr = expect.stringContaining("no session nobody");
  expect(await home.run(["focus", "nobody"])).toMatchObject({ exitCode: 1, stderr });
});
