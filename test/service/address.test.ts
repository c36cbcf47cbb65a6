import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isServiceAddress, isServiceId, servicePath, serviceUrl as urlOf } from "../../src/service/address.ts";

const serviceUrl = (from: string, path: string, ids: Record<string, unknown>, query = {}): URL =>
  new URL(urlOf(from, servicePath(path, ids), query));
const base = "https://api.example.com/x";
const template = "/api/v0/sessions/{sessionId}/messages";

describe("serviceUrl", () => {
  test.each([
    ["https://api.example.com", "/api/v0/sessions", {}, {}, "https://api.example.com/api/v0/sessions"],
    [
      "https://api.example.com/",
      "/api/v0/sessions",
      {},
      { cursor: undefined },
      "https://api.example.com/api/v0/sessions",
    ],
    [
      "https://api.example.com/x//",
      template,
      { sessionId: "a-1" },
      { limit: 5 },
      "https://api.example.com/x/api/v0/sessions/a-1/messages?limit=5",
    ],
    [
      "https://api.example.com:8443",
      "/api/v0/sessions",
      {},
      { cursor: "a&b=c#d" },
      "https://api.example.com:8443/api/v0/sessions?cursor=a%26b%3Dc%23d",
    ],
  ])("builds %s and %s with %j and %j", (from, path, parts, query, url) => {
    expect(urlOf(from, servicePath(path, parts), query)).toBe(url);
  });

  test.each([
    ["%2e%2e", "%252e%252e"],
    ["a/../../b", "a%2F..%2F..%2Fb"],
    ["a\\..\\b", "a%5C..%5Cb"],
    ["//evil.example", "%2F%2Fevil.example"],
    ["a?b#c d\n", "a%3Fb%23c%20d%0A"],
    ["user:ä@x", "user%3A%C3%A4%40x"],
    ["...", "..."],
  ])("encodes the id %j", (sessionId, encoded) => {
    expect(serviceUrl(base, template, { sessionId }).href).toBe(`${base}/api/v0/sessions/${encoded}/messages`);
  });

  test.each(["..", ".", "", "\ud800", undefined, 7, ["a"]])("rejects %j as an id, and names it", (sessionId) => {
    expect(() => serviceUrl(base, template, { sessionId })).toThrow(
      expect.objectContaining({
        name: "ArgumentError",
        parameter: "sessionId",
        message: expect.stringMatching(/^`sessionId` must be an id/),
      }),
    );
  });

  test.each(["https://api.example.com//evil.example", "https://api.example.com/\\evil.example"])(
    "stays on the host of the base address %j",
    (from) => expect(serviceUrl(from, "/api/v0/sessions", {}).host).toBe("api.example.com"),
  );

  test("stays below the base address for every part and query", () => {
    const check = (sessionId: string, cursor: string): void => {
      if (!isServiceId(sessionId)) {
        expect(() => serviceUrl(base, template, { sessionId })).toThrow();
        return;
      }
      const text = urlOf(base, servicePath(template, { sessionId }), { cursor });
      const url = new URL(text);
      expect(text).toBe(url.href);
      const [, part = ""] = /^\/x\/api\/v0\/sessions\/([^/]+)\/messages$/.exec(url.pathname) ?? [];
      expect([url.origin, decodeURIComponent(part)]).toEqual(["https://api.example.com", sessionId]);
      expect([...url.searchParams]).toEqual([["cursor", cursor.toWellFormed()]]);
    };
    const part = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), fc.webPath());
    fc.assert(fc.property(part, fc.string({ unit: "binary" }), check), { numRuns: 500 });
  });
});

describe("isServiceAddress", () => {
  test.each([
    ["https://api.example.com", true],
    ["https://api.example.com:8443/x/", true],
    ["http://localhost:1", true],
    ["http://127.9.9.9:1", true],
    ["http://[::1]:1", true],
    ["http://api.example.com", false],
    ["http://localhost.example.com", false],
    ["http://127.0.0.1.example.com", false],
    ["https://me@api.example.com", false],
    ["https://api.example.com?a", false],
    ["https://api.example.com#a", false],
    ["ftp://api.example.com", false],
    ["api.example.com", false],
    ["", false],
  ])("%j: %s", (text, isFit) => {
    expect(isServiceAddress(text)).toBe(isFit);
  });
});
