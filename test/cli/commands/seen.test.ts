import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agents } from "../../../src/agents/registry.ts";
import { threadKey } from "../../../src/attention/session-keys.ts";
import { parse } from "../../../src/pipeline/parse.ts";
import { decodeRecord } from "../../../src/spool/record.ts";
import { concern, makeAlert, writeAlerts } from "../../world/alerts.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();

test.each([
  ...agents.map(({ name }) => ({ agent: name, sessionId: "s-1", cwd: "/home/me/shop" })),
  { agent: "unknown", sessionId: "s-1", cwd: "/home/me/shop" },
  { agent: "claude", sessionId: undefined, cwd: "/home/me/shop" },
  { agent: "claude", sessionId: undefined, cwd: undefined },
])("the record has the session's key: $agent, $sessionId, $cwd", async (session) => {
  const alert = makeAlert({ ...session, concerns: [concern("c-1")] } as Parameters<typeof makeAlert>[0]);
  writeAlerts(home, JSON.parse(JSON.stringify(alert)));
  const { stdout } = await home.run(["seen"]);
  expect(stdout).toBe(
    "1 marked as seen but not cleared yet. No worker is installed. To clear them now: beckon flush\n",
  );
  const [file = ""] = home.spooled();
  const record = decodeRecord(readFileSync(join(home.paths.spool, file)));
  const event = record && parse(record, "id", 1);
  expect(event).toMatchObject({ event: "Seen", kind: "info" });
  expect(event?.skip).toBeUndefined();
  expect(event && threadKey(event)).toBe(alert.key);
});

test("a session that does not wait is named along with the waiting ones", async () => {
  const waits = (project: string) => makeAlert({ project, sessionId: project, concerns: [concern(`c-${project}`)] });
  writeAlerts(home, makeAlert());
  expect((await home.run(["seen", "shop"])).stdout).toBe("No session is waiting for you.\n");
  writeAlerts(home, waits("site"));
  expect((await home.run(["seen", "shop"])).stdout).toBe("shop is not waiting for you; another is: site.\n");
  writeAlerts(home, ...["api", "docs", "web", "till", "app"].map(waits));
  expect((await home.run(["seen", "shop"])).stdout).toMatch(
    /^shop is not waiting for you; 6 others are: (\w+, ){5}1 more\.\n$/,
  );
  expect(home.spooled()).toEqual([]);
});

test("several sessions are marked only if they are named or with --all", async () => {
  const waits = (project: string) => makeAlert({ project, sessionId: project, concerns: [concern(`c-${project}`)] });
  writeAlerts(home, ...["shop", "site"].map(waits));
  const { exitCode, stderr } = await home.run(["seen"]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/^beckon: 2 sessions would be marked: \w+, \w+\n {2}Name one of them, or use --all\.\n$/),
  ]);
  expect((await home.run(["seen", "--json"])).exitCode).toBe(2);
  expect((await home.run(["seen", "shop", "--all"])).exitCode).toBe(2);
  expect(home.spooled()).toEqual([]);
  expect((await home.run(["seen", "--all"])).exitCode).toBe(0);
  expect(home.spooled()).toHaveLength(2);
  writeAlerts(home, makeAlert({ sessionId: "1111-a", concerns: [concern("c-1")] }));
  expect((await home.run(["seen"])).stderr).toMatch(/3 sessions would be marked: .*1111/);
});

test("an unknown session is an error, and nothing is put into the spool", async () => {
  writeAlerts(home, makeAlert({ concerns: [concern("c-1")] }));
  const { exitCode, stderr } = await home.run(["seen", "nowhere"]);
  expect(exitCode).toBe(1);
  expect(stderr).toBe("beckon: no session nowhere\n  To list the sessions: beckon sessions\n");
  expect(home.spooled()).toEqual([]);
});

test("--json has the resolved alerts and the worker's remaining tasks", async () => {
  writeAlerts(home, makeAlert({ concerns: [concern("c-1"), { ...concern("c-2"), state: "resolved" }] }));
  const { stdout } = await home.run(["seen", "shop", "--json"]);
  const shopConcern = { id: "c-1", kind: "needs-you", agent: "claude", project: "shop", sessionId: "s-1" };
  expect(readOutput("seen", stdout)[0]).toEqual({ seen: [], pending: [shopConcern] });
});
