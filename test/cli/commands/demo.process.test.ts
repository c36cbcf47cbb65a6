import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Demo } from "../../../docs/output.d.ts";
import { builtCli, useCliHome } from "../../world/cli-home.ts";
import { run } from "../../world/home.ts";
import { readOutput } from "../../world/json-output.ts";
import { useHome } from "../../world/use-home.ts";

const home = useHome();

const all = ["needs-you", "failed", "finished", "info"];
const usual = all.slice(0, 3);

/** Configures two notifiers that write to files, with these routes. */
function useFiles(routes: readonly object[]): void {
  const file = (name: string) => ({ type: "file", path: join(home.paths.root, name), for: "person" });
  home.writeConfig({ notifiers: { log: file("log"), phone: file("phone") }, routes, delivery: { linger: "0s" } });
}

/** Lists the kinds that a notifier got. */
function received(name: string): string[] {
  const text = readFileSync(join(home.paths.root, name), "utf8");
  const lines = text.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line).data.kind as string).sort();
}

// Without a desktop, whatever this machine has.
const beckon = (...args: readonly string[]) =>
  run(process.execPath, [builtCli, ...args], "", {
    env: { PATH: "/usr/bin:/bin", HOME: home.paths.root, BECKON_HOME: home.paths.root },
  });

test("each notifier shows what can come, with the conditions, and kinds without a route have no sample", async () => {
  const later = { kinds: ["failed"], after: "5m", to: ["phone"] };
  useFiles([{ kinds: usual, to: ["log"] }, { kinds: ["needs-you"], when: "away", to: ["phone"] }, later]);
  const { exitCode, stdout } = await beckon("demo");
  expect(exitCode, stdout).toBe(0);
  expect([received("log"), received("phone")]).toEqual([[...usual].sort(), ["failed", "needs-you"]]);
  expect(stdout).toContain("Sent samples: needs-you, failed, finished.");
  const rows = [
    ["log", "needs-you, failed, finished"],
    ["phone", "needs-you: otherwise only while you are away"],
    ["phone", "failed: otherwise only after 5 min if still open"],
  ];
  for (const [name, note] of rows) expect(stdout).toMatch(new RegExp(`^  ${name} +sent  ${note}$`, "m"));
  expect(stdout).toContain("Without a sample: info. No route of yours takes such events, so they notify nobody.");
  expect(home.spooled()).toEqual([]);
  useFiles([]);
  expect((await beckon("demo")).stdout).toMatch(/No route takes them to a notifier[^\n]*\n$/);
});

test("--to sends all kinds to one notifier, whatever its routes; --json lists the outcomes", async () => {
  useFiles([{ kinds: usual, to: ["log"] }]);
  const { exitCode, stdout } = await beckon("demo", "--to", "phone", "--json");
  expect(exitCode).toBe(0);
  const [{ events } = { events: [] }] = readOutput("demo", stdout) as unknown as Demo[];
  expect(events.map(({ kind }) => kind)).toEqual(all);
  for (const { outcomes } of events)
    expect(outcomes).toEqual([{ notifier: "phone", status: "sent", tookMs: expect.any(Number) }]);
  expect(received("phone")).toEqual([...all].sort());
  expect(home.journal().some(({ notifier }) => notifier === "log")).toBe(false);
});

test("colleagues and programs get no samples unless --to names them", async () => {
  const team = { type: "file", path: join(home.paths.root, "team") };
  home.writeConfig({ notifiers: { team }, routes: [{ to: ["team"] }], delivery: { linger: "0s" } });
  expect(await beckon("demo")).toMatchObject({ exitCode: 1 });
  const skipped = home.journal().filter(({ status }) => status === "skipped");
  expect(skipped.map(({ reason }) => reason)).toEqual(all.map(() => "samples go only to your own notifiers"));
  expect((await beckon("demo", "--to", "team")).exitCode).toBe(0);
  expect(received("team")).toEqual([...all].sort());
});

test("a demo is no wait, no session and no figure, and starts no agent's record", async () => {
  useFiles([{ to: ["log"] }]);
  expect((await beckon("demo")).exitCode).toBe(0);
  expect((await beckon("sessions", "--json")).stdout).toBe("");
  expect((await beckon("today")).stdout).toContain("No events yet today.");
  expect((await beckon("seen")).stdout).toBe("No session is waiting for you.\n");
  const { agents } = JSON.parse((await beckon("status", "--json")).stdout);
  expect(agents.filter(({ lastEvent }: { lastEvent?: unknown }) => lastEvent)).toEqual([]);
});

test("a snooze is respected and shown", async () => {
  useFiles([{ to: ["log"] }]);
  await beckon("snooze", "1h");
  const { exitCode, stdout } = await beckon("demo");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^ {2}log {2}skipped {2}needs-you, failed, finished, info: snoozed\n$/m); // no other cure
  expect((await beckon("doctor")).stdout).toMatch(/^! snooze: until .*\n.* snooze off$/m);
  expect(home.spooled()).toEqual([]); // no sample rings when the snooze ends
});

test("without a desktop it says so, with the cures, exit code 1", async () => {
  home.writeConfig({ notifiers: { desk: { type: "desktop" } }, delivery: { linger: "0s" } });
  const { exitCode, stdout } = await beckon("demo");
  expect(exitCode, stdout).toBe(1);
  expect(stdout).toMatch(/desk {2}skipped {2}needs-you, failed, finished: unsupported: there is no desktop/);
  expect(stdout).toMatch(/^desk: \S/m);
  expect(stdout).toMatch(/config add phone +on your phone/);
  expect(stdout).toMatch(/config add terminal +in the agent's terminal/);
});

test("an unknown notifier is refused with a suggestion", async () => {
  useFiles([{ to: ["log"] }]);
  const { exitCode, stderr } = await beckon("demo", "--to", "phne");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: "beckon: there is no notifier phne\n  Did you mean `phone`?\n",
  });
  expect(home.journal()).toEqual([]);
});

const empty = useCliHome();

test("without an installation it says what to run", async () => {
  const { exitCode, stderr } = await empty.start(["demo"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/beckon is not installed on this machine\n.* install` here first/);
});
