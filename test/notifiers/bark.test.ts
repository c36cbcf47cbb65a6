import { expect, test } from "vitest";
import { bark } from "../../src/notifiers/bark.ts";
import { networkCall, offlinePorts } from "../world/network-call.ts";
import { makePayload, readReceipt } from "./contract/make-request.ts";

test("a message has an id, and a receipt if it can be deleted, as has a test message", () => {
  const idAndReceipt = (whenResolved: string, more: object = { thread: { key: "a".repeat(32) } }) => {
    const changes = { message: { project: "shop" }, ...more };
    const settings = { deviceKey: "k", whenResolved };
    return [makePayload(bark, settings, changes).id, readReceipt(bark, settings, undefined, changes)];
  };
  const id = expect.stringMatching(/^a{32}-\w+$/);
  const testId = expect.stringMatching(/^beckon-\w+$/);
  expect(idAndReceipt("delete")).toEqual([id, { id }]);
  expect(idAndReceipt("keep")).toEqual([id, undefined]);
  expect(idAndReceipt("delete", {})).toEqual([testId, { id: testId }]);
});

test("a message that is to stay is left alone", async () => {
  const call = networkCall(bark.settings.parse({ deviceKey: "k", whenResolved: "keep" }), {}, offlinePorts());
  await bark.withdraw?.({ ...call, receipt: { id: "a-1" } });
});

test("messages are grouped by project name, cut between graphemes if it is long", () => {
  const makeGroup = (project: string) => makePayload(bark, { deviceKey: "k" }, { message: { project } }).group;
  expect(makeGroup("shop")).toBe("shop");
  expect(makeGroup("👩‍👩‍👧‍👦".repeat(9))).toBe(`${"👩‍👩‍👧‍👦".repeat(3)}…`);
  expect(makeGroup("<".repeat(99))).toBe(`${"<".repeat(16)}…`);
});
