import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CheckContext } from "../../src/cli/commands/doctor/check.ts";
import { relayChecks } from "../../src/cli/commands/doctor/relay.ts";
import { loadConfig } from "../../src/config/load.ts";
import { readRelayStatus } from "../../src/relay/relay-status.ts";
import { createHome, type Home } from "../world/home.ts";
import { TwoHomes } from "../world/two-homes.ts";

let homes: TwoHomes;
beforeEach(() => {
  homes = new TwoHomes();
});
afterEach(() => homes.remove());

const beckon = (home: Home, ...args: string[]) => homes.beckon(home, ...args);
/** What `doctor` finds of it. */
async function checked({ paths }: Home): Promise<string[]> {
  const context = { paths, config: await loadConfig(paths.config), nowMs: Date.now() } as CheckContext;
  const results = await Promise.all(relayChecks.map((check) => check(context)));
  return results.flat().map(({ status }) => status);
}

const configOf = ({ paths }: Home) => JSON.parse(readFileSync(paths.config, "utf8"));

test("both ends say how it goes", async () => {
  expect(await beckon(homes.desk, "relay", "status")).toMatchObject({
    exitCode: 1,
    stdout: "✗ devbox: not fetched: `beckon relay run` is not running\n",
  });
  expect(await checked(homes.desk)).toEqual(["fail"]);
  await homes.ask("May I?");
  await homes.until(() => homes.outbox().length === 1);
  const waiting = (await beckon(homes.edge, "relay", "status")).stdout;
  expect(waiting).toMatch(
    /^This machine's events \(notifier home\): never fetched yet, 1 waits, the oldest for \d+ s\n$/,
  );
  homes.receive();
  await homes.until(() => homes.told().length === 1 && homes.outbox().length === 0);
  expect(await beckon(homes.desk, "relay", "status")).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^✓ devbox: connected, beckon \d+\.\d+\.\d+\n$/),
  });
  expect([await checked(homes.desk), await checked(homes.edge)]).toEqual([["ok"], ["ok"]]);
  await homes.until(() => readRelayStatus(homes.desk.paths, Date.now())?.links[0]?.lastEventAtMs !== undefined);
  const [host] = (await beckon(homes.desk, "relay", "hosts", "--json")).stdout.trimEnd().split("\n");
  expect(JSON.parse(host ?? "")).toMatchObject({ host: "devbox", state: "connected", lastEvent: expect.any(String) });
  expect((await beckon(homes.edge, "relay", "status")).stdout).toMatch(/last fetched \d+ s ago, nothing waits/);
  expect((await beckon(homes.desk, "log")).stdout).toMatch(/needs-you\s+claude\s+shop@devbox/);
  expect((await beckon(homes.desk, "sessions")).stdout).toMatch(/shop@devbox\s+claude/);
});

test("a second receiver says that there is one", async () => {
  homes.receive();
  await homes.until(() => readRelayStatus(homes.desk.paths, Date.now())?.links[0]?.state === "connected");
  const { exitCode, stderr } = await beckon(homes.desk, "relay", "run");
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/events are being fetched already by process \d+\n/)]);
});

test("leaving undoes both ends, and keeps what waits unless told otherwise", async () => {
  await homes.ask("May I?");
  await homes.until(() => homes.outbox().length === 1);
  const first = await beckon(homes.edge, "relay", "leave");
  expect([first.exitCode, first.stderr]).toEqual([1, expect.stringContaining("1 events wait to be fetched")]);
  const { exitCode, stdout } = await beckon(homes.desk, "relay", "leave", "devbox", "--yes");
  expect([exitCode, stdout]).toEqual([0, "Agents on devbox do not call you here any more.\n"]);
  expect([configOf(homes.desk).relay, configOf(homes.edge).notifiers]).toEqual([undefined, undefined]);
  expect(homes.outbox()).toEqual([]);
});

test("who has nothing set up is told how, and sees nothing of it elsewhere", async () => {
  const plain = createHome();
  try {
    plain.writeConfig({});
    for (const command of ["status", "log"])
      expect((await homes.beckon(plain, command)).stdout).not.toMatch(/relay|machines/i);
    expect(await checked(plain)).toEqual([]);
    expect(await homes.beckon(plain, "relay", "run")).toMatchObject({
      exitCode: 1,
      stderr: "beckon: no other machine is set up yet\n  `beckon relay add -- ssh HOST` sets one up.\n",
    });
    expect((await homes.beckon(plain, "relay", "leave")).stderr).toMatch(/^beckon: this machine hands no events over/);
  } finally {
    await plain.remove();
  }
});

test("joining keeps what a machine has set up for itself, and comments", async () => {
  const config = `{
  // mine
  "notifiers": { "phone": { "type": "ntfy", "topic": "x" } },
  "routes": [{ "kinds": ["failed"], "to": ["phone"] }]
}
`;
  writeFileSync(homes.edge.paths.config, config, { mode: 0o600 });
  const invitation = `${homes.edge.paths.root}/invitation.json`;
  writeFileSync(invitation, JSON.stringify({ beckon: 1, via: "stdio", name: "devbox", seal: ["age1qqqqqqqqqqqqqq"] }));
  const { exitCode, stdout } = await beckon(homes.edge, "relay", "join", "--json", invitation);
  expect([exitCode, JSON.parse(stdout).notifier]).toEqual([0, "home"]);
  const text = readFileSync(homes.edge.paths.config, "utf8");
  expect(text).toContain("// mine");
  expect(JSON.parse(text.replace("// mine", ""))).toEqual({
    notifiers: {
      phone: { type: "ntfy", topic: "x" },
      home: { type: "relay", via: "stdio", seal: "age1qqqqqqqqqqqqqq" },
    },
    routes: [
      { kinds: ["failed"], to: ["phone"] },
      { kinds: ["needs-you", "failed", "finished"], to: ["home"] },
    ],
  });
  await beckon(homes.edge, "relay", "join", invitation);
  expect(readFileSync(homes.edge.paths.config, "utf8")).toBe(text);
});

test("what is no invitation is refused in words", async () => {
  const { exitCode, stderr } = await beckon(homes.edge, "relay", "join", "/etc/hostname");
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("/etc/hostname is no invitation")]);
});
