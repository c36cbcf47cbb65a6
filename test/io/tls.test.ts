import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttp, keptConnections } from "../../src/io/http.ts";
import { ServiceClient } from "../../src/service.ts";
import { createHome } from "../world/home.ts";
import { startTlsServer, type TlsServer } from "./tls-server.ts";

const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
let server: TlsServer;
beforeAll(async () => {
  server = await startTlsServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

describe("where NODE_TLS_REJECT_UNAUTHORIZED=0 switches the checks of certificates off", () => {
  beforeEach(() => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    return () => vi.unstubAllEnvs();
  });

  const ports = { "new connections": () => createHttp(), "kept ones": () => createHttp(Date.now, keptConnections()) };
  test.each(Object.entries(ports))("a server of an unknown authority gets nothing: %s", async (_, port) => {
    const sent = port().send({ url: server.origin, signal: AbortSignal.timeout(10_000) });
    await expect(sent).rejects.toMatchObject({
      reason: "unavailable",
      message: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+ cannot be reached \(.*(CERT|SIGNATURE)/),
      hint: expect.stringContaining("`ca`"),
    });
    expect(server.requests).toEqual([]);
  });

  test.each(Object.entries(ports))("it does with its authority's file: %s", async (_, port) => {
    const http = port();
    for (const path of ["/a", "/b"]) {
      const request = { url: server.origin + path, ca: server.ca, signal: AbortSignal.timeout(10_000) };
      expect(await http.send(request)).toMatchObject({ status: 200 });
    }
    expect(server.requests).toEqual(["/a", "/b"]);
  });

  test("the service's client gives its key to no unknown server, unless it has its authority's file", async () => {
    const options = { baseUrl: server.origin, apiKey: "key-of-a-test", maxRetries: 0 };
    await expect(new ServiceClient(options).users.list({}).page()).rejects.toMatchObject({ name: "ConnectionError" });
    expect(server.requests).toEqual([]);
    await new ServiceClient({ ...options, ca: server.ca }).users
      .list({})
      .page()
      .catch(() => {}); // {} is no list
    expect(server.requests).toHaveLength(1);
  });

  test("the worker checks the servers of its notifiers", async () => {
    const home = createHome();
    try {
      const { ca, origin } = server;
      const notifiers = {
        known: { type: "webhook", url: `${origin}/known`, ca },
        unknown: { type: "webhook", url: `${origin}/unknown` },
        lost: { type: "webhook", url: `${origin}/lost`, ca: join(home.paths.root, "no.pem") },
      };
      home.writeConfig({ notifiers, delivery: { linger: "0s" } });
      await home.launch(["Stop", "--agent", "claude"], "{}", { env: unchecked });
      const names = Object.keys(notifiers);
      const lines = await home.until((found) => names.every((name) => found.some((line) => line.notifier === name)));
      const statuses = names.map((name) => lines.find(({ notifier }) => notifier === name)?.status);
      expect(statuses).toEqual(["sent", "retrying", "failed"]);
      expect(lines.find(({ notifier }) => notifier === "lost")?.reason).toContain("no.pem cannot be read (ENOENT)");
      expect(server.requests).toEqual(["/known"]);
    } finally {
      await home.remove();
    }
  });
});
