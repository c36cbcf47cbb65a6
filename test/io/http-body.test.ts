import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttp } from "../../src/io/http.ts";

async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = async (answer: (response: ServerResponse) => void, maxReplyBytes?: number) =>
  createHttp().send({
    url: await serve(answer),
    signal: AbortSignal.timeout(5000),
    ...(maxReplyBytes !== undefined && { maxReplyBytes }),
  });

describe("a reply's body", () => {
  it.each([
    ["shorter than the bound", 9, false],
    ["of exactly the bound", 10, false],
    ["longer than the bound", 11, true],
    ["much longer than the bound", 1_000_000, true],
  ])("%s is told from one that was cut", async (_, length, cut) => {
    const reply = await get((response) => response.end("x".repeat(length)), 10);
    expect(reply.body).toBe("x".repeat(Math.min(length, 10)));
    expect(reply.truncated ?? false).toBe(cut);
  });

  it("is bounded at 64 KiB by default", async () => {
    const reply = await get((response) => response.end("x".repeat(65_537)));
    expect([reply.body.length, reply.truncated]).toEqual([65_536, true]);
  });

  it("that the other side breaks off is an error", async () => {
    const cutOff = (response: ServerResponse): void => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("{", () => response.destroy());
    };
    await expect(get(cutOff)).rejects.toMatchObject({
      name: "DeliveryError",
      reason: "unavailable",
      message: expect.stringContaining("broke off"),
    });
  });
});
