import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isServiceId, serviceUrl } from "../../src/service/get.ts";

describe("serviceUrl", () => {
  it.each([
    ["https://api.example.com", ["sessions"], {}, "https://api.example.com/api/v0/sessions"],
    ["https://api.example.com/", ["sessions"], { cursor: undefined }, "https://api.example.com/api/v0/sessions"],
    [
      "https://api.example.com/x//",
      ["sessions", "a-1", "messages"],
      { limit: "5" },
      "https://api.example.com/x/api/v0/sessions/a-1/messages?limit=5",
    ],
    [
      "https://api.example.com:8443",
      ["sessions"],
      { cursor: "a&b=c#d" },
      "https://api.example.com:8443/api/v0/sessions?cursor=a%26b%3Dc%23d",
    ],
  ])("builds %s and %j with %j", (base, path, query, url) => {
    expect(serviceUrl(base, path, query).href).toBe(url);
  });

  it.each([
    "..",
    ".",
    "",
    "%2e%2e",
    "%2E.",
    "a/../../b",
    "a\\..\\b",
    "//evil.example",
    "a?b",
    "a#b",
    "a b",
    "a\n",
    "ä",
    "a".repeat(129),
  ])("throws for the part %j", (part) => {
    expect(() => serviceUrl("https://api.example.com/x", ["sessions", part, "messages"], {})).toThrow(/cannot stand/);
  });

  it.each(["https://api.example.com//evil.example", "https://api.example.com/\\evil.example", "nothing", ""])(
    "never leads from the base address %j to another machine",
    (base) => {
      let host = "api.example.com";
      try {
        host = serviceUrl(base, ["sessions"], {}).host;
      } catch (error) {
        expect(error).toMatchObject({ name: "ServiceError", reason: "rejected" });
      }
      expect(host).toBe("api.example.com");
    },
  );

  it("stays below the base address for every part and query", () => {
    const check = (part: string, cursor: string): void => {
      if (!isServiceId(part)) {
        expect(() => serviceUrl("https://api.example.com/x", [part], {})).toThrow();
        return;
      }
      const url = serviceUrl("https://api.example.com/x", [part], { cursor });
      expect(`${url.origin}${url.pathname}`).toBe(`https://api.example.com/x/api/v0/${part}`);
      expect([...url.searchParams]).toEqual([["cursor", cursor.toWellFormed()]]);
    };
    const part = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), fc.webPath());
    fc.assert(fc.property(part, fc.string({ unit: "binary" }), check), { numRuns: 500 });
  });
});
