import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NotifierQueues } from "../../../src/pipeline/notifier-queue.ts";
import { readState } from "../../../src/pipeline/run-state.ts";
import { decodeRecord } from "../../../src/spool/record.ts";
import { useCliHome } from "../../world/cli-home.ts";
import { fixDate } from "../../world/fixed-date.ts";
import { readOutput } from "../../world/json-output.ts";

const home = useCliHome();
const nowMs = Date.parse("2026-11-20T12:00:00Z");
fixDate(nowMs);

const readRecordState = (id: string) => {
  const record = decodeRecord(readFileSync(join(home.paths.spool, "new", `${id}.json`)));
  return record && readState(record);
};

test("failed and expired deliveries are reopened with a new expiry, and sent ones stay sent", async () => {
  home.addDeadLetter("event-0001", {
    deliveries: {
      team: { status: "failed", attempts: 3 },
      mail: { status: "expired", attempts: 9, dueAtMs: 5 },
      desk: { status: "sent", attempts: 1 },
      chime: { status: "skipped", attempts: 1 },
    },
  });
  const settings = { url: "https://example.org" };
  const queue = new NotifierQueues(home.paths, { now: () => nowMs }).of("team");
  await queue.noteBroken({ settings }, { reason: "answered 403" }, async () => true);
  const { exitCode, stdout } = await home.run(["retry", "event-0001"]);
  expect(queue.findBroken({ settings })).toMatchObject({ sinceMs: nowMs, untilMs: 0 });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^retrying event-00 for team, mail\nNo worker is installed. To deliver now: beckon flush/);
  expect(home.spooled()).toEqual(["new/event-0001.json"]);
  const state = readRecordState("event-0001");
  expect(state?.freshAtMs).toBe(nowMs);
  expect(state?.atMs).toBe(1);
  expect(state?.deliveries).toEqual({
    team: { status: "open", attempts: 0 },
    mail: { status: "open", attempts: 0 },
    desk: { status: "sent", attempts: 1 },
    chime: { status: "skipped", attempts: 1 },
  });
});

test("--failed excludes events with rejected input, an id by name does not", async () => {
  home.addDeadLetter("lost-0001", { deliveries: { team: { status: "failed", attempts: 1 } } });
  home.addDeadLetter("poison-01");
  home.addDeadLetter("refused-1", undefined, "not json");
  home.write(join(home.paths.spool, "dead", "torn-00001.json"), "half a rec");
  home.journal({ id: "poison-01", status: "failed" }, { id: "refused-1", status: "rejected" });
  expect((await home.run(["retry", "--failed"])).exitCode).toBe(0);
  const dead = ["dead/refused-1.json", "dead/torn-00001.json"];
  expect(home.spooled().sort()).toEqual([...dead, "new/lost-0001.json", "new/poison-01.c1.json"]);
  expect((await home.run(["retry", "refused-1", "torn-00001"])).exitCode).toBe(0);
  expect(home.spooled().filter((file) => file.startsWith("dead/"))).toEqual([]);
  expect(readFileSync(join(home.paths.spool, "new", "torn-00001.c1.json"), "utf8")).toBe("half a rec");
});

test("an event that waits after a failed attempt is tried now, one that is held is not", async () => {
  const waiting = (id: string, attempts: number) => {
    home.addDeadLetter(id, { deliveries: { team: { status: "open", attempts, dueAtMs: nowMs + 60_000 } } });
    const name = `${id}.t${nowMs + 60_000}.json`;
    renameSync(join(home.paths.spool, "dead", `${id}.json`), join(home.paths.spool, "cur", name));
    return `cur/${name}`;
  };
  waiting("down-0001", 2);
  const held = waiting("held-0001", 0);
  const { stdout } = await home.run(["retry", "--failed"]);
  expect(stdout).toMatch(/^retrying down-000 for team\n/);
  expect(home.spooled().sort()).toEqual([held, "new/down-0001.c1.json"]);
  expect(await home.run(["retry", "held-0001"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("has not failed"),
  });
});

test("--failed with nothing to retry says so", async () => {
  expect(await home.run(["retry", "--failed"])).toEqual({ exitCode: 0, stdout: "Nothing to retry.\n", stderr: "" });
});

test.each([
  { name: "unknown", id: "nowhere-1", says: /there is no failed event nowhere-1\n.*beckon log --failed/ },
  { name: "too short", id: "event", code: 2, says: /the id event is too short\n.*at least its first 6/ },
  { name: "empty", id: "", code: 2, says: /too short/ },
  { name: "ambiguous", id: "event-000", says: /matches 2 events\n.*event-0001, event-0002/ },
  { name: "not dead", id: "fresh-0001", says: /still being delivered\n.*beckon flush/ },
  { name: "a path", id: "../../../etc/passwd", says: /there is no failed event/ },
])("an id that is $name is an error that says what to do, and nothing is retried", async ({ id, says, code = 1 }) => {
  home.addDeadLetter("event-0001");
  home.addDeadLetter("event-0002");
  home.fresh("fresh-0001");
  const before = home.spooled();
  const { exitCode, stderr } = await home.run(["retry", "event-0001", id]);
  expect(exitCode).toBe(code);
  expect(stderr).toMatch(says);
  expect(home.spooled()).toEqual(before);
});

test("a unique prefix of an id is enough, and an id that is another's prefix means itself", async () => {
  home.addDeadLetter("event-0001");
  home.addDeadLetter("event-0001-b");
  home.addDeadLetter("abcdef-9999");
  expect((await home.run(["retry", "abcdef", "event-0001"])).stdout).toMatch(/retrying abcdef-9\nretrying event-00\n/);
  expect(home.spooled()).toEqual(["new/abcdef-9999.c1.json", "new/event-0001.c1.json", "dead/event-0001-b.json"]);
});

test("--failed says why each journalled failure is left out", async () => {
  home.addDeadLetter("refused-1", undefined, "not json");
  home.fresh("open-00001");
  for (const id of ["open-00001", "gone-00001", "gone-00002"]) home.journal({ id, notifier: "team", status: "failed" });
  home.journal({ id: "done-00001", notifier: "team", status: "failed" }, { id: "refused-1", status: "rejected" });
  home.journal({ at: "2099-01-01T00:00:00.000Z", id: "done-00001", notifier: "team", status: "sent" });
  const { exitCode, stdout } = await home.run(["retry", "--failed"]);
  expect(exitCode).toBe(0);
  expect(stdout.split("\n")).toEqual([
    "Nothing to retry.",
    "1 failed event left out: still being delivered to another notifier; retry it later",
    "2 failed events left out: not in the spool, which keeps the newest 200 for 30 days, without beckon's own messages",
    "1 failed event left out: rejected because of its input; to try anyway, use `beckon retry` with its id",
    "",
  ]);
  const json = await home.run(["retry", "--failed", "--json"]);
  expect(readOutput("retry", json.stdout)[0]).toMatchObject({
    retried: [],
    left: [{ count: 1 }, { count: 2 }, { count: 1 }],
  });
});
