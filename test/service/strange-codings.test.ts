import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/service.ts";
import { catchFailure } from "../world/service/client.ts";
import { startStrangeService, users, usersPage } from "./strange-service.ts";

const page = Buffer.from(JSON.stringify(usersPage(users(0, 100)).body));
const transports = [
  ["Node's client", {}],
  ["fetch", { fetch }],
] as const;

const start = (coding: string, body: Buffer, status = 200) =>
  startStrangeService(() => ({ status, headers: { "content-encoding": coding }, body }));

describe.each(transports)("with %s", (_, options) => {
  test.each([
    ["gzip", gzipSync(page)],
    ["x-gzip", gzipSync(page)],
    ["GZIP", gzipSync(page)],
    ["br", brotliCompressSync(page)],
    ["deflate", deflateSync(page)],
    ["deflate, gzip", gzipSync(deflateSync(page))],
  ])("a reply in %s is decoded", async (coding, body) => {
    const service = await start(coding, body);
    expect(await service.client(options).users.list().all()).toEqual(users(0, 100));
    expect(service.requests[0]?.headers["accept-encoding"]).toBe("gzip, br, deflate");
  });

  test("an explanation in gzip is read", async () => {
    const service = await start("gzip", gzipSync(JSON.stringify({ detail: "too many" })), 422);
    expect(await catchFailure(service.client(options).users.list().page())).toMatchObject({ detail: "too many" });
  });

  test.each([
    ["gzip", gzipSync(Buffer.alloc(20_000_000, " "))],
    ["br", brotliCompressSync(Buffer.alloc(20_000_000, " "))],
  ])("a bomb in %s stops at maxReplyBytes", async (coding, body) => {
    const service = await start(coding, body);
    const client = service.client({ ...options, maxReplyBytes: 100_000 });
    const error = await catchFailure(client.users.list().page());
    expect(error).toMatchObject({ name: "ParseError", truncated: true });
    expect(error).toMatchObject({ message: expect.stringContaining("sent more than 100000 bytes") });
  });

  test("a page that exceeds maxReplyBytes only when decoded is requested in halves", async () => {
    const service = await startStrangeService(({ url }) => ({
      headers: { "content-encoding": "gzip" },
      body: gzipSync(JSON.stringify(usersPage(users(0, Number(url.searchParams.get("limit")))).body)),
    }));
    const rows = await service
      .client({ ...options, maxReplyBytes: page.length - 1 })
      .users.list()
      .all();
    expect(rows).toHaveLength(50);
  });

  test.each(["compress", "snappy, gzip"])("a reply in %s is an error that names the coding", async (coding) => {
    const service = await start(coding, Buffer.from([0x1f, 0x9d, 0x90, 0xff, 0xfe]));
    const error = await catchFailure(service.client(options).users.list().page());
    expect(error).toMatchObject({ name: "ParseError", message: expect.stringContaining(`content coding ${coding},`) });
    expect(error).not.toHaveProperty("excerpt");
  });

  test("a reply that is not in its coding is a broken connection", async () => {
    const service = await start("gzip", page);
    const error = await catchFailure(service.client(options).users.list().page());
    expect(error).toMatchObject({ name: "ConnectionError", reason: "unavailable" });
  });

  test("a cut reply in gzip is an error", async () => {
    const service = await start("gzip", gzipSync(page).subarray(0, 200));
    expect(await catchFailure(service.client(options).users.list().page())).toBeInstanceOf(ServiceError);
  });

  test("an empty error in gzip has its status", async () => {
    const service = await start("gzip", Buffer.alloc(0), 403);
    expect(await catchFailure(service.client(options).users.list().page())).toMatchObject({ status: 403 });
  });
});

test("a reply in deflate without its header is decoded", async () => {
  const service = await start("deflate", deflateRawSync(page));
  expect(await service.client().users.list().all()).toHaveLength(100);
});

test("more than three codings are refused", async () => {
  const service = await start("gzip, gzip, gzip, gzip", gzipSync(gzipSync(gzipSync(gzipSync(page)))));
  expect(await catchFailure(service.client().users.list().page())).toMatchObject({ name: "ParseError" });
});

test("the command line reads compressed replies", async () => {
  const service = await start("gzip", gzipSync(page));
  const { exitCode, stdout } = await service.run("users list --json");
  expect([exitCode, stdout.trimEnd().split("\n").length]).toEqual([0, 100]);
});
