import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpReply, HttpRequest } from "../../src/core/http-port.ts";
import { createHttp } from "../../src/io/http.ts";
import { answer, type HostileServer, startHostileServer } from "../world/hostile-server.ts";

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer({ "/200": answer(200) });
});
afterAll(() => server.close());

const post = (path: string, more: Partial<HttpRequest> = {}): Promise<HttpReply> =>
  createHttp().post({ url: server.origin + path, body: "{}", signal: AbortSignal.timeout(5_000), ...more });

describe("a request", () => {
  test("arrives as JSON, byte by byte, with its length", async () => {
    const body = JSON.stringify({ text: "Prüfung 👨‍👩‍👧 fertig\u2028" });
    await post("/200?a=b", { body, headers: { "x-custom": "1" } });
    expect(server.requests.at(-1)).toMatchObject({
      method: "POST",
      path: "/200?a=b",
      body,
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        "user-agent": "beckon",
        "x-custom": "1",
      },
    });
  });

  test("may have another content type", async () => {
    await post("/200", { headers: { "content-type": "text/plain" } });
    expect(server.requests.at(-1)?.headers["content-type"]).toBe("text/plain");
  });

  test("logs in with the user and password of its address", async () => {
    await post("", { url: `${server.origin.replace("//", "//me:pass@")}/200` });
    expect(server.requests.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from("me:pass").toString("base64")}`);
  });

  test.each([
    ["a line end", "a\r\nx-injected: 1"],
    ["NUL", "a\0b"],
    ["letters beyond Latin-1", "schlüssel-€"],
  ])("with %s in a header is rejected, and never sent", async (_, value) => {
    const { length } = server.requests;
    await expect(post("/200", { headers: { "x-key": value } })).rejects.toMatchObject({ reason: "rejected" });
    expect(server.requests).toHaveLength(length);
  });

  test.each([
    "",
    "nope",
    "/in",
    "//host/in",
    "file:///etc/passwd",
    "ftp://h/x",
    "javascript:alert(1)",
    "http://",
    "https://a b/",
  ])("to %j is rejected", async (url) => {
    const error = { reason: "rejected", message: "the configured address is not an http(s) URL" };
    await expect(post("", { url })).rejects.toMatchObject(error);
  });
});
