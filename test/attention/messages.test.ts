import { beforeEach, describe, expect, test } from "vitest";
import { isStale } from "../../src/attention/alert.ts";
import { Alerts, alertFolder } from "../../src/attention/alert-files.ts";
import { findConcerns, previousReceipt, recordMessage } from "../../src/attention/messages.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import { concern, makeAlert } from "../world/alerts.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { freshFolder } from "../world/fresh-folder.ts";

const session = { sessionId: "s-1", cwd: "/home/me/shop" };
let alerts: Alerts;
beforeEach(() => {
  alerts = new Alerts(alertFolder({ state: freshFolder() }), new FakeClock(1_800_000_000_000));
  alerts.put(makeAlert({ concerns: [concern("e1", { event: session }), concern("e2", { event: session })] }));
});

const concerns = () => alerts.all().flatMap(({ concerns }) => concerns);
const eventNamed = (id: string) => concerns().find((known) => known.id === id)?.event ?? expect.fail("no such event");
const send = (id: string, held: readonly string[] = []) => {
  const sent = { notifier: "me", group: `g-${id}`, receipt: { id }, replaced: undefined, sentAtMs: 1_800_000_000_000 };
  recordMessage([eventNamed(id)], { ...sent, isApart: (id) => held.includes(id) }, alerts);
};
/** Groups of the messages about each concern, without stale ones. */
const active = () =>
  concerns().map((known) =>
    (known.messages["me"] ?? []).filter((sent) => !isStale(known, sent)).map(({ group }) => group),
  );

describe("a session's second request", () => {
  test("has a message that replaces the first", () => {
    send("e1");
    send("e2");
    expect(active()).toEqual([["g-e2"], ["g-e2"]]);
    expect(previousReceipt(eventNamed("e2"), "me", alerts)).toEqual({ id: "e2" });
  });

  test("has a message of its own while both can be answered, and so has the first", () => {
    send("e1", ["e1", "e2"]);
    send("e2", ["e1", "e2"]);
    expect(active()).toEqual([["g-e1"], ["g-e2"]]);
  });

  test("leaves the first message alone while that can be answered", () => {
    send("e1", ["e1"]);
    send("e2", ["e1"]);
    expect(active()).toEqual([["g-e1"], ["g-e2"]]);
    const isOther = (id: string): boolean => id !== "e1";
    const previous = (isReplaceable?: (id: string) => boolean): Receipt | undefined =>
      previousReceipt(eventNamed("e1"), "me", alerts, isReplaceable);
    expect([previous(isOther), previous((id) => !isOther(id))]).toEqual([{ id: "e2" }, { id: "e1" }]);
  });
});

test("a message is about the concerns that have its notifier and its group, in all sessions", () => {
  const messages = { me: [{ group: "g-e1", atMs: 1 }] };
  alerts.put(makeAlert({ sessionId: "s-2", concerns: [concern("e3", { messages }), concern("e4")] }));
  send("e1");
  const find = (notifier: string, group: string) => findConcerns({ notifier, group }, alerts).map(({ id }) => id);
  expect([find("me", "g-e1"), find("me", "g-e2"), find("you", "g-e1")]).toEqual([["e1", "e3"], [], []]);
});
