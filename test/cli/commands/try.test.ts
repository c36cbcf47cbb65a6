import { expect, test } from "vitest";
import { silencesFile } from "../../../src/attention/silences.ts";
import { writeStateFile } from "../../../src/files/atomic-file.ts";
import { makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

// With a program of their own, desktop and sound work on every machine.
const desk = { type: "desktop", program: process.execPath };
const chime = { type: "sound", program: process.execPath };
const notifiers = { desk, chime, phone: { type: "ntfy", topic: "t" } };
const now = new Date(2026, 10, 21, 12, 0, 0).getTime();
/** Returns the lines about notifiers, each as `name | what would happen`. */
async function tried(...args: readonly string[]): Promise<string[]> {
  const { exitCode, stdout } = await home.run(["try", ...args], { now: () => now });
  expect(exitCode).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .slice(1)
    .map((text) => text.trim().replace(/ {2,}/g, " | "));
}

test("each notifier's reaction is shown with reasons, by the user's presence", async () => {
  home.config({
    notifiers,
    routes: [
      { kinds: ["needs-you", "finished"], to: ["desk", "chime"] },
      { kinds: ["needs-you"], when: "away", to: ["phone"] },
      { kinds: ["needs-you"], after: "5m", to: ["phone"] },
    ],
  });
  const rings = "rings in 2 s (unless you answer first)";
  expect(await tried("needs-you")).toEqual([
    `desk | ${rings}`,
    `chime | ${rings}`,
    "phone | waits and checks every few seconds: you are at this machine",
    "phone | rings in 5 min if still open",
  ]);
  expect((await tried("needs-you", "--away"))[2]).toBe(`phone | ${rings}`);
  expect((await tried("Stop", "--watching"))[0]).toBe("desk | stays silent: you are looking at that terminal");
  expect((await tried("needs-you", "--watching"))[0]).toBe(
    "desk | rings in 30 s: until 12:00:02 in case you answer first, then you are looking at that terminal",
  );
  expect((await tried("Stop", "--dnd"))[1]).toBe("chime | stays silent: do-not-disturb is on");
  home.config({ notifiers: { hook: { type: "webhook", url: "http://127.0.0.1:9" } } });
  expect(await tried("Stop")).toEqual(["hook | rings immediately"]);
});

test("quiet hours, a snooze and a short turn count as they would for an event", async () => {
  const quiet = [{ at: "22:00-07:30" }];
  home.config({ notifiers: { desk }, attention: { quiet, minTurn: "30s" } });
  expect((await tried("needs-you", "--at", "23:10"))[0]).toMatch(
    /rings at 2026-11-22 07:30, in 8 h: until .*, then quiet hours$/,
  );
  expect((await tried("failed", "--at", "23:10"))[0]).toMatch(/^desk \| rings in 2 s \(/);
  expect((await tried("Stop", "--turn", "29s"))[0]).toMatch(/^desk \| stays silent: .*minTurn/);
  expect((await tried("Stop", "--turn", "30s"))[0]).toMatch(/^desk \| rings in 2 s \(together with any that follow\)$/);
  writeStateFile(silencesFile(home.paths), [{ untilMs: now + 3_600_000, atMs: now }]);
  expect((await tried("Stop"))[0]).toMatch(/^desk \| rings at 13:00, in 1 h: .*then snoozed$/);
});

test("if no route matches, each route gives its reason", async () => {
  const toPhone = { agents: ["codex"], to: ["phone"] };
  home.config({ notifiers, routes: [{ kinds: ["failed"], to: ["desk"] }, toPhone] });
  const [title, ...reasons] = await tried("Stop");
  expect(title).toBe("No route matches:");
  expect(reasons).toEqual([expect.stringMatching(/^1 \| desk \| /), expect.stringMatching(/^2 \| phone \| /)]);
});

test("without an event, requests, failures and finished turns are predicted", async () => {
  home.config({ notifiers, routes: [{ kinds: ["needs-you", "failed", "finished"], to: ["desk"] }] });
  const { exitCode, stdout } = await home.run(["try", "--json"], { now: () => now });
  const kinds = readOutput("try", stdout).map(({ kind }) => kind);
  expect([exitCode, kinds]).toEqual([0, ["needs-you", "failed", "finished"]]);
  expect((await home.run(["try"])).stdout.match(/This is a dry run/g)).toHaveLength(3);
  const { stderr } = await home.run(["try", "--project", "/nope"]);
  expect(stderr).toBe("beckon: There is no folder /nope.\n");
  home.config({ notifiers, language: "xx" });
  expect((await home.run(["try"])).stdout.match(/1 problem in the configuration/g)).toHaveLength(1);
});

test("a project's name stands for the folder of its newest session, or else a warning says that none is known", async () => {
  home.config({ notifiers, routes: [{ projects: ["/srv/api"], to: ["desk"] }] });
  home.journal({ id: "event-0001", project: "api", status: "accepted" });
  const asked = ["try", "Stop", "--project", "api"];
  const stderr = "beckon: api had no session for a day, so its folder is not known. Give the folder instead.\n";
  expect(await home.run(asked)).toMatchObject({ stderr, stdout: expect.stringContaining("No route matches") });
  writeAlerts(home, makeAlert({ project: "api", cwd: "/srv/api" }));
  expect(await home.run(asked)).toMatchObject({ stderr: "", stdout: expect.stringMatching(/\n +desk +rings/) });
});

test("an unknown event or agent is refused with the known ones", async () => {
  const stderr = expect.stringContaining("Did you mean `Stop`?");
  expect(await home.run(["try", "Stopp"])).toMatchObject({ exitCode: 2, stderr });
  expect((await home.run(["try", "Stop", "--agent", "cladue"])).stderr).toContain("Did you mean `claude`?");
  expect((await home.run(["try", "Stop", "--turn", "soon"])).exitCode).toBe(2);
});

test("nothing is sent, stored or journalled", async () => {
  home.config({ notifiers: { desk } });
  await tried("Stop");
  const { stdout } = await home.run(["log", "--json"]);
  expect(stdout).toBe("");
});
