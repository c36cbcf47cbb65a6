import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { ServiceClient, type ServiceClientOptions } from "../../src/service.ts";
import { jwt, keys } from "../world/service/access.ts";
import { clientOf, failureOf, lastDay, openSandbox } from "../world/service/client.ts";
import { apiKey, expectNoSecret, hostileClient } from "../world/service/hostile-service.ts";

describe("the error for", () => {
  test.each([
    ["a wrong key", "AuthenticationError", 401, { apiKey: "wrong-key-5521" }, {}, 1],
    ["a member's key", "PermissionError", 403, { apiKey: keys.member }, {}, 1],
    ["a JWT where only keys are accepted", "ArgumentError", undefined, { jwt }, {}, 0],
    ["today's date", "ArgumentError", undefined, {}, { endDate: "2026-06-15" }, 0],
    ["a limit of 0", "ArgumentError", undefined, {}, { limit: 0 }, 0],
    ["a limit of 101", "ArgumentError", undefined, {}, { limit: 101 }, 0],
  ])("%s is %s", async (_, name, status, options, query, requests) => {
    const sandbox = await openSandbox();
    const thrown = await failureOf(
      clientOf(sandbox, options)
        .analytics.users({ ...lastDay, ...query })
        .page(),
    );
    expect(thrown).toMatchObject({ name, ...(status !== undefined && { status, hint: expect.any(String) }) });
    expect(sandbox.seen).toHaveLength(requests);
    expectNoSecret(thrown, "wrong-key-5521");
  });
});

describe("a client", () => {
  const good = { baseUrl: "https://api.example.com", apiKey };
  test.each([
    ["without a key", { apiKey: undefined }, "apiKey", "either `apiKey` or `jwt` must be given"],
    ["with a key and a JWT", { jwt }, "apiKey", "either `apiKey` or `jwt` must be given"],
    ["with a key of two lines", { apiKey: `${apiKey}\nx: y` }, "apiKey", "must be printable ASCII without spaces"],
    ["with an empty key", { apiKey: "" }, "apiKey", "must be printable ASCII without spaces"],
    [
      "with an address that is not encrypted",
      { baseUrl: "http://api.example.com" },
      "baseUrl",
      "must be an https:// address",
    ],
    [
      "with a password in its address",
      { appUrl: `https://me:${apiKey}@app.example.com` },
      "appUrl",
      "must be an https:// address",
    ],
  ])("%s is rejected", async (_, options, parameter, says) => {
    const thrown = await failureOf((async () => new ServiceClient({ ...good, ...options } as ServiceClientOptions))());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter, message: expect.stringContaining(says) });
    expectNoSecret(thrown);
  });

  test("does not show its key when it is printed", () => {
    const client = new ServiceClient({ ...good, appUrl: "https://app.example.com" });
    for (const one of [client, client.analytics, client.users.list()]) {
      expect(inspect(one, { depth: Number.POSITIVE_INFINITY, showHidden: true }) + JSON.stringify(one)).not.toContain(
        apiKey,
      );
    }
  });

  test("sends no request for reports without `appUrl`", async () => {
    const thrown = await failureOf(new ServiceClient(good).readiness.reports().page());
    expect(thrown).toMatchObject({ name: "ArgumentError", parameter: "appUrl" });
  });
});

test("a call without arguments is rejected", async () => {
  const { analytics } = hostileClient("https://api.example.com");
  for (const verb of ["tokens", "tools", "activity", "productivity", "users"] as const) {
    const list = (analytics[verb] as unknown as () => { page(): Promise<unknown> }).call(analytics);
    const thrown = await failureOf(list.page());
    expect(thrown).toMatchObject({ name: "ArgumentError", message: "`startDate` is missing" });
  }
});
