import { describe, expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { Receipt, Thread } from "../../src/core/notifier-call.ts";
import { omitUndefined } from "../../src/core/omit-undefined.ts";
import { kinds } from "../../src/core/vocabulary.ts";
import { alertmanager } from "../../src/notifiers/alertmanager.ts";
import { FakeClock } from "../world/fake-clock.ts";
import { answer, silence, startHostileServer } from "../world/hostile-server.ts";
import { networkCall, networkPorts } from "../world/network-call.ts";
import { useEach } from "../world/use.ts";
import { type PostedAlert, startAlertmanagerServer } from "./alertmanager-server.ts";
import { alertsIn } from "./cases/alertmanager.ts";
import { canary, nowMs } from "./contract/notifier-case.ts";
import { direct } from "./contract/way.ts";

const sent = (message: Partial<Message>, more: object = {}, previous?: Receipt): PostedAlert[] =>
  post(message, more, { key: "0123456789abcdef".repeat(2), ...(previous && { previous }) });
const post = (message: Partial<Message>, more: object, thread?: Thread): PostedAlert[] => {
  const settings = alertmanager.settings.parse({ servers: ["http://127.0.0.1:9"], ...more });
  const call = networkCall(settings, { at: "2026-11-20T11:59:00Z", ...message }, networkPorts(new FakeClock(nowMs)));
  const view = { ...call.view, event: { ...call.view.event, host: "laptop" } };
  const { body } = alertmanager.request({ ...call, ...omitUndefined({ thread }), view });
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
  const node = useEach("close", startAlertmanagerServer);
  let behave = silence;
  const other = useEach("close", () => startHostileServer({ "*": (request, response) => behave(request, response) }));

  const send = (servers: readonly string[]) => {
    const target = {
      notifier: alertmanager,
      settings: { servers, token: canary },
      ports: networkPorts(new FakeClock()),
    };
    return direct.send(target, { message: "May I?" });
  };

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

  test("the alert is retried if both fail and one failure is temporary", async () => {
    behave = answer(503, { "retry-after": "7" }, "");
    node.refuseNext?.();
    const { failure } = await send([node.origin, other.origin]);
    expect(failure).toMatchObject({ reason: "unavailable", retryAfterMs: 7_000 });
  });
});
