import { existsSync } from "node:fs";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { claim, freshEntries, recover, requeueAfterCrash, waitingEntries } from "../../src/spool/claim.ts";
import { put } from "../../src/spool/put.ts";
import { requeueDead, settle } from "../../src/spool/settle.ts";
import { createSpool, record, useSpool } from "../world/spool.ts";

const nowMs = Date.now();
const at = useSpool();

describe("entries", () => {
  test("in new/ are listed in order of arrival", () => {
    const agesMs = { b: 3_000, a: 1_000, c: 2_000 };
    for (const [id, ageMs] of Object.entries(agesMs)) at.write(`new/${id}.json`, "", nowMs - ageMs);
    expect(freshEntries(at.spool).map(({ id }) => id)).toEqual(["b", "c", "a"]);
  });

  test("that wait are listed soonest first, without claimed ones", () => {
    const files = "b.t200.json a.t300.json c.t100.json held.json held2.c1.json".split(" ");
    for (const file of files) at.write(`cur/${file}`);
    const waiting = waitingEntries(at.spool).map(({ id, dueAtMs }) => `${id} at ${dueAtMs}`);
    expect(waiting).toEqual(["c at 100", "b at 200", "a at 300"]);
  });
});

describe("a claimed entry", () => {
  test("is not listed, and has its bytes, crash count and times", () => {
    at.write("new/one.c1.json", record(), 1_700_000_000_000);
    const held = claim(at.spool, { id: "one", crashes: 1 });
    expect(held).toMatchObject({ id: "one", crashes: 1, takenInAtMs: 1_700_000_000_000 });
    expect(held?.bytes.equals(record())).toBe(true);
    expect(at.files()).toEqual(["cur/one.c1.json"]);
    expect(freshEntries(at.spool)).toEqual([]);
    expect(waitingEntries(at.spool)).toEqual([]);
  });

  test("may have waited for a retry", () => {
    at.write("cur/one.t5.json");
    expect(claim(at.spool, { id: "one", crashes: 0, dueAtMs: 5 })).toMatchObject({ id: "one" });
    expect(at.files()).toEqual(["cur/one.json"]);
  });
});

/** Claims the entry just put. @throws if the entry does not exist */
function held(id: string) {
  const claimed = claim(at.spool, { id, crashes: 0 });
  if (!claimed) throw new Error(`${id} does not exist`);
  return claimed;
}

describe("a settled event", () => {
  beforeEach(() => put(at.spool, "one", record()));

  test("that waits is in cur/ under its due time with its new record, always in one file", () => {
    settle(at.spool, held("one"), { next: "wait", dueAtMs: 1_234.5, record: record("Stop", "later") });
    expect(at.files()).toEqual(["cur/one.t1235.json"]);
    expect(at.readText("cur/one.t1235.json")).toBe(record("Stop", "later").toString());
    const again = claim(at.spool, { id: "one", crashes: 0, dueAtMs: 1_235 });
    if (again) settle(at.spool, again, { next: "wait", dueAtMs: 6, record: record() });
    expect(at.files()).toEqual(["cur/one.t6.json"]);
  });

  test("that is dead is kept as it arrived or with its new record", () => {
    settle(at.spool, held("one"), { next: "dead" });
    expect(at.readText("dead/one.json")).toBe(record().toString());
    put(at.spool, "two", record());
    settle(at.spool, held("two"), { next: "dead", record: record("Stop", "after") });
    expect(at.readText("dead/two.json")).toBe(record("Stop", "after").toString());
    expect(at.files()).toEqual(["dead/one.json", "dead/two.json"]);
  });

  test("that is dead can be requeued", () => {
    settle(at.spool, held("one"), { next: "dead" });
    requeueDead(at.spool, "one", record("Stop", "again"));
    expect(at.files()).toEqual(["new/one.json"]);
    expect(at.readText("new/one.json")).toBe(record("Stop", "again").toString());
  });

  test("is left to the worker that took it over", () => {
    const mine = held("one");
    requeueAfterCrash(at.spool, mine);
    settle(at.spool, mine, { next: "done" });
    expect(at.files()).toEqual(["new/one.c1.json"]);
  });
});

describe("the entries of a dead worker", () => {
  test("return to new/ with one crash more, and are dead after the third", () => {
    put(at.spool, "one", record());
    for (const crashes of [0, 1]) {
      claim(at.spool, { id: "one", crashes });
      expect(recover(at.spool)).toEqual([]);
      expect(at.files()).toEqual([`new/one.c${crashes + 1}.json`]);
    }
    claim(at.spool, { id: "one", crashes: 2 });
    expect(recover(at.spool)).toEqual(["one"]);
    expect(at.files()).toEqual(["dead/one.json"]);
    expect(at.readText("dead/one.json")).toBe(record().toString());
  });

  test("are removed if the file of the next attempt exists", () => {
    at.write("cur/one.json", "before");
    at.write("cur/one.t500.json", "after");
    expect(recover(at.spool)).toEqual([]);
    expect(at.files()).toEqual(["cur/one.t500.json"]);
    expect(at.readText("cur/one.t500.json")).toBe("after");
  });

  test("exclude events waiting for a retry", () => {
    at.write("cur/one.t500.json");
    expect(recover(at.spool)).toEqual([]);
    expect(at.files()).toEqual(["cur/one.t500.json"]);
  });
});

test("an event is in exactly one place, or done, whatever workers do and whenever they die", () => {
  const step = fc.constantFrom("claim", "wait", "dead", "done", "crash", "due");
  const property = fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
    const at = createSpool();
    put(at.spool, "one", record());
    let mine: ReturnType<typeof claim>;
    let isDone = false;
    for (const claimed of steps) {
      const entry = freshEntries(at.spool)[0] ?? waitingEntries(at.spool)[0];
      if (claimed === "claim" && !mine && entry) mine = claim(at.spool, entry);
      if (claimed === "crash") {
        recover(at.spool);
        mine = undefined;
      }
      if (mine && claimed === "wait") settle(at.spool, mine, { next: "wait", dueAtMs: 5, record: record() });
      if (mine && claimed === "dead") settle(at.spool, mine, { next: "dead" });
      if (mine && claimed === "done") settle(at.spool, mine, { next: "done" });
      if (mine && ["wait", "dead", "done"].includes(claimed)) {
        isDone = claimed === "done";
        mine = undefined;
      }
      expect(at.files()).toHaveLength(isDone ? 0 : 1);
      if (mine) expect(existsSync(mine.file)).toBe(true);
    }
  });
  fc.assert(property, { numRuns: 100 });
});
