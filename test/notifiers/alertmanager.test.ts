import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt, Thread } from "../../src/core/notifier-call.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { createPorts } from "../../src/io/ports.ts";
import { alertmanager } from "../../src/notifiers/alertmanager.ts";
import { attempt } from "../../src/pipeline/attempt.ts";
import { makeConfig } from "../world/delivery-world.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { readAllJournal } from "../world/home.ts";
import { answer, answerJson, type HostileServer, silence, startHostileServer } from "../world/hostile-server.ts";
import { localCall } from "../world/local-call.ts";
import {
  type AlertmanagerServer,
  faultIn,
  type PostedAlert,
  readAlert,
  startAlertmanagerServer,
} from "./alertmanager-server.ts";
import { configuredFor, event } from "./contract/deliver-to.ts";
import { describeChanges } from "./contract/describe-changes.ts";
import { describeHttpNotifier } from "./contract/describe-http-notifier.ts";
import { describeProbe } from "./contract/describe-probe.ts";
import { LifeStory } from "./contract/life-story.ts";
import { canary } from "./contract/notifier-case.ts";

const alertsIn = (body = ""): PostedAlert[] => JSON.parse(body);

describeHttpNotifier(alertmanager, {
  settings: (origin) => ({ servers: [origin], user: "beckon", password: canary }),
  success: answer(200, {}, ""),
  rejections: [
    ["labels that it rejects", answerJson(400, "invalid label set"), "rejected"],
    ["another program's JSON", answerJson(200, { ok: true }), "unavailable"],
  ],
  read: ({ body }) => readAlert(alertsIn(body)[0] ?? expect.fail("no alert")),
  valid({ body, path }) {
    expect(path).toBe("/api/v2/alerts");
    const [alert, ...others] = alertsIn(body);
    expect(others).toEqual([]);
    expect(alert && faultIn(alert)).toBeUndefined();
    expect(alert?.labels).toMatchObject({ alertname: "AgentNeedsYou", kind: "needs-you", agent: "claude" });
  },
  mentions: ['{{ template "slack.default.text" . }} {{ .Labels }} $labels'],
});

describeChanges(alertmanager, {
  start: startAlertmanagerServer,
  withdrawn: "nothing",
  refusal: "auth",
  foreign: [{}, { session: "x", kind: "failed" }, { session: "0123456789ab", kind: "x" }],
});

describeProbe(alertmanager, {
  settings: (origin) => ({ servers: [origin], token: canary }),
  asks: { method: "GET", path: "/api/v2/status" },
  success: answerJson(200, { cluster: { status: "ready" }, versionInfo: { version: "0.33.1" } }),
});

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const sent = (message: Partial<Message>, more: object = {}, previous?: Receipt): PostedAlert[] =>
  post(message, more, { key: "0123456789abcdef".repeat(2), ...(previous && { previous }) });
const post = (message: Partial<Message>, more: object, thread?: Thread): PostedAlert[] => {
  const settings = alertmanager.settings.parse({ servers: ["http://127.0.0.1:9"], ...more });
  const call = localCall(settings, {}, { at: "2026-11-20T11:59:00Z", ...message });
  const { body } = alertmanager.request({ ...call, ...omitUndefined({ thread }), host: "laptop", nowMs });
  return alertsIn(body);
};

test("an alert is identified by its subject, and has its text and start time", () => {
  expect(sent({ kind: "needs-you", title: "shop needs you", body: "" }, { labels: { team: "web" } })).toEqual([
    {
      labels: {
        team: "web",
        alertname: "AgentNeedsYou",
        kind: "needs-you",
        host: "laptop",
        agent: "droid",
        project: "shop",
        session: "0123456789ab",
      },
      annotations: { summary: "shop needs you" },
      startsAt: "2026-11-20T11:59:00.000Z",
    },
  ]);
});

test("an alert that needs no action expires silently", () => {
  const ends = kinds.map((kind) => [kind, sent({ kind }, { endsAfter: "90m" })[0]?.endsAt]);
  const end = "2026-11-20T13:30:00.000Z";
  const expected = { "needs-you": undefined, failed: undefined, finished: end, info: end };
  expect(Object.fromEntries(ends)).toEqual(expected);
});

