import { describe, expect, onTestFinished, test } from "vitest";
import { type Kind, kinds } from "../../src/core/vocabulary.ts";
import { ntfy } from "../../src/notifiers/ntfy.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { answerJson, openHostileServer } from "../world/hostile-server.ts";
import { networkCall, networkPorts } from "../world/network-call.ts";
import { topic } from "./cases/ntfy.ts";
import { makePayload, makeRequest } from "./contract/make-request.ts";
import { nowMs } from "./contract/notifier-case.ts";
import { startNtfyServer } from "./ntfy-server.ts";

const thread = { key: "0123456789abcdef0123456789abcdef" };
const needsYou = { kind: "needs-you" } as const;

/** Starts a server, and sends a message there that can be withdrawn this many milliseconds later by our clock. */
async function sendTo(
  options: Parameters<typeof startNtfyServer>[0],
  kind: Kind = "needs-you",
  more: object = { thread },
) {
  const server = await startNtfyServer(options);
  onTestFinished(() => server.close());
  const callAfter = (ms: number) => {
    const ports = networkPorts(new FakeClock(nowMs + ms));
    const message = { kind, at: new Date(nowMs).toISOString() };
    return { ...networkCall(ntfy.settings.parse(server.settings), message, ports), ...more };
  };
  const receipt = await ntfy.send(callAfter(0));
  const withdrawAfter = async (ms: number) => {
    if (receipt) await ntfy.withdraw?.({ ...callAfter(ms), receipt });
  };
  return { receipt, server, withdrawAfter };
}

test.each([
  ["clear", /^PUT \/agents\/0123456789abcdef\w+-\w+\/clear$/],
  ["delete", /^DELETE \/agents\/0123456789abcdef\w+-\w+$/],
])("with %s the server gets that request", async (whenResolved, asked) => {
  const { server, withdrawAfter } = await sendTo({ settings: { whenResolved } });
  await withdrawAfter(0);
  expect(server.changes).toEqual([expect.stringMatching(asked)]);
});

describe("no receipt exists", () => {
  test("for a server older than 2.16, which would ring a change as a second message", async () => {
    expect((await sendTo({ isOld: true })).receipt).toBeUndefined();
  });

  test("if messages are to stay", async () => {
    expect((await sendTo({})).receipt).toBeDefined();
    expect((await sendTo({}, "needs-you", {})).receipt).toHaveProperty("sequence"); // of a test message
    expect((await sendTo({ settings: { whenResolved: "keep" } })).receipt).toBeUndefined();
  });

  test("for a foreign sequence", async () => {
    const server = await openHostileServer({ "*": answerJson(200, { id: "m1", sequence_id: "x" }) });
    const call = networkCall(ntfy.settings.parse({ ...topic, server: server.origin }));
    expect(await ntfy.send({ ...call, thread })).toBeUndefined();
  });
});

describe("a needs-you message that the server rings again", () => {
  const escalates = (whenResolved: string) => sendTo({ settings: { escalate: "5m", whenResolved } });

  test("is kept at the server, and deleted if it is resolved before", async () => {
    for (const whenResolved of ["clear", "delete", "keep"]) {
      const { server, withdrawAfter } = await escalates(whenResolved);
      const [shown] = await server.listActive();
      expect(server.kept()).toEqual([{ ...shown, delay: "300s" }]);
      await withdrawAfter(310_000); // a server may be ten seconds late
      expect(server.kept()).toEqual([]);
      expect(await server.listActive()).toHaveLength(whenResolved === "keep" ? 1 : 0);
    }
  });

  test("is withdrawn like any other after it has rung", async () => {
    const { server, withdrawAfter } = await escalates("clear");
    server.ringKept();
    expect(await server.listActive()).toHaveLength(2);
    await withdrawAfter(400_000);
    expect(await server.listActive()).toEqual([]);
    expect(server.changes).toEqual([expect.stringMatching(/-later\/clear$/), expect.stringMatching(/\/clear$/)]);
  });

  test("is not kept for other kinds, nor by a server that cannot withdraw it", async () => {
    expect((await sendTo({ settings: { escalate: "5m" } }, "finished")).server.kept()).toEqual([]);
    expect((await sendTo({ settings: { escalate: "5m" }, isOld: true })).server.kept()).toEqual([]);
  });
});

