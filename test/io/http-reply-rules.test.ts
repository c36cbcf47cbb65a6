import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeliveryError } from "../../src/core/errors.ts";
import type { HttpReply, Judgement, Refusal } from "../../src/core/http-port.ts";
import { createHttp } from "../../src/io/http.ts";
import { answer, type HostileServer, startHostileServer } from "../helpers/hostile-server.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");
let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer({ "/200": answer(200), "/401": answer(401), "/500": answer(500) });
});
afterAll(() => server.close());

async function errorOf(path: string, judgement: Judgement): Promise<DeliveryError> {
  const request = { url: server.origin + path, signal: AbortSignal.timeout(5_000), ...judgement };
  return createHttp(() => nowMs)
    .post(request)
    .then(
      () => expect.fail("it was taken"),
      (error) => error,
    );
}

const hints = { auth: "Check `token`." };
const refusing = (hint?: string): (() => Refusal) => {
  return () => ({ reason: "auth", message: "does not know you", ...(hint !== undefined && { hint }) });
};

test.each<[string, string, Judgement, string | undefined]>([
  ["the status", "/401", { hints }, "Check `token`."],
  ["the judge's reason", "/200", { hints, judge: refusing() }, "Check `token`."],
  ["the judge's own word first", "/401", { hints, judge: refusing("Log in again.") }, "Log in again."],
  ["no other reason", "/500", { hints }, undefined],
  ["nothing without hints", "/401", {}, undefined],
])("what to do is said by %s", async (_, path, judgement, hint) => {
  expect((await errorOf(path, judgement)).hint).toBe(hint);
});

test("the judge is told what time it is", async () => {
  const judge = (_: HttpReply, now: number): Refusal => ({
    reason: "rate-limited",
    message: "no",
    retryAfterMs: now - nowMs + 5,
  });
  expect(await errorOf("/200", { judge })).toMatchObject({ reason: "rate-limited", retryAfterMs: 5 });
});