test("a test alert ends after a minute, a notice without a session after its lifetime", () => {
  const ends = (["needs-you", "failed"] as const).map((kind) => post({ kind }, {})[0]?.endsAt);
  expect(ends).toEqual(["2026-11-20T12:01:00.000Z", "2026-11-20T13:00:00.000Z"]);
});

test("an alert from a machine whose clock is ahead starts now, as it could not end otherwise", () => {
  expect(sent({ at: "2026-11-20T12:30:00Z" })[0]?.startsAt).toBe("2026-11-20T12:00:00.000Z");
});

test("another kind of alert replaces the session's last one, and the same kind continues it", () => {
  const previous = { session: "0123456789ab", kind: "needs-you" };
  expect(sent({ kind: "needs-you" }, {}, previous)).toHaveLength(1);
  const [next, last] = sent({ kind: "failed" }, {}, previous);
  expect(next).not.toHaveProperty("endsAt");
  expect(last).toMatchObject({
    labels: { kind: "needs-you", session: "0123456789ab" },
    endsAt: "2026-11-20T12:00:00.000Z",
  });
});

test("reserved labels and invalid names are not accepted as extra labels", () => {
  const parse = (name: string) =>
    alertmanager.settings.safeParse({ servers: ["http://am:9093"], labels: { [name]: "x" } });
  const names = ["kind", "session", "alertname", "1st", "a-b", ""];
  expect(names.filter((name) => parse(name).success)).toEqual([]);
});

describe("with two servers", () => {
  let node: AlertmanagerServer;
  let other: HostileServer;
  let behave = silence;
  beforeEach(async () => {
    node = await startAlertmanagerServer();
    other = await startHostileServer({ "*": (request, response) => behave(request, response) });
  });
  afterEach(() => Promise.all([node.close(), other.close()]));

  async function send(servers: readonly string[]) {
    const configured = await configuredFor(alertmanager, { servers, token: canary });
    const context = {
      config: await makeConfig({}),
      ports: { ...createPorts(), clock: new FakeClock() },
      keepSecret() {},
    };
    return attempt({ event, facts: {}, configured, thread: { key: "0".repeat(32) } }, context);
  }

  test("each gets the alert", async () => {
    behave = answer(200, {}, "");
    expect((await send([node.origin, other.origin])).note).toBeUndefined();
    expect(node.alerts()).toEqual(alertsIn(other.requests[0]?.body));
  });

  test.each([
    ["refuses it", answer(401, {}, ""), "answered 401"],
    ["is down", answer(503, {}, ""), "answered 503"],
    ["hangs", silence, "did not answer in time"],
  ])("the alert is delivered though the first %s, as the journal says", async (_, behaviour, words) => {
    behave = behaviour;
    const { failure, note } = await send([other.origin, node.origin]);
    expect(failure).toBeUndefined();
    expect(note).toBe(`a server has not taken it: ${other.origin} ${words}`);
    expect(node.alerts()).toHaveLength(1);
  });

  test("the alert is resolved though one is down, as the journal says", async () => {
    behave = answer(503, {}, "");
    const servers = [node.origin, other.origin];
    const story = await LifeStory.of(await configuredFor(alertmanager, { servers, token: canary }));
    await story.asks("make");
    expect(node.alerts()).toHaveLength(1);
    await story.prompts();
    expect(node.alerts()).toEqual([]);
    const reason = `a server has not taken it: ${other.origin} answered 503`;
    const lines = readAllJournal(join(story.root, "journal")).filter(({ notifier }) => notifier !== undefined);
    expect(lines).toMatchObject([
      { status: "sent", reason },
      { status: "withdrawn", reason },
    ]);
  });

  test("the alert is retried if both fail and one failure is temporary", async () => {
    behave = answer(503, { "retry-after": "7" }, "");
    node.refuseNext?.();
    const { failure } = await send([node.origin, other.origin]);
    expect(failure).toMatchObject({ reason: "unavailable", isTransient: true, retryAfterMs: 7_000 });
  });
});