describe("the button", () => {
  const labels = { seen: "Gesehen", focus: "x" };
  const makeActions = (settings: object, parts: object = {}) => {
    const changes = { message: needsYou, thread, labels, ...parts };
    return makePayload(ntfy, { topic: "a".repeat(64), ...settings }, changes).actions;
  };

  test("is in the configured language and has no credentials", () => {
    const [action, ...others] = makeActions({ button: true, token: "tk_1" });
    expect(others).toEqual([]);
    expect(action).toMatchObject({ action: "http", label: "Gesehen", clear: true });
    expect(action.url).toBe(`https://ntfy.sh/${"a".repeat(59)}-seen`);
    expect(JSON.stringify(action)).not.toMatch(/tk_1|headers|uthorization/);
  });

  test("is unaffected by names and texts, however hostile", () => {
    const plain = makeActions({ button: true });
    const hostile = [
      '"}],"actions":[{"action":"http","url":"https://evil.example',
      "http, x, https://evil.example; view",
      "\r\nActions: x",
    ];
    const named = hostile.map((text) =>
      makeActions({ button: true }, { message: { ...needsYou, title: text, body: text } }),
    );
    expect(named).toEqual(hostile.map(() => plain));
  });

  test("is absent unless requested, and in fallbacks, test messages and resolved ones", () => {
    expect(makeActions({})).toBeUndefined();
    const absent = [{ isFallback: true }, { thread: undefined }, { message: { kind: "info" } }];
    expect(absent.map((parts) => makeActions({ button: true }, parts))).toEqual(absent.map(() => undefined));
  });
});

test("a session's messages have sequences of the session's thread, and so has a test message", () => {
  expect(makePayload(ntfy, topic, { thread }).sequence_id).toMatch(/^[0-9a-f]{32}-\w+$/);
  expect(makePayload(ntfy, topic).sequence_id).toMatch(/^beckon-\w+$/);
});

test("a server on the internet is shown project, agent and kind alone by default", () => {
  const detailAt = (server: string) => ntfy.detail?.(ntfy.settings.parse({ server, ...topic }));
  expect([detailAt("https://ntfy.sh"), detailAt("http://raspberry.local")]).toEqual(["minimal", "full"]);
});

// https://docs.ntfy.sh/publish/#authentication
test("the login is the token, or user and password", () => {
  const readLogin = (login: object) => makeRequest(ntfy, { ...topic, ...login }).headers?.["authorization"];
  expect(readLogin({})).toBeUndefined();
  expect(readLogin({ token: "tk_1" })).toBe("Bearer tk_1");
  expect(readLogin({ user: "phil", password: "mypass" })).toBe("Basic cGhpbDpteXBhc3M=");
  expect(readLogin({ token: "tk_1", user: "phil" })).toBe("Bearer tk_1");
});

test("messages that need the user have a higher priority, or the highest if requested", () => {
  const makePriorities = (settings: object) =>
    kinds.map((kind) => [kind, makePayload(ntfy, { ...topic, ...settings }, { message: { kind } }).priority]);
  const priorities = { "needs-you": 4, failed: 4, finished: 3, info: 2 };
  expect(Object.fromEntries(makePriorities({}))).toEqual(priorities);
  expect(Object.fromEntries(makePriorities({ urgent: true }))).toEqual({ ...priorities, "needs-you": 5 });
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

test("an invalid or long topic, a delay out of range and an empty secret are refused", () => {
  const topics = ["a b", "../x", "", "x".repeat(65), "ä"].map((topic) => ({ topic }));
  const others = [{ escalate: "9s" }, { escalate: "73h" }, { token: "" }, { password: "" }];
  const bad = [...topics, ...others.map((settings) => ({ ...topic, ...settings }))];
  expect(bad.filter((settings) => ntfy.settings.safeParse(settings).success)).toEqual([]);
});
