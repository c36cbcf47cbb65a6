import { afterEach, describe, expect, test } from "vitest";
import { createHttp } from "../../src/io/http.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  gzipBomb,
  type HostileServer,
  startHostileServer,
} from "../world/hostile-server.ts";

const defaultMaxBytes = 64 * 1024;
let server: HostileServer;
afterEach(() => server.close());

async function get(behaviour: Behaviour, maxReplyBytes?: number) {
  server = await startHostileServer({ "*": behaviour });
  const limit = maxReplyBytes === undefined ? {} : { maxReplyBytes };
  return createHttp().send({ url: server.origin, signal: AbortSignal.timeout(5_000), ...limit });
}

describe("a reply's body", () => {
  test.each([
    ["shorter than the bound", 9, false],
    ["of exactly the bound", 10, false],
    ["longer than the bound", 11, true],
    ["much longer than the bound", 1_000_000, true],
  ])("%s says whether it was cut", async (_, length, isCut) => {
    const reply = await get(answer(200, {}, "x".repeat(length)), 10);
    expect(reply.body).toBe("x".repeat(Math.min(length, 10)));
    expect(reply.truncated ?? false).toBe(isCut);
  });

  test.each<[string, Behaviour, true | undefined]>([
    ["of exactly 64 KiB", answer(200, {}, "x".repeat(defaultMaxBytes)), undefined],
    ["one byte longer", answer(200, {}, "x".repeat(defaultMaxBytes + 1)), true],
    ["without an end", endlessBody(), true],
  ])("%s is read up to 64 KiB by default, and the connection closed", async (_, behaviour, truncated) => {
    const reply = await get(behaviour);
    expect(reply.body).toBe("x".repeat(defaultMaxBytes));
    expect(reply.truncated).toBe(truncated);
    await expect.poll(() => server.open.size).toBe(0);
    expect(server.sentBytes()).toBeLessThan(16 * 1024 * 1024); // what fits into the system's buffers
  });

  test("is not decompressed", async () => {
    const { body } = await get(gzipBomb);
    expect(Buffer.byteLength(body)).toBeLessThan(3 * defaultMaxBytes);
    expect(body).not.toContain("\0".repeat(32_000));
  });

  test("that the other side breaks off is `unavailable`", async () => {
    await expect(get(cutBody)).rejects.toMatchObject({
      name: "DeliveryError",
      reason: "unavailable",
      message: expect.stringContaining("broke off"),
    });
  });
});

test("a reply's headers have names in lower case, repeated ones joined", async () => {
  const { headers } = await get(answer(200, { "X-One": "1", "Set-Cookie": ["a=1", "b=2"] }));
  expect(headers).toMatchObject({ "x-one": "1", "set-cookie": "a=1, b=2" });
});
