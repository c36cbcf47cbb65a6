import { expect, test } from "vitest";
import { gotify } from "../../src/notifiers/gotify.ts";
import { htmlPage, openHostileServer } from "../world/hostile-server.ts";
import { networkCall } from "../world/network-call.ts";
import { settings } from "./cases/gotify.ts";
import { readReceipt } from "./contract/make-request.ts";

test("there is no receipt without the client token, which alone may delete", () => {
  const own = settings("https://push.example.org");
  expect(readReceipt(gotify, own, { id: 25 })).toBeUndefined();
  expect(readReceipt(gotify, { ...own, clientToken: "C1" }, { id: 25 })).toEqual({ id: 25 });
  expect(readReceipt(gotify, { ...own, clientToken: "C1" }, { id: 2.5 })).toBeUndefined();
});

test("a page in place of the server's answer deletes nothing", async () => {
  const server = await openHostileServer({ "*": htmlPage });
  const parsed = gotify.settings.parse({ ...settings(server.origin), clientToken: "C1" });
  const withdrawn = gotify.withdraw?.({ ...networkCall(parsed), receipt: { id: 1 } });
  await expect(withdrawn).rejects.toMatchObject({ reason: "unavailable" });
});
