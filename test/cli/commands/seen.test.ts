import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agents } from "../../../src/agents/registry.ts";
import { threadKey } from "../../../src/attention/thread-key.ts";
import { parse } from "../../../src/pipeline/parse.ts";
import { decodeRecord } from "../../../src/spool/record.ts";
import { alertOf, concern, writeAlerts } from "../../world/alerts.ts";
import { builtCli, type CliHome, createCliHome } from "../../world/cli-home.ts";
import { createHome, type Home, run } from "../../world/home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
});
afterEach(() => home.remove());

let installed: Home;
afterEach(async () => installed?.remove());

function install(): void {
  installed = createHome();
  const file = join(installed.paths.root, "messages.txt");
  installed.writeConfig({ notifiers: { log: { type: "file", path: file } }, delivery: { linger: "1s" } });
}

/** A hook of Claude's asks for permission; waits until the worker has told of it. */
async function ask(session: string): Promise<void> {
  const payload = { hook_event_name: "Notification", session_id: session, cwd: `/home/me/${session}` };
  const asked = { ...payload, notification_type: "permission_prompt", message: `may ${session} push?` };
  await installed.launch(["Notification", "--agent", "claude"], JSON.stringify(asked));
  await installed.until((journal) => journal.some((one) => one.sessionId === session && one.status === "sent"));
}

const seen = (...args: readonly string[]) =>
  run(process.execPath, [builtCli, "seen", ...args], "", { env: installed.env });
const resolvedIn = () =>
  installed
    .journal()
    .flatMap(({ status, sessionId, resolvedBy }) => (status === "resolved" ? [[sessionId, resolvedBy]] : []));

test("a session that is named is over, others go on waiting, and what came of it is said", async () => {
  install();
  await ask("api");
  await ask("shop");
  const { exitCode, stdout } = await seen("api");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^seen: api · claude, needs-you for \d+ (ms|s): may api push\?\n$/);
  expect(resolvedIn()).toEqual([["api", "seen"]]);
  expect((await seen()).stdout).toMatch(/^seen: shop /);
  expect(resolvedIn()).toEqual([["api", "seen"], ["shop", "seen"]]); // biome-ignore format: pairs
  expect((await seen()).stdout).toBe("Nothing waits for you.\n");
});

test.each([
  ...agents.map(({ name }) => ({ agent: name, sessionId: "s-1", cwd: "/home/me/shop" })),
  { agent: "unknown", sessionId: "s-1", cwd: "/home/me/shop" },
  { agent: "claude", sessionId: undefined, cwd: "/home/me/shop" },
  { agent: "claude", sessionId: undefined, cwd: undefined },
])("its record has the key of the session: $agent, $sessionId, $cwd", async (session) => {
  const alert = alertOf({ ...session, concerns: [concern("c-1")] } as Parameters<typeof alertOf>[0]);
  writeAlerts(home, JSON.parse(JSON.stringify(alert)));
  const { stdout } = await home.run(["seen"]);
  expect(stdout).toBe("1 noted, not over yet. No worker is installed: `beckon flush` does it.\n");
  const [file = ""] = home.spooled();
  const record = decodeRecord(readFileSync(join(home.paths.spool, file)));
  const event = record && parse(record, "id", 1);
  expect(event).toMatchObject({ event: "Seen", kind: "info" });
  expect(event?.skip).toBeUndefined();
  expect(event && threadKey(event)).toBe(alert.key);
});

test("a session that is not known is an error, and nothing is put into the spool", async () => {
  writeAlerts(home, alertOf({ concerns: [concern("c-1")] }));
  const { exitCode, stderr } = await home.run(["seen", "nowhere"]);
  expect(exitCode).toBe(1);
  expect(stderr).toBe("beckon: no session nowhere\n  `beckon sessions` lists them.\n");
  expect(home.spooled()).toEqual([]);
});

test("--json has what is over and what the worker still has to do", async () => {
  writeAlerts(home, alertOf({ concerns: [concern("c-1"), { ...concern("c-2"), state: "resolved" }] }));
  const { stdout } = await home.run(["seen", "shop", "--json"]);
  const one = { id: "c-1", kind: "needs-you", agent: "claude", project: "shop", sessionId: "s-1" };
  expect(JSON.parse(stdout)).toEqual({ seen: [], pending: [one] });
});
