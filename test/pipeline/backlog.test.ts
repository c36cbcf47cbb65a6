import { expect, test } from "vitest";
import { Backlog, type TurnOutcome, type WaitingDelivery } from "../../src/pipeline/slots.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");

function delivery(id: string, atMs: number, more: Partial<WaitingDelivery> = {}): WaitingDelivery {
  return { notifier: "hook", id, step: 0, atMs, kind: "needs-you", ...more };
}

const [old, middle, young] = [delivery("old", 1), delivery("middle", 2), delivery("young", 3)] as const;

/** Makes a backlog of these waiting deliveries, and records the ids of the events that it releases. */
function makeBacklog(...waiting: readonly WaitingDelivery[]) {
  const backlog = new Backlog();
  const released: string[] = [];
  backlog.subscribe((id) => released.push(id));
  for (const delivery of waiting) backlog.wait(delivery);
  const end = (ended: WaitingDelivery, outcome: TurnOutcome, afterMs = 0, isDigested = false) => {
    backlog.begin(ended);
    backlog.end(ended, outcome, { isDigested: (kind) => isDigested && kind === "finished", nowMs: nowMs + afterMs });
  };
  return { backlog, released, end };
}

test("a success releases the oldest, and each further success the next", () => {
  const { backlog, released, end } = makeBacklog(middle, young, old, delivery("elsewhere", 0, { notifier: "phone" }));
  end(delivery("fresh", 4), "sent");
  end(delivery("another", 5), "sent"); // one at a time
  expect(released).toEqual(["old"]);
  expect([backlog.isReleased(old), backlog.hasReleased("old"), backlog.hasReleased("ol")]).toEqual([true, true, false]);
  end(old, "sent");
  end(middle, "dropped"); // answered meanwhile
  end(young, "sent");
  expect(released).toEqual(["old", "middle", "young"]);
  expect(backlog.isReleased(old)).toBe(false);
});

test("a failed released attempt ends the releases, and is not released again for a minute", () => {
  const { backlog, released, end } = makeBacklog(old, middle);
  const fail = (failed: WaitingDelivery, afterMs: number) => {
    end(failed, "failed", afterMs);
    backlog.wait(failed);
  };
  end(delivery("fresh", 4), "sent");
  fail(old, 10);
  end(delivery("fresh", 5), "sent", 1_000);
  fail(middle, 1_010);
  end(delivery("fresh", 6), "sent", 60_000);
  expect(released).toEqual(["old", "middle"]);
  end(delivery("fresh", 7), "sent", 60_010);
  expect(released).toEqual(["old", "middle", "old"]);
});

test("a receiver's pause stops the releases until its end", () => {
  const { backlog, released, end } = makeBacklog(old);
  end(delivery("fresh", 4), "sent");
  end(old, "postponed");
  backlog.wait(old);
  end(delivery("fresh", 5), "sent");
  expect(released).toEqual(["old", "old"]);
});

test("failures and dropped messages outside a release release nothing", () => {
  const { released, end } = makeBacklog(old);
  for (const outcome of ["failed", "dropped", "postponed"] as const) end(middle, outcome);
  expect(released).toEqual([]);
});

test("messages for one digest are released together, in the oldest one's turn", () => {
  const finished = { kind: "finished" } as const;
  const { released, end } = makeBacklog(old, delivery("one", 2, finished), young, delivery("two", 4, finished));
  end(delivery("fresh", 5), "sent", 0, true);
  end(old, "sent", 0, true);
  expect(released).toEqual(["old", "one", "two"]);
  end(delivery("one", 2, finished), "sent", 0, true);
  expect(released).toHaveLength(3); // the digest is still in progress
  end(delivery("two", 4, finished), "sent", 0, true);
  expect(released.at(-1)).toBe("young");
});

test("a release without a result blocks others for a minute at most", () => {
  const { released, end } = makeBacklog(old, middle);
  end(delivery("fresh", 4), "sent");
  end(delivery("fresh", 5), "sent", 59_999);
  expect(released).toEqual(["old"]);
  end(delivery("fresh", 6), "sent", 60_000);
  expect(released).toEqual(["old", "middle"]);
});

test("deliveries waiting in the spool are listed once, at the first success", () => {
  let lists = 0;
  const backlog = new Backlog(() => {
    lists += 1;
    return [old];
  });
  const released: string[] = [];
  const unsubscribe = backlog.subscribe((id) => released.push(id));
  const rule = { isDigested: () => false, nowMs };
  backlog.end(middle, "failed", rule);
  expect(lists).toBe(0);
  backlog.end(middle, "sent", rule);
  backlog.end(old, "sent", rule);
  expect([lists, released]).toEqual([1, ["old"]]);
  unsubscribe();
  backlog.wait(young);
  backlog.end(middle, "sent", rule);
  expect(released).toEqual(["old"]);
});
