import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliHome, createCliHome } from "../../../world/cli-home.ts";
import { installHealthy, problemsIn, runChecks } from "../../../world/doctor-home.ts";

let home: CliHome;
beforeEach(() => {
  home = createCliHome();
  installHealthy(home);
});
afterEach(() => home.remove());

const problems = async () => problemsIn((await runChecks(home)).results);
const inSpool = (...path: string[]) => join(home.paths.spool, ...path);

test.each<[string, () => void, RegExp]>([
  [
    "an event is not claimed by a worker",
    () => {
      home.fresh("event-0001");
      const then = new Date(Date.now() - 90_000);
      utimesSync(inSpool("new", "event-0001.json"), then, then);
    },
    /^fail spool: 1 event waiting, the oldest for 2 min \| beckon flush$/,
  ],
  [
    "a worker has left an event behind",
    () => home.write(inSpool("cur", "event-0001.json"), ""),
    /^warn spool: 1 event left behind by a worker \| beckon flush$/,
  ],
  [
    "an attempt is overdue",
    () => home.write(inSpool("cur", `event-0001.t${Date.now() - 90_000}.json`), ""),
    /^warn spool: 1 event left behind by a worker \| beckon flush$/,
  ],
  [
    "an event is dead",
    () => home.bury("event-0001"),
    /^warn failed: 1 event \| .*`beckon retry --failed` tries again\.$/,
  ],
  [
    "the service rejects the key",
    () =>
      home.journal({
        status: "accepted",
        sessionId: "s 1",
        reason: "lookup service: https://api.example.com answered 401",
      }),
    /^warn lookups: .* answered 401 \| `beckon service sessions list --limit 20` and `.*messages 's 1' --role assistant --limit 10` /,
  ],
  [
    "a transcript cannot be read",
    () => home.journal({ status: "accepted", reason: "lookup transcript: took too long" }),
    /^warn lookups: .* took too long \| beckon log$/,
  ],
  [
    "input was rejected",
    () => home.journal({ status: "rejected" }, { status: "rejected" }),
    /^warn rejected, last 7 days: 2 events could not be read \| beckon log --failed$/,
  ],
  [
    "an event was evicted",
    () => home.journal({ status: "expired", reason: "evicted: the spool is full" }),
    /^warn evicted, last 7 days: 1 event dropped .* \| beckon log --failed$/,
  ],
])("a check reports that %s", async (_, make, expected) => {
  make();
  expect(await problems()).toEqual([expect.stringMatching(expected)]);
});

test("what was rejected more than a week ago is not reported", async () => {
  home.journal({ at: new Date(Date.now() - 8 * 86_400_000).toISOString(), status: "rejected" });
  expect(await problems()).toEqual([]);
});

test("errors of the configuration are no events that could not be read", async () => {
  home.journal({ id: "config", status: "rejected", reason: "notifiers.desk.type (line 1): no such notifier." });
  expect(await problems()).toEqual([]);
});

test("the failure of a lookup is not reported after five events without one", async () => {
  const failed = { status: "accepted", reason: "lookup service: https://api.example.com answered 401" } as const;
  home.journal(failed, ...Array.from({ length: 4 }, () => ({ status: "accepted" }) as const));
  expect(await problems()).toHaveLength(1);
  home.journal({ status: "accepted" });
  expect(await problems()).toEqual([]);
});
