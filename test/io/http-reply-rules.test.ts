import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeliveryError } from "../../src/core/errors.ts";
import type { HttpReply, Rejection, ReplyRules } from "../../src/core/http-port.ts";
import { createHttp } from "../../src/io/http.ts";
import { answer, type HostileServer, startHostileServer } from "../world/hostile-server.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");
let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer({ "/200": answer(200), "/401": answer(401), "/500": answer(500) });
});
afterAll(() => server.close());

async function errorOf(path: string, rules: ReplyRules): Promise<DeliveryError> {
  const request = { url: server.origin + path, signal: AbortSignal.timeout(5_000), ...rules };
  return createHttp(() => nowMs)
    .post(request)
    .then(
      () => expect.fail("it was taken"),
      (error) => error,
    );
}

const hints = { auth: "Check `token`." };
const rejecting = (hint?: string): (() => Rejection) => {
  return () => ({ reason: "auth", message: "does not know you", ...(hint !== undefined && { hint }) });
};

test.each<[string, string, ReplyRules, string | undefined]>([
  ["the status's reason", "/401", { hints }, "Check `token`."],
  ["the rejection's reason", "/200", { hints, classifyReply: rejecting() }, "Check `token`."],
  [
    "the rejection itself, if it has one",
    "/401",
    { hints, classifyReply: rejecting("Log in again.") },
    "Log in again.",
  ],
  ["nothing, for a reason without one", "/500", { hints }, undefined],
  ["nothing, without hints", "/401", {}, undefined],
])("the hint comes from %s", async (_, path, rules, hint) => {
  expect((await errorOf(path, rules)).hint).toBe(hint);
});

test("reply rules get the time", async () => {
  const classifyReply = (_: HttpReply, now: number): Rejection => ({
    reason: "rate-limited",
    message: "no",
    retryAfterMs: now - nowMs + 5,
  });
  expect(await errorOf("/200", { classifyReply })).toMatchObject({ reason: "rate-limited", retryAfterMs: 5 });
});

test.each([200, 401, 500])(
  "a %i that says there is nothing left to do is taken, and no rule rejects it",
  async (status) => {
    const request = { url: `${server.origin}/${status}`, signal: AbortSignal.timeout(5_000) };
    const isGone = (reply: HttpReply) => reply.status === status;
    const reply = await createHttp(() => nowMs).post({ ...request, classifyReply: rejecting(), isGone });
    expect(reply.status).toBe(status);
  },
);

test("a reply that does not say so is rejected as ever", async () => {
  expect(await errorOf("/401", { isGone: () => false })).toMatchObject({ reason: "auth" });
});
