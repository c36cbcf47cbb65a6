import { describe, expect, onTestFinished, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt } from "../../src/core/notifier-call.ts";
import type { Kind } from "../../src/core/vocabulary.ts";
import { createClock } from "../../src/io/clock.ts";
import { createPorts } from "../../src/io/ports.ts";
import { ntfy } from "../../src/notifiers/ntfy.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { change } from "../../src/pipeline/change.ts";
import { configOf } from "../world/delivery-world.ts";
import { answer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { describeReactions } from "./contract/describe-reactions.ts";
import { canary } from "./contract/notifier-case.ts";
import { readNtfy, startNtfyServer } from "./ntfy-server.ts";

const json = { "content-type": "application/json" };

const settings = (server: string) => ({ server, topic: "agents", token: canary });

describeHttpNotifier(ntfy, {
  settings,
  success: answer(200, json, '{"id":"hwQ2YpKdmg","event":"message"}'),
  rejections: [
    ["too many requests", answer(429, json, '{"code":42901,"http":429}'), { reason: "rate-limited", waitMs: 5_000 }],
    [
      "the day's messages",
      answer(429, json, '{"code":42908,"http":429}'),
      { reason: "rate-limited", waitMs: 6 * 3_600_000 },
    ],
    ["a wrong token", answer(401, json, '{"code":40101,"http":401}'), { reason: "auth" }],
    ["a topic of somebody else's", answer(403, json, '{"code":40301,"http":403}'), { reason: "auth" }],
    ["a wrong topic", answer(400, json, '{"code":40009,"http":400}'), { reason: "auth" }],
    ["a topic that the server keeps for itself", answer(400, json, '{"code":40010,"http":400}'), { reason: "auth" }],
    ["too long a delay", answer(400, json, '{"code":40006,"http":400}'), { reason: "rejected" }],
    ["no message JSON", answer(400, json, '{"code":40017,"http":400}'), { reason: "rejected" }],
    ["a fault", answer(500, json, '{"code":50001,"http":500}'), { reason: "unavailable" }],
  ],
  read: ({ body }) => readNtfy(JSON.parse(body)),
  valid({ body, headers, path }) {
    expect(path).toBe("/");
    expect(headers["authorization"]).toBe(`Bearer ${canary}`);
    const { topic, message, priority, markdown } = JSON.parse(body);
    expect({ topic, priority, markdown }).toEqual({ topic: "agents", priority: 4, markdown: undefined });
    expect(Buffer.byteLength(message)).toBeLessThan(4_096);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(8_192);
    expect(message).not.toBe("");
  },
  mentions: ['","click":"https://evil.example","x":"', "**bold** ![](https://evil.example/x.png)"],
});

describeChanges(ntfy, { start: () => startNtfyServer(), withdrawn: "nothing", refusal: "rate-limited" });

describeReactions(ntfy, {
  start: () => startNtfyServer({ settings: { button: true } }),
  refusal: "rate-limited",
  foreign: [{}, { sequence: 1 }, { sequence: "" }, { sequence: "../x" }, { sequence: "a", sentAt: "1&x" }],
  off: { button: false },
});

describeProbe(ntfy, {
  settings,
  asks: { method: "GET", path: "/v1/health" },
  success: answer(200, json, '{"healthy":true}'),
  addressOnly: true,
});

const thread = { key: "0123456789abcdef0123456789abcdef" };
const call = { message: { title: "t", body: "b", kind: "needs-you" } as Message, isFallback: false, nowMs: 1_000 };

/** A server, and a message that was sent to it and can be withdrawn so many milliseconds later by our clock. */
async function sendTo(options: Parameters<typeof startNtfyServer>[0], kind: Kind = "needs-you") {
  const server = await startNtfyServer(options);
  onTestFinished(() => server.close());
  const outgoing = {
    event: { ...event, kind },
    facts: {},
    thread,
    configured: await configuredFor(ntfy, server.settings),
  };
  const contextAfter = async (ms: number) => {
    const clock = { ...createClock(), now: () => event.atMs + ms };
    return { config: await configOf({}), ports: { ...createPorts(), clock }, keepSecret() {} };
  };
  const { receipt, failure } = await attempt(outgoing, await contextAfter(0));
  expect(failure).toBeUndefined();
  const withdrawAfter = async (ms: number) => {
    if (receipt) expect(await change("withdraw", { ...outgoing, receipt }, await contextAfter(ms))).toEqual({});
  };
  return { receipt, server, withdrawAfter };
}

test.each([
  ["clear", /^PUT \/agents\/0123456789abcdef\w+-\w+\/clear$/],
  ["delete", /^DELETE \/agents\/0123456789abcdef\w+-\w+$/],
])("with %s, that is what is asked of the server", async (whenResolved, asked) => {
  const { server, withdrawAfter } = await sendTo({ settings: { whenResolved } });
  await withdrawAfter(0);
  expect(server.changes).toEqual([expect.stringMatching(asked)]);
});

describe("there is no receipt", () => {
  test("of a server older than 2.16, which would show and ring a change as a second message", async () => {
    expect((await sendTo({ isOld: true })).receipt).toBeUndefined();
  });

  test.each([
    ["of a test message", {}, undefined],
    ["where messages are to stay", { whenResolved: "keep" }, thread],
    ["of a sequence that is not ours", {}, { key: "ffffffffffffffffffffffffffffffff" }],
  ])("%s", (_, more, asked) => {
    const parts = { ...call, settings: ntfy.settings.parse({ topic: "a", ...more }), ...(asked && { thread: asked }) };
    const reply = { status: 200, headers: {}, body: JSON.stringify({ id: "m1", sequence_id: `${thread.key}-rs` }) };
    expect(ntfy.receipt?.(reply, { ...parts })).toBeUndefined();
  });
});

describe("a needs-you that the server is to ring once more", () => {
  const escalates = (whenResolved: string) => sendTo({ settings: { escalate: "5m", whenResolved } });

  test("is kept there, and deleted where it is resolved before", async () => {
    for (const whenResolved of ["clear", "delete", "keep"]) {
      const { server, withdrawAfter } = await escalates(whenResolved);
      const [standing] = await server.standing();
      expect(server.kept()).toEqual([{ ...standing, delay: "300s" }]);
      await withdrawAfter(310_000); // a server may be ten seconds late
      expect(server.kept()).toEqual([]);
      expect(await server.standing()).toHaveLength(whenResolved === "keep" ? 1 : 0);
    }
  });

  test("is taken back like any other once it has rung", async () => {
    const { server, withdrawAfter } = await escalates("clear");
    server.ringKept();
    expect(await server.standing()).toHaveLength(2);
    await withdrawAfter(400_000);
    expect(await server.standing()).toEqual([]);
    expect(server.changes).toEqual([expect.stringMatching(/-later\/clear$/), expect.stringMatching(/\/clear$/)]);
  });

  test("is not kept for other kinds, nor by a server that could not take it back", async () => {
    expect((await sendTo({ settings: { escalate: "5m" } }, "finished")).server.kept()).toEqual([]);
    expect((await sendTo({ settings: { escalate: "5m" }, isOld: true })).server.kept()).toEqual([]);
  });
});

describe("the button", () => {
  const labels = { seen: "Gesehen", focus: "x" };
  const actionsOf = (more: object, parts: object = {}) => {
    const settings = ntfy.settings.parse({ topic: "a".repeat(64), ...more });
    return JSON.parse(ntfy.request({ ...call, settings, thread, labels, ...parts }).body ?? "").actions;
  };

  test("says what the language says, and brings no credential", () => {
    const [action, ...others] = actionsOf({ button: true, token: "tk_1" });
    expect(others).toEqual([]);
    expect(action).toMatchObject({ action: "http", label: "Gesehen", clear: true });
    expect(action.url).toBe(`https://ntfy.sh/${"a".repeat(59)}-seen`);
    expect(JSON.stringify(action)).not.toMatch(/tk_1|headers|uthorization/);
  });

  test.each([
    ["unless it is asked for", {}, {}],
    ["in the fallback form", { button: true }, { isFallback: true }],
    ["in a test message", { button: true }, { labels: undefined }],
    ["where nothing is open", { button: true }, { message: { ...call.message, kind: "info" } }],
  ])("is absent %s", (_, more, parts) => {
    expect(actionsOf(more, parts)).toBeUndefined();
  });
});

test("each message of a session is a sequence of its own: Android would not ring for a second one", () => {
  const settings = ntfy.settings.parse({ topic: "a" });
  const sequenceAt = (nowMs: number) =>
    JSON.parse(ntfy.request({ ...call, settings, thread, nowMs }).body ?? "").sequence_id;
  expect(sequenceAt(1_000)).toMatch(/^[0-9a-f]{32}-\w+$/);
  expect(sequenceAt(1_001)).not.toBe(sequenceAt(1_000));
  expect(JSON.parse(ntfy.request({ ...call, settings }).body ?? "")).not.toHaveProperty("sequence_id");
});

test.each([{}, { sequence: 1 }, { sequence: "" }, { sequence: "../other" }, { sequence: "a/clear?x=1" }])(
  "a receipt of another form, %j, is no request",
  async (receipt) => {
    const refuse = () => Promise.reject(new Error("a request"));
    const ports = { ...createPorts(), http: { send: refuse, post: refuse } };
    const settings = ntfy.settings.parse({ topic: "a" });
    await ntfy.withdraw?.({ ...localCall(settings, {}), ports, receipt: receipt as Receipt });
  },
);

test.each([
  ["https://ntfy.sh", "minimal"],
  ["https://ntfy.example.com", "minimal"],
  ["https://[2606:4700:4700::1111]", "minimal"],
  ["http://192.168.1.5:80", "full"],
  ["http://raspberry.local", "full"],
] as const)("on %s it shows %s by default", (server, detail) => {
  expect(ntfy.detail?.(ntfy.settings.parse({ server, topic: "a" }))).toBe(detail);
});

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const requestFor = (more: object, kind = "needs-you") => {
  const message = { title: "t", body: "b", kind } as Message;
  const settings = ntfy.settings.parse({ topic: "a", ...more });
  return ntfy.request({ settings, message, isFallback: false, nowMs });
};

// https://docs.ntfy.sh/publish/#authentication
test.each([
  ["nobody", {}, undefined],
  ["a token", { token: "tk_1" }, "Bearer tk_1"],
  ["a user and a password", { user: "phil", password: "mypass" }, "Basic cGhpbDpteXBhc3M="],
  ["the token of both", { token: "tk_1", user: "phil" }, "Bearer tk_1"],
])("logs in as %s", (_, more, authorization) => {
  expect(requestFor(more).headers?.["authorization"]).toBe(authorization);
});

test.each([
  [{}, "needs-you", 4],
  [{}, "failed", 4],
  [{}, "finished", 3],
  [{}, "info", 2],
  [{ urgent: true }, "needs-you", 5],
  [{ urgent: true }, "failed", 4],
])("with %j, %s has the priority %i", (more, kind, priority) => {
  expect(JSON.parse(requestFor(more, kind).body ?? "")).toMatchObject({ priority });
});

test.each([
  ["2026-11-20T23:30:00Z", 30 * 60_000],
  ["2026-11-20T00:00:00Z", 24 * 3_600_000],
])("a daily limit reached at %s ends at midnight, UTC", (at, retryAfterMs) => {
  for (const code of [42_905, 42_908]) {
    const reply = { status: 429, headers: {}, body: JSON.stringify({ code, http: 429 }) };
    expect(ntfy.classifyReply?.(reply, Date.parse(at))).toMatchObject({ reason: "rate-limited", retryAfterMs });
  }
});

const badTopics = ["a b", "../x", "", "x".repeat(65), "ä"].map((topic) => ({ topic }));
const bad = [{ escalate: "9s" }, { escalate: "73h" }, { token: "" }, { password: "" }].map((one) => ({
  topic: "a",
  ...one,
}));
test.each([...badTopics, ...bad])("%j is refused", (settings) => {
  expect(ntfy.settings.safeParse(settings).success).toBe(false);
});
