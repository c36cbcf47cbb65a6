import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isBeingLookedUp, lookUpHost } from "../../src/io/host-lookup.ts";

test("a host's addresses come one or all, as they are asked for, and nothing is left under way", async () => {
  const one = new Promise((resolve) =>
    lookUpHost("localhost", { family: 4 }, (error, address, family) => resolve([error, address, family])),
  );
  const all = promisify(lookUpHost)("localhost", { family: 4, all: true });
  expect(isBeingLookedUp("localhost")).toBe(true);
  expect(isBeingLookedUp("local")).toBe(false);
  expect(await one).toEqual([null, "127.0.0.1", 4]);
  expect(await all).toContainEqual({ address: "127.0.0.1", family: 4 });
  expect(isBeingLookedUp("localhost")).toBe(false);
});

test("a host that does not exist is an error for everybody who asks", async () => {
  const asks = [1, 2].map(() => promisify(lookUpHost)("no-such-host.invalid", {}));
  for (const { status, reason } of (await Promise.allSettled(asks)) as PromiseRejectedResult[]) {
    expect(status).toBe("rejected");
    expect(reason.code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  }
});
